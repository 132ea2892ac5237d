// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a triangle as threads of a host read them best: one behind the other in the order of the solution, the
// strict triangle alone, pivots inverted, and the columns of a group of rows (row_groups.hpp) once.
//
// A caller's rows hold both triangles, or those of L and U in turns, so a solve in them reads twice what it needs; and
// rows that are solved by levels lie far apart. A group holds the columns that all of its rows have, each with the
// values of all rows; then what the rows need of each other.
//
// The bits are those of the rows in place (rows_in_place.hpp). A row is multiplied by its inverted pivot, unless some
// pivot of the triangle has no inverse within the range of the numbers; then pivots are stored, and inverted on the way
// where that can be.
#pragma once

#include <atomic>

#include "algorithms/triangular/pivot_inverse.hpp"
#include "algorithms/triangular/row_groups.hpp"
#include "algorithms/triangular/row_kernels.hpp"
#include "parallel/loops.hpp"

namespace terrace::triangular {

/// Where a task begins, and at the end of all where the last one ends.
template <class Ordinal>
struct PackedStart {
  Ordinal position = 0;  // of its first row
  std::size_t column = 0, value = 0;
};

/// For kernels: plain pointers.
template <class ScalarType, class RowsType>
struct PackedPattern {
  using Rows = RowsType;
  using Ordinal = typename Rows::Ordinal;

  const PackedStart<Ordinal>* starts;  // [tasks + 1]; null where each position is a task
  const std::size_t* row_starts;       // then, by position: its first value
  const std::uint32_t* lengths;        // by position of the first row of each group: columns outside it
  const std::uint8_t* sizes;           // of groups, by position; null: one row each
  const Ordinal* columns;
  const ScalarType* values;
  Rows rows;     // as they were
  bool divides;  // pivots are not inverted

  KOKKOS_FUNCTION PackedStart<Ordinal> start_of(Ordinal task) const {
    if (starts) return starts[task];
    const std::size_t value = row_starts[task];
    return {task, rows.unit ? value : value - static_cast<std::size_t>(task), value};
  }

  /// Values of a group behind those of its columns.
  KOKKOS_FUNCTION std::size_t inner_values(int size) const {
    return static_cast<std::size_t>(size * (size - 1) / 2 + (rows.unit ? 0 : size));
  }
};

/// op(A) X = B in packed rows.
template <class ScalarType, class Packed, bool Contiguous>
struct PackedSystem {
  using Scalar = ScalarType;
  using Ordinal = typename Packed::Ordinal;
  using Offset = typename Packed::Rows::Offset;
  static constexpr KernelNames names = substitution_names;

  Packed packed;
  Vectors<const Scalar, Contiguous> b;
  Vectors<Scalar, Contiguous> x;
  int columns;
  bool conjugate;

  /// The rows of some tasks, each from what it needs.
  KOKKOS_FUNCTION void gather_tasks(Ordinal first_task, Ordinal last_task) const {
    const auto start = packed.start_of(first_task);
    const Ordinal end = packed.start_of(last_task).position;
    for_columns_of<Contiguous>(columns, [&](auto width, int column) {
      Place at{start.position, packed.columns + start.column, packed.values + start.value};
      if (!packed.sizes) {
        if (packed.rows.in_pairs)
          return packed.rows.unit ? gather_rows<true, true>(width, at, end, column)
                                  : gather_rows<false, true>(width, at, end, column);
        return packed.rows.unit ? gather_rows<true, false>(width, at, end, column)
                                : gather_rows<false, false>(width, at, end, column);
      }
      while (at.position < end)
        with_size(packed.sizes[at.position],
                  [&](auto size) { gather(size, width, packed.lengths[at.position], at, column); });
    });
  }

  /// The same against their order, each row handed on to those that need it. X holds B on entry.
  KOKKOS_FUNCTION void scatter_tasks(Ordinal first_task, Ordinal last_task) const {
    const Ordinal begin = packed.start_of(first_task).position;
    const auto end = packed.start_of(last_task);
    for_columns_of<Contiguous>(columns, [&](auto width, int column) {
      Place at{end.position, packed.columns + end.column, packed.values + end.value};
      while (at.position > begin) scatter_group(width, at, column);
    });
  }

  KOKKOS_FUNCTION Ordinal row_count() const { return packed.rows.pattern.rows; }

  KOKKOS_FUNCTION void copy_right_hand_side(Ordinal row) const {
    for (int column = 0; column < columns; ++column) x(row, column) = b(row, column);
  }

 private:
  struct Place {
    Ordinal position;
    const Ordinal* column;
    const Scalar* value;
  };

  KOKKOS_FUNCTION Scalar value(const Scalar& stored) const {
    if constexpr (is_complex<Scalar>) return conjugate ? Kokkos::conj(stored) : stored;
    else return stored;
  }

  template <int W>
  KOKKOS_FUNCTION void finish(Scalar (&sums)[W], const Scalar& pivot) const {
    if (packed.divides) return divide_all(sums, value(pivot));
    for (int w = 0; w < W; ++w) sums[w] = sums[w] * value(pivot);
  }

  /// Where no row is in a group with others.
  template <bool Unit, bool InPairs, int W>
  KOKKOS_FUNCTION void gather_rows(Width<W>, const Place& start, Ordinal end, int column) const {
    const Ordinal* needed = start.column;
    const Scalar* v = start.value;
    for (Ordinal position = start.position; position < end; ++position) {
      const Ordinal row = packed.rows.row_at(position);
      Scalar sum[W];
      for (int w = 0; w < W; ++w) sum[w] = b(row, column + w);
      const auto length = static_cast<std::ptrdiff_t>(packed.lengths[position]);
      subtract_products<InPairs>(
          sum, length, [&](std::ptrdiff_t j) { return value(v[j]); },
          [&](std::ptrdiff_t j, int w) { return x(needed[j], column + w); });
      needed += length;
      v += length;
      if (!Unit) finish(sum, *v++);
      for (int w = 0; w < W; ++w) x(row, column + w) = sum[w];
    }
  }

  template <int G, int W>
  KOKKOS_FUNCTION void gather(Width<G>, Width<W>, std::uint32_t length, Place& at, int column) const {
    const Ordinal first = packed.rows.row_at(at.position), step = packed.rows.backward ? -1 : 1;
    Scalar sum[G][W];
    for (int r = 0; r < G; ++r)
      for (int w = 0; w < W; ++w) sum[r][w] = b(first + r * step, column + w);
    const Ordinal* const needed = at.column;
    const Scalar* v = at.value;
    for (std::uint32_t j = 0; j < length; ++j, v += G)
      for (int w = 0; w < W; ++w) {
        const Scalar known = x(needed[j], column + w);
        for (int r = 0; r < G; ++r) sum[r][w] -= value(v[r]) * known;
      }
    for (int r = 0; r < G; ++r) {
      for (int q = 0; q < r; ++q, ++v)
        for (int w = 0; w < W; ++w) sum[r][w] -= value(*v) * sum[q][w];
      if (!packed.rows.unit) finish(sum[r], *v++);
      for (int w = 0; w < W; ++w) x(first + r * step, column + w) = sum[r][w];
    }
    at = {at.position + G, needed + length, v};
  }

  template <int W>
  KOKKOS_FUNCTION void scatter_group(Width<W> width, Place& at, int column) const {
    const int size = packed.sizes ? packed.sizes[at.position - 1] : 1;
    at.position -= static_cast<Ordinal>(size);
    const std::uint32_t length = packed.lengths[at.position];
    at.column -= length;
    at.value -= static_cast<std::size_t>(size) * length + packed.inner_values(size);
    with_size(size, [&](auto known_size) { scatter(known_size, width, length, at, column); });
  }

  template <int G, int W>
  KOKKOS_FUNCTION void scatter(Width<G>, Width<W>, std::uint32_t length, const Place& at, int column) const {
    const Ordinal first = packed.rows.row_at(at.position), step = packed.rows.backward ? -1 : 1;
    const Scalar* const inner = at.value + static_cast<std::size_t>(G) * length;
    Scalar known[G][W];
    for (int r = 0; r < G; ++r)
      for (int w = 0; w < W; ++w) known[r][w] = x(first + r * step, column + w);
    for (int r = G - 1; r >= 0; --r) {
      const Scalar* const of_row = inner + r * (r - 1) / 2 + (packed.rows.unit ? 0 : r);
      if (!packed.rows.unit) finish(known[r], of_row[r]);
      for (int w = 0; w < W; ++w) {
        for (int q = 0; q < r; ++q) known[q][w] -= value(of_row[q]) * known[r][w];
        x(first + r * step, column + w) = known[r][w];
      }
    }
    const Scalar* v = at.value;
    for (std::uint32_t j = 0; j < length; ++j, v += G)
      for (int w = 0; w < W; ++w) {
        Scalar rest = x(at.column[j], column + w);
        for (int r = G - 1; r >= 0; --r) rest -= value(v[r]) * known[r][w];
        x(at.column[j], column + w) = rest;
      }
  }
};

/// Packed rows and their memory, which is allocated at once and written by the first fill. Hosts only.
template <class Scalar, class Rows, class Space>
class PackedRows {
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  using Start = PackedStart<Ordinal>;

 public:
  using Pattern = PackedPattern<Scalar, Rows>;

  PackedRows() = default;

  /// Task t has positions first[t] to first[t + 1] - 1; with an order each position is a task, and `first` is where
  /// they are cut into pieces to be filled.
  PackedRows(const Space& space, const Rows& rows, const GroupSizes<Space>& sizes, const std::vector<Ordinal>& first)
      : rows_(rows), sizes_(sizes) {
    const std::size_t tasks = first.size() - 1, count = static_cast<std::size_t>(rows.pattern.rows);
    starts_ = parallel::uninitialized<Start>(space, "terrace::packed_rows::starts", tasks + 1);
    for_each_task(space, "terrace::packed_rows::count",
                  [&](std::size_t task) { starts_[task + 1] = measure(first[task], first[task + 1]); });
    starts_[0] = {};
    for (std::size_t task = 0; task < tasks; ++task) {
      starts_[task + 1].column += starts_[task].column;
      starts_[task + 1].value += starts_[task].value;
    }
    if (rows.order)
      row_starts_ = parallel::uninitialized<std::size_t>(space, "terrace::packed_rows::row_starts", count + 1);
    lengths_ = parallel::uninitialized<std::uint32_t>(space, "terrace::packed_rows::lengths", count);
    columns_ = parallel::uninitialized<Ordinal>(space, "terrace::packed_rows::columns", starts_[tasks].column);
    values_ = parallel::uninitialized<Scalar>(space, "terrace::packed_rows::values", starts_[tasks].value);
  }

  /// From the values of the rows. Enqueued, like all kernels of a host (parallel/run_alone.hpp).
  void fill(const Space& space, const Scalar* values) {
    if (!has_pattern_)
      for_each_task(space, "terrace::packed_rows::fill_pattern", [&](std::size_t task) { fill_pattern(task); });
    has_pattern_ = true;
    std::atomic<bool> all_have_inverses = true;
    const auto fill_task = [&](std::size_t task) {
      if (!fill_values(task, values)) all_have_inverses.store(false, std::memory_order_relaxed);
    };
    divides_ = false;
    for_each_task(space, "terrace::packed_rows::fill_values", fill_task);
    divides_ = !all_have_inverses;
    if (divides_) for_each_task(space, "terrace::packed_rows::fill_values", fill_task);
  }

  Pattern pattern() const {
    return {rows_.order ? nullptr : starts_.data(),
            row_starts_.data(),
            lengths_.data(),
            sizes_.data(),
            columns_.data(),
            values_.data(),
            rows_,
            divides_};
  }

  std::size_t bytes_held() const {
    return starts_.span() * sizeof(Start) + row_starts_.span() * sizeof(std::size_t) +
           lengths_.span() * sizeof(std::uint32_t) + columns_.span() * sizeof(Ordinal) +
           values_.span() * sizeof(Scalar);
  }

 private:
  template <class Body>
  void for_each_task(const Space& space, const char* label, const Body& body) const {
    const auto tasks = static_cast<std::int64_t>(starts_.extent(0)) - 1;
    parallel::for_range(label, Kokkos::RangePolicy<Space>(space, 0, tasks),
                        [&](std::int64_t task) { body(static_cast<std::size_t>(task)); });
  }

  int size_at(Ordinal position) const { return sizes_.data() ? sizes_[position] : 1; }

  /// Calls body(first position, size, columns outside).
  template <class Body>
  void for_each_group(Ordinal begin, Ordinal end, const Body& body) const {
    for (Ordinal position = begin; position < end; position += static_cast<Ordinal>(size_at(position)))
      body(position, size_at(position), static_cast<std::uint32_t>(rows_.length(rows_.row_at(position))));
  }

  /// What these positions have; the position is that of their end.
  Start measure(Ordinal begin, Ordinal end) const {
    Start counts;
    counts.position = end;
    for_each_group(begin, end, [&](Ordinal, int size, std::size_t length) {
      counts.column += length;
      counts.value += static_cast<std::size_t>(size) * length + pattern().inner_values(size);
    });
    return counts;
  }

  void fill_pattern(std::size_t task) {
    std::size_t column = starts_[task].column, value = starts_[task].value;
    for_each_group(starts_[task].position, starts_[task + 1].position,
                   [&](Ordinal position, int size, std::uint32_t length) {
                     lengths_[position] = length;
                     if (rows_.order) row_starts_[position] = value;
                     value += static_cast<std::size_t>(size) * length + pattern().inner_values(size);
                     const Ordinal row = rows_.row_at(position);
                     for (std::uint32_t j = 0; j < length; ++j)
                       columns_[column++] = rows_.pattern.entries[rows_.place(row, static_cast<Offset>(j))];
                   });
    if (rows_.order && starts_[task + 1].position == rows_.pattern.rows) row_starts_[rows_.pattern.rows] = value;
  }

  /// False when some pivot of the task has no inverse.
  bool fill_values(std::size_t task, const Scalar* from) {
    Scalar* const v = values_.data() + starts_[task].value;
    const Ordinal begin = starts_[task].position, end = starts_[task + 1].position;
    return sizes_.data() ? fill_groups(v, begin, end, from) : fill_rows(v, begin, end, from);
  }

  bool fill_rows(Scalar* v, Ordinal begin, Ordinal end, const Scalar* from) const {
    bool has_inverses = true;
    for (Ordinal position = begin; position < end; ++position) {
      const Ordinal row = rows_.row_at(position);
      const Scalar* const first = from + rows_.pattern.begin(row);
      const Scalar* const last = from + rows_.pattern.end(row);
      if (rows_.backward)
        for (const Scalar* a = last; a != first;) *v++ = *--a;
      else
        for (const Scalar* a = first; a != last;) *v++ = *a++;
      if (!rows_.unit) has_inverses &= fill_pivot(row, from, *v++);
    }
    return has_inverses;
  }

  bool fill_pivot(Ordinal row, const Scalar* from, Scalar& into) const {
    const Scalar pivot = from[rows_.pattern.diagonal_position(row)];
    into = divides_ ? pivot : Scalar(1) / pivot;
    return has_inverse(pivot);
  }

  bool fill_groups(Scalar* v, Ordinal begin, Ordinal end, const Scalar* from) const {
    bool has_inverses = true;
    for_each_group(begin, end, [&](Ordinal position, int size, std::uint32_t length) {
      Scalar* inner = v + static_cast<std::size_t>(size) * length;
      for (int r = 0; r < size; ++r) {
        const Ordinal row = rows_.row_at(position + static_cast<Ordinal>(r));
        const auto stored = [&](std::size_t j) { return from[rows_.place(row, static_cast<Offset>(j))]; };
        for (std::size_t j = 0; j < length; ++j)
          v[j * static_cast<std::size_t>(size) + static_cast<std::size_t>(r)] = stored(j);
        for (int q = 0; q < r; ++q) *inner++ = stored(length + static_cast<std::size_t>(q));
        if (!rows_.unit) has_inverses &= fill_pivot(row, from, *inner++);
      }
      v = inner;
    });
    return has_inverses;
  }

  Rows rows_{};
  GroupSizes<Space> sizes_;
  Kokkos::View<Start*, parallel::Device<Space>> starts_;
  Kokkos::View<std::size_t*, parallel::Device<Space>> row_starts_;
  Kokkos::View<std::uint32_t*, parallel::Device<Space>> lengths_;
  Kokkos::View<Ordinal*, parallel::Device<Space>> columns_;
  Kokkos::View<Scalar*, parallel::Device<Space>> values_;
  bool has_pattern_ = false;
  bool divides_ = false;
};

}  // namespace terrace::triangular
