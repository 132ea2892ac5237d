// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether L U is the matrix where it has to be.
#include <algorithm>

#include "fuzz/judge_sums.hpp"

namespace terrace::fuzz {
namespace {

/// Row `row` of the product L U by columns, without the last term of each sum: sum over k < min(row, column).
class ProductRow {
 public:
  explicit ProductRow(std::size_t n) : sums_(n), sizes_(n), terms_(n, 0) {}

  void multiply(const MergedFactor& factor, int row) {
    for (const int column : touched_) sums_[column] = 0, sizes_[column] = 0, terms_[column] = 0;
    touched_.clear();
    for (const auto& [k, left] : factor.rows[row]) {
      if (k >= row) break;
      for (const auto& [column, right] : factor.rows[k]) {
        if (column <= k) continue;
        if (terms_[column]++ == 0) touched_.push_back(column);
        sums_[column] += times(left, Wide(right));
        sizes_[column] += size(left) * size(right);
      }
    }
  }
  Wide sum(int column) const { return sums_[column]; }
  Real size_at(int column) const { return sizes_[column]; }
  std::size_t terms(int column) const { return terms_[column]; }
  const std::vector<int>& touched() const { return touched_; }

 private:
  std::vector<Wide> sums_;
  std::vector<Real> sizes_;
  std::vector<std::size_t> terms_;
  std::vector<int> touched_;
};

std::size_t products_of(const MergedFactor& factor) {
  std::size_t count = 0;
  for (int row = 0; row < static_cast<int>(factor.rows.size()); ++row)
    for (const auto& entry : factor.rows[row])
      if (entry.first < row) count += factor.rows[entry.first].size();
  return count;
}

}  // namespace

bool MergedFactor::has_finite_pivots() const {
  for (int row = 0; row < static_cast<int>(rows.size()); ++row)
    for (const auto& [column, value] : rows[row])
      if (!is_finite(value) || (column == row && value == Number(0.0))) return false;
  return true;
}

void judge_elimination(const Elimination& elimination, const MergedFactor& factor, const ScalarTraits& traits) {
  constexpr std::size_t max_products = 5000000;
  if (products_of(factor) > max_products) return;
  const std::size_t n = factor.rows.size();
  std::vector<Number> pivots(n);
  for (std::size_t row = 0; row < n; ++row)
    for (const auto& [column, value] : factor.rows[row])
      if (column == static_cast<int>(row)) pivots[row] = value;
  std::vector<Number> of_matrix(n, 0.0);
  std::vector<bool> is_kept(n, false);
  ProductRow product(n);
  for (int row = 0; row < static_cast<int>(n); ++row) {
    product.multiply(factor, row);
    for (const auto& [column, value] : elimination.matrix[row]) of_matrix[column] = value;
    for (const auto& entry : factor.rows[row]) is_kept[entry.first] = true;
    Wide dropped = 0;
    Real dropped_size = 0;
    std::size_t dropped_terms = 0;
    if (elimination.relaxation != 0)
      for (const int column : product.touched())
        if (!is_kept[column]) {
          dropped += product.sum(column);
          dropped_size += product.size_at(column);
          dropped_terms += product.terms(column);
        }
    if (elimination.is_hermitian) dropped = dropped.real();
    for (const auto& [column, value] : factor.rows[row]) {
      const bool is_diagonal = column == row;
      if (is_diagonal && !elimination.judges_diagonal) continue;
      const int last = std::min(row, column);
      const bool is_divided = column < row || !factor.has_unit_lower;
      const Number by = is_divided ? pivots[last] : Number(1.0);
      Wide residual = Wide(of_matrix[column]) - product.sum(column) - times(value, Wide(by));
      Real scale = size(of_matrix[column]) + product.size_at(column) + size(value) * size(by);
      std::size_t terms = product.terms(column) + 2;
      if (is_diagonal) {
        residual -= Real(elimination.relaxation) * dropped;
        scale += dropped_size;
        terms += dropped_terms;
      }
      const Real touched = size(by) + scale / Real(traits.least_normal) * Real(traits.least);
      const Real error = size(residual), most = allowed(terms, scale, touched, traits);
      expect(error <= most, "the product L U at (", row, ", ", column, ") misses the matrix by ", error, ", more than ",
             most);
    }
    for (const auto& entry : elimination.matrix[row]) of_matrix[entry.first] = 0.0;
    for (const auto& entry : factor.rows[row]) is_kept[entry.first] = false;
  }
}

}  // namespace terrace::fuzz
