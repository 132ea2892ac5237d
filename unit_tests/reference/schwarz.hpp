// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schwarz methods by their definitions: subdomains by a serial breadth-first search, blocks extracted entry by entry,
// dense factors, and z = sum of the blocks' solutions with the variant's weights (Cai and Sarkis 1999).
#pragma once

#include <functional>
#include <set>
#include <terrace/schwarz_options.hpp>

#include "reference/dense_incomplete_factors.hpp"

namespace terrace::reference {

using Places = std::vector<std::vector<int>>;  ///< the rows of each block, ascending

/// W_i^delta in the graph of A + A^T.
template <class Scalar>
Places subdomains(const GeneralMatrix<Scalar>& matrix, const std::vector<int>& block_of, int blocks, int delta) {
  const auto n = static_cast<std::size_t>(matrix.size());
  std::vector<std::set<int>> neighbours(n);
  for (int row = 0; row < matrix.size(); ++row)
    for (const auto& entry : matrix.rows[row]) {
      neighbours[row].insert(entry.first);
      neighbours[entry.first].insert(row);
    }
  Places result;
  for (int block = 0; block < blocks; ++block) {
    std::set<int> members;
    for (std::size_t row = 0; row < n; ++row)
      if (block_of[row] == block) members.insert(static_cast<int>(row));
    for (int layer = 0; layer < delta; ++layer) {
      const std::set<int> before = members;
      for (const int row : before) members.insert(neighbours[row].begin(), neighbours[row].end());
    }
    result.emplace_back(members.begin(), members.end());
  }
  return result;
}

/// A_i.
template <class Scalar>
GeneralMatrix<Scalar> extract(const GeneralMatrix<Scalar>& matrix, const std::vector<int>& rows) {
  GeneralMatrix<Scalar> block(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (matrix.has(rows[i], rows[j])) block.rows[i][static_cast<int>(j)] = matrix.at(rows[i], rows[j]);
  return block;
}

using Vector = std::vector<std::complex<double>>;

/// op(L U)^-1 b, from L and U in one array; L has ones on its diagonal, or the diagonal of U.
inline Vector solve_dense(const Dense& merged, bool unit_lower, Op op, Vector b) {
  const std::size_t n = merged.size();
  const auto value = [&](std::size_t i, std::size_t j) {
    if (op == Op::None) return merged[i][j];
    return op == Op::Transpose ? merged[j][i] : std::conj(merged[j][i]);
  };
  const bool lower_is_unit = op == Op::None && unit_lower, upper_is_unit = op != Op::None && unit_lower;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= value(i, j) * b[j];
    if (!lower_is_unit) b[i] /= value(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= value(i, j) * b[j];
    if (!upper_is_unit) b[i] /= value(i, i);
  }
  return b;
}

/// The method with the factor that `factorize` gives for each block.
template <class Scalar>
struct SchwarzMethod {
  GeneralMatrix<Scalar> matrix;
  std::vector<int> block_of;
  int blocks;
  int delta;
  bool unit_lower;
  std::function<Dense(const GeneralMatrix<Scalar>&)> factorize;

  std::vector<Scalar> apply(const std::vector<Scalar>& r, SchwarzVariant variant, Op op) const {
    const Places places = subdomains(matrix, block_of, blocks, delta);
    std::vector<double> copies(r.size(), 0);
    for (const auto& rows : places)
      for (const int row : rows) copies[row] += 1;
    Vector z(r.size());
    for (int block = 0; block < blocks; ++block) {
      const auto& rows = places[block];
      Vector b;
      for (const int row : rows) b.push_back(weight(variant, op == Op::None, row, block, copies) * widen(r[row]));
      const Vector x = solve_dense(factorize(extract(matrix, rows)), unit_lower, op, b);
      for (std::size_t i = 0; i < rows.size(); ++i)
        z[rows[i]] += weight(variant, op != Op::None, rows[i], block, copies) * x[i];
    }
    std::vector<Scalar> narrow;
    for (const auto& number : z) narrow.push_back(narrowed<Scalar>(number));
    return narrow;
  }

 private:
  template <class To>
  static To narrowed(const std::complex<double>& value) {
    if constexpr (requires(const To& x) { x.imag(); })
      return To(static_cast<Real<To>>(value.real()), static_cast<Real<To>>(value.imag()));
    else return static_cast<To>(value.real());
  }

  /// On the way in (`inwards`), or out.
  double weight(SchwarzVariant variant, bool inwards, int row, int block, const std::vector<double>& copies) const {
    const double owns = block_of[row] == block ? 1 : 0;
    switch (variant) {
      case SchwarzVariant::Restricted: return inwards ? 1 : owns;
      case SchwarzVariant::Harmonic: return inwards ? owns : 1;
      case SchwarzVariant::Additive: return 1;
      case SchwarzVariant::Weighted: return inwards ? 1 : 1 / copies[row];
      case SchwarzVariant::Symmetric: return 1 / std::sqrt(copies[row]);
    }
    return 0;
  }
};

}  // namespace terrace::reference
