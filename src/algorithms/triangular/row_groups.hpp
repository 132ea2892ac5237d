// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a triangle in the order of its solution, and groups of neighbours with the same columns.
//
// Matrices with several unknowns at a point, and factors with fill, have runs of rows that agree: each has the columns
// of the one before it, and that one. Up to four such rows are a group: an unknown is read once for all of them, and
// their sums do not wait for each other. (PETSc solves its inodes so.) Where groups are few, as a sample of the rows
// shows at once, their sizes cannot be foreseen, which costs more than it saves, and each row stands alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "parallel/concurrency.hpp"
#include "parallel/loops.hpp"
#include "sparse/triangle.hpp"

namespace terrace::triangular {

template <int W>
using Width = std::integral_constant<int, W>;

/// Rows of a group, at most.
inline constexpr int max_rows_of_group = 4;

/// Calls body(size of the group).
template <class Body>
KOKKOS_FUNCTION void with_size(int size, const Body& body) {
  if (size == 1) body(Width<1>());
  else if (size == 2) body(Width<2>());
  else if (size == 3) body(Width<3>());
  else body(Width<4>());
}

/// Calls body(how many columns of X, the first of them).
template <bool Contiguous, class Body>
KOKKOS_FUNCTION void for_columns_of(int columns, const Body& body) {
  if constexpr (Contiguous) {
    body(Width<1>(), 0);
  } else {
    constexpr int width = 4;
    int column = 0;
    for (; column + width <= columns; column += width) body(Width<width>(), column);
    for (; column < columns; ++column) body(Width<1>(), column);
  }
}

/// sum[w] -= the sum over j < count of value(j) unknown(j, w). In pairs a long sum waits half as often for itself; the
/// last product, whose unknown was found last, comes alone.
template <bool InPairs, class Scalar, int W, class Value, class Unknown>
KOKKOS_FORCEINLINE_FUNCTION void subtract_products(Scalar (&sum)[W], std::ptrdiff_t count, const Value& value,
                                                   const Unknown& unknown) {
  std::ptrdiff_t j = 0;
  if constexpr (InPairs)
    for (; j + 2 < count; j += 2) {
      const Scalar first = value(j), second = value(j + 1);
      for (int w = 0; w < W; ++w) sum[w] -= first * unknown(j, w) + second * unknown(j + 1, w);
    }
  for (; j < count; ++j) {
    const Scalar a = value(j);
    for (int w = 0; w < W; ++w) sum[w] -= a * unknown(j, w);
  }
}

/// The rows of a triangle by their positions in the order of the solution.
template <class OrdinalType, class OffsetType>
struct OrderedRows {
  using Ordinal = OrdinalType;
  using Offset = OffsetType;

  sparse::TriangleView<Ordinal, Offset> pattern;
  const Ordinal* order;  // which row stands at a position; null: they ascend, or descend
  bool backward;         // the columns behind the diagonal
  bool unit;
  bool in_pairs;  // how products are added up, which has to be the same wherever the triangle is solved

  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_at(Ordinal position) const {
    if (order) return order[position];
    return backward ? pattern.rows - 1 - position : position;
  }

  KOKKOS_FORCEINLINE_FUNCTION Offset length(Ordinal row) const { return pattern.end(row) - pattern.begin(row); }

  /// The place of the j-th entry of a row, from the farthest to the nearest.
  KOKKOS_FORCEINLINE_FUNCTION Offset place(Ordinal row, Offset j) const {
    return backward ? pattern.end(row) - 1 - j : pattern.begin(row) + j;
  }

  /// How many rows the group has that begins at this position, before `end`. Hosts only.
  int group_at(Ordinal position, Ordinal end) const {
    if (order) return 1;
    int size = 1;
    while (size < max_rows_of_group && size < end - position && joins(position, size)) ++size;
    return size;
  }

 private:
  /// Whether the row has the columns of the group's first one, farthest from its diagonal, and the rows between them.
  bool joins(Ordinal position, int size) const {
    const Ordinal first = row_at(position), row = row_at(position + static_cast<Ordinal>(size));
    const Offset common = length(first), inner = static_cast<Offset>(size);
    if (length(row) != common + inner) return false;
    for (Offset r = 0; r < inner; ++r)
      if (pattern.entries[place(row, common + r)] != row_at(position + static_cast<Ordinal>(r))) return false;
    const Offset skipped = backward ? inner : 0;
    return std::equal(pattern.entries + pattern.begin(first), pattern.entries + pattern.end(first),
                      pattern.entries + pattern.begin(row) + skipped);
  }
};

/// By position: the size of the group that it is in. Empty where groups are few. Hosts only.
template <class Space>
using GroupSizes = Kokkos::View<std::uint8_t*, parallel::Device<Space>>;

/// Of some rows, evenly spread, the average number that are alike from there on.
template <class Rows>
bool has_groups_by_sample(const Rows& rows) {
  using Ordinal = typename Rows::Ordinal;
  constexpr Ordinal samples = 256;
  constexpr double alike = 1.25;  // from inside a group there are fewer than it has
  const Ordinal count = rows.pattern.rows, step = count / samples + 1;
  int sampled = 0, together = 0;
  for (Ordinal position = 0; position < count; ++sampled) {
    together += rows.group_at(position, count);
    position = count - position > step ? position + step : count;
  }
  return together >= alike * sampled;
}

/// Whether the rows are long, and few of them alike: groups have several sums at a time anyway. The same for every
/// order of the rows and for every cut into tasks. Hosts only.
template <class Rows>
bool pay_pairs(Rows rows, std::int64_t entries) {
  constexpr std::int64_t long_row = 7;
  rows.order = nullptr;
  return entries >= long_row * std::int64_t(rows.pattern.rows) && !has_groups_by_sample(rows);
}

/// Groups end where tasks end: task t has positions first[t] to first[t + 1] - 1.
template <class Space, class Rows, class Ordinal>
GroupSizes<Space> find_groups(const Space& space, const Rows& rows, const std::vector<Ordinal>& first) {
  constexpr double rows_of_group = 1.5;
  if (rows.order || !has_groups_by_sample(rows)) return {};
  const auto sizes = parallel::uninitialized<std::uint8_t>(space, "terrace::triangular::group_sizes",
                                                           static_cast<std::size_t>(rows.pattern.rows));
  std::int64_t groups = 0;
  parallel::reduce_range(
      "terrace::triangular::find_groups", Kokkos::RangePolicy<Space>(space, 0, std::ssize(first) - 1),
      [&](std::int64_t task, std::int64_t& sum) {
        const Ordinal end = first[static_cast<std::size_t>(task) + 1];
        for (Ordinal position = first[static_cast<std::size_t>(task)]; position < end; ++sum)
          for (int size = rows.group_at(position, end), left = size; left > 0; --left, ++position)
            sizes[position] = static_cast<std::uint8_t>(size);
      },
      groups);
  if (rows.pattern.rows < rows_of_group * static_cast<double>(groups)) return {};
  return sizes;
}

}  // namespace terrace::triangular
