// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that remember what their additions round off: the error of a sum of any length is that of one rounding, nearly
// (Ogita, Rump, Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26(6), 2005, algorithm 4.1; the step is
// Knuth's, The Art of Computer Programming, vol. 2, section 4.2.2). What numbers lost before they were added, as
// products, is lost.
#pragma once

#include <Kokkos_Complex.hpp>

namespace terrace::parallel {

template <class Real>
class CompensatedSum {
 public:
  KOKKOS_FUNCTION explicit CompensatedSum(Real first = 0, Real lost = 0) : sum_(first), lost_(lost) {}

  KOKKOS_FUNCTION void add(Real value) {
    const Real sum = sum_ + value, of_value = sum - sum_;
    lost_ += (sum_ - (sum - of_value)) + (value - of_value);
    sum_ = sum;
  }
  KOKKOS_FUNCTION void add(const CompensatedSum& other) {
    add(other.sum_);
    lost_ += other.lost_;
  }
  KOKKOS_FUNCTION void subtract(const CompensatedSum& other) {
    add(-other.sum_);
    lost_ -= other.lost_;
  }
  KOKKOS_FUNCTION Real value() const { return sum_ + lost_; }

  /// What additions gave, and what they lost: of both, another sum can be made.
  KOKKOS_FUNCTION Real high() const { return sum_; }
  KOKKOS_FUNCTION Real low() const { return lost_; }

 private:
  Real sum_, lost_;
};

template <class Real>
class CompensatedSum<Kokkos::complex<Real>> {
 public:
  KOKKOS_FUNCTION explicit CompensatedSum(const Kokkos::complex<Real>& first = 0, const Kokkos::complex<Real>& lost = 0)
      : real_(first.real(), lost.real()), imag_(first.imag(), lost.imag()) {}

  KOKKOS_FUNCTION void add(const Kokkos::complex<Real>& value) {
    real_.add(value.real());
    imag_.add(value.imag());
  }
  KOKKOS_FUNCTION void add(const CompensatedSum& other) {
    real_.add(other.real_);
    imag_.add(other.imag_);
  }
  KOKKOS_FUNCTION void subtract(const CompensatedSum& other) {
    real_.subtract(other.real_);
    imag_.subtract(other.imag_);
  }
  KOKKOS_FUNCTION Kokkos::complex<Real> value() const { return {real_.value(), imag_.value()}; }
  KOKKOS_FUNCTION Kokkos::complex<Real> high() const { return {real_.high(), imag_.high()}; }
  KOKKOS_FUNCTION Kokkos::complex<Real> low() const { return {real_.low(), imag_.low()}; }

 private:
  CompensatedSum<Real> real_, imag_;
};

}  // namespace terrace::parallel
