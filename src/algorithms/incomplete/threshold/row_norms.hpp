// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two norms of a row of A that an elimination by thresholds asks for: what a pivot is measured by, and what the
// drop tolerance is relative to. Sums in the order of the entries: the same bits wherever they are computed.
#pragma once

#include "algorithms/incomplete/pivots.hpp"
#include "algorithms/incomplete/threshold/rounded.hpp"

namespace terrace::incomplete {

template <class Real>
struct RowNorms {
  Real one = Real(0), two = Real(0);
};

/// See every value first, then add every square. What belongs to one value alone comes apart from the sums, so that
/// many threads may share it.
template <class Scalar>
class NormSums {
 public:
  using Real = RealOf<Scalar>;

  KOKKOS_FUNCTION void see(const Scalar& value) { add_size(magnitude(value)); }
  KOKKOS_FUNCTION void add_square(const Scalar& value) { add_square_of(scaled(value)); }

  KOKKOS_FUNCTION void add_size(const Real& size) {
    one_ += size;
    if (!(size <= largest_) && largest_ == largest_) largest_ = size;  // a NaN stays
  }

  /// Otherwise there are no squares to add.
  KOKKOS_FUNCTION bool is_scalable() const {
    return largest_ > Real(0) && largest_ <= Kokkos::Experimental::finite_max_v<Real>;
  }

  /// So that no square over- or underflows.
  KOKKOS_FUNCTION Real scaled(const Scalar& value) const { return rounded_size(value / largest_); }
  KOKKOS_FUNCTION void add_square_of(const Real& scaled_size) { squares_ += rounded_product(scaled_size, scaled_size); }

  KOKKOS_FUNCTION RowNorms<Real> norms() const {
    return {one_, is_scalable() ? largest_ * Kokkos::sqrt(squares_) : largest_};
  }

 private:
  Real one_ = Real(0), largest_ = Real(0), squares_ = Real(0);
};

}  // namespace terrace::incomplete
