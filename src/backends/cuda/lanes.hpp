// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that go from lane to lane of a warp, complex ones part by part, and sums over neighbouring lanes.
#pragma once

#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

template <class Real>
__device__ Real from_lane(Real value, int distance) {
  return __shfl_xor_sync(all_lanes, value, distance);
}
template <class Real>
__device__ Kokkos::complex<Real> from_lane(const Kokkos::complex<Real>& value, int distance) {
  return {from_lane(value.real(), distance), from_lane(value.imag(), distance)};
}

/// Of that lane among the Width neighbouring ones that this lane belongs to.
template <int Width = warp_size, class Real>
__device__ Real of_lane(Real value, int lane) {
  return __shfl_sync(all_lanes, value, lane, Width);
}
template <int Width = warp_size, class Real>
__device__ Kokkos::complex<Real> of_lane(const Kokkos::complex<Real>& value, int lane) {
  return {of_lane<Width>(value.real(), lane), of_lane<Width>(value.imag(), lane)};
}

/// The sum over 2^log2_lanes neighbouring lanes, in each of them.
template <class Scalar>
__device__ Scalar sum_over_lanes(Scalar sum, int log2_lanes) {
  for (int distance = 1 << log2_lanes >> 1; distance > 0; distance /= 2) sum += from_lane(sum, distance);
  return sum;
}

/// The same for a number of lanes that the compiler knows: a branch takes nearly as long as an exchange.
template <int Log2Lanes, class Scalar>
__device__ Scalar sum_over_lanes(Scalar sum) {
#pragma unroll
  for (int distance = 1 << Log2Lanes >> 1; distance > 0; distance /= 2) sum += from_lane(sum, distance);
  return sum;
}

/// The sum over the lanes up to this one.
template <class Number>
__device__ Number sum_up_to_lane(Number own) {
  const auto lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const Number other = __shfl_up_sync(all_lanes, own, static_cast<unsigned>(distance));
    if (lane >= distance) own += other;
  }
  return own;
}

/// Lane k gets the sum of sums[k % Columns] over Columns neighbouring lanes: each exchange halves what a lane still
/// adds up.
template <int Columns, class Scalar>
__device__ Scalar sum_columns_over_lanes(Scalar* sums) {
  static_assert(Columns <= warp_size && (Columns & (Columns - 1)) == 0);
  if constexpr (Columns == 1) {
    return sums[0];
  } else {
    constexpr int half = Columns / 2;
    const bool upper = (threadIdx.x & static_cast<unsigned>(half)) != 0;
#pragma unroll
    for (int k = 0; k < half; ++k) {
      const Scalar kept = upper ? sums[k + half] : sums[k], sent = upper ? sums[k] : sums[k + half];
      sums[k] = kept + from_lane(sent, half);
    }
    return sum_columns_over_lanes<half>(sums);
  }
}

}  // namespace terrace::cuda
