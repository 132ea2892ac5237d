// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of narrow levels in one thread block (after Naumov, NVR-2011-001, section 3): unknowns pass through shared
// memory, where a look costs a tenth of one through L2.
//
// The block keeps the newest unknowns in a ring in shared memory, pending until they are solved; older ones, and those
// of earlier kernels, are read from device memory. Slices go round robin over the warps, several times as many as
// a level has slices, so that each warp has several levels' time for its fetches. Naumov puts a barrier between levels;
// then every level would wait for the fetches of its slowest warp, so here warps wait for values.
//
// The ring. Slot position mod size; size is four quarters. Slices are handed out in epochs of quarter / 32 slices, so
// an epoch's positions fill at most a quarter. During an epoch the quarter behind it is set to pending again, and a
// barrier separates epochs; so nobody writes into a slot before it was reset, and nobody looks at one while it is. With
// P the end of the epoch's positions, what is being reset held positions below P - 3 quarters, and everything from
// there on, as far as this kernel solves it, stands in the ring.
//
// compute-sanitizer's racecheck reports the looks into the ring and the stores that they wait for. They are meant: a
// slot is one aligned word for each part of a number, written once between two resets, and read as volatile until it is
// no longer pending; resets are separated from both by the barrier.
#pragma once

#include "backends/cuda/triangular/solve_slices.hpp"

namespace terrace::cuda {

template <class Scalar>
class InBlock {
 public:
  static constexpr int size = ChainTuning::ring_size<Scalar>, quarter = size / 4;
  static constexpr unsigned slices_per_epoch = quarter / warp_size;

  __device__ InBlock(const Slice* slices, Scalar* unknowns, Scalar* ring, unsigned first, unsigned end)
      : slices_(slices),
        unknowns_(unknowns),
        ring_(ring),
        first_(first),
        end_(end),
        epoch_end_(first),
        next_(first + threadIdx.x / warp_size),
        stride_(blockDim.x / warp_size),
        first_position_(slices[first].first) {}

  __device__ unsigned next() {
    const unsigned number = next_;
    next_ += stride_;
    return number < end_ ? number : end_;
  }
  __device__ unsigned end() const { return end_; }

  /// Ends as many epochs as lie before the slice; false when there is no such slice, and all epochs are over.
  __device__ bool may_solve(unsigned number) {
    while (number >= epoch_end_ && epoch_end_ < end_) start_next_epoch();
    return number < end_;
  }

  template <int Count>
  __device__ void wait_for(const int* position, Scalar (&found)[Count]) const {
    look_until_found(position, found, [&](int at, Scalar& value) {
      if (at >= oldest_in_ring_) value = slot_value(ring_ + (at & (size - 1)));
      else watch_if(is_pending(value), unknowns_ + at, value);
    });
  }

  __device__ void publish(int position, const Scalar& value) const {
    write_slot(ring_ + (position & (size - 1)), value);
    cuda::publish(unknowns_ + position, value);
  }

 private:
  using Real = decltype(Kokkos::abs(Scalar()));

  /// Waits for the block to end the epoch, and resets what the one after the coming will write. All threads call it.
  __device__ void start_next_epoch() {
    if (epoch_end_ == first_)
      for (int slot = threadIdx.x; slot < size; slot += blockDim.x) write_slot(ring_ + slot, pending<Scalar>());
    epoch_end_ = min(epoch_end_ + slices_per_epoch, end_);
    const Slice last = slices_[epoch_end_ - 1];
    const int end_position = last.first + last.rows();
    oldest_in_ring_ = max(first_position_, end_position - 3 * quarter);
    __syncthreads();
    for (int place = threadIdx.x; place < quarter; place += blockDim.x)
      write_slot(ring_ + ((end_position + place) & (size - 1)), pending<Scalar>());
  }

  __device__ static Scalar slot_value(const Scalar* slot) {
    const volatile Real* from = reinterpret_cast<const volatile Real*>(slot);
    const Real first = from[0];
    if constexpr (triangular::is_complex<Scalar>) return Scalar(first, static_cast<Real>(from[1]));
    else return first;
  }

  __device__ static void write_slot(Scalar* slot, const Scalar& value) {
    volatile Real* to = reinterpret_cast<volatile Real*>(slot);
    if constexpr (triangular::is_complex<Scalar>) {
      to[0] = value.real();
      to[1] = value.imag();
    } else {
      to[0] = value;
    }
  }

  const Slice* slices_;
  Scalar* unknowns_;
  Scalar* ring_;
  unsigned first_, end_, epoch_end_, next_, stride_;
  int first_position_, oldest_in_ring_ = 0;
};

template <class System>
__global__ void __launch_bounds__(ChainTuning::block) solve_chain_kernel(System system, unsigned first, unsigned end) {
  using Scalar = typename System::Scalar;
  __shared__ __align__(16) unsigned char ring[ChainTuning::ring_size<Scalar> * sizeof(Scalar)];
  InBlock<Scalar> hand_over(system.slices, system.unknowns, reinterpret_cast<Scalar*>(ring), first, end);
  SliceWalk<System, InBlock<Scalar>>(system, hand_over).walk();
}

}  // namespace terrace::cuda
