// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pivots and the growth of L, as one thread of a block sees them: good ones only move a range that the block keeps to
// itself until its end, all others go through PivotRule::settle.
#pragma once

#include "algorithms/ldlt/engine.hpp"
#include "backends/cuda/ldlt/reciprocal.hpp"

namespace terrace::cuda::ldlt {

template <class Scalar>
class PivotWatch {
  using Rule = terrace::ldlt::PivotRule<Scalar>;
  using Real = typename Rule::Real;

 public:
  __device__ explicit PivotWatch(const Rule& rule) : rule_(rule), least_(rule.threshold * rule.record->largest_entry) {}

  /// The pivot as it is to be used, with its inverse, which is computed while the pivot is looked at.
  __device__ Scalar settle(int row, const Scalar& pivot, Scalar& inverse) {
    inverse = reciprocal(pivot);
    const Real found = incomplete::magnitude(pivot);
    if (!(found > least_ && found <= Kokkos::Experimental::finite_max_v<Real>)) {
      const Scalar used = rule_.settle(row, pivot);
      inverse = reciprocal(used);
      return used;
    }
    smallest_ = found < smallest_ ? found : smallest_;
    largest_ = found > largest_ ? found : largest_;
    return pivot;
  }

  __device__ void publish() const {
    parallel::atomic_lower(rule_.record->smallest_pivot, smallest_);
    parallel::atomic_raise(rule_.record->largest_pivot, largest_);
  }

 private:
  const Rule& rule_;
  Real least_;
  Real smallest_ = Kokkos::Experimental::infinity_v<Real>, largest_ = 0;
};

/// The largest modulus of an entry of L that a thread has met.
template <class Real>
class Growth {
 public:
  template <class Scalar>
  __device__ void meet(const Scalar& entry) {
    const Real found = incomplete::magnitude(entry);
    largest_ = found > largest_ ? found : largest_;
  }

  /// All lanes of a warp call it.
  __device__ void publish(Real& growth) {
    for (int distance = 16; distance > 0; distance /= 2) {
      const Real other = __shfl_xor_sync(0xffffffffu, largest_, distance);
      largest_ = other > largest_ ? other : largest_;
    }
    if (threadIdx.x % 32 == 0) parallel::atomic_raise(growth, largest_);
  }

 private:
  Real largest_ = 0;
};

}  // namespace terrace::cuda::ldlt
