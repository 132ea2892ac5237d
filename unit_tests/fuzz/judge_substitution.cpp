// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One triangle.
#include <algorithm>

#include "fuzz/judge_sums.hpp"

namespace terrace::fuzz {

std::vector<bool> reached(const TriangularSystem& system, const Numbers& b) {
  const int n = static_cast<int>(system.rows.size());
  std::vector<bool> marked(system.rows.size(), false);
  for (int step = 0; step < n; ++step) {
    const int row = system.is_forward ? step : n - 1 - step;
    bool has_pivot = system.is_unit, is_marked = !is_finite(b[row]);
    for (const auto& [column, value] : system.rows[row]) {
      if (column == row && system.is_unit) continue;
      if (column == row) has_pivot = value != Number(0.0);
      is_marked = is_marked || !is_finite(value) || (column != row && marked[column]);
    }
    marked[row] = is_marked || !has_pivot;
  }
  return marked;
}

std::vector<bool> may_overflow(const TriangularSystem& system, const std::vector<bool>& marked, const Numbers& b,
                               const ScalarTraits& traits) {
  const int n = static_cast<int>(system.rows.size());
  std::vector<Wide> x(system.rows.size());
  std::vector<bool> may(system.rows.size(), false);
  const Real limit = Real(traits.largest) * 1e-5L;
  for (int step = 0; step < n; ++step) {
    const int row = system.is_forward ? step : n - 1 - step;
    if (marked[row]) continue;
    Wide sum = b[row], pivot = 1;
    Real most = 0;
    for (const auto& [column, value] : system.rows[row]) {
      if (column == row && system.is_unit) continue;
      if (column == row) pivot = value;
      else {
        may[row] = may[row] || may[column];
        const Wide term = times(value, x[column]);
        most += size(term);
        sum -= term;
      }
    }
    x[row] = sum / pivot;
    if (!(std::max({most, size(x[row]), size(sum)}) < limit)) may[row] = true;
    if (may[row]) x[row] = 0;
  }
  return may;
}

namespace {

using Reals = std::vector<Real>;

/// |T| |T^-1| of the diagonal blocks, whichever rows they begin with: that of any block is part of that of the block of
/// `tile` rows that ends with the same one, because the inverse of a part of a triangle is that part of its inverse.
class TileBound {
 public:
  explicit TileBound(const TriangularSystem& system)
      : system_(system), rows_(static_cast<int>(system.rows.size())), inverse_(system.rows.size()) {
    for (int first = 0; first < rows_; ++first) invert_column(first);
  }

  /// What rounding leaves of op(T)^-1 computed as an inverse times b, in units of it: Higham, Accuracy and Stability of
  /// Numerical Algorithms, sections 14.1 and 14.2; the transpose of the inverse has the larger residual.
  Reals apply(const Numbers& b, const Numbers& x) const {
    Reals sizes(system_.rows.size());
    for (int row = 0; row < rows_; ++row) {
      sizes[row] = size(b[row]);
      for (const auto& [column, value] : system_.rows[row])
        if (column != row) sizes[row] += size(value) * size(x[column]);
    }
    const Reals once = multiply(sizes);
    return system_.is_turned ? multiply(once) : once;
  }

 private:
  /// The n-th row to be solved, and when a row is.
  int turn(int row) const { return system_.is_forward ? row : rows_ - 1 - row; }

  void invert_column(int first) {
    const int last = std::min(first + system_.tile, rows_);
    std::vector<Wide> column_of_inverse;
    for (int step = first; step < last; ++step) {
      Wide sum = step == first ? 1 : 0, pivot = 1;
      for (const auto& [column, value] : system_.rows[turn(step)]) {
        const int at = turn(column);
        if (at == step && !system_.is_unit) pivot = value;
        if (at < first || at >= step || value == Number(0.0) || column_of_inverse[at - first] == Wide(0)) continue;
        sum -= times(value, column_of_inverse[at - first]);
      }
      column_of_inverse.push_back(sum == Wide(0) ? sum : sum / pivot);
    }
    for (const Wide& entry : column_of_inverse) inverse_[first].push_back(size(entry));
  }

  Reals multiply(const Reals& numbers) const {
    Reals found(numbers.size(), 0), product(numbers.size(), 0);
    for (int first = 0; first < rows_; ++first)
      for (std::size_t k = 0; k < inverse_[first].size(); ++k)
        if (inverse_[first][k] != 0)
          product[turn(first + static_cast<int>(k))] += inverse_[first][k] * numbers[turn(first)];
    for (int row = 0; row < rows_; ++row) {
      if (system_.is_unit) found[row] = product[row];
      for (const auto& [column, value] : system_.rows[row])
        if (std::abs(row - column) < system_.tile && (column != row || !system_.is_unit) && value != Number(0.0))
          found[row] += size(value) * product[column];
    }
    return found;
  }

  const TriangularSystem& system_;
  int rows_;
  std::vector<Reals> inverse_;  // sizes, by column, from its diagonal on
};

/// `of_tile`: what the inverse of a tile adds to the size of the terms; not finite where another unknown of the tile
/// overflowed, which by an inverse need not reach this one. Then nothing is known of its error.
void judge_row(const TriangularSystem& system, int row, const Numbers& b, const Numbers& x, Real of_tile,
               const ScalarTraits& traits) {
  if (!std::isfinite(of_tile)) return;
  Wide residual = b[row];
  Real scale = size(b[row]), touched = 0;
  bool has_diagonal = false;
  const auto subtract = [&](const Number& value, int column) {
    residual -= times(value, x[column]);
    scale += size(value) * size(x[column]);
    touched += size(value);
  };
  for (const auto& [column, value] : system.rows[row]) {
    if (!is_finite(x[column])) return;
    if (column != row || !system.is_unit) subtract(value, column);
    has_diagonal = has_diagonal || column == row;
  }
  if (system.is_unit) subtract(1.0, row);
  const auto terms = system.rows[row].size() + static_cast<std::size_t>(system.tile);
  const Real error = size(residual), most = allowed(terms, scale + of_tile, touched, traits);
  expect(error <= most, "row ", row, " of a substitution has the residual ", error, ", more than ", most);
}

}  // namespace

void judge_substitution(const TriangularSystem& system, const Numbers& b, const Numbers& x,
                        const ScalarTraits& traits) {
  const auto marked = reached(system, b), may = may_overflow(system, marked, b, traits);
  const Reals of_tiles = system.tile > 0 ? TileBound(system).apply(b, x) : Reals(system.rows.size(), 0);
  for (int row = 0; row < static_cast<int>(system.rows.size()); ++row) {
    if (marked[row]) {
      expect(!is_finite(x[row]), "the unknown ", row, " depends on what is not finite, and is ", x[row]);
    } else if (is_finite(x[row])) {
      judge_row(system, row, b, x, of_tiles[row], traits);
    } else {
      expect(may[row] || system.tile > 0, "the unknown ", row, " is ", x[row], " without a reason");
    }
  }
}

}  // namespace terrace::fuzz
