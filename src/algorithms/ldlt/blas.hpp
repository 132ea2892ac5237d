// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense kernels of fronts on a host, column after column: products that are subtracted, and solves with unit lower
// triangles. By the system's BLAS (system_blas.cpp), or without one by plain loops (plain_blas.cpp). Both for float,
// double and their complex numbers; nothing is conjugated.
//
// A call is the work of one thread. A BLAS that starts threads of its own has to be told not to: under the threads of
// an engine they would wait for each other.
#pragma once

#include <Kokkos_Complex.hpp>

namespace terrace::ldlt {

enum class Op { Plain, Transposed };
enum class Side { Left, Right };

/// C -= op(A) op(B), where C is m x n and the sum goes over k. With n = 1 and a plain B the product with a vector.
template <class Scalar>
void subtract_product(Op op_a, Op op_b, int m, int n, int k, const Scalar* A, int lda, const Scalar* B, int ldb,
                      Scalar* C, int ldc);

/// X = op(L)^-1 X (Left) or X = X op(L)^-1 (Right), where X is m x n and L unit lower triangular: its diagonal and what
/// lies above are not read.
template <class Scalar>
void solve_unit_lower(Side side, Op op, int m, int n, const Scalar* L, int ldl, Scalar* X, int ldx);

}  // namespace terrace::ldlt
