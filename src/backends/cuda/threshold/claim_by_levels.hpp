// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which rows are claimed: by the levels of A, as in a factorization without fill.
//
// In ascending order the warps of a GPU cover a stretch of some thousand neighbouring rows. On a grid of a million
// points those are two or three of its lines, which advance one point after the other, while hundreds of lines could.
// By levels warps are spread over all of them. With fill a row may need rows that are claimed later; such a row is
// given up until it has them (row_states.hpp). Where there are few rows for each warp ascending order spreads them as
// well, and no row is given up.
#pragma once

#include <bit>

#include "backends/cuda/analysis/find_row_levels.hpp"
#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/threshold/tuning.hpp"

namespace terrace::cuda::threshold {

struct LevelKeys {
  const int* level;
  unsigned* keys;
  int* rows;

  KOKKOS_FUNCTION void operator()(int row) const {
    keys[row] = static_cast<unsigned>(level[row]);
    rows[row] = row;
  }
};

/// Of each row of the merged pattern. Waits for the space.
template <class Offset>
Kokkos::View<const int*, parallel::Device<Kokkos::Cuda>> claim_by_levels(
    const Kokkos::Cuda& space, const sparse::Triangle<int, Offset, Kokkos::Cuda>& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.count);
  const std::size_t sort_bytes = sort_by_key_bytes(matrix.count);
  JoinedScratch memory(
      space, "terrace::cuda::claim_by_levels",
      5 * Arrays::bytes<int>(rows) + TaskScratch::bytes(matrix.count) + Arrays::bytes<char>(sort_bytes));
  auto* const level = memory.take<int>(rows);
  auto *keys = memory.take<unsigned>(rows), *other_keys = memory.take<unsigned>(rows);
  auto *by_key = memory.take<int>(rows), *other_by_key = memory.take<int>(rows);
  auto* const scratch = memory.take<char>(sort_bytes);
  find_levels(space, matrix, false, memory, level);
  Kokkos::parallel_for("terrace::cuda::level_keys", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, matrix.count),
                       LevelKeys{level, keys, by_key});
  const int bits = std::bit_width(static_cast<unsigned>(matrix.count));
  const bool in_other =
      sort_by_key(space.cuda_stream(), scratch, sort_bytes, keys, other_keys, by_key, other_by_key, matrix.count, bits);
  const auto order = parallel::uninitialized<int>(space, "terrace::incomplete::claim_order", rows);
  check(cudaMemcpyAsync(order.data(), in_other ? other_by_key : by_key, rows * sizeof(int), cudaMemcpyDeviceToDevice,
                        space.cuda_stream()),
        "cudaMemcpyAsync");
  space.fence("terrace::cuda::claim_by_levels");
  return order;
}

}  // namespace terrace::cuda::threshold
