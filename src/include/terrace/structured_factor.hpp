// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factorizations of structured matrices with the matrix's own pattern, and the solves with them.
#pragma once

#include <memory>
#include <terrace/detail/access.hpp>
#include <terrace/structured_matrix.hpp>
#include <terrace/structured_options.hpp>

namespace terrace {

/// M = (D + L) D^-1 (D + U), where L and U are the strict triangles of A and the diagonal D is chosen such that M
/// agrees with A: on A's pattern for IC(0) and ILU(0), in the row sums for MIC(0) and MILU(0) (Meijerink and van der
/// Vorst 1977; Gustafsson 1978). Nothing but the inverse of D is stored.
///
///     terrace::StructuredFactor M(space, A, {.relaxation = 1.0});
///     if (M.info().breakdown) ...
///     M.solve(space, r, z);  // z = M^-1 r
///
/// KrylovSolver takes it as a preconditioner: BiCGStab or GMRES where A is general, StructuredPcg is faster where it is
/// symmetric. A symmetric matrix must be positive definite. The factor keeps A's views and reads them in every solve.
/// One factor holds scratch memory, so its calls must follow each other in time or on one execution-space instance.
/// Scalar: float or double.
template <class Scalar, class ExecutionSpace>
class StructuredFactor {
 public:
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  /// Factorizes; waits for `space`. A breakdown is not an error: info() names its cell.
  /// \throws Error InvalidOption: a relaxation outside [0, 1], a shift that is not positive, an algorithm that
  ///         the space does not have; NotPositive: a symmetric matrix whose diagonal is not positive (line() is the
  ///         cell's number).
  StructuredFactor(const ExecutionSpace& space, const StructuredMatrix<Scalar, ExecutionSpace>& A,
                   const StructuredFactorOptions& options = {});
  ~StructuredFactor();
  StructuredFactor(StructuredFactor&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  StructuredFactor& operator=(StructuredFactor&&) noexcept;  ///< likewise

  /// Factorizes anew what now stands in A's diagonals. Waits for `space`. \throws Error NotPositive.
  void refactorize(const ExecutionSpace& space);

  /// Enqueues X = op(M)^-1 B: no fence, no allocation. B and X as in StructuredMatrix::multiply; X may be B itself.
  /// \throws Error SizeMismatch.
  void solve(const ExecutionSpace& space, const_vectors b, vectors x, Op op = Op::None) const;

  /// solve, by the name that all factors have (Factor).
  void apply(const ExecutionSpace& space, const_vectors b, vectors x, Op op = Op::None) const {
    solve(space, b, x, op);
  }
  static constexpr bool is_replayable = true;  ///< for LinearOperator

  /// The two halves of solve: X = (D + L)^-1 B, and X = (I + D^-1 U)^-1 B; transposed, (D + U^T)^-1 and (I + D^-1
  /// L^T)^-1.
  void solve_forward(const ExecutionSpace& space, const_vectors b, vectors x, Op op = Op::None) const;
  /// The second half; see solve_forward.
  void solve_backward(const ExecutionSpace& space, const_vectors b, vectors x, Op op = Op::None) const;

  /// One over each pivot: D^-1.
  Kokkos::View<const Scalar*, device_type> inverse_pivots() const;

  /// What was chosen, and what became of the pivots. Waits for nothing.
  const StructuredFactorInfo& info() const;

  /// Beyond the caller's matrix.
  std::size_t bytes_held() const;

 private:
  friend struct detail::Access;
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar>
StructuredFactor(const ExecutionSpace&, const StructuredMatrix<Scalar, ExecutionSpace>&,
                 const StructuredFactorOptions& = {}) -> StructuredFactor<Scalar, ExecutionSpace>;

}  // namespace terrace
