// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with both triangles of a factor.
#include <algorithm>

#include "fuzz/judge_sums.hpp"

namespace terrace::fuzz {
namespace {

/// One triangle of the factor times a vector, with the sizes of the sums.
struct Product {
  std::vector<Wide> sums;
  std::vector<Real> sizes;
};

Product multiply(const MergedFactor& factor, bool upper, Op op, const std::vector<Wide>& x,
                 const std::vector<Real>& sizes) {
  const int n = static_cast<int>(factor.rows.size());
  Product product{std::vector<Wide>(factor.rows.size()), std::vector<Real>(factor.rows.size())};
  const auto add = [&](int row, int column, const Number& value) {
    const int to = op == Op::None ? row : column, from = op == Op::None ? column : row;
    product.sums[to] += times(op == Op::ConjugateTranspose ? std::conj(value) : value, x[from]);
    product.sizes[to] += size(value) * sizes[from];
  };
  for (int row = 0; row < n; ++row) {
    for (const auto& [column, value] : factor.rows[row]) {
      if (column != row && (column > row) == upper) add(row, column, value);
      if (column == row && (upper || !factor.has_unit_lower)) add(row, row, value);
    }
    if (!upper && factor.has_unit_lower) add(row, row, 1.0);
  }
  return product;
}

std::vector<Wide> widened(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

/// Solves with both triangles; whether nothing comes near the largest number of the type.
bool stays_finite(const MergedFactor& factor, Op op, const Numbers& r, const ScalarTraits& traits) {
  const int n = static_cast<int>(factor.rows.size());
  Rows lower(factor.rows.size()), upper(factor.rows.size());
  for (int row = 0; row < n; ++row)
    for (const auto& [column, value] : factor.rows[row]) {
      if (column < row || (column == row && !factor.has_unit_lower)) lower[row].emplace_back(column, value);
      if (column >= row) upper[row].emplace_back(column, value);
    }
  TriangularSystem first{lower, true, factor.has_unit_lower, false}, second{upper, false, false, false};
  if (op != Op::None) {
    first = {transposed(upper, n), true, false, false};
    second = {transposed(lower, n), false, factor.has_unit_lower, false};
  }
  Numbers b = r;
  for (const auto& system : {first, second}) {
    const auto marked = reached(system, b), may = may_overflow(system, marked, b, traits);
    for (int row = 0; row < n; ++row)
      if (marked[row] || may[row]) return false;
    for (int step = 0; step < n; ++step) {
      const int row = system.is_forward ? step : n - 1 - step;
      Number pivot = 1;
      for (const auto& [column, value] : system.rows[row]) {
        const Number taken = op == Op::ConjugateTranspose ? std::conj(value) : value;
        if (column != row) b[row] -= taken * b[column];
        else if (!system.is_unit) pivot = taken;
      }
      b[row] /= pivot;
    }
  }
  return true;
}

}  // namespace

void judge_merged_solve(const MergedFactor& factor, Op op, const Numbers& r, const Numbers& z,
                        const ScalarTraits& traits) {
  for (std::size_t row = 0; row < r.size(); ++row)
    expect(is_finite(r[row]) || !is_finite(z[row]), "row ", row, " is ", r[row], " and its solution ", z[row]);
  if (any_nonfinite(r)) return;
  if (any_nonfinite(z)) {
    expect(!stays_finite(factor, op, r, traits), "the solution with a factor is not finite without a reason");
    return;
  }
  std::size_t longest = 1;
  for (const Row& row : factor.rows) longest = std::max(longest, row.size());
  for (const Row& row : transposed(factor.rows, static_cast<int>(r.size()))) longest = std::max(longest, row.size());
  std::vector<Real> sizes;
  for (const Number& value : z) sizes.push_back(size(value) + Real(traits.least_normal));
  const bool first_is_upper = op == Op::None;
  const auto half = multiply(factor, first_is_upper, op, widened(z), sizes);
  std::vector<Real> half_sizes = half.sizes;
  for (Real& value : half_sizes) value += Real(traits.least_normal);
  const auto whole = multiply(factor, !first_is_upper, op, half.sums, half_sizes);
  for (std::size_t row = 0; row < r.size(); ++row) {
    const Real error = size(Wide(r[row]) - whole.sums[row]);
    const Real most = 2 * allowed(longest, whole.sizes[row] + size(r[row]), 0, traits);
    expect(error <= most, "row ", row, " of a solve with a factor has the residual ", error, ", more than ", most);
  }
}

}  // namespace terrace::fuzz
