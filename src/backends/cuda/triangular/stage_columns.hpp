// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between vectors as the caller stores them and `width` numbers side by side for each row, by tiles in shared memory:
// a walk with many right-hand sides touches rows in no order that would use the rest of a sector.
#pragma once

#include "backends/cuda/launch.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::triangular {

/// Vectors of the caller's: number (row, column) at data[row * row_stride + column * column_stride].
template <class Scalar>
struct CallersVectors {
  Scalar* data;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;
  int rows;
  int columns;
};

inline constexpr int staged_rows = 32;  // of a tile, and threads in its x direction

/// rows[row * width + column]; columns that the caller does not have are zero.
template <class Scalar>
__global__ void gather_columns_kernel(CallersVectors<const Scalar> from, int width, Scalar* rows) {
  __shared__ __align__(16) unsigned char memory[warp_size * (staged_rows + 1) * sizeof(Scalar)];
  auto* tile = reinterpret_cast<Scalar*>(memory);
  const int first = static_cast<int>(blockIdx.x) * staged_rows, row = first + static_cast<int>(threadIdx.x);
  for (int column = threadIdx.y; column < width; column += blockDim.y)
    tile[column * (staged_rows + 1) + threadIdx.x] =
        row < from.rows && column < from.columns ? from.data[row * from.row_stride + column * from.column_stride]
                                                 : Scalar(0);
  __syncthreads();
  for (int k = threadIdx.y * warp_size + threadIdx.x; k < staged_rows * width; k += warp_size * blockDim.y)
    if (first + k / width < from.rows)
      rows[static_cast<std::ptrdiff_t>(first) * width + k] = tile[k % width * (staged_rows + 1) + k / width];
}

template <class Scalar>
__global__ void scatter_columns_kernel(const Scalar* rows, int width, CallersVectors<Scalar> to) {
  __shared__ __align__(16) unsigned char memory[warp_size * (staged_rows + 1) * sizeof(Scalar)];
  auto* tile = reinterpret_cast<Scalar*>(memory);
  const int first = static_cast<int>(blockIdx.x) * staged_rows, row = first + static_cast<int>(threadIdx.x);
  for (int k = threadIdx.y * warp_size + threadIdx.x; k < staged_rows * width; k += warp_size * blockDim.y)
    if (first + k / width < to.rows)
      tile[k % width * (staged_rows + 1) + k / width] = rows[static_cast<std::ptrdiff_t>(first) * width + k];
  __syncthreads();
  for (int column = threadIdx.y; column < to.columns; column += blockDim.y)
    if (row < to.rows)
      to.data[row * to.row_stride + column * to.column_stride] = tile[column * (staged_rows + 1) + threadIdx.x];
}

template <class Scalar>
void gather_columns(const Kokkos::Cuda& space, const CallersVectors<const Scalar>& from, int width, Scalar* rows) {
  launch(space, "terrace::cuda::gather_columns", gather_columns_kernel<Scalar>, blocks_of(from.rows, staged_rows),
         dim3(warp_size, 8), from, width, rows);
}

template <class Scalar>
void scatter_columns(const Kokkos::Cuda& space, const Scalar* rows, int width, const CallersVectors<Scalar>& to) {
  launch(space, "terrace::cuda::scatter_columns", scatter_columns_kernel<Scalar>, blocks_of(to.rows, staged_rows),
         dim3(warp_size, 8), rows, width, to);
}

}  // namespace terrace::cuda::triangular
