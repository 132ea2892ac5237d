// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The componentwise backward error (Oettli and Prager 1964) of a solution of A x = b,
//
//     max over i of |b - A x|_i / (|A| |x| + |b|)_i,
//
// the smallest relative change of each entry of A and b that makes x exact. Substitution in any order keeps it near the
// unit roundoff times the number of terms in a row (Higham 2002, theorem 8.5), however ill-conditioned A is, so it
// tells a wrong solver from a hard system.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

namespace terrace::common {

/// Of one column of n numbers; `for_each(visit)` calls visit(row, column, value) for every term of A. Computed in
/// double (or in `Number`, when that is complex). 0/0 counts as 0; NaN when x has a NaN or Inf.
template <class OfB, class Number, class ForEach>
double backward_error(std::size_t n, const OfB* b, const Number* x, const ForEach& for_each) {
  using Sum = std::conditional_t<std::is_floating_point_v<Number>, double, Number>;
  std::vector<Sum> residual(b, b + n);
  std::vector<double> size(n);
  for (std::size_t row = 0; row < n; ++row) size[row] = std::abs(residual[row]);
  for_each([&](int row, int column, Sum value) {
    residual[row] -= value * Sum(x[column]);
    size[row] += std::abs(value) * std::abs(Sum(x[column]));
  });
  double worst = 0.0;
  for (std::size_t row = 0; row < n; ++row) {
    if (!std::isfinite(std::abs(residual[row])) || !std::isfinite(size[row]))
      return std::numeric_limits<double>::quiet_NaN();
    if (size[row] > 0.0) worst = std::max(worst, std::abs(residual[row]) / size[row]);
  }
  return worst;
}

}  // namespace terrace::common
