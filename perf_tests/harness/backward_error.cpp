// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/backward_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace terrace::perf {

namespace {

// Of one column.
double backward_error_of(const LowerTriangle& L, const double* b, const double* x) {
  double worst = 0.0;
  for (int row = 0; row < L.n; ++row) {
    double residual = b[row], size = std::abs(b[row]);
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) {
      const double product = L.values[k] * x[L.entries[k]];
      residual -= product;
      size += std::abs(product);
    }
    if (!std::isfinite(residual) || !std::isfinite(size)) return std::numeric_limits<double>::quiet_NaN();
    if (size > 0.0) worst = std::max(worst, std::abs(residual) / size);
  }
  return worst;
}

}  // namespace

double backward_error(const LowerTriangle& L, const std::vector<double>& b, const std::vector<double>& x) {
  double worst = 0.0;
  for (std::size_t first = 0; first < b.size(); first += static_cast<std::size_t>(L.n)) {
    const double error = backward_error_of(L, b.data() + first, x.data() + first);
    if (!(error <= worst)) worst = error;  // a NaN stays
    if (std::isnan(worst)) break;
  }
  return worst;
}

double tolerated_backward_error(const LowerTriangle& L) {
  std::size_t longest = 0;
  for (int row = 0; row < L.n; ++row) longest = std::max(longest, L.row_map[row + 1] - L.row_map[row]);
  return std::max(1e-13, static_cast<double>(longest) * std::numeric_limits<double>::epsilon());
}

}  // namespace terrace::perf
