// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/triangular_system.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "common/backward_error.hpp"

namespace terrace::tools {
namespace {

/// Calls visit(row, column, value) for every term of op(T), the ones of a unit diagonal included.
template <class Number, class Visit>
void for_each_term(const TriangularSystem<Number>& system, const Visit& visit) {
  const bool has_unit_diagonal = system.diag == Diag::Unit;
  for (int row = 0; has_unit_diagonal && row < system.triangle.n; ++row) visit(row, row, Number(1));
  common::for_each_entry(system.triangle, system.op != Op::None, [&](int row, int column, Number value) {
    if (has_unit_diagonal && column == row) return;
    if constexpr (!std::is_same_v<Number, double>) {
      if (system.op == Op::ConjugateTranspose) value = std::conj(value);
    }
    visit(row, column, value);
  });
}

}  // namespace

template <class Number>
void make_right_hand_sides(TriangularSystem<Number>& system, unsigned seed) {
  const std::size_t n = system.triangle.n;
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
  const std::size_t n = system.triangle.n;
  double worst = 0;
  for (int k = 0; k < system.columns; ++k) {
    const double error = common::backward_error(n, system.b.data() + k * n, x.data() + k * n,
                                                [&](const auto& visit) { for_each_term(system, visit); });
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

template <class Number>
double tolerated_backward_error(const TriangularSystem<Number>& system, double epsilon) {
  std::vector<int> terms(system.triangle.n, 0);
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
