// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One system in slices, as the kernels see it, and what they all do with it: load entries, wait, subtract, sum.
#pragma once

#include "algorithms/triangular/row_kernels.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// One right-hand side.
template <class Scalar>
struct SliceSystem {
  const Slice* slices;
  const int* columns;
  const Scalar* values;
  const Scalar* inverse_diagonal;  // null for a unit diagonal
  const int* items;                // by position; a row of the matrix when below `rows`
  int rows;
  Scalar* unknowns;  // by position; pending until solved
  const Scalar* b;
  Scalar* x;
  std::ptrdiff_t b_stride;
  std::ptrdiff_t x_stride;
  bool conjugate;
};

template <class Scalar>
__device__ Scalar conjugated(const Scalar& value, bool conjugate) {
  if constexpr (triangular::is_complex<Scalar>) return conjugate ? Kokkos::conj(value) : value;
  else return value;
}

/// As many entries of one lane as are waited for at once; no_column and zero where there are none.
template <class Scalar>
struct SliceChunk {
  static constexpr int size = SliceTuning::entries_at_once;
  int column[size];
  Scalar value[size];
};

/// The entries of a lane from `step` on.
template <class Scalar>
__device__ void load_chunk(const SliceSystem<Scalar>& system, const Slice& slice, int step, int lane,
                           SliceChunk<Scalar>& chunk) {
  const int width = slice.width(), depth = slice.depth();
  std::int64_t slot = slice.start + static_cast<std::int64_t>(step) * width + lane;
#pragma unroll
  for (int w = 0; w < SliceChunk<Scalar>::size; ++w, slot += width) {
    const bool is_slot = lane < width && step + w < depth;
    chunk.column[w] = is_slot ? __ldg(system.columns + slot) : no_column;
    chunk.value[w] = is_slot ? system.values[slot] : Scalar(0);
  }
}

/// Waits for the first `Count` unknowns of a chunk and subtracts their terms.
template <int Count, class Scalar, class HandOver>
__device__ void subtract(const SliceChunk<Scalar>& chunk, const HandOver& hand_over, bool conjugate, Scalar& sum) {
  Scalar found[Count];
  hand_over.template wait_for<Count>(chunk.column, found);
#pragma unroll
  for (int w = 0; w < Count; ++w) sum -= conjugated(chunk.value[w], conjugate) * found[w];
}

template <class Real>
__device__ Real from_lane(Real value, int distance) {
  return __shfl_xor_sync(all_lanes, value, distance);
}
template <class Real>
__device__ Kokkos::complex<Real> from_lane(const Kokkos::complex<Real>& value, int distance) {
  return {from_lane(value.real(), distance), from_lane(value.imag(), distance)};
}

template <class Real>
__device__ Real of_lane(Real value, int lane) {
  return __shfl_sync(all_lanes, value, lane);
}
template <class Real>
__device__ Kokkos::complex<Real> of_lane(const Kokkos::complex<Real>& value, int lane) {
  return {of_lane(value.real(), lane), of_lane(value.imag(), lane)};
}

/// The sum over the lanes of a row, in each of them.
template <class Scalar>
__device__ Scalar sum_over_lanes(Scalar sum, int log2_lanes) {
  for (int distance = 1 << log2_lanes >> 1; distance > 0; distance /= 2) sum += from_lane(sum, distance);
  return sum;
}

/// Looks at all pending unknowns of the warp until there are none.
template <int Count, class Scalar, class LookAgain>
__device__ void look_until_found(const int* position, Scalar (&found)[Count], const LookAgain& look_again) {
#pragma unroll
  for (int w = 0; w < Count; ++w) found[w] = position[w] >= 0 ? pending<Scalar>() : Scalar(0);
  bool waits;
  do {
#pragma unroll
    for (int w = 0; w < Count; ++w) look_again(position[w], found[w]);
    waits = false;
#pragma unroll
    for (int w = 0; w < Count; ++w) waits = waits || is_pending(found[w]);
  } while (__any_sync(all_lanes, waits));
}

}  // namespace terrace::cuda
