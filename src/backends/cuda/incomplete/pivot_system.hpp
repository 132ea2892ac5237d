// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pivots of a pattern in which elimination changes only the diagonal (plan.hpp), as a recurrence along slices,
// walked by the kernels of triangular solves; before it, what it needs is gathered in their order, and after it all
// entries follow from the pivots at once. Until then their memory is free, and holds the gathered pairs where it can.
//
// The sums are those of incomplete/elimination.hpp, in the same order. A modified factorization subtracts with a_ki
// what row i drops of row k, times the relaxation: all of row k behind its diagonal but a_ki, which is that of A.
#pragma once

#include "algorithms/incomplete/pivot_numbers.hpp"
#include "backends/cuda/incomplete/norm_of_row.hpp"
#include "backends/cuda/incomplete/reset_rows.hpp"
#include "backends/cuda/triangular/segments.hpp"
#include "sparse/for_each_row.hpp"

namespace terrace::cuda::incomplete {

/// a_ik, and a_ki with what is dropped; the latter is not needed where it is the mirror image of the former.
template <class Scalar>
struct alignas(2 * sizeof(Scalar)) EntryPair {
  Scalar lower, upper;
};

/// The unknowns are the pivots, or their roots.
template <class ScalarType>
struct PivotSystem {
  using Scalar = ScalarType;
  using Entry = EntryPair<Scalar>;
  using RowData = terrace::incomplete::RealOf<Scalar>;  // the norm of the row of A
  static constexpr bool shares_rows = false;
  static constexpr SegmentNames names{"terrace::cuda::eliminate_chain", "terrace::cuda::eliminate_row_blocks",
                                      "terrace::cuda::eliminate_pivots", "terrace::cuda::eliminate_level"};

  const Slice* slices;
  const int* columns;
  const int* items;
  Entry* pairs;      // by slot
  RowData* norms;    // by position
  Scalar* unknowns;  // by position; pending until found
  Scalar* pivots;    // by row
  Scalar* diagonal;  // of A, by position; null: in the places of the pivots until those are found
  terrace::incomplete::PivotRule<Scalar, int> rule;
  bool symmetric;
  bool hermitian;
  bool modified;

  __device__ Entry entry(std::int64_t slot) const { return pairs[slot]; }
  __device__ RowData row_data(int position) const { return norms[position]; }
  __device__ Scalar& start(int row, int position) const { return diagonal ? diagonal[position] : pivots[row]; }

  __device__ void subtract(int column, const Entry& pair, const Scalar& unknown, Scalar& sum) const {
    if (column < 0) return;
    const Scalar factor = pair.lower / unknown;
    sum = terrace::incomplete::minus_seen_product(sum, factor, upper(pair, factor, unknown));
  }
  __device__ Scalar solved(int row, const Scalar& sum, const RowData& norm) const {
    if (row < 0) return Scalar(0);
    const Scalar pivot = rule.settle(row, sum, norm);
    pivots[row] = pivot;
    return publishable(symmetric ? Kokkos::sqrt(pivot) : pivot);
  }
  __device__ void store(int, const Scalar&) const {}

 private:
  __device__ Scalar upper(const Entry& pair, const Scalar& factor, const Scalar& unknown) const {
    if (!symmetric) return pair.upper;
    return modified ? pair.upper / unknown : conjugated(factor, hermitian);
  }
};

template <class Scalar, class Offset>
struct GatherCouples {
  terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination;
  PivotSystem<Scalar> system;
  const Offset* mirrors;  // null where A is symmetric
  int slice_count;
  unsigned* claimed;  // the counters of the segments
  unsigned claimed_count;
};

/// Rows whose entries behind the diagonal are too many for a lane.
template <class Offset>
__device__ bool is_long_upper(Offset entries) {
  return entries > static_cast<Offset>(EliminationTuning::longest_upper_of_lane);
}

/// What row i drops of row k: all behind its diagonal but what stands in column i.
template <class Scalar, class Offset>
__device__ Scalar dropped_of(const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination, int k,
                             int i) {
  const auto& pattern = elimination.pattern;
  Scalar sum(0);
  for (Offset q = pattern.diagonal[k] + 1; q < pattern.row_map[k + 1]; ++q)
    if (pattern.entries[q] != i) sum += elimination.stored(k, q);
  return sum;
}

/// A warp for each slice, a lane for each row. And makes everything ready for the walk: unknowns, counters,
/// diagnostics. What stands behind the diagonals of long rows is left for add_norms_of_long_rows.
template <class Scalar, class Offset>
__global__ void gather_couples_kernel(GatherCouples<Scalar, Offset> gather) {
  const std::size_t thread = number_of_thread();
  const std::size_t threads = gridDim.x * static_cast<std::size_t>(blockDim.x);
  for (std::size_t k = thread; k < gather.claimed_count; k += threads) gather.claimed[k] = Claims<1>::nothing_yet;
  forget_pivots(gather.elimination, thread);
  const int lane = threadIdx.x % warp_size;
  const std::size_t number = thread / warp_size;
  if (number >= static_cast<std::size_t>(gather.slice_count)) return;
  const auto& elimination = gather.elimination;
  const auto& pattern = elimination.pattern;
  const Slice slice = gather.system.slices[number];
  if (lane >= slice.width()) return;
  const int position = slice.first + lane, row = gather.system.items[position];
  gather.system.unknowns[position] = pending<Scalar>();
  const Offset begin = pattern.row_map[row], diagonal = pattern.diagonal[row], end = pattern.row_map[row + 1];
  terrace::incomplete::RealOf<Scalar> norm(0);
  std::int64_t slot = slice.start + lane;
  for (int step = 0; step < slice.depth(); ++step, slot += slice.width()) {
    EntryPair<Scalar> pair{};
    if (static_cast<Offset>(step) < diagonal - begin) {
      const Offset p = begin + static_cast<Offset>(step);
      const int k = pattern.entries[p];
      pair.lower = elimination.stored(row, p);
      if (!gather.mirrors) pair.upper = conjugated(pair.lower, elimination.hermitian);
      else if (gather.mirrors[slot] != EliminationPlan<Offset>::no_mirror)
        pair.upper = elimination.stored(k, gather.mirrors[slot]);
      if (gather.system.modified) pair.upper += elimination.relaxation * dropped_of(elimination, k, row);
      norm += terrace::incomplete::magnitude(pair.lower);
    }
    gather.system.pairs[slot] = pair;
  }
  const Scalar value = elimination.stored(row, diagonal);
  gather.system.start(row, position) = value * elimination.diagonal_factor;
  norm += terrace::incomplete::magnitude(value);
  if (!is_long_upper(end - diagonal - 1))
    for (Offset p = diagonal + 1; p < end; ++p) norm += terrace::incomplete::magnitude(elimination.stored(row, p));
  gather.system.norms[position] = norm;
}

/// Adds what stands behind the diagonal of each long row to its norm, by all threads of a block. A block looks at rows
/// far apart, since long rows often are neighbours.
template <class Scalar, class Offset>
__global__ void __launch_bounds__(NormOfRow::threads)
    add_norms_of_long_rows_kernel(const __grid_constant__ GatherCouples<Scalar, Offset> gather, int positions) {
  using Real = terrace::incomplete::RealOf<Scalar>;
  __shared__ int listed[NormOfRow::threads];
  __shared__ int count;
  const auto& elimination = gather.elimination;
  const auto& pattern = elimination.pattern;
  const auto thread = static_cast<int>(threadIdx.x);
  const auto blocks = static_cast<std::int64_t>(gridDim.x);
  const std::int64_t turns = parallel::divide_up(static_cast<std::int64_t>(positions), blocks);
  for (std::int64_t first = 0; first < turns; first += NormOfRow::threads) {
    if (thread == 0) count = 0;
    __syncthreads();
    const std::int64_t looked_at = (first + thread) * blocks + blockIdx.x;
    if (looked_at < positions) {
      const int row = gather.system.items[looked_at];
      if (row < pattern.rows && is_long_upper(pattern.row_map[row + 1] - pattern.diagonal[row] - 1))
        listed[atomicAdd(&count, 1)] = static_cast<int>(looked_at);
    }
    __syncthreads();
    for (int k = 0; k < count; ++k) {
      const int position = listed[k], row = gather.system.items[position];
      const Real norm = norm_by_block(elimination, row, pattern.diagonal[row] + 1, pattern.row_map[row + 1]);
      if (thread == 0) gather.system.norms[position] += norm;
    }
    __syncthreads();
  }
}

/// Both factors from the pivots; a walk over the entries (for_each_row).
template <class Scalar, class Offset>
struct SpreadPivots {
  terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination;
  const Scalar* pivots;

  KOKKOS_FUNCTION Offset begin(int row) const { return elimination.pattern.row_map[row]; }
  KOKKOS_FUNCTION Offset end(int row) const { return elimination.pattern.row_map[row + 1]; }
  KOKKOS_FUNCTION void finish(int row) const {
    if (elimination.is_not_finite(pivots[row])) elimination.report_not_finite(row, pivots[row]);
  }

  KOKKOS_FUNCTION void entry(int row, Offset p) const {
    const Scalar value = terrace::incomplete::PivotNumbers<Scalar, int, Offset, Space>{elimination, pivots}(row, p);
    elimination.values[p] = value;
    if (elimination.is_not_finite(value)) elimination.report_not_finite(row, pivots[row]);
  }
};

/// Enqueues the elimination. The system's unknowns are followed by the counters of the segments.
template <class Scalar, class Offset>
void eliminate_pivots(const Space& space,
                      const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination,
                      const EliminationPlan<Offset>& plan, const PivotSystem<Scalar>& system,
                      const std::vector<Segment>& segments, int* scratch) {
  auto* claimed = reinterpret_cast<unsigned*>(system.unknowns + plan.rows.positions);
  const GatherCouples<Scalar, Offset> gather{
      elimination, system, plan.mirrors, plan.rows.slice_count, claimed, static_cast<unsigned>(counters_of(segments))};
  launch_for_slices(space, "terrace::cuda::gather_couples", gather_couples_kernel<Scalar, Offset>, gather);
  if (plan.longest_upper > EliminationTuning::longest_upper_of_lane)
    launch(space, "terrace::cuda::add_norms_of_long_rows", add_norms_of_long_rows_kernel<Scalar, Offset>,
           static_cast<std::size_t>(attribute_of_device(cudaDevAttrMultiProcessorCount)), NormOfRow::threads, gather,
           plan.rows.positions);
  run_segments(space, system, segments, claimed);
  const auto entries = static_cast<std::size_t>(plan.entries);
  sparse::for_each_row(space, "terrace::cuda::spread_pivots", plan.rows.rows, entries, scratch,
                       SpreadPivots<Scalar, Offset>{elimination, system.pivots}, plan.merged.may_have_long_rows);
}

}  // namespace terrace::cuda::incomplete
