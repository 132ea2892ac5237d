// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/backward_error.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::tools {
namespace {

double ratio(double residual, double size) { return residual == 0 ? 0 : residual / size; }

template <class Number>
double backward_error_of_column(const TriangularSystem<Number>& system, const Number* x, const Number* b) {
  const int n = system.triangle.rows;
  std::vector<Number> residual(b, b + n);
  std::vector<double> size(n);
  for (int row = 0; row < n; ++row) size[row] = std::abs(b[row]);
  for_each_term(system, [&](int row, int column, Number value) {
    residual[row] -= value * x[column];
    size[row] += std::abs(value) * std::abs(x[column]);
  });
  double worst = 0;
  for (int row = 0; row < n; ++row) {
    const double error = ratio(std::abs(residual[row]), size[row]);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

}  // namespace

template <class Number>
double backward_error(const TriangularSystem<Number>& system, const std::vector<Number>& x) {
  const std::size_t n = system.triangle.rows;
  double worst = 0;
  for (int k = 0; k < system.columns; ++k) {
    const double error = backward_error_of_column(system, x.data() + k * n, system.b.data() + k * n);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

template <class Number>
double tolerated_backward_error(const TriangularSystem<Number>& system, double epsilon) {
  std::vector<int> terms(system.triangle.rows, 0);
  for_each_term(system, [&](int row, int, Number) { ++terms[row]; });
  const int most = terms.empty() ? 0 : *std::max_element(terms.begin(), terms.end());
  return 4 * epsilon * (most + 4);
}

template double backward_error(const TriangularSystem<double>&, const std::vector<double>&);
template double backward_error(const TriangularSystem<std::complex<double>>&, const std::vector<std::complex<double>>&);
template double tolerated_backward_error(const TriangularSystem<double>&, double);
template double tolerated_backward_error(const TriangularSystem<std::complex<double>>&, double);

}  // namespace terrace::tools
