// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The up-looking sparse P A P^T = L D L^T of a symmetric matrix, real or complex, in an order that is given (Davis,
// "Algorithm 849: a concise sparse Cholesky factorization package", ACM TOMS 31, 2005). Row k of L solves
//
//     L(0:k, 0:k) D(0:k) l = a(0:k, k),   d_k = a_kk - l^T D l,
//
// and has entries where those of a(0:k, k) lead to in the elimination tree, which grows with the rows. In double
// precision; without pivoting, blocks, or a symbolic phase.
#pragma once

#include <numeric>
#include <utility>

#include "reference/general_matrix.hpp"

namespace terrace::reference {

class UpLookingLdlt {
 public:
  using Number = std::complex<double>;
  using Vector = std::vector<Number>;

  /// Row order[k] of the matrix, which holds both triangles, is eliminated k-th.
  template <class Scalar>
  UpLookingLdlt(const GeneralMatrix<Scalar>& matrix, std::vector<int> order)
      : order_(std::move(order)), columns_(order_.size()), d_(order_.size()) {
    const int n = matrix.size();
    std::vector<int> place(order_.size()), parent(order_.size(), -1), seen_in(order_.size(), -1);
    for (int k = 0; k < n; ++k) place[order_[k]] = k;
    Vector x(order_.size());
    for (int k = 0; k < n; ++k) {
      std::vector<int> reached;
      seen_in[k] = k;
      for (const auto& [column, value] : matrix.rows[order_[k]]) {
        int i = place[column];
        if (i > k) continue;
        if (i == k) d_[k] = widen(value);
        else x[i] = widen(value);
        for (; seen_in[i] != k; i = parent[i]) {
          seen_in[i] = k;
          reached.push_back(i);
          if (parent[i] < 0) parent[i] = k;
        }
      }
      std::sort(reached.begin(), reached.end());  // descendants before ancestors
      for (const int i : reached) add_entry(k, i, std::exchange(x[i], Number(0)), x);
    }
  }

  Vector forward(Vector b) const {  ///< L^-1 b; all vectors have the matrix's numbers
    for (std::size_t k = 0; k < d_.size(); ++k)
      for (const auto& [row, value] : columns_[k]) b[order_[row]] -= value * b[order_[k]];
    return b;
  }
  Vector diagonal(Vector b) const {  ///< D^-1 b
    for (std::size_t k = 0; k < d_.size(); ++k) b[order_[k]] /= d_[k];
    return b;
  }
  Vector backward(Vector b) const {  ///< L^-T b
    for (std::size_t k = d_.size(); k-- > 0;)
      for (const auto& [row, value] : columns_[k]) b[order_[k]] -= value * b[order_[row]];
    return b;
  }
  Vector solve(Vector b) const { return backward(diagonal(forward(std::move(b)))); }

  const Vector& pivots() const { return d_; }

  /// Of each column of L, its diagonal included.
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> all;
    for (const auto& column : columns_) all.push_back(static_cast<std::int64_t>(column.size()) + 1);
    return all;
  }

  double growth() const {
    double largest = 0;
    for (const auto& column : columns_)
      for (const auto& entry : column) largest = std::max(largest, std::abs(entry.second));
    return largest;
  }

 private:
  /// y = l_ki d_i is known; what stands behind it in the row no longer depends on it.
  void add_entry(int k, int i, Number y, Vector& x) {
    for (const auto& [row, value] : columns_[i]) x[row] -= value * y;
    const Number entry = y / d_[i];
    d_[k] -= entry * y;
    columns_[i].push_back({k, entry});
  }

  std::vector<int> order_;
  std::vector<std::vector<std::pair<int, Number>>> columns_;  // below the diagonal, rows ascending
  Vector d_;
};

template <class Scalar>
std::vector<std::complex<double>> widen_all(const std::vector<Scalar>& numbers) {
  std::vector<std::complex<double>> wide;
  for (const Scalar& number : numbers) wide.push_back(widen(number));
  return wide;
}

/// max_i |b - A x|_i / (|A| |x| + |b|)_i; infinite where something is not finite.
template <class Scalar>
double backward_error(const GeneralMatrix<Scalar>& matrix, const std::vector<Scalar>& b, const std::vector<Scalar>& x) {
  if (b.size() != matrix.rows.size() || x.size() != matrix.rows.size()) return HUGE_VAL;
  LargestError largest;
  for (int row = 0; row < matrix.size(); ++row) {
    std::complex<long double> residual = widen(b[row]);
    double scale = magnitude(b[row]);
    for (const auto& [column, value] : matrix.rows[row]) {
      residual -= std::complex<long double>(widen(value)) * std::complex<long double>(widen(x[column]));
      scale += magnitude(value) * magnitude(x[column]);
    }
    largest.add(static_cast<double>(std::abs(residual)), scale);
    largest.add(magnitude(x[row]) < HUGE_VAL ? 0 : HUGE_VAL);  // an unknown that no row names
  }
  return largest.value();
}

}  // namespace terrace::reference
