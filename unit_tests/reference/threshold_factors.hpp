// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILUT and threshold Cholesky as the textbooks write them, on maps and dense columns. In the arithmetic of the matrix,
// because a last bit may decide what is dropped.
#pragma once

#include <algorithm>

#include "reference/dense_incomplete_factors.hpp"

namespace terrace::reference {

template <class Scalar>
double size_of(const Scalar& value) {
  return std::abs(widen(value));
}

/// The 2-norm of a row.
template <class Scalar>
double row_norm(const std::map<int, Scalar>& row) {
  double squares = 0;
  for (const auto& entry : row) squares += std::norm(widen(entry.second));
  return std::sqrt(squares);
}

/// Of the entries those that are at least as large as the bound, and of these the largest; the lower index wins a tie.
template <class Scalar>
std::map<int, Scalar> keep_largest(const std::map<int, Scalar>& entries, double bound, int most) {
  std::vector<std::pair<int, Scalar>> candidates;
  for (const auto& entry : entries)
    if (size_of(entry.second) >= bound && size_of(entry.second) > 0) candidates.push_back(entry);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return size_of(a.second) > size_of(b.second); });
  if (candidates.size() > static_cast<std::size_t>(most)) candidates.erase(candidates.begin() + most, candidates.end());
  return {candidates.begin(), candidates.end()};
}

/// Saad 2003, algorithm 10.6 with the rules of section 10.4.1: L without its unit diagonal, and U, in one matrix.
template <class Scalar>
GeneralMatrix<Scalar> ilut(const GeneralMatrix<Scalar>& a, int fill, double drop_tolerance) {
  const int n = a.size();
  GeneralMatrix<Scalar> merged(n);
  for (int i = 0; i < n; ++i) {
    std::map<int, Scalar> w = a.rows[i];
    const double bound = drop_tolerance * row_norm(a.rows[i]);
    for (int k = 0; k < i; ++k) {
      if (!w.count(k) || size_of(w[k]) == 0) continue;
      w[k] = w[k] / merged.rows[k][k];
      if (size_of(w[k]) < bound) {
        w.erase(k);
        continue;
      }
      for (const auto& [j, u] : merged.rows[k])
        if (j > k) w[j] = (w.count(j) ? w[j] : Scalar(0)) - w[k] * u;
    }
    const std::map<int, Scalar> left(w.begin(), w.lower_bound(i)), right(w.upper_bound(i), w.end());
    for (const auto& side : {keep_largest(left, bound, fill), keep_largest(right, bound, fill)})
      merged.rows[i].insert(side.begin(), side.end());
    merged.rows[i][i] = w[i];
  }
  return merged;
}

/// Left-looking by columns: column k of L is that of A less l_km times column m for every m < k, of which the largest
/// entries are kept and divided by the root of the pivot. L, and L^T or L^H, in one matrix.
template <class Scalar>
GeneralMatrix<Scalar> threshold_cholesky(const GeneralMatrix<Scalar>& a, int fill, double drop_tolerance,
                                         bool hermitian) {
  const int n = a.size();
  const auto mirrored = [&](const Scalar& value) { return hermitian ? conjugate_of(value) : value; };
  GeneralMatrix<Scalar> merged(n);
  for (int k = 0; k < n; ++k) {
    std::map<int, Scalar> column;  // the part of column k that lies below the diagonal, by rows
    Scalar pivot = a.at(k, k);
    for (int m = 0; m < k; ++m)
      if (merged.has(k, m)) pivot -= mirrored(merged.at(k, m)) * merged.at(k, m);
    for (int i = k + 1; i < n; ++i) {
      column[i] = a.at(i, k);
      for (int m = 0; m < k; ++m)
        if (merged.has(k, m) && merged.has(i, m)) column[i] -= mirrored(merged.at(k, m)) * merged.at(i, m);
    }
    const Scalar root = Kokkos::sqrt(hermitian ? (pivot + conjugate_of(pivot)) / Real<Scalar>(2) : pivot);
    merged.rows[k][k] = root;
    for (const auto& [i, value] : keep_largest(column, drop_tolerance * row_norm(a.rows[k]), fill)) {
      merged.rows[i][k] = value / root;
      merged.rows[k][i] = mirrored(value / root);
    }
  }
  return merged;
}

}  // namespace terrace::reference
