// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a solve in bands would cost (choose_bands.hpp), counted on the device: the lanes of each level in each of the
// smallest bands, and the largest share of each level that any band has, or any union of bands.
//
// Time in whole nanoseconds, because sums of floating-point numbers in no order would choose differently each time.
#pragma once

#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/sort_keys.hpp"

namespace terrace::cuda {

/// What one band has of one level. Both are added to at once, as one number.
struct alignas(8) Share {
  unsigned lanes, rows;

  __device__ void add(unsigned more_lanes, unsigned more_rows) {
    const Share more{more_lanes, more_rows};
    unsigned long long bits;
    memcpy(&bits, &more, sizeof(bits));
    atomicAdd(reinterpret_cast<unsigned long long*>(this), bits);
  }
};

/// The shares of each level in the bands, level by level.
template <class Offset>
struct CountShares {
  SortKeys<Offset> keys;
  RowBands bands;
  Share* shares;
};

/// A thread for each item. Neighbours are often of the same level: those of a warp are added up first.
template <class Offset>
__global__ void count_shares_kernel(CountShares<Offset> count) {
  const int item = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto& items = count.keys.items;
  const unsigned running = __ballot_sync(all_lanes, item < count.keys.count);
  if (item >= count.keys.count) return;
  const bool is_piece = items.is_piece(item);
  const int row = is_piece ? items.row_of_piece(item) : item;
  const int place = count.keys.level[row] * count.bands.count + count.bands.of(row);
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
  int bands;
  double bytes_per_lane;
  BandCosts* costs;
};

/// A warp for each level. A lane has neighbouring bands; unions of more are sums over neighbouring lanes.
static __global__ void sum_costs_kernel(SumCosts sum) {
  constexpr int bands_per_lane = BandTuning::most_bands / warp_size;
  static_assert(bands_per_lane == 4);
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  const int warps = static_cast<int>(gridDim.x * blockDim.x) / warp_size;
  unsigned long long with_bands[BandCosts::most_unions] = {}, without = 0;
  unsigned widest = 0;
  for (int level = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / warp_size; level < sum.levels;
       level += warps) {
    const Share* shares = sum.shares + static_cast<std::size_t>(level) * static_cast<std::size_t>(sum.bands);
    unsigned lanes[bands_per_lane], rows = 0;
    for (int k = 0; k < bands_per_lane; ++k) {
      const int band = lane * bands_per_lane + k;
      const Share share = band < sum.bands ? shares[band] : Share{0, 0};
      lanes[k] = share.lanes;
      rows += share.rows;
    }
    widest = max(widest, __reduce_add_sync(all_lanes, rows));
    const auto add_step = [&](int unions, unsigned most) {
      const unsigned slices = (__reduce_max_sync(all_lanes, most) + warp_size - 1) / warp_size;
      with_bands[unions] += nanoseconds(max(ScheduleTuning::block_trip, slices * ScheduleTuning::block_slice));
    };
    add_step(0, max(max(lanes[0], lanes[1]), max(lanes[2], lanes[3])));
    add_step(1, max(lanes[0] + lanes[1], lanes[2] + lanes[3]));
    unsigned all = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    add_step(2, all);
#pragma unroll
    for (int unions = 3; unions < BandCosts::most_unions; ++unions) {
      all += from_lane(all, 1 << (unions - 3));
      add_step(unions, all);
    }
    const double bytes = all * sum.bytes_per_lane;
    without += nanoseconds(min(ScheduleTuning::device_trip + bytes / ScheduleTuning::device_rate,
                               ScheduleTuning::kernel + bytes / ScheduleTuning::level_rate));
  }
  if (lane != 0) return;
  for (int k = 0; k < BandCosts::most_unions; ++k) atomicAdd(&sum.costs->with_bands[k], with_bands[k]);
  atomicAdd(&sum.costs->without, without);
  atomicMax(&sum.costs->widest_level, widest);
}

}  // namespace terrace::cuda
