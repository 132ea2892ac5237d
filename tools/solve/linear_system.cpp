// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/linear_system.hpp"

#include <cmath>

#include "support/host_triangle.hpp"
#include "support/triangular_system.hpp"

namespace terrace::tools {
namespace {

template <class Number>
Number row_times(const LinearSystem<Number>& system, int row, const Number* x) {
  Number sum(0);
  for (std::size_t k = system.row_map[row]; k < system.row_map[row + 1]; ++k)
    sum += system.values[k] * x[system.entries[k]];
  return sum;
}

template <class Number>
double relative_residual(const LinearSystem<Number>& system, const Number* b, const Number* x) {
  double residual = 0, size = 0;
  for (int row = 0; row < system.rows; ++row) {
    residual += std::norm(b[row] - row_times(system, row, x));
    size += std::norm(b[row]);
  }
  return residual == 0 ? 0 : std::sqrt(residual / size);
}

}  // namespace

template <class Number>
LinearSystem<Number> extract_system(const MatrixMarketMatrix& matrix, bool single) {
  if (matrix.header.rows != matrix.header.columns)
    throw Error(ErrorCode::NotSquare, "the matrix is " + std::to_string(matrix.header.rows) + "x" +
                                          std::to_string(matrix.header.columns) +
                                          "; an iteration needs a square matrix");
  LinearSystem<Number> system{static_cast<int>(matrix.header.rows), matrix.row_map, matrix.entries, {}, 1, {}};
  system.values.reserve(matrix.real.size());
  for (std::size_t k = 0; k < matrix.real.size(); ++k) {
    if constexpr (std::is_same_v<Number, double>) system.values.push_back(matrix.real[k]);
    else system.values.emplace_back(matrix.real[k], matrix.imaginary.empty() ? 0.0 : matrix.imaginary[k]);
  }
  if (single) round_to_single(system.values);
  return system;
}

template <class Number>
void make_right_hand_side(LinearSystem<Number>& system, unsigned seed) {
  TriangularSystem<Number> random;  // whose solution is what its right-hand side would be for the unit matrix
  random.triangle.rows = system.rows;
  random.triangle.row_map.assign(static_cast<std::size_t>(system.rows) + 1, 0);
  random.diag = Diag::Unit;
  make_right_hand_sides(random, seed);
  system.b.clear();
  for (int row = 0; row < system.rows; ++row) system.b.push_back(row_times(system, row, random.b.data()));
}

template <class Number>
std::vector<double> relative_residuals(const LinearSystem<Number>& system, const std::vector<Number>& x) {
  std::vector<double> residuals;
  for (int column = 0; column < system.columns; ++column) {
    const std::size_t first = static_cast<std::size_t>(column) * static_cast<std::size_t>(system.rows);
    residuals.push_back(relative_residual(system, system.b.data() + first, x.data() + first));
  }
  return residuals;
}

template LinearSystem<double> extract_system(const MatrixMarketMatrix&, bool);
template LinearSystem<std::complex<double>> extract_system(const MatrixMarketMatrix&, bool);
template void make_right_hand_side(LinearSystem<double>&, unsigned);
template void make_right_hand_side(LinearSystem<std::complex<double>>&, unsigned);
template std::vector<double> relative_residuals(const LinearSystem<double>&, const std::vector<double>&);
template std::vector<double> relative_residuals(const LinearSystem<std::complex<double>>&,
                                                const std::vector<std::complex<double>>&);

}  // namespace terrace::tools
