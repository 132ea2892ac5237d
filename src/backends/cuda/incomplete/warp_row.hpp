// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row that lanes of a warp eliminate: how it is loaded, and how it is finished. Between the two stand
// eliminate_listed.hpp and eliminate_slices.hpp.
#pragma once

#include "algorithms/incomplete/elimination.hpp"
#include "backends/cuda/early_launch.hpp"
#include "backends/cuda/incomplete/divisor.hpp"
#include "backends/cuda/incomplete/plan.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset>
struct RowsSystem {
  terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination;
  const Slice* slices;
  unsigned slice_count;
  const int* items;  // each row behind those that it needs; numbers behind the last row are passed over
  unsigned item_count;
  ProductLists products;
  Divisor<Scalar>* divisors;    // by row; pending until it is finished; null where nobody divides by them
  Scalar* scratch;              // by entry, for rows that do not fit in shared memory; or null
  int capacity, step_capacity;  // entries, and steps, of a row with a list, at most
  unsigned* claimed;
  const RowTail* tails;                                 // null where no row is cut
  terrace::incomplete::RealOf<Scalar>* norms_of_tails;  // of A
  InnerRows<Offset> inner;
  terrace::incomplete::RealOf<Scalar>* norms_of_inner_rows;  // of A
  unsigned bytes_of_warp = 0;                                // shared memory, where rows have lists
};

/// Neighbouring lanes that share a row: this is number `part` of 2^log2_lanes.
struct LaneGroup {
  int part, log2_lanes;

  __device__ static LaneGroup warp() { return {static_cast<int>(threadIdx.x) % warp_size, 5}; }
  __device__ int lanes() const { return 1 << log2_lanes; }
  __device__ int first_lane() const { return static_cast<int>(threadIdx.x) % warp_size - part; }
};

template <class Scalar, class Offset>
struct EliminatedRow {
  int row;
  Offset begin;
  int steps;   // entries left of the diagonal
  int length;  // none when this is no row
  Scalar* w;

  __device__ bool is_row() const { return length > 0; }
};

template <class Scalar, class Offset>
__device__ EliminatedRow<Scalar, Offset> open_row(const RowsSystem<Scalar, Offset>& system, int row) {
  const auto& pattern = system.elimination.pattern;
  const Offset begin = pattern.row_map[row];
  return {row, begin, static_cast<int>(pattern.diagonal[row] - begin),
          static_cast<int>(pattern.row_map[row + 1] - begin), nullptr};
}

/// Copies the row of A and returns its norm, in all lanes. Calls visit(place, column) on the way.
template <class Scalar, class Offset, class Visit>
__device__ auto load_row(const RowsSystem<Scalar, Offset>& system, const EliminatedRow<Scalar, Offset>& row,
                         const LaneGroup& group, const Visit& visit) {
  const auto& elimination = system.elimination;
  terrace::incomplete::RealOf<Scalar> norm(0);
#pragma unroll 1
  for (auto at = static_cast<unsigned>(group.part); at < static_cast<unsigned>(row.length);
       at += static_cast<unsigned>(group.lanes())) {
    const auto k = static_cast<int>(at);
    const Offset p = row.begin + static_cast<Offset>(k);
    visit(k, elimination.pattern.entries[p]);
    const Scalar value = elimination.stored(row.row, p);
    row.w[k] = k == row.steps ? value * elimination.diagonal_factor : value;
    norm += terrace::incomplete::magnitude(value);
  }
  return sum_over_lanes(norm, group.log2_lanes);
}

/// The pivot as it is used, in all lanes; one of them reports a bad one.
template <class Scalar, class Offset>
__device__ Scalar settle_pivot(const RowsSystem<Scalar, Offset>& system, const EliminatedRow<Scalar, Offset>& row,
                               const LaneGroup& group, const Scalar& diagonal,
                               terrace::incomplete::RealOf<Scalar> norm) {
  const auto& rule = system.elimination.pivots;
  Scalar pivot = row.is_row() ? rule.usable(diagonal) : Scalar(1);
  const bool is_bad = row.is_row() & !rule.is_good(pivot, norm);
  if (__any_sync(all_lanes, is_bad)) {
    if (is_bad && group.part == 0) pivot = rule.settle(row.row, diagonal, norm);
    pivot = of_lane(pivot, group.first_lane());
  }
  return pivot;
}

/// Publishes the pivot and what stands behind it: nothing of a row is final before, and who waits needs no fence.
/// `is_bad`: whether an entry of L is not finite. Returns the pivot as it is used.
template <class Scalar, class Offset>
__device__ Scalar finish_row(const RowsSystem<Scalar, Offset>& system, const EliminatedRow<Scalar, Offset>& row,
                             const LaneGroup& group, const Scalar& diagonal, terrace::incomplete::RealOf<Scalar> norm,
                             int is_bad) {
  const auto& elimination = system.elimination;
  const Scalar pivot = settle_pivot(system, row, group, diagonal, norm);
  const Scalar root = elimination.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
  is_bad |= elimination.is_not_finite(pivot);
  Scalar* const values = elimination.values + row.begin;
#pragma unroll 1
  for (auto at = static_cast<unsigned>(row.steps + group.part); at < static_cast<unsigned>(row.length);
       at += static_cast<unsigned>(group.lanes())) {
    const auto k = static_cast<int>(at);
    const Scalar value = k == row.steps ? root : elimination.symmetric ? row.w[k] / root : row.w[k];
    publish(values + k, publishable(value));
    is_bad |= elimination.is_not_finite(value);
  }
  if (row.is_row() && group.part == 0 && system.divisors) publish_divisor(system.divisors + row.row, root);
  if (row.is_row() && is_bad != 0) elimination.report_not_finite(row.row, pivot);
  __syncwarp();
  return pivot;
}

}  // namespace terrace::cuda::incomplete
