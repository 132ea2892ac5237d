// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of the judges: long double precision, and what rounding may leave in a sum.
#pragma once

#include <cmath>

#include "fuzz/judge.hpp"

namespace terrace::fuzz {

using Wide = std::complex<long double>;
using Real = long double;

inline Real size(const Number& value) { return std::hypot(Real(value.real()), Real(value.imag())); }
inline Real size(const Wide& value) { return std::hypot(value.real(), value.imag()); }

/// A product without the rules for infinities, which take most of the time.
inline Wide times(const Number& a, const Wide& b) {
  return {Real(a.real()) * b.real() - Real(a.imag()) * b.imag(), Real(a.real()) * b.imag() + Real(a.imag()) * b.real()};
}

/// What rounding and underflow may leave in a sum of so many terms of this size altogether. `touched`: the sum of what
/// multiplies numbers that may have underflowed.
inline Real allowed(std::size_t terms, Real scale, Real touched, const ScalarTraits& traits) {
  return 8 * Real(terms + 4) * (Real(traits.epsilon) * scale + Real(traits.least) * (touched + 1));
}

/// The rows of op(T)^-1 b that cannot be finite.
std::vector<bool> reached(const TriangularSystem& system, const Numbers& b);

/// Of each row whether numbers come near the largest of the type, there or in a row before.
std::vector<bool> may_overflow(const TriangularSystem& system, const std::vector<bool>& marked, const Numbers& b,
                               const ScalarTraits& traits);

}  // namespace terrace::fuzz
