// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution as the textbook writes it, by one thread: the yardstick of benchmarks and demo.
#pragma once

#include <complex>

namespace terrace::common {

/// Multiplication as the textbook has it: std::complex's own takes a detour for infinite factors.
template <class Real>
Real product(Real a, Real b) {
  return a * b;
}
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// x_i = (b_i - sum_j<i l_ij x_j) / l_ii for the rows of a lower triangle, each of which ends with its diagonal.
template <class Number, class Offset>
void substitute_forward(int n, const Offset* row_map, const int* entries, const Number* values, const Number* b,
                        Number* x) {
  for (int i = 0; i < n; ++i) {
    const Offset diagonal = row_map[i + 1] - 1;
    Number sum = b[i];
    for (Offset k = row_map[i]; k < diagonal; ++k) sum -= product(values[k], x[entries[k]]);
    x[i] = sum / values[diagonal];
  }
}

/// The same backwards for the rows of an upper triangle, each of which begins with its diagonal.
template <class Number, class Offset>
void substitute_backward(int n, const Offset* row_map, const int* entries, const Number* values, const Number* b,
                         Number* x) {
  for (int i = n - 1; i >= 0; --i) {
    const Offset diagonal = row_map[i];
    Number sum = b[i];
    for (Offset k = diagonal + 1; k < row_map[i + 1]; ++k) sum -= product(values[k], x[entries[k]]);
    x[i] = sum / values[diagonal];
  }
}

}  // namespace terrace::common
