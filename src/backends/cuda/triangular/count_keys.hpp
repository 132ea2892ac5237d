// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows in the order of their keys by counting, where there are few keys: one kernel from rows to slices. A radix sort,
// and the kernels that look through what it has sorted, are a dozen, and of a small triangle each takes longer to
// launch than to run.
//
// A warp has a run of neighbouring places of the solution order, and counts its rows of each key. Blocks add up shares
// of the counts, key by key and run by run. Then it is known where the rows of a run go, those of a key in the order in
// which they came (Knuth, The Art of Computer Programming 3, section 5.2, algorithm D).
#pragma once

#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/shared_steps.hpp"
#include "backends/cuda/triangular/choose_order.hpp"
#include "backends/cuda/triangular/shape_slices.hpp"

namespace terrace::cuda::triangular {

/// Rows alone, no pieces.
template <class Offset>
struct CountKeys {
  SortKeys<Offset> keys;
  Runs runs;
  unsigned* counts;  // of each key and run, zero before
};

/// Calls body(count of the run and the key, row, the lanes that have the same key) for each place of the run, by all
/// lanes together; rows behind the end are -1. What several places need is asked for at once.
template <class Offset, class Body>
__device__ void for_keys_of_run(const CountKeys<Offset>& count, int run, const Body& body) {
  constexpr int at_once = 4;
  static_assert(CountTuning::fewest_places % (at_once * warp_size) == 0);
  const int lane = static_cast<int>(threadIdx.x) % warp_size, end = count.runs.end_place(run);
  const Runs::Run of = count.runs.run_of(run);
  for (int first = count.runs.first_place(run); first < end; first += at_once * warp_size) {
    int row[at_once], at[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const int place = first + k * warp_size + lane;
      row[k] = place < end ? count.keys.item_at(place) : -1;
      at[k] = row[k] < 0 ? -1 : count.runs.count_of(of, static_cast<int>(count.keys.key_of_level(row[k])));
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) body(at[k], row[k], __match_any_sync(all_lanes, at[k]));
  }
}

/// By a warp.
template <class Offset>
__device__ void count_run(const CountKeys<Offset>& count, int run) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for_keys_of_run(count, run, [&](int at, int row, unsigned same) {
    if (row >= 0 && lane == __ffs(static_cast<int>(same)) - 1)
      atomicAdd(count.counts + at, static_cast<unsigned>(__popc(same)));
  });
}

/// Where the first row of each key and run goes: the sum within the share of the counts, and the sums of those before.
class FirstPlaces {
 public:
  /// By all threads of the block.
  __device__ FirstPlaces(const unsigned* counts, int each, const int* sums)
      : counts_(counts), each_(each), before_(shared_before()) {
    const int thread = static_cast<int>(threadIdx.x), shares = static_cast<int>(gridDim.x);
    int all;
    const int before = sum_before(thread < shares ? sums[thread] : 0, all);
    if (thread < shares) before_[thread] = before;
    __syncthreads();
  }
  __device__ int operator()(int at) const { return static_cast<int>(counts_[at]) + before_[at / each_]; }

 private:
  __device__ static int* shared_before() {
    __shared__ int before[CountTuning::most_shares];
    return before;
  }
  const unsigned* counts_;
  int each_;
  int* before_;
};

/// The sum over the shares before. By all threads of the block, which are as many as there are shares.
__device__ inline int sum_of_shares_before(const int* sums, int share) {
  const int thread = static_cast<int>(threadIdx.x);
  int all;
  sum_before(thread < share ? sums[thread] : 0, all);
  return all;
}

/// Nobody else reads or writes the counts of a warp's run.
template <class Offset>
__device__ void place_rows(const CountKeys<Offset>& count, const FirstPlaces& first_place, int run, int* item_at,
                           int* position) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for_keys_of_run(count, run, [&](int at, int row, unsigned same) {
    const int first_lane = __ffs(static_cast<int>(same)) - 1;
    int first = 0;
    if (row >= 0 && lane == first_lane) {
      first = first_place(at);
      count.counts[at] += static_cast<unsigned>(__popc(same));
    }
    first = __shfl_sync(all_lanes, first, first_lane);
    __syncwarp();  // the next places find what is written here
    if (row < 0) return;
    const int place = first + __popc(same & ((1u << lane) - 1u));
    item_at[place] = row;
    position[row] = place;
  });
}

/// Where the groups' slices begin, for searches: in shared memory where there are few groups.
class GroupsOfSlices {
 public:
  /// By all threads of the block.
  __device__ GroupsOfSlices(const Group* groups, int key_count) : groups_(groups), key_count_(key_count) {
    constexpr int bytes = scan_bytes<CountTuning::block>;
    if (key_count > bytes / static_cast<int>(sizeof(int))) return;
    first_ = reinterpret_cast<int*>(shared_bytes<bytes>());
    for (int key = static_cast<int>(threadIdx.x); key < key_count; key += static_cast<int>(blockDim.x))
      first_[key] = groups[key].first_slice;
    __syncthreads();
  }

  /// The last key whose slices begin at or before this one: keys without any come first among equals.
  __device__ int key_of(int slice) const {
    return first_ ? last_at_most(key_count_, [&](int key) { return first_[key] <= slice; })
                  : last_at_most(key_count_, [&](int key) { return groups_[key].first_slice <= slice; });
  }

 private:
  const Group* groups_;
  int key_count_;
  int* first_ = nullptr;
};

/// From rows to slices, their places, and row blocks where there are several.
template <class Offset>
struct OrderRows {
  static constexpr int steps = 6;

  SortKeys<Offset> keys;      // but for what the choice says
  OrderChoice choice;         // of the host,
  const OrderChoice* chosen;  // or of the device, unless it is null
  Group* groups;              // CountTuning::most_counts of them, and the end
  unsigned* counts;           // as many
  unsigned* counters;         // of SharedSteps
  int* sums;                  // two for each of CountTuning::most_shares
  int *item_at, *position;
  Slice* slices;
  RowBlock* row_blocks;
  std::int64_t* for_host;  // the slots; then the row blocks, or the steps
};

/// The steps of order_rows_kernel, by a block that has a share of each.
template <class Offset>
class OrderRowsOfShare {
  static constexpr int threads = CountTuning::block, warps_of_block = threads / warp_size;

 public:
  __device__ OrderRowsOfShare(const OrderRows<Offset>& of, const OrderChoice& choice)
      : of_(of),
        choice_(choice),
        count_{of.keys, choice.runs, of.counts},
        counts_(static_cast<int>(choice.runs.counts())),
        keys_(choice.key_count()) {
    count_.keys.row_blocks = choice.row_blocks;
    count_.keys.levels = choice.levels;
  }

  __device__ void take_all(SharedSteps steps) {
    steps.share([&](int share) { for_runs(share, [&](int run) { count_run(count_, run); }); });
    steps.share([&](int share) { add_up_counts(share); });
    const FirstPlaces first_place(of_.counts, PartOfShare(0, counts_).each, of_.sums);
    steps.share([&](int share) { find_groups(share, first_place); });
    steps.share([&](int share) {
      for_runs(share, [&](int run) { place_rows(count_, first_place, run, of_.item_at, of_.position); });
      place_groups(share);
    });
    steps.share([&](int share) { shape_slices(share); });
    steps.share([&](int share) { place_slices(share); });
  }

 private:
  /// By warps.
  template <class Body>
  __device__ void for_runs(int share, const Body& body) const {
    for (int run = share * warps_of_block + static_cast<int>(threadIdx.x) / warp_size; run < choice_.runs.count;
         run += static_cast<int>(gridDim.x) * warps_of_block)
      body(run);
  }

  __device__ void tell(int* sums, int share, int sum) const {
    if (threadIdx.x == 0) sums[share] = sum;
  }
  __device__ int* sums_of_slices() const { return of_.sums + CountTuning::most_shares; }

  __device__ void add_up_counts(int share) const {
    const PartOfShare part(share, counts_);
    tell(of_.sums, share, scan_by_block<threads, int>(part.count, [&](int k, int& sum, bool final) {
           unsigned& here = of_.counts[part.first + k];
           const auto own = static_cast<int>(here);
           if (final) here = static_cast<unsigned>(sum);
           sum += own;
         }));
  }

  /// The slices of each key.
  __device__ void find_groups(int share, const FirstPlaces& first_place) const {
    const auto first_position = [&](int key) {
      const int at = choice_.runs.first_count(key);
      return at < counts_ ? first_place(at) : choice_.runs.rows;
    };
    const PartOfShare part(share, keys_ + 1);
    tell(sums_of_slices(), share, scan_by_block<threads, int>(part.count, [&](int k, int& sum, bool final) {
           const int key = part.first + k, first = first_position(key);
           if (final) of_.groups[key] = {first, sum};
           if (key < keys_) sum += slices_of(key, first_position(key + 1) - first);
         }));
  }

  __device__ void place_groups(int share) const {
    const PartOfShare part(share, keys_ + 1);
    const int before = sum_of_shares_before(sums_of_slices(), share);
    const bool has_row_blocks = choice_.row_blocks.count > 1;
    const CountSlices keep{of_.groups, has_row_blocks ? nullptr : reinterpret_cast<Group*>(of_.for_host + 1), keys_};
    for (int k = static_cast<int>(threadIdx.x); k < part.count; k += threads) {
      Group group = of_.groups[part.first + k];
      group.first_slice += before;
      keep.keep(part.first + k, group);
    }
  }

  __device__ int slice_count() const { return of_.groups[keys_].first_slice; }

  /// By neighbouring warps those of neighbouring slices; and their slots.
  __device__ void shape_slices(int share) const {
    const int slices = slice_count();
    const PartOfShare part(share, slices);
    const ShapeSlices<Offset> shape{of_.keys.items, of_.item_at, of_.groups, keys_, of_.slices, slices};
    const GroupsOfSlices begins(of_.groups, keys_);
    for (int k = static_cast<int>(threadIdx.x) / warp_size; k < part.count; k += warps_of_block)
      shape_slice(shape, part.first + k, begins.key_of(part.first + k));
    __syncthreads();
    tell(of_.sums, share, scan_by_block<threads, int>(part.count, [&](int k, int& sum, bool final) {
           Slice& slice = of_.slices[part.first + k];
           const int own = slice.width() * slice.depth();
           if (final) slice.start = sum;
           sum += own;
         }));
  }

  __device__ void place_slices(int share) const {
    const PartOfShare part(share, slice_count());
    const int before = sum_of_shares_before(of_.sums, share);
    for (int k = static_cast<int>(threadIdx.x); k < part.count; k += threads)
      of_.slices[part.first + k].start += before;
    if (share == 0) tell_host();
  }

  __device__ void tell_host() const {
    const int slots = sum_of_shares_before(of_.sums, static_cast<int>(gridDim.x));
    if (threadIdx.x == 0) *of_.for_host = slots;
    if (choice_.row_blocks.count == 1) return;
    const FindRowBlocks find{of_.groups, choice_.levels * classes_per_level, choice_.row_blocks.count, of_.row_blocks};
    auto* const told = reinterpret_cast<RowBlock*>(of_.for_host + 1);
    for (int k = static_cast<int>(threadIdx.x); k < find.count; k += threads) {
      const RowBlock found = find.of(k);
      of_.row_blocks[k] = found;
      told[k] = found;
    }
  }

  const OrderRows<Offset>& of_;
  const OrderChoice& choice_;
  CountKeys<Offset> count_;
  int counts_, keys_;
};

/// Does nothing where the device has not chosen.
template <class Offset>
__global__ void __launch_bounds__(CountTuning::block, 1)
    order_rows_kernel(const __grid_constant__ OrderRows<Offset> of) {
  const OrderChoice choice = of.chosen ? *of.chosen : of.choice;
  if (choice.is_made) OrderRowsOfShare<Offset>(of, choice).take_all(SharedSteps(of.counters));
}

}  // namespace terrace::cuda::triangular
