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

void judge_row(const TriangularSystem& system, int row, const Numbers& b, const Numbers& x,
               const ScalarTraits& traits) {
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
  const Real error = size(residual), most = allowed(system.rows[row].size(), scale, touched, traits);
  expect(error <= most, "row ", row, " of a substitution has the residual ", error, ", more than ", most);
}

}  // namespace

void judge_substitution(const TriangularSystem& system, const Numbers& b, const Numbers& x,
                        const ScalarTraits& traits) {
  const auto marked = reached(system, b), may = may_overflow(system, marked, b, traits);
  for (int row = 0; row < static_cast<int>(system.rows.size()); ++row) {
    if (marked[row]) {
      expect(!is_finite(x[row]), "the unknown ", row, " depends on what is not finite, and is ", x[row]);
    } else if (is_finite(x[row])) {
      judge_row(system, row, b, x, traits);
    } else {
      expect(may[row] || system.may_spread, "the unknown ", row, " is ", x[row], " without a reason");
    }
  }
}

}  // namespace terrace::fuzz
