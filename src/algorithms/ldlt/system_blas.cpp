// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense kernels of fronts by the system's BLAS, in the names and calling convention of Fortran.
#include <algorithm>

#include "algorithms/ldlt/blas.hpp"

using ComplexFloat = Kokkos::complex<float>;
using ComplexDouble = Kokkos::complex<double>;

#define TERRACE_DECLARE_BLAS(letter, Scalar)                                                                       \
  void letter##gemm_(const char*, const char*, const int*, const int*, const int*, const Scalar*, const Scalar*,   \
                     const int*, const Scalar*, const int*, const Scalar*, Scalar*, const int*);                   \
  void letter##gemv_(const char*, const int*, const int*, const Scalar*, const Scalar*, const int*, const Scalar*, \
                     const int*, const Scalar*, Scalar*, const int*);                                              \
  void letter##trsm_(const char*, const char*, const char*, const char*, const int*, const int*, const Scalar*,    \
                     const Scalar*, const int*, Scalar*, const int*);                                              \
  void letter##trsv_(const char*, const char*, const char*, const int*, const Scalar*, const int*, Scalar*, const int*);

extern "C" {
TERRACE_DECLARE_BLAS(s, float)
TERRACE_DECLARE_BLAS(d, double)
TERRACE_DECLARE_BLAS(c, ComplexFloat)
TERRACE_DECLARE_BLAS(z, ComplexDouble)
}

namespace terrace::ldlt {
namespace {

template <class Scalar>
struct Blas;

#define TERRACE_NAME_BLAS(letter, Scalar)       \
  template <>                                   \
  struct Blas<Scalar> {                         \
    static constexpr auto gemm = letter##gemm_; \
    static constexpr auto gemv = letter##gemv_; \
    static constexpr auto trsm = letter##trsm_; \
    static constexpr auto trsv = letter##trsv_; \
  };

TERRACE_NAME_BLAS(s, float)
TERRACE_NAME_BLAS(d, double)
TERRACE_NAME_BLAS(c, ComplexFloat)
TERRACE_NAME_BLAS(z, ComplexDouble)

const char* letter(Op op) { return op == Op::Plain ? "N" : "T"; }

}  // namespace

template <class Scalar>
void subtract_product(Op op_a, Op op_b, int m, int n, int k, const Scalar* A, int lda, const Scalar* B, int ldb,
                      Scalar* C, int ldc) {
  if (m == 0 || n == 0 || k == 0) return;
  const Scalar minus(-1), one(1);
  if (n == 1 && op_b == Op::Plain) {
    const int step = 1;
    const int rows = op_a == Op::Plain ? m : k, columns = op_a == Op::Plain ? k : m;
    Blas<Scalar>::gemv(letter(op_a), &rows, &columns, &minus, A, &lda, B, &step, &one, C, &step);
  } else {
    Blas<Scalar>::gemm(letter(op_a), letter(op_b), &m, &n, &k, &minus, A, &lda, B, &ldb, &one, C, &ldc);
  }
}

template <class Scalar>
void solve_unit_lower(Side side, Op op, int m, int n, const Scalar* L, int ldl, Scalar* X, int ldx) {
  if (m == 0 || n == 0) return;
  if (n == 1 && side == Side::Left) {
    const int step = 1;
    Blas<Scalar>::trsv("L", letter(op), "U", &m, L, &ldl, X, &step);
  } else {
    const Scalar one(1);
    Blas<Scalar>::trsm(side == Side::Left ? "L" : "R", "L", letter(op), "U", &m, &n, &one, L, &ldl, X, &ldx);
  }
}

#define TERRACE_INSTANTIATE_BLAS(Scalar)                                                                       \
  template void subtract_product(Op, Op, int, int, int, const Scalar*, int, const Scalar*, int, Scalar*, int); \
  template void solve_unit_lower(Side, Op, int, int, const Scalar*, int, Scalar*, int);

TERRACE_INSTANTIATE_BLAS(float)
TERRACE_INSTANTIATE_BLAS(double)
TERRACE_INSTANTIATE_BLAS(ComplexFloat)
TERRACE_INSTANTIATE_BLAS(ComplexDouble)

}  // namespace terrace::ldlt
