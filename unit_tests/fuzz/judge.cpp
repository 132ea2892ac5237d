// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/judge.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::fuzz {
namespace {

using Wide = std::complex<long double>;
using Real = long double;

Real size(const Number& value) { return std::hypot(Real(value.real()), Real(value.imag())); }
Real size(const Wide& value) { return std::hypot(value.real(), value.imag()); }

/// A product without the rules for infinities, which take most of the time.
Wide times(const Number& a, const Wide& b) {
  return {Real(a.real()) * b.real() - Real(a.imag()) * b.imag(), Real(a.real()) * b.imag() + Real(a.imag()) * b.real()};
}

/// What rounding and underflow may leave in a sum of so many terms of this size altogether. `touched`: the sum of what
/// multiplies numbers that may have underflowed.
Real allowed(std::size_t terms, Real scale, Real touched, const ScalarTraits& traits) {
  return 8 * Real(terms + 4) * (Real(traits.epsilon) * scale + Real(traits.least) * (touched + 1));
}

/// The rows of op(T)^-1 b that cannot be finite.
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

/// Of each row whether numbers come near the largest of the type, there or in a row before.
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

bool MergedFactor::has_finite_pivots() const {
  for (int row = 0; row < static_cast<int>(rows.size()); ++row)
    for (const auto& [column, value] : rows[row])
      if (!is_finite(value) || (column == row && value == Number(0.0))) return false;
  return true;
}

void judge_elimination(const Elimination& elimination, const MergedFactor& factor, const ScalarTraits& traits) {
  constexpr std::size_t most_products = 5000000;
  if (products_of(factor) > most_products) return;
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

double backward_error(const Rows& matrix, const Numbers& b, const Numbers& x) {
  double largest = 0;
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    const auto [residual, scale] = residual_of_row(matrix[row], b[row], x);
    const Real error = size(residual) == 0 ? 0 : size(residual) / scale;
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
