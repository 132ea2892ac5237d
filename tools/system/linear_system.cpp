// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/linear_system.hpp"

#include <cmath>
#include <type_traits>

#include "command_line/failure.hpp"

namespace terrace::tools {
namespace {

template <class Number>
void add_rows(const HostMatrix<Number>& A, const Number* x, std::vector<Number>& y) {
  for (int row = 0; row < A.n; ++row)
    for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1]; ++k) y[row] += A.values[k] * x[A.entries[k]];
}

template <class Number>
void add_diagonals(const GridProblem& A, const Number* x, std::vector<Number>& y) {
  const std::vector<double>* const diagonals[3] = {&A.x, &A.y, &A.z};
  for (std::size_t c = 0; c < y.size(); ++c) y[c] += A.center[c] * x[c];
  for_each_face(A.grid, [&](std::size_t c, std::size_t other, int d) {
    const double value = (*diagonals[d])[c];
    y[c] += value * x[other];
    y[other] += value * x[c];
  });
}

/// A x
template <class Number>
std::vector<Number> multiply(const LinearSystem<Number>& system, const Number* x) {
  std::vector<Number> y(static_cast<std::size_t>(system.rows()), Number(0));
  if (system.diagonals) add_diagonals(*system.diagonals, x, y);
  else add_rows(system.matrix, x, y);
  return y;
}

template <class Number>
double relative_residual(const LinearSystem<Number>& system, const Number* b, const Number* x) {
  const auto product = multiply(system, x);
  double residual = 0, size = 0;
  for (std::size_t row = 0; row < product.size(); ++row) {
    residual += std::norm(b[row] - product[row]);
    size += std::norm(b[row]);
  }
  return residual == 0 ? 0 : std::sqrt(residual / size);
}

void round_to_single(GridProblem& problem) {
  for (auto* numbers : {&problem.center, &problem.x, &problem.y, &problem.z}) tools::round_to_single(*numbers);
}

template <class Number>
HostMatrix<Number> convert(HostMatrix<double>&& matrix) {
  if constexpr (std::is_same_v<Number, double>) return std::move(matrix);
  else
    return {matrix.n, std::move(matrix.row_map), std::move(matrix.entries),
            std::vector<Number>(matrix.values.begin(), matrix.values.end())};
}

}  // namespace

template <class Number>
LinearSystem<Number> take_system(SourceMatrix&& source, bool as_diagonals, bool single) {
  LinearSystem<Number> system;
  if (auto* const problem = std::get_if<GridProblem>(&source)) {
    system.b.assign(problem->b.begin(), problem->b.end());
    if (single) round_to_single(*problem);
    if (as_diagonals) system.diagonals = std::move(*problem);
    else system.matrix = convert<Number>(to_rows(*problem));
  } else if (auto* const rows = std::get_if<RowsProblem>(&source)) {
    system.b.assign(rows->b.begin(), rows->b.end());
    system.matrix = convert<Number>(std::move(rows->A));
    if (single) round_to_single(system.matrix.values);
  } else {
    auto& matrix = std::get<MatrixMarketMatrix>(source);
    if (matrix.header.rows != matrix.header.columns)
      throw Error(ErrorCode::NotSquare, not_square_message(matrix.header, "an iteration"));
    system.matrix = to_host_matrix<Number>(std::move(matrix));
    if (single) round_to_single(system.matrix.values);
  }
  return system;
}

template <class Number>
void make_right_hand_side(LinearSystem<Number>& system, unsigned seed) {
  std::mt19937_64 generator(seed);
  const auto x = random_numbers<Number>(static_cast<std::size_t>(system.rows()), generator);
  system.b = multiply(system, x.data());
}

template <class Number>
void set_right_hand_sides(LinearSystem<Number>& system, const MatrixMarketVectors& vectors, const std::string& path) {
  if (vectors.rows != system.rows())
    throw Error(ErrorCode::SizeMismatch, path + " has " + std::to_string(vectors.rows) + " rows; the matrix has " +
                                             std::to_string(system.rows()));
  if (std::is_same_v<Number, double> && !vectors.imaginary.empty())
    throw UsageError("--rhs: " + path + " is complex; --precision complex-double solves with it");
  system.columns = static_cast<int>(vectors.columns);
  system.b.clear();
  for (std::size_t k = 0; k < vectors.real.size(); ++k) {
    if constexpr (std::is_same_v<Number, double>) system.b.push_back(vectors.real[k]);
    else system.b.emplace_back(vectors.real[k], vectors.imaginary.empty() ? 0.0 : vectors.imaginary[k]);
  }
}

template <class Number>
std::vector<double> relative_residuals(const LinearSystem<Number>& system, const std::vector<Number>& x) {
  std::vector<double> residuals;
  for (int column = 0; column < system.columns; ++column) {
    const std::size_t first = static_cast<std::size_t>(column) * static_cast<std::size_t>(system.rows());
    residuals.push_back(relative_residual(system, system.b.data() + first, x.data() + first));
  }
  return residuals;
}

using Complex = std::complex<double>;
template LinearSystem<double> take_system(SourceMatrix&&, bool, bool);
template LinearSystem<Complex> take_system(SourceMatrix&&, bool, bool);
template void make_right_hand_side(LinearSystem<double>&, unsigned);
template void make_right_hand_side(LinearSystem<Complex>&, unsigned);
template void set_right_hand_sides(LinearSystem<double>&, const MatrixMarketVectors&, const std::string&);
template void set_right_hand_sides(LinearSystem<Complex>&, const MatrixMarketVectors&, const std::string&);
template std::vector<double> relative_residuals(const LinearSystem<double>&, const std::vector<double>&);
template std::vector<double> relative_residuals(const LinearSystem<Complex>&, const std::vector<Complex>&);

}  // namespace terrace::tools
