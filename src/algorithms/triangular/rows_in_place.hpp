// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution in the rows of a triangle where they are, by threads of a host: groups of rows together, and pivots
// inverted on the way.
//
// Each sum is taken from the column that is farthest from the diagonal to the nearest, in pairs where rows are long,
// whatever the groups: the bits do not depend on them, nor on the number of threads, and are those of packed rows
// (packed_rows.hpp); and the unknown that was found last is asked for last.
#pragma once

#include "algorithms/triangular/pivot_inverse.hpp"
#include "algorithms/triangular/row_groups.hpp"
#include "algorithms/triangular/row_kernels.hpp"

namespace terrace::triangular {

/// op(A) X = B. A task is some neighbouring positions of the order of the solution.
template <class ScalarType, class Rows, bool Contiguous>
struct InPlaceSystem {
  using Scalar = ScalarType;
  using Ordinal = typename Rows::Ordinal;
  using Offset = typename Rows::Offset;
  static constexpr KernelNames names = substitution_names;

  Rows rows;
  const Scalar* values;
  const std::uint8_t* sizes;  // of groups, by position; null: one row each
  const Ordinal* first;       // position of each task, and of the end; null: each position is one
  Vectors<const Scalar, Contiguous> b;
  Vectors<Scalar, Contiguous> x;
  int columns;
  bool conjugate;

  /// The rows of some tasks, each from what it needs.
  KOKKOS_FUNCTION void gather_tasks(Ordinal first_task, Ordinal last_task) const {
    for_columns_of<Contiguous>(columns, [&](auto width, int column) {
      const Ordinal begin = position_of(first_task), end = position_of(last_task);
      const bool alone = !rows.unit && !rows.pattern.diagonal;
      if (rows.backward)
        alone ? gather_positions<Alone<-1>>(width, begin, end, column)
              : gather_positions<Among<-1>>(width, begin, end, column);
      else
        alone ? gather_positions<Alone<1>>(width, begin, end, column)
              : gather_positions<Among<1>>(width, begin, end, column);
    });
  }

  /// The same against their order, each row handed on to those that need it. X holds B on entry.
  KOKKOS_FUNCTION void scatter_tasks(Ordinal first_task, Ordinal last_task) const {
    for_columns_of<Contiguous>(columns, [&](auto width, int column) {
      for (Ordinal position = position_of(last_task); position > position_of(first_task); --position)
        scatter(width, rows.row_at(position - 1), column);
    });
  }

  KOKKOS_FUNCTION Ordinal row_count() const { return rows.pattern.rows; }

  KOKKOS_FUNCTION void copy_right_hand_side(Ordinal row) const {
    for (int column = 0; column < columns; ++column) x(row, column) = b(row, column);
  }

 private:
  KOKKOS_FUNCTION Ordinal position_of(Ordinal task) const { return first ? first[task] : task; }

  KOKKOS_FUNCTION Scalar value(const Scalar& stored) const {
    if constexpr (is_complex<Scalar>) return conjugate ? Kokkos::conj(stored) : stored;
    else return stored;
  }

  /// Where a row has its strict triangle and its diagonal. `Step`: in the arrays, from the farthest column to the
  /// nearest.
  template <int Step_>
  struct Place {
    static constexpr int Step = Step_;
    static constexpr bool has_diagonal = false;
    Offset begin, end, diagonal;
    KOKKOS_FORCEINLINE_FUNCTION Offset farthest() const { return Step > 0 ? begin : end - 1; }
  };

  /// The row has nothing else.
  template <int Step>
  struct Alone : Place<Step> {
    static constexpr bool has_diagonal = true;
    KOKKOS_FORCEINLINE_FUNCTION Alone(const Rows& rows, Ordinal row) {
      const Offset first = rows.pattern.row_map[row], last = rows.pattern.row_map[row + 1];
      if constexpr (Step > 0) static_cast<Place<Step>&>(*this) = {first, last - 1, last - 1};
      else static_cast<Place<Step>&>(*this) = {first + 1, last, first};
    }
  };

  /// The row has no diagonal that counts, or the other triangle as well.
  template <int Step>
  struct Among : Place<Step> {
    KOKKOS_FORCEINLINE_FUNCTION Among(const Rows& rows, Ordinal row)
        : Place<Step>{rows.pattern.begin(row), rows.pattern.end(row), rows.pattern.diagonal_position(row)} {}
  };

  template <class Place, int W>
  KOKKOS_FUNCTION void gather_positions(Width<W> width, Ordinal begin, Ordinal end, int column) const {
    if (!sizes)
      return rows.in_pairs ? gather_rows<Place, true>(width, begin, end, column)
                           : gather_rows<Place, false>(width, begin, end, column);
    for (Ordinal position = begin; position < end; position += static_cast<Ordinal>(sizes[position]))
      with_size(sizes[position], [&](auto size) { gather<Place>(size, width, rows.row_at(position), column); });
  }

  /// Where no row is in a group with others.
  template <class Place, bool InPairs, int W>
  KOKKOS_FUNCTION void gather_rows(Width<W> width, Ordinal begin, Ordinal end, int column) const {
    if (rows.order) {
      for (Ordinal position = begin; position < end; ++position)
        gather_row<Place, InPairs>(width, rows.order[position], column);
    } else {
      const InPlaceSystem system = *this;  // so that its members stay in registers
      Ordinal row = rows.row_at(begin);
      for (Ordinal left = end - begin; left > 0; --left, row += static_cast<Ordinal>(Place::Step))
        system.template gather_row<Place, InPairs>(width, row, column);
    }
  }

  template <class Place, bool InPairs, int W>
  KOKKOS_FORCEINLINE_FUNCTION void gather_row(Width<W>, Ordinal row, int column) const {
    const Place place(rows, row);
    Scalar sum[W];
    for (int w = 0; w < W; ++w) sum[w] = b(row, column + w);
    const auto farthest = static_cast<std::ptrdiff_t>(place.farthest());
    subtract_products<InPairs>(
        sum, static_cast<std::ptrdiff_t>(place.end - place.begin),
        [&](std::ptrdiff_t j) { return value(values[farthest + Place::Step * j]); },
        [&](std::ptrdiff_t j, int w) { return x(rows.pattern.entries[farthest + Place::Step * j], column + w); });
    if (Place::has_diagonal || !rows.unit) divide_all(sum, value(values[place.diagonal]));
    for (int w = 0; w < W; ++w) x(row, column + w) = sum[w];
  }

  /// Rows row, row + Step, ...
  template <class Place, int G, int W>
  KOKKOS_FORCEINLINE_FUNCTION void gather(Width<G>, Width<W>, Ordinal row, int column) const {
    constexpr int step = Place::Step;
    const Scalar *v[G], *pivots[G];
    Scalar sum[G][W];
    std::ptrdiff_t length = 0;
    const Ordinal* needed = nullptr;
    for (int r = 0; r < G; ++r) {
      const Ordinal of_group = row + static_cast<Ordinal>(r * step);
      const Place place(rows, of_group);
      v[r] = values + place.farthest();
      pivots[r] = values + place.diagonal;
      for (int w = 0; w < W; ++w) sum[r][w] = b(of_group, column + w);
      if (r > 0) continue;
      length = static_cast<std::ptrdiff_t>(place.end - place.begin);
      needed = rows.pattern.entries + place.farthest();
    }
    for (std::ptrdiff_t j = 0; j < length; ++j)
      for (int w = 0; w < W; ++w) {
        const Scalar known = x(needed[step * j], column + w);
        for (int r = 0; r < G; ++r) sum[r][w] -= value(v[r][step * j]) * known;
      }
    for (int r = 0; r < G; ++r) {
      for (int q = 0; q < r; ++q)
        for (int w = 0; w < W; ++w) sum[r][w] -= value(v[r][step * (length + q)]) * sum[q][w];
      if (Place::has_diagonal || !rows.unit) divide_all(sum[r], value(*pivots[r]));
      for (int w = 0; w < W; ++w) x(row + static_cast<Ordinal>(r * step), column + w) = sum[r][w];
    }
  }

  template <int W>
  KOKKOS_FUNCTION void scatter(Width<W>, Ordinal row, int column) const {
    Scalar known[W];
    for (int w = 0; w < W; ++w) known[w] = x(row, column + w);
    if (!rows.unit) {
      divide_all(known, value(values[rows.pattern.diagonal_position(row)]));
      for (int w = 0; w < W; ++w) x(row, column + w) = known[w];
    }
    const Offset end = rows.pattern.end(row);
    for (Offset place = rows.pattern.begin(row); place < end; ++place) {
      const Scalar a = value(values[place]);
      for (int w = 0; w < W; ++w) x(rows.pattern.entries[place], column + w) -= a * known[w];
    }
  }
};

}  // namespace terrace::triangular
