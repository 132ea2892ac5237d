// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fuzz/patterns.hpp"

namespace terrace::fuzz {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

int draw_size(Draw& draw, int largest) {
  const double kind = draw.uniform();
  if (kind < 0.02) return 0;
  if (kind < 0.25) return std::min(largest, draw.between(1, 8));
  if (kind < 0.70) return std::min(largest, draw.between(9, 100));
  if (kind < 0.95) return std::min(largest, draw.between(101, 1000));
  return draw.between(std::min(largest, 1001), largest);
}

Number number(Draw& draw, bool is_complex) {
  const double real = draw.signed_uniform();
  return {real, is_complex ? draw.signed_uniform() : 0.0};
}

Number integer(Draw& draw, bool is_complex) {
  const double real = draw.between(-2, 2);
  return {real, is_complex ? draw.between(-2, 2) : 0.0};
}

/// The value of a_ji that belongs to a_ij.
Number mirrored(const MatrixRequest& request, const Number& value) {
  return request.is_hermitian ? std::conj(value) : value;
}

bool has_symmetric_values(const MatrixRequest& request) { return request.is_symmetric || request.is_hermitian; }

void draw_entries(Draw& draw, const MatrixRequest& request, const ScalarTraits& traits, HostMatrix& matrix) {
  std::map<std::pair<int, int>, Number> of_lower;
  for (int row = 0; row < matrix.size(); ++row)
    for (auto& [column, value] : matrix.rows[row]) {
      value =
          matrix.numerics == Numerics::Integers ? integer(draw, traits.is_complex) : number(draw, traits.is_complex);
      if (!has_symmetric_values(request)) continue;
      if (row == column && request.is_hermitian) value = value.real();
      if (column < row) of_lower[{row, column}] = value;
    }
  if (!has_symmetric_values(request)) return;
  for (int row = 0; row < matrix.size(); ++row)
    for (auto& [column, value] : matrix.rows[row])
      if (column > row) value = mirrored(request, of_lower.at({column, row}));
}

/// Diagonals that outweigh rows and columns.
void dominate(HostMatrix& matrix) {
  std::vector<double> weight(matrix.rows.size(), 0.5);
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row]) {
      if (column == row) continue;
      weight[row] += std::abs(value);
      weight[column] += std::abs(value);
    }
  for (int row = 0; row < matrix.size(); ++row)
    for (auto& [column, value] : matrix.rows[row])
      if (column == row) value = weight[row];
}

void scale(Draw& draw, const MatrixRequest& request, const ScalarTraits& traits, HostMatrix& matrix) {
  const int far = traits.far_exponent / 2;
  std::vector<int> left, right;
  for (int row = 0; row < matrix.size(); ++row) {
    left.push_back(draw.between(-far, far));
    right.push_back(has_symmetric_values(request) ? left.back() : draw.between(-far, far));
  }
  for (int row = 0; row < matrix.size(); ++row)
    for (auto& [column, value] : matrix.rows[row]) value *= std::ldexp(1.0, left[row] + right[column]);
}

/// Replaces a few entries, in both triangles where they are alike.
template <class Choose>
void plant(Draw& draw, const MatrixRequest& request, HostMatrix& matrix, const Choose& value_for) {
  for (int count = draw.between(1, 3); count > 0 && matrix.size() > 0; --count) {
    const int row = draw.below(matrix.size());
    if (matrix.rows[row].empty()) continue;
    auto& [column, value] = matrix.rows[row][draw.below(static_cast<int>(matrix.rows[row].size()))];
    value = value_for(row == column);
    if (has_symmetric_values(request))
      for (auto& [other, mirror] : matrix.rows[column])
        if (other == row) mirror = mirrored(request, value);
  }
}

void plant_zero_pivots(Draw& draw, HostMatrix& matrix) {
  for (int count = draw.between(1, 3); count > 0 && matrix.size() > 0; --count) {
    const int row = draw.below(matrix.size());
    for (auto& [column, value] : matrix.rows[row])
      if (column == row) value = 0.0;
  }
}

void remove_diagonals(Draw& draw, HostMatrix& matrix) {
  for (int count = draw.between(1, 3); count > 0 && matrix.size() > 0; --count) {
    const int row = draw.below(matrix.size());
    std::erase_if(matrix.rows[row], [&](const auto& entry) { return entry.first == row; });
  }
}

Pattern symmetrized(const Pattern& pattern) {
  Pattern both = pattern;
  for (int row = 0; row < static_cast<int>(pattern.size()); ++row)
    for (const int column : pattern[row]) both[column].push_back(row);
  for (auto& columns : both) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }
  return both;
}

}  // namespace

bool is_finite(const Number& value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

Number ScalarTraits::rounded(const Number& value) const {
  if (epsilon < 1e-10) return value;
  return {static_cast<double>(static_cast<float>(value.real())), static_cast<double>(static_cast<float>(value.imag()))};
}

bool all_finite(const Rows& rows) {
  for (const Row& row : rows)
    for (const auto& entry : row)
      if (!is_finite(entry.second)) return false;
  return true;
}

std::size_t HostMatrix::entries() const {
  std::size_t count = 0;
  for (const Row& row : rows) count += row.size();
  return count;
}

std::size_t HostMatrix::products() const {
  std::vector<std::size_t> in_column(rows.size(), 0);
  for (const Row& row : rows)
    for (const auto& entry : row) ++in_column[entry.first];
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) count += rows[row].size() * in_column[row];
  return count;
}

void draw_values(Draw& draw, const MatrixRequest& request, const ScalarTraits& traits, HostMatrix& matrix) {
  draw_entries(draw, request, traits, matrix);
  if (matrix.numerics == Numerics::Dominant || matrix.numerics == Numerics::Scaled) dominate(matrix);
  if (matrix.numerics == Numerics::Scaled) scale(draw, request, traits, matrix);
  if (request.may_have_zero_pivots && draw.chance(0.08)) {
    draw.note("zero-pivots");
    plant_zero_pivots(draw, matrix);
    if (matrix.numerics == Numerics::Dominant) matrix.numerics = Numerics::Random;
  }
  if (request.may_have_nonfinite && draw.chance(0.08)) {
    draw.note("nonfinite");
    plant(draw, request, matrix, [&](bool is_diagonal) {
      const double value = is_diagonal || draw.chance(0.5) ? nan : infinity;
      return Number(value, 0.0);
    });
  }
  for (Row& row : matrix.rows)
    for (auto& entry : row) entry.second = traits.rounded(entry.second);
}

HostMatrix draw_matrix(Draw& draw, const MatrixRequest& request, const ScalarTraits& traits) {
  Pattern pattern = draw_pattern(draw, draw_size(draw, request.largest), request.max_entries);
  if (has_symmetric_values(request)) pattern = symmetrized(pattern);
  HostMatrix matrix;
  for (const auto& columns : pattern) {
    matrix.rows.emplace_back();
    for (const int column : columns) matrix.rows.back().emplace_back(column, 0.0);
  }
  if (request.may_be_wild && draw.chance(0.4))
    matrix.numerics = draw.pick({Numerics::Random, Numerics::Integers, Numerics::Scaled});
  draw.note(matrix.numerics == Numerics::Dominant ? "dominant"
            : matrix.numerics == Numerics::Random ? "random-values"
            : matrix.numerics == Numerics::Scaled ? "badly-scaled"
                                                  : "integers");
  draw_values(draw, request, traits, matrix);
  if (request.may_lack_diagonals && draw.chance(0.08)) {
    draw.note("lacks-diagonals");
    remove_diagonals(draw, matrix);
    if (matrix.numerics == Numerics::Dominant) matrix.numerics = Numerics::Random;
  }
  matrix.is_sorted = draw.chance(0.6);
  if (matrix.is_sorted) return matrix;
  draw.note("unsorted");
  for (Row& row : matrix.rows)
    for (int k = static_cast<int>(row.size()) - 1; k > 0; --k) std::swap(row[k], row[draw.below(k + 1)]);
  return matrix;
}

Arrays compress(const Rows& rows) {
  Arrays arrays;
  for (const Row& row : rows) {
    for (const auto& [column, value] : row) {
      arrays.entries.push_back(column);
      arrays.values.push_back(value);
    }
    arrays.row_map.push_back(arrays.entries.size());
  }
  return arrays;
}

Rows transposed(const Rows& rows, int columns) {
  Rows result(static_cast<std::size_t>(columns));
  for (int row = 0; row < static_cast<int>(rows.size()); ++row)
    for (const auto& [column, value] : rows[row]) result[column].emplace_back(row, value);
  return result;
}

Rows sorted(Rows rows) {
  for (Row& row : rows)
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return rows;
}

Numbers draw_vector(Draw& draw, int n, const ScalarTraits& traits, bool may_have_nonfinite) {
  Numbers numbers;
  const bool is_sparse = draw.chance(0.1);
  for (int i = 0; i < n; ++i)
    numbers.push_back(is_sparse && !draw.chance(0.05) ? Number(0.0) : traits.rounded(number(draw, traits.is_complex)));
  if (may_have_nonfinite && n > 0 && draw.chance(0.05)) {
    draw.note("nonfinite-b");
    numbers[draw.below(n)] = draw.chance(0.5) ? nan : infinity;
  }
  return numbers;
}

}  // namespace terrace::fuzz
