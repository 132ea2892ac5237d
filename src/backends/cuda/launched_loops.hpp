// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops as kernels of this library's own, which may be nodes of a graph (graph_of_launches.hpp), and of which each
// begins while the one before ends (early_launch.hpp).
#pragma once

#include <algorithm>
#include <type_traits>

#include "backends/cuda/early_launch.hpp"
#include "parallel/repeated_work.hpp"

namespace terrace::cuda {

struct LoopShape {
  static constexpr int threads = 256;
  static constexpr std::size_t most_blocks = 1024;  ///< of a reduction, each of which raises the same cell
};

template <class Index, class Functor>
__global__ void __launch_bounds__(LoopShape::threads) loop_kernel(Functor functor, Index count) {
  await_predecessor();
  let_successor_begin();
  const std::size_t i = std::size_t(blockIdx.x) * LoopShape::threads + threadIdx.x;
  if (i < static_cast<std::size_t>(count)) functor(static_cast<Index>(i));
}

/// *cell = the larger of what it was and this: integers, or numbers that are not negative, which compare as their bits
/// do.
template <class Value>
__device__ void raise_cell(Value* cell, Value found) {
  if constexpr (std::is_integral_v<Value>) {
    atomicMax(cell, found);
  } else {
    using Bits = std::conditional_t<sizeof(Value) == 4, unsigned, unsigned long long>;
    atomicMax(reinterpret_cast<Bits*>(cell), Kokkos::bit_cast<Bits>(found));
  }
}
/// The same with the largest that the threads of a warp have found.
template <class Value>
__device__ void raise_to_largest(Value* cell, Value found) {
  for (int distance = 16; distance > 0; distance /= 2)
    found = max(found, __shfl_xor_sync(0xffffffffu, found, distance));
  if (threadIdx.x % 32 == 0) raise_cell(cell, found);
}
/// Of a block. Many blocks may want to raise the same cell, so it is looked at first.
template <class Value>
__device__ void raise_to_largest_of_block(Value* cell, Value found) {
  __shared__ Value of_block;
  if (threadIdx.x == 0) of_block = found;
  __syncthreads();
  raise_to_largest(&of_block, found);
  __syncthreads();
  if (threadIdx.x == 0 && *static_cast<const volatile Value*>(cell) < of_block) raise_cell(cell, of_block);
}

template <class Index, class Functor, class Value>
__global__ void __launch_bounds__(LoopShape::threads) largest_kernel(Functor functor, Index count, Value* largest) {
  await_predecessor();
  let_successor_begin();
  Value found = *largest;
  for (std::size_t i = std::size_t(blockIdx.x) * LoopShape::threads + threadIdx.x; i < static_cast<std::size_t>(count);
       i += std::size_t(gridDim.x) * LoopShape::threads)
    functor(static_cast<Index>(i), found);
  raise_to_largest_of_block(largest, found);
}

}  // namespace terrace::cuda

namespace terrace::parallel {

template <>
class RepeatableLoops<Kokkos::Cuda> {
 public:
  explicit RepeatableLoops(const Kokkos::Cuda& space) : space_(space) {}

  template <class Index, class Functor>
  void for_each(const char* label, Index count, const Functor& functor) const {
    if (count > 0) launch(label, cuda::loop_kernel<Index, Functor>, blocks_of(count), functor, count);
  }
  template <class Index, class Functor, class Value>
  void find_largest(const char* label, Index count, const Functor& functor, Value* largest) const {
    if (count > 0)
      launch(label, cuda::largest_kernel<Index, Functor, Value>,
             std::min(blocks_of(count), cuda::LoopShape::most_blocks), functor, count, largest);
  }

 private:
  template <class Index>
  static std::size_t blocks_of(Index count) {
    return cuda::blocks_of(count, cuda::LoopShape::threads);
  }
  template <class... Parameters, class... Arguments>
  void launch(const char* label, void (*kernel)(Parameters...), std::size_t blocks,
              const Arguments&... arguments) const {
    cuda::launch_when(cuda::Begin::Early, space_, label, kernel, blocks, dim3(cuda::LoopShape::threads), 0,
                      arguments...);
  }

  const Kokkos::Cuda& space_;
};

}  // namespace terrace::parallel
