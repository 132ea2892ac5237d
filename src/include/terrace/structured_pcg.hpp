// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with an incomplete Cholesky preconditioner on structured grids.
#pragma once

#include <memory>
#include <terrace/structured_factor.hpp>
#include <terrace/structured_pcg_result.hpp>

namespace terrace {

/// Asks for plain conjugate gradients.
struct NoPreconditioner {};

/// The solver for one symmetric positive definite matrix: its factorization, and the vectors of the iteration.
///
///     terrace::StructuredPcg pcg(space, A, {.relaxation = 1.0});
///     const auto result = pcg.solve(space, b, x, {.tolerance = 1e-8});
///     if (!result.converged()) throw ... to_string(result.reason)
///
/// The algorithm is that of Gao, Liang and Wang (JPDC 74(2), 2014), with MIC(0) at relaxation 1 and IC(0) at 0. On
/// Poisson's equation with mesh width h IC(0) takes O(1/h) iterations and MIC(0) O(1/sqrt(h)) (Gustafsson 1978). The
/// scalars of the iteration stay on the device; each iteration reads or writes 25 numbers per cell in three dimensions
/// and 22 in two, in three passes on a host (see algorithms/structured/pcg_state.hpp). On an NVIDIA GPU it is
/// Eisenstat's form (1981) of the same iteration, as many numbers in four kernels.
///
/// Ownership: keeps A's views and reads them in every solve; b and x are used while solve runs. Concurrency: as for
/// StructuredFactor. Scalar: float or double.
template <class Scalar, class ExecutionSpace>
class StructuredPcg {
 public:
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using const_vector = Kokkos::View<const Scalar*, device_type>;  ///< a vector that is read, one number per cell
  using vector = Kokkos::View<Scalar*, device_type>;              ///< a vector that is written, one number per cell

  /// Factorizes and allocates the vectors of the iteration (bytes_held()); waits for `space`. A breakdown of the
  /// factorization is not an error: factor_info() names its cell, and solves return PreconditionerBreakdown.
  /// \throws Error NotSymmetric: the matrix is kept as a general one; what StructuredFactor throws.
  StructuredPcg(const ExecutionSpace& space, const StructuredMatrix<Scalar, ExecutionSpace>& A,
                const StructuredFactorOptions& preconditioner = {});
  /// The same without a preconditioner: plain conjugate gradients.
  StructuredPcg(const ExecutionSpace& space, const StructuredMatrix<Scalar, ExecutionSpace>& A, NoPreconditioner);
  ~StructuredPcg();
  StructuredPcg(StructuredPcg&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  StructuredPcg& operator=(StructuredPcg&&) noexcept;  ///< likewise

  /// Improves x, which holds the first guess, until A x = b to the tolerance. Waits for `space` at each check.
  /// Inner products are taken in double precision, whatever Scalar is, and neither overflow nor vanish as long as b, x
  /// and A x are normal numbers of Scalar. \throws Error SizeMismatch; InvalidOption.
  StructuredPcgResult solve(const ExecutionSpace& space, const_vector b, vector x,
                            const StructuredPcgOptions& options = {}) const;

  /// Factorizes anew what now stands in A's diagonals. Waits for `space`. \throws Error NotPositive.
  void refactorize(const ExecutionSpace& space);

  /// Of the preconditioner; all zero without one.
  const StructuredFactorInfo& factor_info() const;

  /// Beyond the caller's matrix and vectors: factor and iteration.
  std::size_t bytes_held() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class... Preconditioner>
StructuredPcg(const ExecutionSpace&, const StructuredMatrix<Scalar, ExecutionSpace>&, const Preconditioner&...)
    -> StructuredPcg<Scalar, ExecutionSpace>;
/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar>
StructuredPcg(const ExecutionSpace&, const StructuredMatrix<Scalar, ExecutionSpace>&, const StructuredFactorOptions&)
    -> StructuredPcg<Scalar, ExecutionSpace>;

}  // namespace terrace
