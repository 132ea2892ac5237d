// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host has to know of the levels before rows are put in order: how many there are, which rows are long, and,
// of few levels, what row blocks would cost. One kernel, which tells the host itself.
#pragma once

#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/triangular/count_row_blocks.hpp"

namespace terrace::cuda::triangular {

struct LevelFacts {
  Summary summary;
  RowBlockCosts costs;  // zero where they were not counted
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
  LevelCells* cells;
  LevelFacts* for_host;
};

/// Each warp adds what it found.
template <class Offset>
__device__ void summarize(const LookAtLevels<Offset>& of) {
  Summary found{0, 0, 0, 0u, 0u, 0u};
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned place = blockIdx.x * blockDim.x + threadIdx.x; place < static_cast<unsigned>(of.pattern.rows);
       place += threads) {
    const auto row = static_cast<int>(place);
    found.deepest = max(found.deepest, of.level[row]);
    const Offset length = of.pattern.end(row) - of.pattern.begin(row);
    const int cut_into = pieces_of(length, of.entries_per_piece);
    const int log2_lanes = SliceTuning::log2_lanes(cut_into > 0 ? cut_into : static_cast<int>(length));
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
  if (threadIdx.x % warp_size != 0) return;
  Summary& all = of.cells->facts.summary;
  atomicAdd(&all.entries, found.entries);
  atomicAdd(&all.lanes, found.lanes);
  atomicMax(&all.deepest, found.deepest);
  atomicOr(&all.classes, found.classes);
  if (found.pieces == 0) return;
  atomicAdd(&all.long_rows, found.long_rows);
  atomicAdd(&all.pieces, found.pieces);
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
  using Word = unsigned long long;
  static_assert(sizeof(LevelFacts) % sizeof(Word) == 0);
  const auto* const from = reinterpret_cast<const Word*>(&facts);
  auto* const to = reinterpret_cast<Word*>(look.for_host);
  for (std::size_t k = threadIdx.x; k < sizeof(LevelFacts) / sizeof(Word); k += blockDim.x) to[k] = __ldcg(from + k);
}

}  // namespace terrace::cuda::triangular
