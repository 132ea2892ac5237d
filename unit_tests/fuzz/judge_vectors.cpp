// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with a matrix, residuals of its solutions, and vectors by themselves.
#include <algorithm>

#include "fuzz/judge_sums.hpp"

namespace terrace::fuzz {
namespace {

struct RowResidual {
  Wide residual;
  Real scale;  // the sum of the sizes of its terms
};

RowResidual residual_of_row(const Rows::value_type& row, const Numbers::value_type& b, const Numbers& x) {
  RowResidual found{b, size(b)};
  for (const auto& [column, value] : row) {
    found.residual -= times(value, x[column]);
    found.scale += size(value) * size(x[column]);
  }
  return found;
}

}  // namespace

Residual residual_of(const Rows& matrix, const Numbers& b, const Numbers& x, const ScalarTraits& traits) {
  Real residuals = 0, roundings = 0, norm = 0;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    const auto [residual, scale] = residual_of_row(matrix[row], b[row], x);
    residuals += size(residual) * size(residual);
    const Real rounding = Real(traits.epsilon) * Real(matrix[row].size() + 2) * scale;
    roundings += rounding * rounding;
    norm += size(b[row]) * size(b[row]);
  }
  if (norm == 0) return {residuals == 0 ? 0.0 : HUGE_VAL, 0.0};
  return {static_cast<double>(std::sqrt(residuals / norm)), static_cast<double>(std::sqrt(roundings / norm))};
}

double backward_error(const Rows& matrix, const Numbers& b, const Numbers& x, const ScalarTraits& traits) {
  double largest = 0;
  const auto largest_of = [](const Numbers& numbers) {
    Real found = 0;
    for (const Number& number : numbers) found = std::max(found, size(number));
    return found;
  };
  const Real sides = largest_of(b), unknowns = largest_of(x), negligible = Real(traits.epsilon) * Real(traits.epsilon);
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    const auto [residual, scale] = residual_of_row(matrix[row], b[row], x);
    Real entries = 0;
    for (const auto& [column, value] : matrix[row]) entries = std::max(entries, size(value));
    const bool is_rounding = scale < negligible * entries * unknowns && size(b[row]) <= negligible * sides;
    const Real error = size(residual) == 0 ? 0 : size(residual) / (is_rounding ? entries * unknowns : scale);
    if (!std::isfinite(error) || !is_finite(x[row])) return HUGE_VAL;
    largest = std::max(largest, static_cast<double>(error));
  }
  return largest;
}

void judge_product(const Rows& matrix, const Numbers& x, const Numbers& y, const ScalarTraits& traits) {
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    Wide sum = 0;
    Real scale = 0;
    bool is_expected_finite = true;
    for (const auto& [column, value] : matrix[row]) {
      is_expected_finite = is_expected_finite && is_finite(value) && is_finite(x[column]);
      sum += times(value, x[column]);
      scale += size(value) * size(x[column]);
    }
    if (!is_expected_finite) {
      expect(!is_finite(y[row]), "row ", row, " reads what is not finite, and is ", y[row]);
    } else if (scale < Real(traits.largest) * 1e-3L) {
      const Real error = size(sum - Wide(y[row])), most = allowed(matrix[row].size(), scale, 0, traits);
      expect(error <= most, "row ", row, " of a product is wrong by ", error, ", more than ", most);
    }
  }
}

double difference(const Numbers& found, const Numbers& expected) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!is_finite(found[i]) || !is_finite(expected[i])) return HUGE_VAL;
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(found[i] - expected[i]));
  }
  return error == 0 ? 0 : error / largest;
}

bool any_nonfinite(const Numbers& numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](const Number& value) { return !is_finite(value); });
}

}  // namespace terrace::fuzz
