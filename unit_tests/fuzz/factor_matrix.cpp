// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/factor_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace terrace::fuzz {
namespace {

bool is_read(const FactorMatrix& matrix, int row, int column) {
  if (matrix.factorization == Factorization::Lu) return true;
  return matrix.uplo == Uplo::Lower ? column <= row : column >= row;
}

void write(FactorMatrix& matrix) {
  Rows rows(matrix.matrix.rows.size());
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.matrix.rows[row]) {
      const bool is_of_interest = is_read(matrix, row, column);
      if (!is_of_interest && matrix.lacks_other_triangle) continue;
      const bool is_poison = !is_of_interest && matrix.has_poison;
      rows[row].emplace_back(column, is_poison ? Number(std::numeric_limits<double>::quiet_NaN()) : value);
    }
  matrix.arrays = compress(rows);
}

}  // namespace

bool FactorMatrix::lacks_diagonal() const {
  for (int row = 0; row < size(); ++row)
    if (std::none_of(matrix.rows[row].begin(), matrix.rows[row].end(),
                     [&](const auto& entry) { return entry.first == row; }))
      return true;
  return false;
}

FactorMatrix draw_factor_matrix(Draw& draw, Factorization factorization, Uplo uplo, bool must_be_sorted,
                                MatrixRequest request, const ScalarTraits& traits) {
  FactorMatrix matrix;
  matrix.factorization = factorization;
  matrix.uplo = uplo;
  request.is_symmetric = factorization == Factorization::Cholesky;
  request.is_hermitian = factorization == Factorization::HermitianCholesky;
  matrix.request = request;
  matrix.matrix = draw_matrix(draw, request, traits);
  if (must_be_sorted) matrix.matrix.rows = sorted(matrix.matrix.rows);
  matrix.lacks_other_triangle = draw.chance(0.5);
  matrix.has_poison = draw.chance(0.5);
  write(matrix);
  return matrix;
}

void draw_factor_values(Draw& draw, const ScalarTraits& traits, FactorMatrix& matrix) {
  draw_values(draw, matrix.request, traits, matrix.matrix);
  write(matrix);
}

std::vector<double> diagonal_scales(const Rows& rows, Scaling scaling) {
  std::vector<double> scales(rows.size(), 1.0);
  for (int row = 0; row < static_cast<int>(rows.size()) && scaling == Scaling::Diagonal; ++row)
    for (const auto& [column, value] : rows[row])
      if (column == row && is_finite(value) && value != Number(0.0)) scales[row] = 1 / std::sqrt(std::abs(value));
  return scales;
}

std::vector<int> order_of(const std::vector<int>& permutation, int n) {
  std::vector<int> order = permutation;
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
  }
  std::vector<int> ascending = order;
  std::sort(ascending.begin(), ascending.end());
  expect(static_cast<int>(order.size()) == n, "the permutation has ", order.size(), " rows");
  for (int row = 0; row < n; ++row) expect(ascending[row] == row, "permutation() is none");
  return order;
}

Rows FactorMatrix::eliminated(const std::vector<int>& order, Scaling scaling, double shift) const {
  const auto scales = diagonal_scales(matrix.rows, scaling);
  std::vector<int> place(order.size());
  for (int k = 0; k < size(); ++k) place[order[k]] = k;
  Rows result(matrix.rows.size());
  for (int row = 0; row < size(); ++row) {
    Row& to = result[place[row]];
    bool has_diagonal = false;
    for (const auto& [column, value] : matrix.rows[row]) {
      const double alpha = column == row ? 1 + shift : 1.0;
      to.emplace_back(place[column], value * (alpha * scales[row] * scales[column]));
      has_diagonal = has_diagonal || column == row;
    }
    if (!has_diagonal) to.emplace_back(place[row], 0.0);
  }
  return sorted(std::move(result));
}

MergedFactor merge(const std::vector<std::size_t>& row_map, const std::vector<int>& entries, const Numbers& values,
                   bool has_unit_lower) {
  MergedFactor factor;
  factor.has_unit_lower = has_unit_lower;
  for (std::size_t row = 0; row + 1 < row_map.size(); ++row) {
    factor.rows.emplace_back();
    bool has_diagonal = false;
    for (std::size_t k = row_map[row]; k < row_map[row + 1]; ++k) {
      expect(k == row_map[row] || entries[k] > entries[k - 1], "row ", row, " of the factor does not ascend");
      has_diagonal = has_diagonal || entries[k] == static_cast<int>(row);
      factor.rows.back().emplace_back(entries[k], values.empty() ? Number(0.0) : values[k]);
    }
    expect(has_diagonal, "row ", row, " of the factor has no diagonal");
  }
  return factor;
}

void judge_factor_solve(const MergedFactor& factor, const std::vector<int>& order, const std::vector<double>& scales,
                        Op op, const Numbers& r, const Numbers& z, const ScalarTraits& traits) {
  for (const Number& value : z)  // digits that the caller's unknowns lost are not those of the factor
    if (value != Number(0.0) && std::abs(value) < traits.least_normal / traits.epsilon) return;
  Numbers inner_r, inner_z;
  for (const int row : order) {
    inner_r.push_back(r[row] * scales[row]);
    inner_z.push_back(z[row] / scales[row]);
  }
  judge_merged_solve(factor, op, inner_r, inner_z, traits);
}

}  // namespace terrace::fuzz
