// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of rows in level order without barriers (the sums of incomplete/elimination.hpp, in the same order): the
// lanes of a slice's row hold it in shared memory, and every number they need of U is its own flag (watch.hpp).
//
// A step subtracts l_ik times row k of U. Its lanes take neighbouring entries of row k; where each falls in row i is
// searched while nobody waits yet, from columns that were asked for a step before. Then the warp looks at the pivot and
// at the entries until all are there. A row is published entry by entry when it is finished: nothing in it is final
// before, and who waits needs no fence.
//
// Rows of a slice are of one level, so no lane waits for another of its warp; slices are claimed in ascending order
// (claims.hpp), so the first unfinished one waits for nothing.
//
// Rows that do not fit in shared memory are eliminated in device memory, by the same code. What is dropped is added up
// lane by lane, in the order of the pattern; the norm of a row is summed over lanes, so a pivot that is replaced may
// differ from the generic one in its last bit.
#pragma once

#include "backends/cuda/incomplete/plan.hpp"
#include "backends/cuda/triangular/claims.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda {

template <class Scalar, class Offset>
struct RowsSystem {
  incomplete::Elimination<Scalar, int, Offset, Space> elimination;
  const Slice* slices;
  const int* items;
  unsigned slice_count;
  Scalar* scratch;  // by entry, for rows that do not fit; or null
  unsigned* claimed;
};

/// The row of one group of lanes.
template <class Scalar, class Offset>
struct EliminatedRow {
  int row;
  bool is_row;
  Offset begin;
  int steps;   // entries left of the diagonal
  int length;  // none when this is no row
  Scalar* w;
  const int* columns;

  __device__ int find(int column, int from) const {
    const int place = find_column(columns, from, length, column);
    return place < length ? place : no_column;
  }
};

template <class Scalar, class Offset>
class SliceElimination {
  static constexpr int at_once = EliminationTuning::entries_at_once;
  using Row = EliminatedRow<Scalar, Offset>;
  using Real = incomplete::RealOf<Scalar>;

  /// Row k of U behind the pivot.
  struct UpperRow {
    Offset pivot, end;
  };

 public:
  __device__ SliceElimination(const RowsSystem<Scalar, Offset>& system, Scalar* w, int* columns)
      : system_(system),
        elimination_(system.elimination),
        w_(w),
        columns_(columns),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void eliminate(const Slice& slice) {
    log2_lanes_ = slice.log2_lanes();
    lanes_ = 1 << log2_lanes_;
    part_ = lane_ & (lanes_ - 1);
    const Row row = open(slice);
    const Real norm = load(row);
    const int steps = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(row.steps)));
    Scalar dropped(0);
    UpperRow now = upper_row(row, 0), next = upper_row(row, 1);
    int column[at_once], next_column[at_once];
    load_columns(now, 0, column);
    for (int step = 0; step < steps; ++step) {
      const UpperRow third = upper_row(row, step + 2);
      load_columns(next, 0, next_column);
      subtract(row, step, now, column, dropped);
      now = next;
      next = third;
#pragma unroll
      for (int e = 0; e < at_once; ++e) column[e] = next_column[e];
    }
    finish(row, norm, dropped);
  }

 private:
  __device__ Row open(const Slice& slice) const {
    const auto& lines = elimination_.lines;
    const int group = lane_ >> log2_lanes_;
    const int item = group < slice.rows() ? system_.items[slice.first + group] : -1;
    if (item < 0 || item >= lines.lines) return {0, false, 0, 0, 0, w_, columns_};
    const Offset begin = lines.line_map[item];
    const auto length = static_cast<int>(lines.line_map[item + 1] - begin);
    const auto steps = static_cast<int>(lines.diagonal[item] - begin);
    const int capacity = EliminationTuning::room_per_lane << log2_lanes_;
    if (length > capacity) return {item, true, begin, steps, length, system_.scratch + begin, lines.entries + begin};
    return {item, true, begin, steps, length, w_ + group * capacity, columns_ + group * capacity};
  }

  /// The row of A, and its norm in all lanes.
  __device__ Real load(const Row& row) const {
    const bool is_shared = row.columns != elimination_.lines.entries + row.begin;
    Real norm(0);
    for (int k = part_; k < row.length; k += lanes_) {
      const Offset p = row.begin + static_cast<Offset>(k);
      const Scalar value = elimination_.stored(row.row, p);
      if (is_shared) columns_[row.columns - columns_ + k] = elimination_.lines.entries[p];
      row.w[k] = k == row.steps ? value * elimination_.diagonal_factor : value;
      norm += incomplete::magnitude(value);
    }
    __syncwarp();
    return sum_over_lanes(norm, log2_lanes_);
  }

  __device__ UpperRow upper_row(const Row& row, int step) const {
    if (step >= row.steps) return {0, 0};
    const int k = row.columns[step];
    return {elimination_.lines.diagonal[k], elimination_.lines.line_map[k + 1]};
  }

  __device__ void load_columns(const UpperRow& upper, int first, int (&column)[at_once]) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      const Offset q = place_of(upper, first, e);
      column[e] = q < upper.end ? elimination_.lines.entries[q] : no_column;
    }
  }

  __device__ Offset place_of(const UpperRow& upper, int first, int e) const {
    return upper.pivot + static_cast<Offset>(1 + first + e * lanes_ + part_);
  }

  __device__ void subtract(const Row& row, int step, const UpperRow& upper, const int (&column)[at_once],
                           Scalar& dropped) const {
    const bool is_step = step < row.steps;
    const Scalar entry = is_step ? row.w[step] : Scalar(0);
    Scalar pivot = is_step ? pending<Scalar>() : Scalar(1);
    int place[at_once];
    Scalar found[at_once];
    search(row, step, column, place, found);
    wait_for(upper, 0, pivot, found);
    const Scalar factor = entry / pivot;
    __syncwarp();
    if (is_step && part_ == 0) row.w[step] = factor;
    update(row, factor, column, place, found, dropped);
    const int width = at_once * lanes_;
    for (int first = width; __any_sync(all_lanes, place_of(upper, first, 0) < upper.end + part_); first += width) {
      int more[at_once];
      load_columns(upper, first, more);
      search(row, step, more, place, found);
      wait_for(upper, first, pivot, found);
      update(row, factor, more, place, found, dropped);
    }
    __syncwarp();
  }

  /// Where the columns fall in the row; what is looked for is pending then.
  __device__ void search(const Row& row, int step, const int (&column)[at_once], int (&place)[at_once],
                         Scalar (&found)[at_once]) const {
    const bool is_modified = elimination_.relaxation != Real(0);
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      place[e] = column[e] == no_column ? no_column : row.find(column[e], step + 1);
      const bool is_wanted = place[e] != no_column || (is_modified && column[e] != no_column);
      found[e] = is_wanted ? pending<Scalar>() : Scalar(0);
    }
  }

  __device__ void wait_for(const UpperRow& upper, int first, Scalar& pivot, Scalar (&found)[at_once]) const {
    bool waits;
    do {
      watch_if(is_pending(pivot), elimination_.values + upper.pivot, pivot);
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        watch_if(is_pending(found[e]), elimination_.values + place_of(upper, first, e), found[e]);
      waits = is_pending(pivot);
#pragma unroll
      for (int e = 0; e < at_once; ++e) waits = waits || is_pending(found[e]);
    } while (__any_sync(all_lanes, waits));
  }

  __device__ void update(const Row& row, const Scalar& factor, const int (&column)[at_once],
                         const int (&place)[at_once], const Scalar (&found)[at_once], Scalar& dropped) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      if (place[e] != no_column) row.w[place[e]] -= factor * found[e];
      if (elimination_.relaxation == Real(0)) continue;
      const unsigned misses = __ballot_sync(all_lanes, column[e] != no_column && place[e] == no_column);
      for (int part = 0; part < lanes_; ++part) {
        const int from = lane_ - part_ + part;
        const Scalar missed = of_lane(found[e], from);
        if (misses >> from & 1u) dropped += factor * missed;
      }
    }
  }

  __device__ void finish(const Row& row, Real norm, const Scalar& dropped) const {
    Scalar pivot(1);
    if (row.is_row && part_ == 0) {
      Scalar diagonal = row.w[row.steps];
      if (elimination_.relaxation != Real(0)) diagonal -= elimination_.relaxation * dropped;
      pivot = elimination_.pivots.settle(row.row, diagonal, norm);
    }
    pivot = of_lane(pivot, lane_ - part_);
    const Scalar root = elimination_.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
    int bad = elimination_.is_not_finite(pivot);
    Scalar* const values = elimination_.values + row.begin;
    for (int k = row.steps + part_; k < row.length; k += lanes_) {
      const Scalar value = k == row.steps ? root : elimination_.symmetric ? row.w[k] / root : row.w[k];
      publish(values + k, publishable(value));
      bad |= elimination_.is_not_finite(value);
    }
    for (int k = part_; k < row.steps; k += lanes_) {
      values[k] = row.w[k];
      bad |= elimination_.is_not_finite(row.w[k]);
    }
    if (row.is_row && bad != 0) elimination_.report_not_finite(row.row, pivot);
    __syncwarp();
  }

  const RowsSystem<Scalar, Offset>& system_;
  const incomplete::Elimination<Scalar, int, Offset, Space>& elimination_;
  Scalar* w_;     // shared memory of this warp
  int* columns_;  // likewise
  int lane_, log2_lanes_ = 0, lanes_ = 1, part_ = 0;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(EliminationTuning::block)
    eliminate_slices_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system) {
  constexpr int entries = EliminationTuning::room_per_lane * warp_size, warps = EliminationTuning::block / warp_size;
  __shared__ __align__(16) unsigned char numbers[warps * entries * sizeof(Scalar)];
  __shared__ int columns[warps * entries];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  SliceElimination<Scalar, Offset> elimination(system, reinterpret_cast<Scalar*>(numbers) + warp * entries,
                                               columns + warp * entries);
  Claims claims(0, system.slice_count, 1, system.claimed);
  for (unsigned number = claims.next(); number < claims.end(); number = claims.next())
    elimination.eliminate(system.slices[number]);
}

/// Enqueues the elimination. `entries` is the number of all values.
template <class Scalar, class Offset>
void eliminate_slices(const Space& space, const RowsSystem<Scalar, Offset>& system, std::size_t entries, int blocks) {
  const auto stream = space.cuda_stream();
  check(cudaMemsetAsync(system.elimination.values, 0xff, entries * sizeof(Scalar), stream));
  check(cudaMemsetAsync(system.claimed, 0xff, sizeof(unsigned), stream));
  launch(space, "terrace::cuda::eliminate_slices", eliminate_slices_kernel<Scalar, Offset>, blocks,
         EliminationTuning::block, system);
}

}  // namespace terrace::cuda
