// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every factorization offers, so that iterations and other factorizations can use it without knowing which it is.
#pragma once

#include <concepts>
#include <cstddef>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/triangular_options.hpp>

namespace terrace {

/// An approximation M of a matrix, factorized: IluFactor, IlutFactor, StructuredFactor.
///
///   - `apply(space, R, Z, op)` enqueues Z = op(M)^-1 R: no fence, no allocation. R and Z are views of rank 1, or of
///     rank 2 with a right-hand side in each column; Z may be R. Without op it is Op::None, so that a factor is a
///     preconditioner for KrylovSolver.
///   - `refactorize(space, values)` takes new values for the same pattern; a factor that refers to its matrix
///     (StructuredFactor) reads them there: `refactorize(space)`.
///   - `info()` says what was chosen and what became of the pivots.
///   - `bytes_held()`: beyond the caller's matrix.
template <class F, class Scalar, class ExecutionSpace>
concept Factor = requires(const F& factor, const ExecutionSpace& space,
                          const detail::MultiVector<const Scalar, ExecutionSpace>& R,
                          const detail::MultiVector<Scalar, ExecutionSpace>& Z) {
  factor.apply(space, R, Z);
  factor.apply(space, R, Z, Op::Transpose);
  factor.info();
  { factor.bytes_held() } -> std::convertible_to<std::size_t>;
}
&&(
    requires(F& factor, const ExecutionSpace& space) { factor.refactorize(space); } ||
    requires(F & factor, const ExecutionSpace& space, const typename F::values_type& values) {
      factor.refactorize(space, values);
    });

}  // namespace terrace
