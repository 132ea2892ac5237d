// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row that a warp eliminates: how it is loaded, and how it is finished. Between the two stand eliminate_listed.hpp
// and eliminate_searched.hpp.
#pragma once

#include "algorithms/incomplete/elimination.hpp"
#include "backends/cuda/incomplete/divisor.hpp"
#include "backends/cuda/incomplete/plan.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda {

template <class Scalar, class Offset>
struct RowsSystem {
  incomplete::Elimination<Scalar, int, Offset, Space> elimination;
  const int* items;  // rows in level order; numbers behind the last row are passed over
  unsigned item_count;
  ProductLists products;
  Divisor<Scalar>* divisors;  // by row; pending until it is finished
  Scalar* scratch;            // by entry, for rows that do not fit in shared memory; or null
  int room;                   // entries that fit
  unsigned* claimed;
};

/// Where row k of U begins.
template <class Offset>
struct alignas(2 * sizeof(Offset)) UpperRow {
  Offset pivot;
  int row;
};

template <class Scalar, class Offset>
struct WarpRow {
  int row;
  Offset begin;
  int steps;  // entries left of the diagonal
  int length;
  Scalar* w;
};

template <class Scalar, class Offset>
__device__ WarpRow<Scalar, Offset> open_row(const RowsSystem<Scalar, Offset>& system, int row) {
  const auto& lines = system.elimination.lines;
  const Offset begin = lines.line_map[row];
  return {row, begin, static_cast<int>(lines.diagonal[row] - begin), static_cast<int>(lines.line_map[row + 1] - begin),
          nullptr};
}

/// Copies the row of A and returns its norm, in all lanes. Calls visit(place, column) on the way.
template <class Scalar, class Offset, class Visit>
__device__ auto load_row(const RowsSystem<Scalar, Offset>& system, const WarpRow<Scalar, Offset>& row,
                         const Visit& visit) {
  const auto& elimination = system.elimination;
  incomplete::RealOf<Scalar> norm(0);
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x) % warp_size; k < row.length; k += warp_size) {
    const Offset p = row.begin + static_cast<Offset>(k);
    visit(k, elimination.lines.entries[p]);
    const Scalar value = elimination.stored(row.row, p);
    row.w[k] = k == row.steps ? value * elimination.diagonal_factor : value;
    norm += incomplete::magnitude(value);
  }
  return sum_over_lanes(norm, 5);
}

/// The pivot as it is used, in all lanes; one of them reports a bad one.
template <class Scalar, class Offset>
__device__ Scalar settle_pivot(const RowsSystem<Scalar, Offset>& system, int row, const Scalar& diagonal,
                               incomplete::RealOf<Scalar> norm) {
  const auto& rule = system.elimination.pivots;
  Scalar pivot = rule.usable(diagonal);
  if (!rule.is_good(pivot, norm)) {
    if (threadIdx.x % warp_size == 0) pivot = rule.settle(row, diagonal, norm);
    pivot = of_lane(pivot, 0);
  }
  return pivot;
}

/// Publishes the pivot and what stands behind it: nothing of a row is final before, and who waits needs no fence.
/// `is_bad`: whether an entry of L is not finite.
template <class Scalar, class Offset>
__device__ void finish_row(const RowsSystem<Scalar, Offset>& system, const WarpRow<Scalar, Offset>& row,
                           const Scalar& diagonal, incomplete::RealOf<Scalar> norm, int is_bad) {
  const auto& elimination = system.elimination;
  const Scalar pivot = settle_pivot(system, row.row, diagonal, norm);
  const Scalar root = elimination.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  is_bad |= elimination.is_not_finite(pivot);
  Scalar* const values = elimination.values + row.begin;
#pragma unroll 1
  for (int k = row.steps + lane; k < row.length; k += warp_size) {
    const Scalar value = k == row.steps ? root : elimination.symmetric ? row.w[k] / root : row.w[k];
    publish(values + k, publishable(value));
    is_bad |= elimination.is_not_finite(value);
  }
  if (lane == 0) publish_divisor(system.divisors + row.row, root);
  if (is_bad != 0) elimination.report_not_finite(row.row, pivot);
  __syncwarp();
}

}  // namespace terrace::cuda
