// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete LU without fill, as textbooks eliminate it row by row on any sparse matrix (Saad, "Iterative Methods for
// Sparse Linear Systems", algorithms 10.3 and 10.4), and substitution with its factors. In double precision.
#pragma once

#include <map>
#include <vector>

namespace terrace::reference {

using Row = std::map<int, double>;

/// The strict lower triangle holds L, whose diagonal is one; the rest U. Where a zero stands in A, `relaxation` of the
/// fill goes to the diagonal.
struct IncompleteFactor {
  std::vector<Row> rows;

  double pivot(int row) const { return rows[row].at(row); }

  std::vector<double> solve_lower(std::vector<double> b) const {
    for (int row = 0; row < static_cast<int>(rows.size()); ++row)
      for (const auto& [column, value] : rows[row])
        if (column < row) b[row] -= value * b[column];
    return b;
  }

  std::vector<double> solve_upper(std::vector<double> b) const {
    for (int row = static_cast<int>(rows.size()) - 1; row >= 0; --row) {
      for (const auto& [column, value] : rows[row])
        if (column > row) b[row] -= value * b[column];
      b[row] /= pivot(row);
    }
    return b;
  }

  std::vector<double> solve(const std::vector<double>& b) const { return solve_upper(solve_lower(b)); }

  /// The factors of the transpose: U^T D^-1 is unit lower, D L^T upper.
  IncompleteFactor transposed() const {
    IncompleteFactor result{std::vector<Row>(rows.size())};
    for (int row = 0; row < static_cast<int>(rows.size()); ++row)
      for (const auto& [column, value] : rows[row]) {
        if (column < row) result.rows[column][row] = value * pivot(column);
        else if (column > row) result.rows[column][row] = value / pivot(row);
        else result.rows[row][row] = value;
      }
    return result;
  }
};

template <class Scalar>
IncompleteFactor factorize_incompletely(const std::vector<std::map<int, Scalar>>& A, double relaxation) {
  IncompleteFactor factor;
  for (const auto& row : A) factor.rows.emplace_back(row.begin(), row.end());
  for (int i = 0; i < static_cast<int>(A.size()); ++i) {
    Row& row = factor.rows[i];
    double dropped = 0;
    for (auto& [k, multiplier] : row) {
      if (k >= i) break;
      multiplier /= factor.pivot(k);
      for (const auto& [j, value] : factor.rows[k]) {
        if (j <= k) continue;
        if (const auto entry = row.find(j); entry != row.end()) entry->second -= multiplier * value;
        else dropped += multiplier * value;
      }
    }
    row[i] -= relaxation * dropped;
  }
  return factor;
}

}  // namespace terrace::reference
