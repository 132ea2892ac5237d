// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of rows in level order without barriers (the sums of incomplete/elimination.hpp, in the same order): the
// lanes of a slice's row hold it in shared memory, and every number they need of U is its own flag (watch.hpp).
//
// A step subtracts l_ik times row k of U. Its lanes take neighbouring entries of row k; where each falls in row i is
// known from the analysis (place_table.hpp). Where row k is much longer than what is left of row i, they take the
// entries of row i and search them in row k. Several steps are looked at together, and then computed one after the
// other: a row may have to go through many steps after the last number that it waits for came, and a warp that looked
// at the next step while it computes this one would wait for both, because it counts its outstanding loads together. A
// row is published entry by entry when it is finished: nothing in it is final before, and who waits needs no fence.
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
  PlaceTable table;
  Scalar* scratch;  // by entry, for rows that do not fit; or null
  unsigned* claimed;
};

/// Row k of U behind the pivot.
template <class Offset>
struct UpperRow {
  Offset pivot;
  int count;
};

/// The row of one group of lanes.
template <class Scalar, class Offset>
struct EliminatedRow {
  int row;
  bool is_row;
  bool is_shared;  // in shared memory
  Offset begin;
  int steps;   // entries left of the diagonal
  int length;  // none when this is no row
  Scalar* w;
  const int* columns;
  const unsigned char* places;  // null without a table
  int stride;
};

/// What the rows of a warp have in shared memory.
template <class Scalar, class Offset>
struct SharedRows {
  static constexpr int size = EliminationTuning::room_per_lane * warp_size;
  Scalar* w;
  UpperRow<Offset>* upper;
  int* columns;
};

template <class Scalar, class Offset>
class SliceElimination {
  static constexpr int at_once = EliminationTuning::entries_at_once;
  static constexpr int steps_at_once = EliminationTuning::steps_at_once, nowhere = PlaceTable::nowhere;
  using Row = EliminatedRow<Scalar, Offset>;
  using Upper = UpperRow<Offset>;
  using Real = incomplete::RealOf<Scalar>;

  /// What a lane knows of a step, or of a part of one: its entries of row k of U, and where they fall.
  struct Step {
    Upper upper;
    bool searches_upper;  // the lanes take the entries of row i, not those of row k
    int span;             // how many of them there are
    int place[at_once];   // nowhere outside the row, and where there is no entry
    Offset at[at_once];   // of the entry of U
    Scalar found[at_once];
    Scalar pivot;
  };

 public:
  __device__ SliceElimination(const RowsSystem<Scalar, Offset>& system, const SharedRows<Scalar, Offset>& shared)
      : system_(system),
        elimination_(system.elimination),
        shared_(shared),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void eliminate(const Slice& slice) {
    log2_lanes_ = slice.log2_lanes();
    lanes_ = 1 << log2_lanes_;
    part_ = lane_ & (lanes_ - 1);
    const Row row = open(slice);
    const Real norm = load(row);
    const int steps = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(row.steps)));
    Scalar dropped(0);
    for (int first = 0; first < steps; first += steps_at_once) {
      Step batch[steps_at_once];
#pragma unroll
      for (int s = 0; s < steps_at_once; ++s) look_ahead(row, first + s, batch[s]);
#pragma unroll
      for (int s = 0; s < steps_at_once; ++s)
        if (first + s < steps) subtract(row, first + s, batch[s], dropped);
    }
    finish(row, norm, dropped);
  }

 private:
  __device__ Row open(const Slice& slice) const {
    const auto& lines = elimination_.lines;
    const int group = lane_ >> log2_lanes_;
    const int item = group < slice.rows() ? system_.items[slice.first + group] : -1;
    if (item < 0 || item >= lines.lines) return {0, false, true, 0, 0, 0, shared_.w, shared_.columns, nullptr, 0};
    const Offset begin = lines.line_map[item];
    const auto length = static_cast<int>(lines.line_map[item + 1] - begin);
    const auto steps = static_cast<int>(lines.diagonal[item] - begin);
    const std::int64_t first = system_.table.first ? system_.table.first[item] : PlaceTable::none;
    const unsigned char* places = first == PlaceTable::none ? nullptr : system_.table.places + first;
    const int stride = places ? system_.table.stride[item] : 0;
    const int capacity = EliminationTuning::room_per_lane << log2_lanes_, at = group * capacity;
    if (length > capacity)
      return {item, true, false, begin, steps, length, system_.scratch + begin, lines.entries + begin, places, stride};
    return {item, true, true, begin, steps, length, shared_.w + at, shared_.columns + at, places, stride};
  }

  /// The row of A, and its norm in all lanes.
  __device__ Real load(const Row& row) const {
    const auto& lines = elimination_.lines;
    constexpr int line = 128;  // bytes
    for (int at = part_ * line; at < row.steps * row.stride; at += lanes_ * line) prefetch(row.places + at);
    Real norm(0);
    for (int k = part_; k < row.length; k += lanes_) {
      const Offset p = row.begin + static_cast<Offset>(k);
      if (row.is_shared) {
        const auto at = (row.columns - shared_.columns) + k;
        const int column = lines.entries[p];
        shared_.columns[at] = column;
        if (k < row.steps) shared_.upper[at] = upper_row_of(column);
      }
      const Scalar value = elimination_.stored(row.row, p);
      row.w[k] = k == row.steps ? value * elimination_.diagonal_factor : value;
      norm += incomplete::magnitude(value);
    }
    __syncwarp();
    return sum_over_lanes(norm, log2_lanes_);
  }

  __device__ Upper upper_row_of(int k) const {
    const Offset pivot = elimination_.lines.diagonal[k];
    return {pivot, static_cast<int>(elimination_.lines.line_map[k + 1] - pivot) - 1};
  }

  /// The first part of a step, before its turn.
  __device__ void look_ahead(const Row& row, int step, Step& to) const {
    to.upper = {0, 0};
    if (step < row.steps)
      to.upper = row.is_shared ? shared_.upper[row.columns - shared_.columns + step] : upper_row_of(row.columns[step]);
    const int left = row.length - step - 1;
    to.searches_upper = elimination_.relaxation == Real(0) && PlaceTable::is_left_out(to.upper.count, left);
    to.span = to.searches_upper ? left : to.upper.count;
    to.pivot = step < row.steps ? pending<Scalar>() : Scalar(1);
    watch_if(is_pending(to.pivot), elimination_.values + to.upper.pivot, to.pivot);
    look_at(row, step, 0, to);
  }

  /// Entries first, ..., of the step.
  __device__ void look_at(const Row& row, int step, int first, Step& to) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      const int index = first + e * lanes_ + part_;
      to.place[e] = nowhere;
      to.found[e] = Scalar(0);
      if (index >= to.span) continue;
      if (to.searches_upper) search_upper(row, step + 1 + index, to.upper, to.place[e], to.at[e]);
      else {
        to.at[e] = to.upper.pivot + static_cast<Offset>(1 + index);
        to.place[e] = place_in(row, step, to.upper, index);
      }
      to.found[e] = pending<Scalar>();
    }
#pragma unroll
    for (int e = 0; e < at_once; ++e) watch_if(is_pending(to.found[e]), elimination_.values + to.at[e], to.found[e]);
  }

  /// Where an entry of row k falls in the row.
  __device__ int place_in(const Row& row, int step, const Upper& upper, int index) const {
    if (row.places && !PlaceTable::is_left_out(upper.count, row.length - step - 1))
      return row.places[static_cast<std::int64_t>(step) * row.stride + index];
    const int column = elimination_.lines.entries[upper.pivot + static_cast<Offset>(1 + index)];
    const int place = find_column(row.columns, step + 1, row.length, column);
    return place == row.length ? nowhere : place;
  }

  /// Where an entry of the row stands in row k; if it does not, the pivot is looked at in its place.
  __device__ void search_upper(const Row& row, int place, const Upper& upper, int& found, Offset& at) const {
    const Offset first = upper.pivot + 1, last = first + static_cast<Offset>(upper.count);
    const Offset position = find_column(elimination_.lines.entries, first, last, row.columns[place]);
    found = position == last ? nowhere : place;
    at = position == last ? upper.pivot : position;
  }

  __device__ void subtract(const Row& row, int step, Step& now, Scalar& dropped) const {
    const bool is_step = step < row.steps;
    const Scalar entry = is_step ? row.w[step] : Scalar(0);
    wait_for(now);
    const Scalar factor = entry / now.pivot;
    update(row, factor, now, 0, dropped);
    const int width = at_once * lanes_;
    for (int first = width; __any_sync(all_lanes, first < now.span); first += width) {
      look_at(row, step, first, now);
      wait_for(now);
      update(row, factor, now, first, dropped);
    }
    if (is_step && part_ == 0) row.w[step] = factor;
    __syncwarp();
  }

  /// Until everything is there that falls in the row, or all that there is.
  __device__ void wait_for(Step& now) const {
    const bool takes_all = elimination_.relaxation != Real(0);
    for (;;) {
      bool waits = is_pending(now.pivot);
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        waits = waits || (is_pending(now.found[e]) && (takes_all || now.place[e] != nowhere));
      if (!__any_sync(all_lanes, waits)) return;
      watch_if(is_pending(now.pivot), elimination_.values + now.upper.pivot, now.pivot);
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        watch_if(is_pending(now.found[e]), elimination_.values + now.at[e], now.found[e]);
    }
  }

  __device__ void update(const Row& row, const Scalar& factor, const Step& now, int first, Scalar& dropped) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      if (now.place[e] != nowhere) row.w[now.place[e]] -= factor * now.found[e];
      if (elimination_.relaxation == Real(0)) continue;
      const bool is_missed = now.place[e] == nowhere && first + e * lanes_ + part_ < now.span;
      const unsigned misses = __ballot_sync(all_lanes, is_missed);
      for (int part = 0; part < lanes_; ++part) {
        const int from = lane_ - part_ + part;
        const Scalar missed = of_lane(now.found[e], from);
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
  SharedRows<Scalar, Offset> shared_;
  int lane_, log2_lanes_ = 0, lanes_ = 1, part_ = 0;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(EliminationTuning::block)
    eliminate_slices_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system) {
  using Shared = SharedRows<Scalar, Offset>;
  constexpr int entries = Shared::size, warps = EliminationTuning::block / warp_size;
  __shared__ __align__(16) unsigned char numbers[warps * entries * sizeof(Scalar)];
  __shared__ UpperRow<Offset> upper[warps * entries];
  __shared__ int columns[warps * entries];
  const int at = static_cast<int>(threadIdx.x) / warp_size * entries;
  SliceElimination<Scalar, Offset> elimination(
      system, Shared{reinterpret_cast<Scalar*>(numbers) + at, upper + at, columns + at});
  Claims<1> claims(0, system.slice_count, 1, system.claimed);
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
