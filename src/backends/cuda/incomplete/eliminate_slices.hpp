// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of rows whose products are not listed (products.hpp): where a warp takes several short rows of a level,
// in modified factorizations, whose dropped products count too, and where a list would take too much memory.
//
// The lanes of a slice's row hold it in shared memory. A step subtracts l_ik times row k of U: the lanes take
// neighbouring entries of row k and search each in row i; where row k is much longer than what is left of row i, they
// take those and search them in row k. Several steps are looked at together, and then computed one after the other: a
// row may have to go through many steps after the last number that it waits for came, and a warp that looked at the
// next step while it computes this one would wait for both, because it counts its outstanding loads together.
//
// Rows of a slice are of one level, so no lane waits for another of its warp; slices are claimed in ascending order
// (claims.hpp), so the first unfinished one waits for nothing.
//
// Rows that do not fit in shared memory are eliminated in device memory, by the same code. What is dropped is added up
// by each lane for itself, and over the lanes at the end: to take the lanes in turn, in the order of the pattern, took
// most of the time.
#pragma once

#include "backends/cuda/incomplete/warp_row.hpp"
#include "backends/cuda/triangular/claims.hpp"
#include "sparse/find_column.hpp"

namespace terrace::cuda::incomplete {

/// Row k of U behind the pivot.
template <class Offset>
struct UpperPart {
  Offset pivot;
  int count;
};

/// What the rows of a warp have in shared memory, for `capacity` entries together.
template <class Scalar, class Offset>
struct SharedRows {
  Scalar* w;
  UpperPart<Offset>* upper;
  int* columns;
  int capacity;
};

/// `StepsAtOnce`: that are looked at together. `HasTails`: rows may be cut (row_tails.hpp). `Modified`: what is dropped
/// matters; where row k of U is searched, it is the sum of that row, which waits as a number of U does, without what
/// was found (incomplete/elimination.hpp).
template <int StepsAtOnce, class Scalar, class Offset, bool HasTails = false, bool Modified = false>
class SliceElimination {
  static constexpr int at_once = EliminationTuning::entries_at_once;
  static constexpr int nowhere = 0;
  using Upper = UpperPart<Offset>;
  using Real = terrace::incomplete::RealOf<Scalar>;
  using Sum = parallel::CompensatedSum<Scalar>;

  /// The row of this lane's group.
  struct Row : EliminatedRow<Scalar, Offset> {
    const int* columns;
    int* shared_columns;  // null in device memory, as is the next
    Upper* upper;
  };

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
    const int group = lane_ >> slice.log2_lanes();
    const int item = group < slice.rows() ? system_.items[slice.first + group] : -1;
    eliminate(item, slice.log2_lanes());
  }

  /// A row for each group of lanes, or a number that is none.
  __device__ void eliminate(int item, int log2_lanes) {
    lanes_ = {lane_ & ((1 << log2_lanes) - 1), log2_lanes};
    eliminate(open(item), Real(0));
  }

  /// A row, or the head of one; the norm is that of its tails.
  __device__ void eliminate(const EliminatedRow<Scalar, Offset>& head, Real norm_of_tails) {
    static_assert(HasTails);
    lanes_ = LaneGroup::warp();
    eliminate(with_memory(head), norm_of_tails);
  }

 private:
  __device__ void eliminate(const Row& row, Real norm_of_tails) {
    Real norm = load_row(system_, row, lanes_, [&](int place, int column) {
      if (!row.shared_columns) return;
      row.shared_columns[place] = column;
      if (place < row.steps) row.upper[place] = upper_row_of(column);
    });
    if constexpr (HasTails) norm += norm_of_tails;
    __syncwarp();
    const int steps = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(row.steps)));
    Scalar dropped(0);
    int is_bad = 0;
#pragma unroll 1
    for (int first = 0; first < steps; first += StepsAtOnce) {
      Step batch[StepsAtOnce];
#pragma unroll
      for (int s = 0; s < StepsAtOnce; ++s) look_ahead(row, first + s, batch[s]);
#pragma unroll
      for (int s = 0; s < StepsAtOnce; ++s)
        if (first + s < steps) is_bad |= subtract(row, first + s, batch[s], dropped);
    }
    Scalar diagonal = row.is_row() ? row.w[row.steps] : Scalar(1);
    if constexpr (Modified) {
      const Scalar of_row = sum_over_lanes(dropped, lanes_.log2_lanes);
      diagonal = terrace::incomplete::minus_seen_product(diagonal, elimination_.relaxation, of_row);
    }
    const Scalar pivot = finish_row(system_, row, lanes_, diagonal, norm, is_bad);
    if constexpr (Modified) publish_sum(row, elimination_.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot);
  }

  /// Of the row behind its pivot, where that is so long that others may search it.
  __device__ void publish_sum(const Row& row, const Scalar& root) const {
    const bool is_long = row.length - row.steps - 1 > never_much_longer;
    if (!__any_sync(all_lanes, is_long)) return;
    Sum sum;
    if (is_long)
      for (int k = row.steps + 1 + lanes_.part; k < row.length; k += lanes_.lanes())
        sum.add(elimination_.symmetric ? row.w[k] / root : row.w[k]);
    sum = over_lanes(sum);
    if (!is_long || lanes_.part != 0) return;
    Scalar* const to = elimination_.upper_sums + 2 * static_cast<std::size_t>(row.row);
    publish(to, publishable(sum.high()));
    publish(to + 1, publishable(sum.low()));
  }

  __device__ Sum over_lanes(Sum sum) const {
    for (int distance = lanes_.lanes() / 2; distance > 0; distance /= 2) {
      const Sum other(from_lane(sum.high(), distance), from_lane(sum.low(), distance));
      sum.add(other);
    }
    return sum;
  }

  __device__ Row open(int item) const {
    const auto& pattern = elimination_.pattern;
    if (item < 0 || item >= pattern.rows) return {{0, 0, 0, 0, shared_.w}, shared_.columns, nullptr, nullptr};
    return with_memory(open_row(system_, item));
  }

  __device__ Row with_memory(const EliminatedRow<Scalar, Offset>& opened) const {
    Row row{opened, elimination_.pattern.entries + opened.begin, nullptr, nullptr};
    const int capacity = shared_.capacity >> (5 - lanes_.log2_lanes), at = (lane_ >> lanes_.log2_lanes) * capacity;
    row.w = system_.scratch + row.begin;
    if (row.length > capacity) return row;
    row.w = shared_.w + at;
    row.columns = row.shared_columns = shared_.columns + at;
    row.upper = shared_.upper + at;
    return row;
  }

  __device__ Upper upper_row_of(int k) const {
    const Offset pivot = elimination_.pattern.diagonal[k];
    return {pivot, static_cast<int>(elimination_.pattern.row_map[k + 1] - pivot) - 1};
  }

  /// The first part of a step, before its turn.
  __device__ void look_ahead(const Row& row, int step, Step& to) const {
    to.upper = {0, 0};
    if (step < row.steps) to.upper = row.upper ? row.upper[step] : upper_row_of(row.columns[step]);
    const int left = row.length - step - 1;
    to.searches_upper = is_much_longer(to.upper.count, left);
    to.span = to.searches_upper ? left : to.upper.count;
    to.pivot = step < row.steps ? pending<Scalar>() : Scalar(1);
    watch_if(is_pending(to.pivot), elimination_.values + to.upper.pivot, to.pivot);
    look_at(row, step, 0, to);
  }

  /// Entries first, ..., of the step.
  __device__ void look_at(const Row& row, int step, int first, Step& to) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      const int index = first + e * lanes_.lanes() + lanes_.part;
      to.place[e] = nowhere;
      to.found[e] = Scalar(0);
      to.at[e] = to.upper.pivot;
      if (index >= to.span) continue;
      if (to.searches_upper) search_upper(row, step + 1 + index, to.upper, to.place[e], to.at[e]);
      else {
        to.at[e] = to.upper.pivot + static_cast<Offset>(1 + index);
        const int place =
            sparse::find_column(row.columns, step + 1, row.length, elimination_.pattern.entries[to.at[e]]);
        to.place[e] = place == row.length ? nowhere : place;
      }
      to.found[e] = pending<Scalar>();
    }
#pragma unroll
    for (int e = 0; e < at_once; ++e) watch_if(is_pending(to.found[e]), elimination_.values + to.at[e], to.found[e]);
  }

  /// Where an entry of the row stands in row k; if it does not, the pivot is looked at in its place.
  __device__ void search_upper(const Row& row, int place, const Upper& upper, int& found, Offset& at) const {
    const Offset first = upper.pivot + 1, last = first + static_cast<Offset>(upper.count);
    const Offset position = sparse::find_column(elimination_.pattern.entries, first, last, row.columns[place]);
    found = position == last ? nowhere : place;
    at = position == last ? upper.pivot : position;
  }

  /// Returns whether the entry of L is not finite.
  __device__ int subtract(const Row& row, int step, Step& now, Scalar& dropped) const {
    const bool is_step = step < row.steps;
    const Scalar entry = is_step ? row.w[step] : Scalar(0);
    wait_for(now);
    const Scalar factor = entry / now.pivot;
    Sum kept;
    update(row, factor, now, 0, dropped, kept);
    const int width = at_once * lanes_.lanes();
#pragma unroll 1
    for (int first = width; __any_sync(all_lanes, first < now.span); first += width) {
      look_at(row, step, first, now);
      wait_for(now);
      update(row, factor, now, first, dropped, kept);
    }
    if constexpr (Modified)
      if (__any_sync(all_lanes, now.searches_upper)) drop_what_was_not_found(row, step, factor, now, dropped, kept);
    if (is_step && lanes_.part == 0) store_lower(row.begin + static_cast<Offset>(step), factor);
    __syncwarp();
    return elimination_.is_not_finite(factor);
  }

  /// Of row k of U, all but what was kept, by one of the lanes.
  __device__ void drop_what_was_not_found(const Row& row, int step, const Scalar& factor, const Step& now,
                                          Scalar& dropped, const Sum& kept_by_lane) const {
    const Sum kept = over_lanes(kept_by_lane);
    const bool drops = now.searches_upper && lanes_.part == 0;
    const int k = drops ? row.columns[step] : 0;
    const Scalar* const from = elimination_.upper_sums + 2 * static_cast<std::size_t>(k);
    Scalar high = drops ? pending<Scalar>() : Scalar(0), low = high;
    do {
      watch_if(is_pending(high), from, high);
      watch_if(is_pending(low), from + 1, low);
    } while (__any_sync(all_lanes, is_pending(high) || is_pending(low)));
    if (!drops) return;
    Sum missed(high, low);
    missed.subtract(kept);
    dropped = terrace::incomplete::minus_seen_product(dropped, -factor, missed.value());
  }

  /// Nobody waits for an entry of L but the tails of its row.
  __device__ void store_lower(Offset at, const Scalar& factor) const {
    if constexpr (HasTails) publish(elimination_.values + at, publishable(factor));
    else elimination_.values[at] = factor;
  }

  /// Until everything is there that falls in the row, or all that there is.
  __device__ void wait_for(Step& now) const {
    for (;;) {
      bool waits = is_pending(now.pivot);
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        waits = waits || (is_pending(now.found[e]) && (Modified || now.place[e] != nowhere));
      if (!__any_sync(all_lanes, waits)) return;
      watch_if(is_pending(now.pivot), elimination_.values + now.upper.pivot, now.pivot);
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        watch_if(is_pending(now.found[e]), elimination_.values + now.at[e], now.found[e]);
    }
  }

  __device__ void update(const Row& row, const Scalar& factor, const Step& now, int first, Scalar& dropped,
                         Sum& kept) const {
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      if (now.place[e] != nowhere) {
        Scalar& w = row.w[now.place[e]];
        w = terrace::incomplete::minus_seen_product(w, factor, now.found[e]);
        if constexpr (Modified)
          if (now.searches_upper) kept.add(now.found[e]);
      } else if (Modified && !now.searches_upper && first + e * lanes_.lanes() + lanes_.part < now.span) {
        dropped = terrace::incomplete::minus_seen_product(dropped, -factor, now.found[e]);
      }
    }
  }

  const RowsSystem<Scalar, Offset>& system_;
  const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination_;
  SharedRows<Scalar, Offset> shared_;
  int lane_;
  LaneGroup lanes_{0, 0};
};

template <class Scalar, class Offset, bool Modified>
__global__ void __launch_bounds__(EliminationTuning::block)
    eliminate_slices_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system) {
  await_predecessor();
  let_successor_begin();
  constexpr int capacity = EliminationTuning::slice_capacity, warps = EliminationTuning::block / warp_size;
  __shared__ __align__(16) unsigned char numbers[warps * capacity * sizeof(Scalar)];
  __shared__ UpperPart<Offset> upper[warps * capacity];
  __shared__ int columns[warps * capacity];
  const int at = static_cast<int>(threadIdx.x) / warp_size * capacity;
  SliceElimination<EliminationTuning::steps_at_once, Scalar, Offset, false, Modified> elimination(
      system, SharedRows<Scalar, Offset>{reinterpret_cast<Scalar*>(numbers) + at, upper + at, columns + at, capacity});
  Claims<1> claims(0, system.slice_count, 1, system.claimed);
  for (unsigned number = claims.next(); number < claims.end(); number = claims.next())
    elimination.eliminate(system.slices[number]);
}

}  // namespace terrace::cuda::incomplete
