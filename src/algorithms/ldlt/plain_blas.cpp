// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense kernels of fronts without a BLAS: four columns of A at a time go through a column of C, which is right
// everywhere and fast nowhere.
#include <algorithm>

#include "algorithms/ldlt/blas.hpp"
#include "algorithms/ldlt/blas_threads.hpp"

namespace terrace::ldlt {
namespace {

/// c -= A b, where element k of b lies at b[k * step].
template <class Scalar>
void subtract_columns(int m, int k, const Scalar* A, int lda, const Scalar* b, std::ptrdiff_t step, Scalar* c) {
  const std::ptrdiff_t next = lda;
  int p = 0;
  for (; p + 4 <= k; p += 4, A += 4 * next, b += 4 * step) {
    const Scalar b0 = b[0], b1 = b[step], b2 = b[2 * step], b3 = b[3 * step];
    for (int i = 0; i < m; ++i) c[i] -= (A[i] * b0 + A[i + next] * b1) + (A[i + 2 * next] * b2 + A[i + 3 * next] * b3);
  }
  for (; p < k; ++p, A += next, b += step)
    for (int i = 0; i < m; ++i) c[i] -= A[i] * b[0];
}

template <class Scalar>
Scalar dot(int k, const Scalar* a, const Scalar* b, std::ptrdiff_t step) {
  Scalar sums[4] = {};
  int p = 0;
  for (; p + 4 <= k; p += 4)
    for (int s = 0; s < 4; ++s) sums[s] += a[p + s] * b[(p + s) * step];
  for (; p < k; ++p) sums[0] += a[p] * b[p * step];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

template <class Scalar>
void subtract_product(Op op_a, Op op_b, int m, int n, int k, const Scalar* A, int lda, const Scalar* B, int ldb,
                      Scalar* C, int ldc) {
  constexpr int rows_in_cache = 128, columns_in_cache = 64;  // of A, while all columns of C pass
  const std::ptrdiff_t step = op_b == Op::Plain ? 1 : ldb, next = op_b == Op::Plain ? ldb : 1;
  if (op_a == Op::Transposed) {
    for (std::ptrdiff_t j = 0; j < n; ++j)
      for (std::ptrdiff_t i = 0; i < m; ++i) C[i + j * ldc] -= dot(k, A + i * lda, B + j * next, step);
    return;
  }
  for (int p = 0; p < k; p += columns_in_cache)
    for (int i = 0; i < m; i += rows_in_cache)
      for (std::ptrdiff_t j = 0; j < n; ++j)
        subtract_columns(std::min(rows_in_cache, m - i), std::min(columns_in_cache, k - p),
                         A + i + p * std::ptrdiff_t(lda), lda, B + j * next + p * step, step, C + i + j * ldc);
}

template <class Scalar>
void solve_unit_lower(Side side, Op op, int m, int n, const Scalar* L, int ldl, Scalar* X, int ldx) {
  const std::ptrdiff_t l = ldl, x = ldx;
  if (side == Side::Right) {  // columns of X from the first to the last, or back
    for (int step = 0; step < n; ++step) {
      const int j = op == Op::Transposed ? step : n - 1 - step;
      if (op == Op::Transposed) subtract_columns(m, j, X, ldx, L + j, l, X + j * x);
      else subtract_columns(m, n - 1 - j, X + (j + 1) * x, ldx, L + j * l + j + 1, 1, X + j * x);
    }
    return;
  }
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    Scalar* const column = X + j * x;
    if (op == Op::Plain)
      for (int i = 0; i < m; ++i) subtract_columns(m - i - 1, 1, L + i * l + i + 1, ldl, column + i, 1, column + i + 1);
    else
      for (int i = m - 1; i >= 0; --i) column[i] -= dot(m - i - 1, L + i * l + i + 1, column + i + 1, 1);
  }
}

bool blas_bears_threads() { return true; }
OneThreadPerBlasCall::OneThreadPerBlasCall() = default;
OneThreadPerBlasCall::~OneThreadPerBlasCall() = default;

#define TERRACE_INSTANTIATE_BLAS(Scalar)                                                                       \
  template void subtract_product(Op, Op, int, int, int, const Scalar*, int, const Scalar*, int, Scalar*, int); \
  template void solve_unit_lower(Side, Op, int, int, const Scalar*, int, Scalar*, int);

TERRACE_INSTANTIATE_BLAS(float)
TERRACE_INSTANTIATE_BLAS(double)
TERRACE_INSTANTIATE_BLAS(Kokkos::complex<float>)
TERRACE_INSTANTIATE_BLAS(Kokkos::complex<double>)

}  // namespace terrace::ldlt
