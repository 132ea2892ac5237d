// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a solve in row blocks would cost (choose_row_blocks.hpp), counted on the device: the lanes of each level in each
// of the smallest row blocks, and the largest share of each level that any row block has, or any union of row blocks.
//
// Time in whole nanoseconds, because sums of floating-point numbers in no order would choose differently each time.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/sort_keys.hpp"

namespace terrace::cuda::triangular {

/// What one row block has of one level. Both are added to at once, as one number.
struct alignas(8) Share {
  unsigned lanes, rows;

  __device__ void add(unsigned more_lanes, unsigned more_rows) {
    const Share more{more_lanes, more_rows};
    unsigned long long bits;
    memcpy(&bits, &more, sizeof(bits));
    atomicAdd(reinterpret_cast<unsigned long long*>(this), bits);
  }
};

/// The shares of each level in the row blocks, level by level.
template <class Offset>
struct CountShares {
  SortKeys<Offset> keys;
  RowBlocks row_blocks;
  Share* shares;
  int levels;  // that there is capacity for; rows of others are left out
};

/// Neighbours are often of the same level: those of a warp, whose lanes have neighbouring items, are added up first.
template <class Offset>
__device__ void count_share(const CountShares<Offset>& count, int item) {
  const auto& items = count.keys.items;
  const bool is_item = item < count.keys.count, is_piece = is_item && items.is_piece(item);
  const int row = is_piece ? items.row_of_piece(item) : item;
  const bool counts = is_item && count.keys.level[row] < count.levels;
  const unsigned running = __ballot_sync(all_lanes, counts);
  if (!counts) return;
  const int place = count.keys.level[row] * count.row_blocks.count + count.row_blocks.of(row);
  const unsigned same = __match_any_sync(running, place);
  const unsigned lanes = __reduce_add_sync(same, count.keys.lanes(item));
  const unsigned rows = __reduce_add_sync(same, is_piece ? 0u : 1u);
  if (threadIdx.x % warp_size != static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1)) return;
  count.shares[place].add(lanes, rows);
}

__device__ inline unsigned long long nanoseconds(double microseconds) {
  return static_cast<unsigned long long>(1e3 * microseconds);
}

struct SumCosts {
  const Share* shares;
  int levels;
  int row_blocks;
  double bytes_per_lane;
  RowBlockCosts* costs;
};

/// A warp for each level, of all warps that add up. A lane has neighbouring row blocks; unions of more are sums over
/// neighbouring lanes.
__device__ inline void sum_costs(const SumCosts& sum, int warp, int warps) {
  constexpr int row_blocks_per_lane = RowBlockTuning::max_row_blocks / warp_size;
  static_assert(row_blocks_per_lane == 4);
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  unsigned long long with_row_blocks[RowBlockCosts::max_unions] = {}, without = 0;
  unsigned widest = 0;
  for (int level = warp; level < sum.levels; level += warps) {
    const Share* shares = sum.shares + static_cast<std::size_t>(level) * static_cast<std::size_t>(sum.row_blocks);
    unsigned lanes[row_blocks_per_lane], rows = 0;
    for (int k = 0; k < row_blocks_per_lane; ++k) {
      const int row_block = lane * row_blocks_per_lane + k;
      const Share share = row_block < sum.row_blocks ? shares[row_block] : Share{0, 0};
      lanes[k] = share.lanes;
      rows += share.rows;
    }
    widest = max(widest, __reduce_add_sync(all_lanes, rows));
    const auto add_step = [&](int unions, unsigned most) {
      const unsigned slices = (__reduce_max_sync(all_lanes, most) + warp_size - 1) / warp_size;
      with_row_blocks[unions] += nanoseconds(max(ScheduleTuning::block_trip, slices * ScheduleTuning::block_slice));
    };
    add_step(0, max(max(lanes[0], lanes[1]), max(lanes[2], lanes[3])));
    add_step(1, max(lanes[0] + lanes[1], lanes[2] + lanes[3]));
    unsigned all = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    add_step(2, all);
#pragma unroll
    for (int unions = 3; unions < RowBlockCosts::max_unions; ++unions) {
      all += from_lane(all, 1 << (unions - 3));
      add_step(unions, all);
    }
    const double bytes = all * sum.bytes_per_lane;
    without += nanoseconds(min(ScheduleTuning::device_trip + bytes / ScheduleTuning::device_rate,
                               ScheduleTuning::kernel + bytes / ScheduleTuning::level_rate));
  }
  if (lane != 0) return;
  for (int k = 0; k < RowBlockCosts::max_unions; ++k) atomicAdd(&sum.costs->with_row_blocks[k], with_row_blocks[k]);
  atomicAdd(&sum.costs->without, without);
  atomicMax(&sum.costs->widest_level, widest);
}

/// A thread for each item, and a warp for each level.
template <class Offset>
__global__ void count_shares_kernel(CountShares<Offset> count) {
  count_share(count, static_cast<int>(number_of_thread()));
}
static __global__ void sum_costs_kernel(SumCosts sum) {
  sum_costs(sum, static_cast<int>(number_of_warp()), static_cast<int>(gridDim.x * blockDim.x) / warp_size);
}

}  // namespace terrace::cuda::triangular
