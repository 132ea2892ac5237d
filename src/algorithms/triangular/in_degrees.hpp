// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many entries of each row the columns will subtract before the row's unknown can be solved for.
//
// The only preprocessing of the column algorithm (Liu et al. 2016, algorithm 2, lines 3 to 7). A solve counts
// `waiting` down to zero, and whoever solves the row restores it; for that the in-degrees are kept a second time,
// in one byte each, because nearly all are small. The few that are not stand in a sorted list.
#pragma once

#include "sparse/count_occurrences.hpp"
#include "sparse/find_column.hpp"
#include "sparse/for_each_row.hpp"
#include "sparse/triangle.hpp"

namespace terrace::triangular {

/// The kernels' side.
template <class Ordinal>
struct InDegreeTable {
  static constexpr unsigned char large = 255;
  Ordinal* waiting;
  const unsigned char* small;
  const Ordinal* large_rows;  // ascending
  const Ordinal* large_degrees;
  Ordinal large_count;

  /// For the next solve, by whoever has solved the row.
  KOKKOS_FUNCTION void restore(Ordinal row) const { waiting[row] = of(row); }

  KOKKOS_FUNCTION Ordinal of(Ordinal row) const {
    if (small[row] != large) return small[row];
    return large_degrees[sparse::place_of_column(large_rows, Ordinal(0), large_count, row)];
  }
};

/// In-degrees that were counted for one solve: nobody needs them after it.
template <class Ordinal>
struct PassingInDegrees {
  Ordinal* waiting;
  KOKKOS_FUNCTION void restore(Ordinal) const {}
};

/// Counts in `waiting`, which is zero; enqueued. `scratch` as in for_each_row.
template <class Ordinal, class Offset, class Space>
void add_in_degrees(const Space& space, const sparse::Triangle<Ordinal, Offset, Space>& triangle, Ordinal* waiting,
                    int* scratch) {
  sparse::for_each_row(space, "terrace::triangular::count_in_degrees", triangle.count, triangle.entries.extent(0),
                       scratch,
                       sparse::CountOccurrences<sparse::TriangleView<Ordinal, Offset>, Ordinal, Offset, Ordinal>{
                           triangle.view(), waiting});
}

template <class Ordinal, class Space>
struct InDegrees {
  Kokkos::View<Ordinal*, parallel::Device<Space>> waiting;
  Kokkos::View<unsigned char*, parallel::Device<Space>> small;
  Kokkos::View<Ordinal*, parallel::Device<Space>> large_rows;
  Kokkos::View<Ordinal*, parallel::Device<Space>> large_degrees;

  InDegreeTable<Ordinal> table() const {
    return {waiting.data(), small.data(), large_rows.data(), large_degrees.data(),
            static_cast<Ordinal>(large_rows.extent(0))};
  }
  std::size_t bytes_held() const {
    return small.span() + (waiting.span() + large_rows.span() + large_degrees.span()) * sizeof(Ordinal);
  }
};

/// Keeps the small in-degrees in a byte and lists the others: counted in the first run, written in the second.
template <class Ordinal>
struct SplitInDegrees {
  const Ordinal* waiting;
  unsigned char* small;
  Ordinal* large_rows;
  Ordinal* large_degrees;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& place, bool final) const {
    const bool is_large = waiting[row] >= InDegreeTable<Ordinal>::large;
    if (final) small[row] = is_large ? InDegreeTable<Ordinal>::large : static_cast<unsigned char>(waiting[row]);
    if (final && is_large && large_rows) {
      large_rows[place] = row;
      large_degrees[place] = waiting[row];
    }
    if (is_large) ++place;
  }
};

template <class Ordinal, class Offset, class Space>
InDegrees<Ordinal, Space> count_in_degrees(const Space& space,
                                           const sparse::Triangle<Ordinal, Offset, Space>& columns) {
  const Kokkos::RangePolicy<Space> each(space, 0, columns.count);
  InDegrees<Ordinal, Space> degrees;
  degrees.waiting = parallel::zeros<Ordinal>(space, "terrace::in_degrees::waiting", columns.count);
  const auto scratch = parallel::uninitialized<int>(space, "terrace::in_degrees::scratch", 1);
  degrees.small = parallel::uninitialized<unsigned char>(space, "terrace::in_degrees::small", columns.count);
  add_in_degrees(space, columns, degrees.waiting.data(), scratch.data());
  Ordinal large = 0;
  SplitInDegrees<Ordinal> split{degrees.waiting.data(), degrees.small.data(), nullptr, nullptr};
  Kokkos::parallel_scan("terrace::triangular::split_in_degrees", each, split, large);
  if (large == 0) return degrees;
  degrees.large_rows = parallel::uninitialized<Ordinal>(space, "terrace::in_degrees::large_rows", large);
  degrees.large_degrees = parallel::uninitialized<Ordinal>(space, "terrace::in_degrees::large_degrees", large);
  split.large_rows = degrees.large_rows.data();
  split.large_degrees = degrees.large_degrees.data();
  Kokkos::parallel_scan("terrace::triangular::split_in_degrees", each, split, large);
  return degrees;
}

}  // namespace terrace::triangular
