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

}  // namespace

double backward_error(const LowerTriangle& L, bool transposed, const std::vector<Real>& b, const std::vector<Real>& x) {
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

double tolerated_backward_error(const LowerTriangle& L, bool transposed) {
  constexpr std::size_t least = 450;
  std::vector<std::size_t> length(static_cast<std::size_t>(L.n));
  for (int row = 0; row < L.n; ++row)
    for (std::size_t k = L.row_map[row]; k < L.row_map[row + 1]; ++k) ++length[transposed ? L.entries[k] : row];
  const std::size_t longest = length.empty() ? least : std::max(least, *std::max_element(length.begin(), length.end()));
  return static_cast<double>(longest) * std::numeric_limits<Real>::epsilon();
}

}  // namespace terrace::perf
