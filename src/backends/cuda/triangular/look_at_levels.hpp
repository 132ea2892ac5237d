// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has to be known of the levels before rows are put in order: how many there are, which rows are long, and, of few
// levels, what row blocks would cost. One kernel, which chooses the order where that is enough (choose_order.hpp), and
// tells the host itself.
#pragma once

#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/triangular/choose_order.hpp"
#include "backends/cuda/triangular/count_row_blocks.hpp"

namespace terrace::cuda::triangular {

struct LevelFacts {
  Summary summary;
  RowBlockCosts costs;  // zero where they were not counted
  OrderChoice choice;
};

/// Zero before the look.
struct LevelCells {
  LevelFacts facts;
  unsigned arrived;
};

template <class Offset>
struct LookAtLevels {
  sparse::TriangleView<int, Offset> pattern;
  const int* level;
  int entries_per_piece;
  CountShares<Offset> count;  // of as many levels as there is capacity for; no shares: nothing is counted
  double bytes_per_lane;
  ChooseOrder choose;
  LevelCells* cells;
  LevelFacts* for_host;
};

__device__ inline void add_summary(const Summary& found, Summary& all) {
  atomicAdd(&all.entries, found.entries);
  atomicAdd(&all.lanes, found.lanes);
  atomicMax(&all.deepest, found.deepest);
  atomicOr(&all.classes, found.classes);
  if (found.pieces == 0) return;
  atomicAdd(&all.long_rows, found.long_rows);
  atomicAdd(&all.pieces, found.pieces);
}

/// By all threads of the grid. Warps add what they found in shared memory, and one thread of each block to that of all.
template <class Offset>
__device__ void summarize(const LookAtLevels<Offset>& of) {
  __shared__ Summary of_block;
  if (threadIdx.x == 0) of_block = {};
  __syncthreads();
  Summary found{};
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned place = blockIdx.x * blockDim.x + threadIdx.x; place < static_cast<unsigned>(of.pattern.rows);
       place += threads) {
    const auto row = static_cast<int>(place);
    found.deepest = max(found.deepest, of.level[row]);
    const Offset length = of.pattern.end(row) - of.pattern.begin(row);
    const int cut_into = pieces_of(length, of.entries_per_piece);
    const int log2_lanes = of.count.keys.per_lane == tuned_lanes
                               ? SliceTuning::log2_lanes(cut_into > 0 ? cut_into : static_cast<int>(length))
                               : of.count.keys.log2_lanes(row);
    found.classes |= 1u << log2_lanes;
    found.lanes += (1ull << log2_lanes) + static_cast<unsigned long long>(cut_into) * warp_size;
    found.entries += static_cast<unsigned long long>(length);
    found.long_rows += cut_into > 0 ? 1 : 0;
    found.pieces += cut_into;
  }
  found.deepest = __reduce_max_sync(all_lanes, found.deepest);
  found.long_rows = __reduce_add_sync(all_lanes, found.long_rows);
  found.pieces = __reduce_add_sync(all_lanes, found.pieces);
  found.classes = __reduce_or_sync(all_lanes, found.classes | (found.pieces > 0 ? 1u << 6 : 0u));
  found.entries = sum_over_lanes<5>(found.entries);
  found.lanes = sum_over_lanes<5>(found.lanes);
  if (threadIdx.x % warp_size == 0) add_summary(found, of_block);
  __syncthreads();
  if (threadIdx.x == 0) add_summary(of_block, of.cells->facts.summary);
}

/// Written by others, in device memory.
template <class Facts>
__device__ Facts fresh(const Facts* from) {
  using Word = unsigned long long;
  static_assert(sizeof(Facts) % sizeof(Word) == 0);
  Facts facts;
  for (std::size_t k = 0; k < sizeof(Facts) / sizeof(Word); ++k)
    reinterpret_cast<Word*>(&facts)[k] = __ldcg(reinterpret_cast<const Word*>(from) + k);
  return facts;
}

template <class Offset>
__global__ void look_at_levels_kernel(LookAtLevels<Offset> look) {
  summarize(look);
  if (look.count.shares) {
    const int threads = static_cast<int>(gridDim.x * blockDim.x), lane = static_cast<int>(threadIdx.x) % warp_size;
    for (int first = static_cast<int>(number_of_thread()) - lane; first < look.pattern.rows; first += threads)
      count_share(look.count, first + lane);
  }
  if (!is_last_block(&look.cells->arrived)) return;
  LevelFacts& facts = look.cells->facts;
  const int levels = __ldcg(&facts.summary.deepest) + 1;
  if (look.count.shares && levels <= look.count.levels)
    sum_costs(SumCosts{look.count.shares, levels, look.count.row_blocks.count, look.bytes_per_lane, &facts.costs},
              static_cast<int>(threadIdx.x) / warp_size, static_cast<int>(blockDim.x) / warp_size);
  __syncthreads();
  if (threadIdx.x != 0) return;
  LevelFacts found{fresh(&facts.summary), fresh(&facts.costs), {}};
  facts.choice = found.choice = look.choose.of(found.summary, found.costs);
  *look.for_host = found;
}

}  // namespace terrace::cuda::triangular
