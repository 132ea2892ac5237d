// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of rows in level order without barriers (the sums of incomplete/elimination.hpp, in the same order): a
// warp takes a row into shared memory, and every number that it needs of U is its own flag (watch.hpp).
//
// A row is published entry by entry when it is finished, and its pivot once more with the inverse, for those who divide
// by it. Rows are claimed in level order (claims.hpp), so the first unfinished one waits for nothing.
//
// The factor has the bits of one thread. Only the norm of a row is summed over lanes, so a pivot that is replaced may
// differ from the generic one in its last bit.
#pragma once

#include "backends/cuda/incomplete/eliminate_listed.hpp"
#include "backends/cuda/incomplete/eliminate_searched.hpp"
#include "backends/cuda/triangular/claims.hpp"

namespace terrace::cuda {

template <class Scalar, class Offset, class Word>
__global__ void __launch_bounds__(EliminationTuning::block)
    eliminate_rows_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system) {
  using Memory = RowMemory<Scalar, Offset, Word>;
  extern __shared__ __align__(16) unsigned char memory_of_block[];
  const std::size_t warp = threadIdx.x / warp_size;
  const Memory memory(memory_of_block + warp * Memory::bytes(system.room), system.room);
  const ListedElimination<Scalar, Offset, Word> listed(system, memory);
  SearchedElimination<Scalar, Offset> searched(system, memory.w, reinterpret_cast<int*>(memory.upper));
  const bool is_modified = system.elimination.relaxation != 0;
  Claims<1> claims(0, system.item_count, 1, system.claimed);
  for (unsigned number = claims.next(); number < claims.end(); number = claims.next()) {
    const int item = system.items[number];
    if (item >= system.elimination.lines.lines) continue;
    const auto row = open_row(system, item);
    const bool has_list =
        !is_modified && row.length <= system.room && (row.steps == 0 || system.products.count[item] > 0);
    if (has_list) listed.eliminate(row);
    else searched.eliminate(row);
  }
}

/// How the kernel is launched.
struct RowsLaunch {
  int blocks = 1;
  std::size_t bytes_per_block = 0;
};

template <class Scalar, class Offset, class Word>
RowsLaunch launch_of_rows(int room, int rows, int levels) {
  constexpr int warps = EliminationTuning::block / warp_size;
  RowsLaunch launch;
  launch.bytes_per_block = warps * RowMemory<Scalar, Offset, Word>::bytes(room);
  const auto kernel = eliminate_rows_kernel<Scalar, Offset, Word>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(launch.bytes_per_block)));
  const int resident = resident_blocks(kernel, EliminationTuning::block, launch.bytes_per_block);
  const std::int64_t wanted = std::int64_t(EliminationTuning::warps_per_row) * (rows / levels + 1) / warps + 1;
  const int useful = (rows + warps - 1) / warps;
  launch.blocks = static_cast<int>(std::min<std::int64_t>({wanted, useful, resident}));
  return launch;
}

/// Enqueues the elimination; values, divisors and the counter must be pending.
template <class Word, class Scalar, class Offset>
void eliminate_rows(const Space& space, const RowsSystem<Scalar, Offset>& system, const RowsLaunch& how) {
  launch_with_memory(space, "terrace::cuda::eliminate_rows", eliminate_rows_kernel<Scalar, Offset, Word>, how.blocks,
                     EliminationTuning::block, how.bytes_per_block, system);
}

}  // namespace terrace::cuda
