// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices that one thread block walks by itself: unknowns pass through shared memory, where a look costs a tenth of one
// through L2. A chain is a run of levels, after Naumov (NVR-2011-001, section 3); a row block is all levels of
// consecutive rows, and the blocks of several row blocks pass on to each other what lies between them
// (choose_row_blocks.hpp).
//
// The block keeps all unknowns that it solves in shared memory, pending until they are solved; others are read, and
// waited for, in device memory. Slices go round robin over the warps, several times as many as a level has slices, so
// that each warp has several levels' time for its fetches. Naumov puts a barrier between levels; then every level would
// wait for the fetches of its slowest warp, so here warps wait for values.
//
// A warp works off its slices in ascending order, and a slice needs only slices before it or rows of earlier row
// blocks. Row blocks are claimed in ascending order, so those that a row block waits for run, or have ended, even if
// one block is resident at a time.
//
// compute-sanitizer's racecheck reports the looks and the stores that they wait for. They are meant: a cell is one
// aligned word for each part of a number, written once, and looked at until it is no longer pending.
#pragma once

#include "backends/cuda/triangular/solve_slices.hpp"

namespace terrace::cuda::triangular {

/// Unknowns in shared memory, by their position within the row block, behind a zero that stands for all others.
template <class Scalar>
class InBlock {
 public:
  __device__ InBlock(const RowBlock& row_block, Scalar* unknowns, Scalar* cells)
      : unknowns_(unknowns),
        cells_(static_cast<unsigned>(__cvta_generic_to_shared(cells))),
        next_(row_block.first_slice + threadIdx.x / warp_size),
        end_(row_block.end_slice),
        first_position_(row_block.first_position) {
    const int rows = row_block.end_position - row_block.first_position;
    for (int cell = threadIdx.x; cell <= rows; cell += blockDim.x)
      publish_shared_if(true, address(cell), cell == 0 ? Scalar(0) : pending<Scalar>());
    __syncthreads();
  }

  __device__ unsigned next() {
    const unsigned number = next_;
    next_ += blockDim.x / warp_size;
    return number;
  }
  __device__ unsigned end() const { return end_; }
  __device__ bool may_solve(unsigned number) const { return number < end_; }

  template <int Count>
  __device__ void wait_for(const int* position, Scalar (&found)[Count]) const {
    int cell[Count];
    bool is_elsewhere[Count], any_elsewhere = false;
#pragma unroll
    for (int w = 0; w < Count; ++w) {
      cell[w] = static_cast<int>(address(max(position[w] - first_position_ + 1, 0)));
      is_elsewhere[w] = position[w] >= 0 && position[w] < first_position_;
      any_elsewhere = any_elsewhere || is_elsewhere[w];
    }
    if (!__any_sync(all_lanes, any_elsewhere)) return look_until_there(cell, found);
    Scalar early[Count];
    int elsewhere[Count];
#pragma unroll
    for (int w = 0; w < Count; ++w) elsewhere[w] = is_elsewhere[w] ? position[w] : no_column;
    look_until_found(elsewhere, early,
                     [&](int at, Scalar& value) { watch_if(is_pending(value), unknowns_ + at, value); });
    look_until_there(cell, found);
#pragma unroll
    for (int w = 0; w < Count; ++w) found[w] = is_elsewhere[w] ? early[w] : found[w];
  }

  __device__ void publish_if(bool wanted, int position, const Scalar& value) const {
    publish_shared_if(wanted, address(position - first_position_ + 1), value);
    cuda::publish_if(wanted, unknowns_ + position, value);
  }

 private:
  __device__ unsigned address(int cell) const { return cells_ + static_cast<unsigned>(cell) * sizeof(Scalar); }

  template <int Count>
  __device__ void look_until_there(const int (&cell)[Count], Scalar (&found)[Count]) const {
    look_until_found(cell, found, [](int at, Scalar& value) { look_shared(static_cast<unsigned>(at), value); });
  }

  Scalar* unknowns_;
  unsigned cells_, next_, end_;
  int first_position_;
};

template <class System>
__device__ void walk_row_block(const System& system, const RowBlock& row_block) {
  using Scalar = typename System::Scalar;
  extern __shared__ __align__(16) unsigned char cells[];
  InBlock<Scalar> hand_over(row_block, system.unknowns, reinterpret_cast<Scalar*>(cells));
  SliceWalk<System, InBlock<Scalar>>(system, hand_over).walk();
}

template <class System>
__global__ void __launch_bounds__(RowBlockTuning::block<System>) solve_chain_kernel(System system, RowBlock row_block) {
  walk_row_block(system, row_block);
}

/// `claimed` counts the row blocks that have been taken, from its largest value on.
template <class System>
__global__ void __launch_bounds__(RowBlockTuning::block<System>)
    solve_row_blocks_kernel(System system, const RowBlock* row_blocks, unsigned* claimed) {
  __shared__ unsigned number;
  if (threadIdx.x == 0) number = atomicAdd(claimed, 1u) + 1u;
  __syncthreads();
  walk_row_block(system, row_blocks[number]);
}

/// Shared memory of a block that solves so many unknowns.
template <class Scalar>
std::size_t bytes_of_row_block(int unknowns) {
  return (static_cast<std::size_t>(unknowns) + 1) * sizeof(Scalar);
}

}  // namespace terrace::cuda::triangular
