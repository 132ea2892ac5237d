// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factors by their definitions, on dense arrays: levels of fill by the rule of elimination, L U by
// right-looking elimination, L L^H entry by entry. Nothing here is shared with what it judges, not even the order of
// the loops.
#pragma once

#include "reference/general_matrix.hpp"

namespace terrace::reference {

using Dense = std::vector<std::vector<std::complex<double>>>;
using Mask = std::vector<std::vector<bool>>;

template <class Scalar>
Dense to_dense(const GeneralMatrix<Scalar>& matrix) {
  const auto n = static_cast<std::size_t>(matrix.size());
  Dense dense(n, std::vector<std::complex<double>>(n));
  for (std::size_t row = 0; row < n; ++row)
    for (const auto& [column, value] : matrix.rows[row]) dense[row][column] = widen(value);
  return dense;
}

/// level_ij = min(level_ij, level_ik + level_kj + 1) (Saad 2003, section 10.3.3); the diagonal belongs to the pattern.
template <class Scalar>
Mask fill_mask(const GeneralMatrix<Scalar>& matrix, int fill_level) {
  const int n = matrix.size(), far = 1000000;
  std::vector<std::vector<int>> level(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(n), far));
  for (int row = 0; row < n; ++row) {
    for (const auto& entry : matrix.rows[row]) level[row][entry.first] = 0;
    level[row][row] = 0;
  }
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j) level[i][j] = std::min(level[i][j], level[i][k] + level[k][j] + 1);
  Mask mask(static_cast<std::size_t>(n), std::vector<bool>(static_cast<std::size_t>(n)));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) mask[i][j] = level[i][j] <= fill_level;
  return mask;
}

/// L (without its unit diagonal) and U in one array.
inline Dense incomplete_lu(Dense a, const Mask& mask, double relaxation) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      if (!mask[i][k]) continue;
      a[i][k] /= a[k][k];
      for (std::size_t j = k + 1; j < n; ++j) {
        if (!mask[k][j]) continue;
        if (mask[i][j]) a[i][j] -= a[i][k] * a[k][j];
        else a[i][i] -= relaxation * (a[i][k] * a[k][j]);
      }
    }
  }
  return a;
}

/// L in the lower triangle and L^T or L^H in the upper one; right-looking, from the lower triangle of a.
inline Dense incomplete_cholesky(Dense a, const Mask& mask, double relaxation, bool hermitian) {
  const std::size_t n = a.size();
  const auto mirrored = [&](std::complex<double> value) { return hermitian ? std::conj(value) : value; };
  for (std::size_t k = 0; k < n; ++k) {
    a[k][k] = std::sqrt(a[k][k]);
    for (std::size_t i = k + 1; i < n; ++i)
      if (mask[i][k]) a[i][k] /= a[k][k];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) {
        if (!mask[i][k] || !mask[j][k]) continue;
        const auto term = a[i][k] * mirrored(a[j][k]);
        if (mask[i][j]) a[i][j] -= term;
        else {
          const auto kept = hermitian ? term.real() : term;  // the diagonal of a Hermitian matrix is real
          a[i][i] -= relaxation * kept;
          a[j][j] -= relaxation * kept;
        }
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) a[i][j] = mirrored(a[j][i]);
  return a;
}

/// (L U)_ij of a merged array, with a unit diagonal in L or with the one that L shares with U.
inline std::complex<double> product_at(const Dense& merged, const Mask& mask, std::size_t i, std::size_t j, bool unit) {
  std::complex<double> sum = 0;
  for (std::size_t k = 0; k <= std::min(i, j); ++k) {
    if (!mask[i][k] || !mask[k][j]) continue;
    sum += (k == i && unit ? 1.0 : merged[i][k]) * merged[k][j];
  }
  return sum;
}

/// (L U)^-1 b of a merged array, with a unit diagonal in L or with the one that L shares with U.
inline std::vector<std::complex<double>> solve_merged(const Dense& merged, std::vector<std::complex<double>> b,
                                                      bool unit) {
  const std::size_t n = merged.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= merged[i][j] * b[j];
    if (!unit) b[i] /= merged[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= merged[i][j] * b[j];
    b[i] /= merged[i][i];
  }
  return b;
}

}  // namespace terrace::reference
