// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/triangular_system.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace terrace::tools {
namespace {

/// Calls visit(row, column, value) for every term of op(T), the ones of a unit diagonal included.
template <class Number, class Visit>
void for_each_term(const TriangularSystem<Number>& system, const Visit& visit) {
  const HostMatrix<Number>& T = system.triangle;
  for (int row = 0; row < T.rows; ++row) {
    if (system.diag == Diag::Unit) visit(row, row, Number(1));
    for (std::size_t k = T.row_map[row]; k < T.row_map[row + 1]; ++k) {
      const int column = T.entries[k];
      if (system.diag == Diag::Unit && column == row) continue;
      Number value = T.values[k];
      if constexpr (!std::is_same_v<Number, double>) {
        if (system.op == Op::ConjugateTranspose) value = std::conj(value);
      }
      system.op == Op::None ? visit(row, column, value) : visit(column, row, value);
    }
  }
}

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
void make_right_hand_sides(TriangularSystem<Number>& system, unsigned seed) {
  const std::size_t n = system.triangle.rows;
  system.b.assign(n * system.columns, Number(0));
  std::mt19937_64 generator(seed);
  for (int k = 0; k < system.columns; ++k) {
    const auto x = random_numbers<Number>(n, generator);
    Number* const b = system.b.data() + k * n;
    for_each_term(system, [&](int row, int column, Number value) { b[row] += value * x[column]; });
  }
}

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

using Complex = std::complex<double>;
template void make_right_hand_sides(TriangularSystem<double>&, unsigned);
template void make_right_hand_sides(TriangularSystem<Complex>&, unsigned);
template double backward_error(const TriangularSystem<double>&, const std::vector<double>&);
template double backward_error(const TriangularSystem<Complex>&, const std::vector<Complex>&);
template double tolerated_backward_error(const TriangularSystem<double>&, double);
template double tolerated_backward_error(const TriangularSystem<Complex>&, double);

}  // namespace terrace::tools
