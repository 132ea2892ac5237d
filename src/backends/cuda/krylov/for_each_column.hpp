// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels over the rows of several vectors on an NVIDIA GPU: a column of blocks for each vector, so many blocks as the
// device holds at once, whose threads stride over the rows.
#pragma once

#include "backends/cuda/krylov/block_sums.hpp"
#include "backends/cuda/launch.hpp"

namespace terrace::cuda::krylov {

template <class Scalar, class Kernel>
__global__ void __launch_bounds__(KrylovTuning::block)
    for_each_column_kernel(terrace::krylov::Extent<Scalar> extent, Kernel kernel, int first_column) {
  const int column = first_column + static_cast<int>(blockIdx.y);
  if (!kernel.acts_on(column)) return;
  const auto rows = kernel.rows_of(column);
  terrace::krylov::Sums<Scalar, Kernel::sums> sums;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * KrylovTuning::block;
  for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * KrylovTuning::block + threadIdx.x; row < extent.rows;
       row += stride)
    rows(static_cast<int>(row), sums);
  if constexpr (Kernel::sums > 0)
    contribute(extent.gathering, column, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), sums,
               [&](const auto& total) { kernel.final(column, total); });
}

/// Blocks for each of `columns`, when there is work for so many threads in each and the device holds `held` blocks.
inline unsigned blocks_for(std::int64_t held, std::int64_t threads, int columns) {
  const std::int64_t useful = (threads + KrylovTuning::block - 1) / KrylovTuning::block;
  const std::int64_t most = terrace::krylov::Gathering<double>::max_parts;
  return static_cast<unsigned>(
      std::max<std::int64_t>(1, std::min({useful, most, std::max<std::int64_t>(held / columns, 1)})));
}

}  // namespace terrace::cuda::krylov

namespace terrace::krylov {

template <class Scalar, class Kernel>
void for_each_column(const Kokkos::Cuda& space, const char* label, const Extent<Scalar>& extent, const Kernel& kernel) {
  if (extent.columns == 0) return;
  const unsigned blocks =
      cuda::krylov::blocks_for(space.concurrency() / cuda::krylov::KrylovTuning::block,
                               extent.rows / cuda::krylov::KrylovTuning::rows_per_thread, extent.columns);
  const auto code = cuda::krylov::for_each_column_kernel<Scalar, Kernel>;
  cuda::for_grids_of_columns(extent.columns, [&](int first, int count) {
    cuda::launch_grid(space, label, code, dim3(blocks, static_cast<unsigned>(count)), cuda::krylov::KrylovTuning::block,
                      extent, kernel, first);
  });
}

}  // namespace terrace::krylov
