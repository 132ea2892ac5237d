// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pivots and the growth of L, as threads of a block see them: good pivots are only looked at, all others go through
// PivotRule::settle.
#pragma once

#include "algorithms/ldlt/engine.hpp"
#include "backends/cuda/ldlt/reciprocal.hpp"

namespace terrace::cuda::ldlt {

/// `Held` is what a front is computed in, which may be more precise than what is stored.
template <class Scalar, class Held = Scalar>
class PivotWatch {
  using Rule = terrace::ldlt::PivotRule<Scalar>;
  using Real = typename Rule::Real;

 public:
  __device__ explicit PivotWatch(const Rule& rule) : rule_(rule), least_(rule.least()) {}

  /// Whether the pivot can stand, and has this inverse.
  __device__ bool is_good(const Held& pivot, Held& inverse) const {
    bool is_quick;
    inverse = quick_reciprocal(pivot, is_quick);
    const auto found = terrace::incomplete::magnitude(pivot);
    return is_quick && found > least_ && found <= Kokkos::Experimental::finite_max_v<Real>;  // also once it is stored
  }

  /// One that cannot, as it is to be used, with its inverse.
  __device__ Held settle(int row, const Held& pivot, Held& inverse) const {
    const Held used(rule_.settle(row, Scalar(pivot)));
    inverse = reciprocal(used);
    return used;
  }

  /// One that was used, as far as it is finite.
  __device__ void meet(const Scalar& pivot) {
    const Real found = terrace::incomplete::magnitude(pivot);
    if (!(found <= Kokkos::Experimental::finite_max_v<Real>)) return;
    smallest_ = fmin(smallest_, found);
    largest_ = fmax(largest_, found);
  }

  /// All lanes of a warp call it.
  __device__ void publish() const {
    Real smallest = smallest_, largest = largest_;
    for (int distance = 16; distance > 0; distance /= 2) {
      smallest = fmin(smallest, __shfl_xor_sync(0xffffffffu, smallest, distance));
      largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    if (threadIdx.x % 32 != 0) return;
    parallel::atomic_lower(rule_.record->smallest_pivot, smallest);
    parallel::atomic_raise(rule_.record->largest_pivot, largest);
  }

 private:
  const Rule& rule_;
  Real least_, smallest_ = Kokkos::Experimental::infinity_v<Real>, largest_ = 0;
};

/// The largest modulus of an entry of L that a thread has met.
template <class Real>
class Growth {
 public:
  template <class Scalar>
  __device__ void meet(const Scalar& entry) {
    const Real found = terrace::incomplete::magnitude(entry);
    largest_ = found > largest_ ? found : largest_;
  }

  /// All lanes of a warp call it.
  template <class Stored>
  __device__ void publish(Stored& growth) const {
    Real largest = largest_;
    for (int distance = 16; distance > 0; distance /= 2) {
      const Real other = __shfl_xor_sync(0xffffffffu, largest, distance);
      largest = other > largest ? other : largest;
    }
    if (threadIdx.x % 32 == 0) parallel::atomic_raise(growth, static_cast<Stored>(largest));
  }

 private:
  Real largest_ = 0;
};

}  // namespace terrace::cuda::ldlt
