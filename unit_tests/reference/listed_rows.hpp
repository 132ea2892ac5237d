// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of any shape as lists of entries, in any order and also twice, and what a product with them is.
#pragma once

#include <random>

#include "reference/differences.hpp"

namespace terrace::reference {

template <class Scalar>
struct ListedRows {
  int columns = 0;
  std::vector<std::vector<std::pair<int, Scalar>>> rows;

  int size() const { return static_cast<int>(rows.size()); }
  std::size_t longest() const {
    std::size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, row.size());
    return longest;
  }

  CompressedArrays<Scalar> compressed() const {
    CompressedArrays<Scalar> arrays;
    for (const auto& row : rows) {
      for (const auto& [column, value] : row) {
        arrays.entries.push_back(column);
        arrays.values.push_back(value);
      }
      arrays.row_map.push_back(arrays.entries.size());
    }
    return arrays;
  }

  /// The serial loop.
  std::vector<Scalar> times(const std::vector<Scalar>& x) const {
    std::vector<Scalar> y(rows.size(), Scalar(0));
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (const auto& [column, value] : rows[row]) y[row] += value * x[static_cast<std::size_t>(column)];
    return y;
  }

  /// max_i |y - A x|_i / (|A| |x|)_i; infinite where something is not finite.
  double error_of(const std::vector<Scalar>& x, const std::vector<Scalar>& y) const {
    if (y.size() != rows.size()) return HUGE_VAL;
    LargestError largest;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::complex<double> sum = -widen(y[row]);
      double scale = 0;
      for (const auto& [column, value] : rows[row]) {
        sum += widen(value) * widen(x[static_cast<std::size_t>(column)]);
        scale += magnitude(value) * magnitude(x[static_cast<std::size_t>(column)]);
      }
      largest.add(std::abs(sum), scale);
    }
    return largest.value();
  }
};

/// Rows of the given lengths with random columns, which may come twice.
template <class Scalar>
ListedRows<Scalar> rows_of_lengths(const std::vector<int>& lengths, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  ListedRows<Scalar> matrix{columns, {}};
  for (const int length : lengths) {
    matrix.rows.emplace_back();
    for (int k = 0; k < length; ++k)
      matrix.rows.back().emplace_back(static_cast<int>(generator() % static_cast<unsigned>(columns)),
                                      random_scalar<Scalar>(generator));
  }
  return matrix;
}

/// Lengths as histograms have them: a few that are frequent, and some that are long.
inline std::vector<int> random_lengths(int rows, int most, std::mt19937& generator) {
  const auto below = [&](int limit) { return static_cast<int>(generator() % static_cast<unsigned>(limit)); };
  const int usual = below(most + 1), kinds = 1 + below(4);
  std::vector<int> lengths;
  for (int row = 0; row < rows; ++row) {
    const bool is_long = below(10) == 0;
    lengths.push_back(is_long ? below(most + 1) : std::max(0, usual - below(kinds)));
  }
  return lengths;
}

}  // namespace terrace::reference
