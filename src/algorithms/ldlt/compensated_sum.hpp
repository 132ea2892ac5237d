// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that remember what their additions round off: the error of a sum of any length is that of one rounding, nearly
// (Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26(6), 2005, algorithm 4.1; the step is
// Knuth's, The Art of Computer Programming, vol. 2, section 4.2.2). What numbers lost before they were added, as
// products, is lost.
#pragma once

#include <Kokkos_Complex.hpp>

namespace terrace::ldlt {

template <class Real>
class CompensatedSum {
 public:
  KOKKOS_FUNCTION explicit CompensatedSum(Real first = 0) : sum_(first) {}

  KOKKOS_FUNCTION void add(Real value) {
    const Real sum = sum_ + value, of_value = sum - sum_;
    lost_ += (sum_ - (sum - of_value)) + (value - of_value);
    sum_ = sum;
  }
  KOKKOS_FUNCTION void add(const CompensatedSum& other) {
    add(other.sum_);
    lost_ += other.lost_;
  }
  KOKKOS_FUNCTION Real value() const { return sum_ + lost_; }

 private:
  Real sum_, lost_ = 0;
};

template <class Real>
class CompensatedSum<Kokkos::complex<Real>> {
 public:
  KOKKOS_FUNCTION explicit CompensatedSum(const Kokkos::complex<Real>& first = 0)
      : real_(first.real()), imag_(first.imag()) {}

  KOKKOS_FUNCTION void add(const Kokkos::complex<Real>& value) {
    real_.add(value.real());
    imag_.add(value.imag());
  }
  KOKKOS_FUNCTION void add(const CompensatedSum& other) {
    real_.add(other.real_);
    imag_.add(other.imag_);
  }
  KOKKOS_FUNCTION Kokkos::complex<Real> value() const { return {real_.value(), imag_.value()}; }

 private:
  CompensatedSum<Real> real_, imag_;
};

}  // namespace terrace::ldlt
