// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first look at the rows that a caller brings, in one kernel, whose last block leaves what was found where the host
// reads it.
#pragma once

#include <algorithm>
#include <array>

#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "sparse/check_structure.hpp"

namespace terrace::cuda {

template <class Offset>
struct LookAtStructure {
  static constexpr int block = 256;
  static constexpr std::size_t most_blocks = 4096;  // each of them tells the others that it is done

  sparse::WalkByLanes<int, sparse::CheckStructure<int, Offset, Kokkos::Cuda>> walk;
  int* for_host;  // StructureDiagnostics::Cells numbers
};

template <class Offset>
__global__ void __launch_bounds__(LookAtStructure<Offset>::block)
    look_at_structure_kernel(const __grid_constant__ LookAtStructure<Offset> look) {
  using Diagnostics = sparse::StructureDiagnostics;
  const auto& check = look.walk.walk;
  int* const cells = check.cells.data();
  const std::size_t work = static_cast<std::size_t>(check.count) << look.walk.log2_lanes,
                    threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t thread = number_of_thread(); thread < work; thread += threads) look.walk(thread);
  const auto cell = static_cast<int>(threadIdx.x);
  if (is_last_block(reinterpret_cast<unsigned*>(cells + Diagnostics::Arrived)) && cell < Diagnostics::Cells)
    look.for_host[cell] = __ldcg(cells + cell);
}

}  // namespace terrace::cuda

namespace terrace::sparse {

template <class Offset, class Meanwhile>
StructureDiagnostics look_at_structure(const Kokkos::Cuda& space,
                                       const CheckStructure<int, Offset, Kokkos::Cuda>& check, std::size_t walked,
                                       const Meanwhile& meanwhile) {
  using Look = cuda::LookAtStructure<Offset>;
  const int log2_lanes = log2_lanes_of(static_cast<std::size_t>(check.count), walked);
  int* const cells = check.cells.data();
  const cuda::NumbersForHost<int> for_host(cells, StructureDiagnostics::Cells);
  cuda::set_bytes(space, cells, 0, StructureDiagnostics::Scratch * sizeof(int));
  cuda::launch(
      space, "terrace::sparse::check_structure", cuda::look_at_structure_kernel<Offset>,
      std::min(cuda::blocks_of(static_cast<std::size_t>(check.count) << log2_lanes, Look::block), Look::most_blocks),
      Look::block, Look{{check, log2_lanes, cells + StructureDiagnostics::LongRows}, for_host.to()});
  meanwhile();
  std::array<int, StructureDiagnostics::Cells> found{};
  for_host.read(space, found.data());
  return diagnostics_of<Kokkos::Cuda>(found, check.count);
}

}  // namespace terrace::sparse
