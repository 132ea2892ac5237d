// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/backward_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace terrace::perf {
namespace {

/// Of each row: b - A x, and |A| |x| + |b|, in double.
struct Residuals {
  std::vector<double> residual, size;

  Residuals(const Real* b, int n) : residual(b, b + n), size(residual) {
    for (double& one : size) one = std::abs(one);
  }
  void subtract(int row, double value, double unknown) {
    residual[row] -= value * unknown;
    size[row] += std::abs(value * unknown);
  }
  double worst() const {
    double worst = 0.0;
    for (std::size_t row = 0; row < size.size(); ++row) {
      if (!std::isfinite(residual[row]) || !std::isfinite(size[row])) return std::numeric_limits<double>::quiet_NaN();
      if (size[row] > 0.0) worst = std::max(worst, std::abs(residual[row]) / size[row]);
    }
    return worst;
  }
};

double worst_of_columns(const LowerTriangle& L, const std::vector<Real>& b, const std::vector<Real>& x,
                        bool transposed) {
  double worst = 0.0;
  for (std::size_t first = 0; first < b.size(); first += static_cast<std::size_t>(L.n)) {
    Residuals residuals(b.data() + first, L.n);
    for (int row = 0; row < L.n; ++row)
      for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) {
        const int column = L.entries[k];
        residuals.subtract(transposed ? column : row, L.values[k], x[first + (transposed ? row : column)]);
      }
    const double error = residuals.worst();
    if (!(error <= worst)) worst = error;  // a NaN stays
    if (std::isnan(worst)) break;
  }
  return worst;
}

}  // namespace

double backward_error(const LowerTriangle& L, const std::vector<Real>& b, const std::vector<Real>& x) {
  return worst_of_columns(L, b, x, false);
}

double backward_error_of_transpose(const LowerTriangle& L, const std::vector<Real>& b, const std::vector<Real>& x) {
  return worst_of_columns(L, b, x, true);
}

double tolerated_backward_error(const LowerTriangle& L) {
  constexpr std::size_t least = 450;
  std::vector<std::size_t> of_column(static_cast<std::size_t>(L.n));
  std::size_t longest = least;
  for (int row = 0; row < L.n; ++row) {
    longest = std::max(longest, L.row_map[row + 1] - L.row_map[row]);
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) ++of_column[L.entries[k]];
  }
  for (const std::size_t length : of_column) longest = std::max(longest, length);
  return static_cast<double>(longest) * std::numeric_limits<Real>::epsilon();
}

}  // namespace terrace::perf
