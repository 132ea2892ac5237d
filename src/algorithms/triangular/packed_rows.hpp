// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a triangle as threads of a host read them best: one behind the other in the order of the solution, the
// strict triangle alone, pivots inverted, and neighbours with the same columns in groups.
//
// A caller's rows hold both triangles, or those of L and U in turns, so a solve in them reads twice what it needs. And
// matrices with several unknowns at a point, and factors with fill, have runs of rows that agree: each has the columns
// of the one before it, and that one. Up to four such rows are a group. It holds the columns that all have once, each
// with the values of all rows, so that an unknown is read once for all of them and their sums do not wait for each
// other; then what the rows need of each other. (PETSc solves its inodes so.) Where groups are few their sizes cannot
// be foreseen, which costs more than it saves, and each row stands alone.
//
// Each sum is taken from the column that is farthest from the diagonal to the nearest, whatever the groups: the bits do
// not depend on them, nor on the number of threads; and the unknown that was found last is asked for last. A row is
// multiplied by its inverted pivot, unless some pivot of the triangle has no inverse within the range of the numbers;
// then all rows are divided.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "algorithms/triangular/row_kernels.hpp"
#include "parallel/concurrency.hpp"

namespace terrace::triangular {

/// Where a task begins, and at the end of all where the last one ends.
template <class Ordinal>
struct PackedStart {
  Ordinal position = 0;  // of its first row
  std::size_t group = 0, column = 0, value = 0;
};

/// For kernels: plain pointers.
template <class StoredScalar, class OrdinalType, class OffsetType>
struct PackedPattern {
  using Stored = StoredScalar;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;  // of the rows that were packed
  static constexpr int max_group = 4;

  const PackedStart<Ordinal>* starts;  // [tasks + 1]
  const std::uint32_t* lengths;        // by group: columns outside it
  const std::uint8_t* sizes;           // by group: rows; null: one each
  const Ordinal* columns;
  const Stored* values;
  const Ordinal* order;  // which row stands at a position; null: they ascend, or descend
  Ordinal rows;
  bool backward;
  bool unit;
  bool divides;  // pivots are not inverted

  KOKKOS_FUNCTION Ordinal row_at(Ordinal position) const {
    if (order) return order[position];
    return backward ? rows - 1 - position : position;
  }

  /// Values of a group behind those of its columns.
  KOKKOS_FUNCTION std::size_t inner_values(int size) const {
    return static_cast<std::size_t>(size * (size - 1) / 2 + (unit ? 0 : size));
  }
};

/// op(A) X = B in packed rows. `Scalar` is that of the vectors.
template <class ScalarType, class Packed, bool Contiguous>
struct PackedSystem {
  using Scalar = ScalarType;
  using Ordinal = typename Packed::Ordinal;
  using Offset = typename Packed::Offset;
  using Stored = typename Packed::Stored;
  static constexpr KernelNames names{"terrace::triangular::solve_sequentially", "terrace::triangular::solve_level",
                                     "terrace::triangular::solve_chain", "terrace::triangular::solve_rows_sync_free"};

  Packed packed;
  Vectors<const Scalar, Contiguous> b;
  Vectors<Scalar, Contiguous> x;
  int columns;
  bool conjugate;

  /// The rows of a task, each from what it needs.
  KOKKOS_FUNCTION void gather_task(Ordinal task) const {
    for_each_width([&](auto width, int column) {
      if (!packed.sizes)
        return packed.unit ? gather_rows<true>(width, task, column) : gather_rows<false>(width, task, column);
      const auto& start = packed.starts[task];
      const Ordinal end = packed.starts[task + 1].position;
      Place at{start.position, packed.columns + start.column, packed.values + start.value};
      for (std::size_t group = start.group; at.position < end; ++group) gather_group(width, group, at, column);
    });
  }

  /// The rows of a task against their order, each handed on to those that need it. X holds B on entry.
  KOKKOS_FUNCTION void scatter_task(Ordinal task) const {
    for_each_width([&](auto width, int column) {
      const auto &first = packed.starts[task], &end = packed.starts[task + 1];
      Place at{end.position, packed.columns + end.column, packed.values + end.value};
      for (std::size_t group = end.group; group > first.group;) scatter_group(width, --group, at, column);
    });
  }

  KOKKOS_FUNCTION void copy_right_hand_side(Ordinal row) const {
    for (int column = 0; column < columns; ++column) x(row, column) = b(row, column);
  }

 private:
  struct Place {
    Ordinal position;
    const Ordinal* column;
    const Stored* value;
  };

  template <int W>
  using Width = std::integral_constant<int, W>;

  template <class Body>
  KOKKOS_FUNCTION void for_each_width(const Body& body) const {
    if constexpr (Contiguous) {
      body(Width<1>(), 0);
    } else {
      constexpr int width = 4;
      int column = 0;
      for (; column + width <= columns; column += width) body(Width<width>(), column);
      for (; column < columns; ++column) body(Width<1>(), column);
    }
  }

  /// Calls body(size of the group).
  template <class Body>
  KOKKOS_FUNCTION static void with_size(int size, const Body& body) {
    if (size == 1) body(Width<1>());
    else if (size == 2) body(Width<2>());
    else if (size == 3) body(Width<3>());
    else body(Width<4>());
  }

  KOKKOS_FUNCTION Scalar value(const Stored& stored) const {
    if constexpr (is_complex<Scalar>) return conjugate ? Kokkos::conj(Scalar(stored)) : Scalar(stored);
    else return static_cast<Scalar>(stored);
  }

  KOKKOS_FUNCTION Scalar solved(const Scalar& sum, const Stored& pivot) const {
    return packed.divides ? sum / value(pivot) : sum * value(pivot);
  }

  /// Where no row is in a group with others.
  template <bool Unit, int W>
  KOKKOS_FUNCTION void gather_rows(Width<W>, Ordinal task, int column) const {
    const auto& start = packed.starts[task];
    const Ordinal end = packed.starts[task + 1].position;
    const std::uint32_t* length = packed.lengths + start.group;
    const Ordinal* needed = packed.columns + start.column;
    const Stored* v = packed.values + start.value;
    for (Ordinal position = start.position; position < end; ++position, ++length) {
      const Ordinal row = packed.row_at(position);
      Scalar sum[W];
      for (int w = 0; w < W; ++w) sum[w] = b(row, column + w);
      for (const Ordinal* const last = needed + *length; needed < last; ++needed, ++v) {
        const Scalar a = value(*v);
        for (int w = 0; w < W; ++w) sum[w] -= a * x(*needed, column + w);
      }
      for (int w = 0; w < W; ++w) x(row, column + w) = Unit ? sum[w] : solved(sum[w], *v);
      if (!Unit) ++v;
    }
  }

  template <int W>
  KOKKOS_FUNCTION void gather_group(Width<W> width, std::size_t group, Place& at, int column) const {
    with_size(packed.sizes[group], [&](auto size) { gather(size, width, packed.lengths[group], at, column); });
  }

  template <int G, int W>
  KOKKOS_FUNCTION void gather(Width<G>, Width<W>, std::uint32_t length, Place& at, int column) const {
    const Ordinal first = packed.row_at(at.position), step = packed.backward ? -1 : 1;
    Scalar sum[G][W];
    for (int r = 0; r < G; ++r)
      for (int w = 0; w < W; ++w) sum[r][w] = b(first + r * step, column + w);
    const Ordinal* const needed = at.column;
    const Stored* v = at.value;
    for (std::uint32_t j = 0; j < length; ++j, v += G)
      for (int w = 0; w < W; ++w) {
        const Scalar known = x(needed[j], column + w);
        for (int r = 0; r < G; ++r) sum[r][w] -= value(v[r]) * known;
      }
    for (int r = 0; r < G; ++r) {
      for (int q = 0; q < r; ++q, ++v)
        for (int w = 0; w < W; ++w) sum[r][w] -= value(*v) * sum[q][w];
      if (!packed.unit) {
        for (int w = 0; w < W; ++w) sum[r][w] = solved(sum[r][w], *v);
        ++v;
      }
      for (int w = 0; w < W; ++w) x(first + r * step, column + w) = sum[r][w];
    }
    at = {at.position + G, needed + length, v};
  }

  template <int W>
  KOKKOS_FUNCTION void scatter_group(Width<W> width, std::size_t group, Place& at, int column) const {
    const int size = packed.sizes ? packed.sizes[group] : 1;
    const std::uint32_t length = packed.lengths[group];
    at.position -= static_cast<Ordinal>(size);
    at.column -= length;
    at.value -= static_cast<std::size_t>(size) * length + packed.inner_values(size);
    with_size(size, [&](auto known_size) { scatter(known_size, width, length, at, column); });
  }

  template <int G, int W>
  KOKKOS_FUNCTION void scatter(Width<G>, Width<W>, std::uint32_t length, const Place& at, int column) const {
    const Ordinal first = packed.row_at(at.position), step = packed.backward ? -1 : 1;
    const Stored* const inner = at.value + static_cast<std::size_t>(G) * length;
    Scalar known[G][W];
    for (int r = 0; r < G; ++r)
      for (int w = 0; w < W; ++w) known[r][w] = x(first + r * step, column + w);
    for (int r = G - 1; r >= 0; --r) {
      const Stored* const of_row = inner + r * (r - 1) / 2 + (packed.unit ? 0 : r);
      for (int w = 0; w < W; ++w) {
        if (!packed.unit) known[r][w] = solved(known[r][w], of_row[r]);
        for (int q = 0; q < r; ++q) known[q][w] -= value(of_row[q]) * known[r][w];
        x(first + r * step, column + w) = known[r][w];
      }
    }
    const Stored* v = at.value;
    for (std::uint32_t j = 0; j < length; ++j, v += G)
      for (int w = 0; w < W; ++w) {
        Scalar rest = x(at.column[j], column + w);
        for (int r = G - 1; r >= 0; --r) rest -= value(v[r]) * known[r][w];
        x(at.column[j], column + w) = rest;
      }
  }
};

/// Reads the rows of a triangle in the order of their positions.
template <class Ordinal, class Offset>
struct RowsToPack {
  sparse::TriangleView<Ordinal, Offset> pattern;  // which gather
  const Ordinal* order;                           // as in PackedPattern
  bool backward;
  bool unit;

  struct Row {
    Ordinal number;
    Offset begin;
    std::uint32_t length;
  };
  KOKKOS_FUNCTION Row at(Ordinal position) const {
    const Ordinal row = order ? order[position] : backward ? pattern.rows - 1 - position : position;
    const Offset begin = pattern.begin(row);
    return {row, begin, static_cast<std::uint32_t>(pattern.end(row) - begin)};
  }

  /// The place of the j-th entry of a row, from the farthest to the nearest.
  KOKKOS_FUNCTION Offset place(const Row& row, std::uint32_t j) const {
    return row.begin + static_cast<Offset>(backward ? row.length - 1 - j : j);
  }
  KOKKOS_FUNCTION Ordinal column(const Row& row, std::uint32_t j) const { return pattern.entries[place(row, j)]; }

  /// How many rows the group has that begins at this position, before `end`.
  KOKKOS_FUNCTION int group_at(Ordinal position, Ordinal end, int max_group) const {
    if (order) return 1;
    const Row first = at(position);
    int size = 1;
    while (size < max_group && size < end - position && joins(first, position, size)) ++size;
    return size;
  }
  KOKKOS_FUNCTION bool joins(const Row& first, Ordinal position, int size) const {
    const Row row = at(position + static_cast<Ordinal>(size));
    if (row.length != first.length + static_cast<std::uint32_t>(size)) return false;
    for (int r = size - 1; r >= 0; --r)
      if (column(row, first.length + static_cast<std::uint32_t>(r)) != at(position + static_cast<Ordinal>(r)).number)
        return false;
    for (std::uint32_t j = 0; j < first.length; ++j)
      if (column(row, j) != column(first, j)) return false;
    return true;
  }
};

/// Packed rows and their memory.
template <class Stored, class Ordinal, class Offset, class Space>
class PackedRows {
 public:
  using Pattern = PackedPattern<Stored, Ordinal, Offset>;
  using Rows = RowsToPack<Ordinal, Offset>;

  PackedRows() = default;

  /// Task t has positions first[t] to first[t + 1] - 1.
  PackedRows(const Space& space, const Rows& rows, const std::vector<Ordinal>& first) : rows_(rows), first_(first) {
    starts_ = parallel::uninitialized<Start>(space, "terrace::packed_rows::starts", first.size());
    find_starts(space);
    if (constexpr double fewest = 1.5; double(rows.pattern.rows) < fewest * double(starts_[first.size() - 1].group)) {
      max_group_ = 1;
      find_starts(space);
    }
    const Start& end = starts_[first.size() - 1];
    lengths_ = parallel::uninitialized<std::uint32_t>(space, "terrace::packed_rows::lengths", end.group);
    if (max_group_ > 1) sizes_ = parallel::uninitialized<std::uint8_t>(space, "terrace::packed_rows::sizes", end.group);
    columns_ = parallel::uninitialized<Ordinal>(space, "terrace::packed_rows::columns", end.column);
    values_ = parallel::uninitialized<Stored>(space, "terrace::packed_rows::values", end.value);
    for_each_task(space, "terrace::packed_rows::fill", [&](std::size_t task) { fill_pattern(task); });
  }

  /// From the values of the rows. Enqueued, like all kernels of a host (parallel/run_alone.hpp).
  template <class Scalar>
  void fill_values(const Space& space, const Scalar* values) {
    std::atomic<bool> all_have_inverses = true;
    const auto fill = [&](std::size_t task) {
      if (!fill_values(task, values)) all_have_inverses.store(false, std::memory_order_relaxed);
    };
    divides_ = false;
    for_each_task(space, "terrace::packed_rows::fill_values", fill);
    divides_ = !all_have_inverses;
    if (divides_) for_each_task(space, "terrace::packed_rows::fill_values", fill);
  }

  Ordinal tasks() const { return static_cast<Ordinal>(first_.size()) - 1; }

  Pattern pattern() const {
    return {starts_.data(), lengths_.data(),    sizes_.data(),  columns_.data(), values_.data(),
            rows_.order,    rows_.pattern.rows, rows_.backward, rows_.unit,      divides_};
  }

  std::size_t bytes_held() const {
    return starts_.span() * sizeof(Start) + lengths_.span() * sizeof(std::uint32_t) + sizes_.span() +
           columns_.span() * sizeof(Ordinal) + values_.span() * sizeof(Stored) + first_.size() * sizeof(Ordinal);
  }

 private:
  using Start = PackedStart<Ordinal>;

  template <class Body>
  void for_each_task(const Space& space, const char* label, const Body& body) const {
    const auto tasks = static_cast<std::int64_t>(first_.size()) - 1;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0, tasks),
                         [&](std::int64_t task) { body(static_cast<std::size_t>(task)); });
  }

  void find_starts(const Space& space) {
    for_each_task(space, "terrace::packed_rows::count", [&](std::size_t task) { starts_[task + 1] = measure(task); });
    starts_[0] = {};
    for (std::size_t task = 0; task + 1 < first_.size(); ++task) {
      const Start& before = starts_[task];
      Start& end = starts_[task + 1];
      end.group += before.group;
      end.column += before.column;
      end.value += before.value;
    }
  }

  /// Calls body(first position, size, columns outside).
  template <class Body>
  void for_each_group(std::size_t task, const Body& body) const {
    const Ordinal end = first_[task + 1];
    for (Ordinal position = first_[task]; position < end;) {
      const int size = rows_.group_at(position, end, max_group_);
      body(position, size, rows_.at(position).length);
      position += static_cast<Ordinal>(size);
    }
  }

  /// What the task has; the position is that of its end.
  Start measure(std::size_t task) const {
    Start counts;
    counts.position = first_[task + 1];
    for_each_group(task, [&](Ordinal, int size, std::size_t length) {
      ++counts.group;
      counts.column += length;
      counts.value += static_cast<std::size_t>(size) * length + pattern().inner_values(size);
    });
    return counts;
  }

  void fill_pattern(std::size_t task) {
    std::size_t group = starts_[task].group, column = starts_[task].column;
    for_each_group(task, [&](Ordinal position, int size, std::uint32_t length) {
      lengths_[group] = length;
      if (sizes_.data()) sizes_[group] = static_cast<std::uint8_t>(size);
      ++group;
      const auto row = rows_.at(position);
      for (std::uint32_t j = 0; j < length; ++j) columns_[column++] = rows_.column(row, j);
    });
  }

  /// False when some pivot of the task has no inverse.
  template <class Scalar>
  bool fill_values(std::size_t task, const Scalar* from) {
    return sizes_.data() ? fill_groups(task, from) : fill_rows(task, from);
  }

  template <class Scalar>
  bool fill_rows(std::size_t task, const Scalar* from) {
    bool has_inverses = true;
    Stored* v = values_.data() + starts_[task].value;
    for (Ordinal position = starts_[task].position; position < starts_[task + 1].position; ++position) {
      const auto row = rows_.at(position);
      const Scalar* const a = from + row.begin;
      if (rows_.backward)
        for (std::uint32_t j = row.length; j > 0; --j) *v++ = static_cast<Stored>(a[j - 1]);
      else
        for (std::uint32_t j = 0; j < row.length; ++j) *v++ = static_cast<Stored>(a[j]);
      if (!rows_.unit) has_inverses &= fill_pivot(row.number, from, *v++);
    }
    return has_inverses;
  }

  template <class Scalar>
  bool fill_pivot(Ordinal row, const Scalar* from, Stored& into) const {
    const auto pivot = static_cast<Stored>(from[rows_.pattern.diagonal_position(row)]);
    into = divides_ ? pivot : Stored(1) / pivot;
    return has_inverse(pivot);
  }

  template <class Scalar>
  bool fill_groups(std::size_t task, const Scalar* from) {
    bool has_inverses = true;
    Stored* v = values_.data() + starts_[task].value;
    Ordinal position = starts_[task].position;
    for (std::size_t group = starts_[task].group; group < starts_[task + 1].group; ++group) {
      const int size = sizes_[group];
      const std::uint32_t length = lengths_[group];
      Stored* inner = v + static_cast<std::size_t>(size) * length;
      for (int r = 0; r < size; ++r, ++position) {
        const auto row = rows_.at(position);
        for (std::uint32_t j = 0; j < length; ++j)
          v[static_cast<std::size_t>(j) * static_cast<std::size_t>(size) + static_cast<std::size_t>(r)] =
              static_cast<Stored>(from[rows_.place(row, j)]);
        for (std::uint32_t j = length; j < row.length; ++j) *inner++ = static_cast<Stored>(from[rows_.place(row, j)]);
        if (!rows_.unit) has_inverses &= fill_pivot(row.number, from, *inner++);
      }
      v = inner;
    }
    return has_inverses;
  }

  /// Or needs none: what is divided by zero, Inf or NaN is the same times its inverse.
  static bool has_inverse(const Stored& pivot) {
    using Real = decltype(Kokkos::abs(Stored()));
    const Real size = Kokkos::abs(pivot);
    constexpr Real least = Kokkos::Experimental::norm_min_v<Real>;
    return !(size > Real(0)) || size == Kokkos::Experimental::infinity_v<Real> ||
           (size >= 4 * least && size <= Real(0.25) / least);
  }

  Rows rows_{};
  std::vector<Ordinal> first_;
  Kokkos::View<Start*, parallel::Device<Space>> starts_;
  Kokkos::View<std::uint32_t*, parallel::Device<Space>> lengths_;
  Kokkos::View<std::uint8_t*, parallel::Device<Space>> sizes_;
  Kokkos::View<Ordinal*, parallel::Device<Space>> columns_;
  Kokkos::View<Stored*, parallel::Device<Space>> values_;
  bool divides_ = false;
  int max_group_ = Pattern::max_group;
};

/// Positions in equal pieces, so that several threads can pack them; one thread solves them all.
template <class Ordinal>
std::vector<Ordinal> pieces_to_pack(Ordinal rows) {
  constexpr Ordinal rows_of_piece = 4096;
  std::vector<Ordinal> first;
  for (Ordinal position = 0; position < rows;) {
    first.push_back(position);
    position = rows - position > rows_of_piece ? position + rows_of_piece : rows;
  }
  first.push_back(rows);
  return first;
}

/// All tasks by one thread.
template <class System, bool Gather>
struct SolvePackedAlone {
  System system;
  typename System::Ordinal tasks;

  KOKKOS_FUNCTION void operator()(int) const {
    using Ordinal = typename System::Ordinal;
    if constexpr (Gather) {
      for (Ordinal task = 0; task < tasks; ++task) system.gather_task(task);
    } else {
      if (system.b.data != system.x.data)
        for (Ordinal row = 0; row < system.packed.rows; ++row) system.copy_right_hand_side(row);
      for (Ordinal task = tasks; task > 0; --task) system.scatter_task(task - 1);
    }
  }
};

}  // namespace terrace::triangular
