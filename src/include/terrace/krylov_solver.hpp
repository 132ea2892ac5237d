// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves A x = b by preconditioned Krylov iterations that stay on the device.
#pragma once

#include <memory>
#include <terrace/error.hpp>
#include <terrace/krylov_result.hpp>
#include <terrace/linear_operator.hpp>

namespace terrace {

/// The memory of one Krylov method, and the solves that use it.
///
///     terrace::CrsOperator A(matrix);
///     terrace::KrylovSolver<double, Space> solver(space, n, {.method = terrace::KrylovMethod::ConjugateGradient});
///     const auto result = solver.solve(space, A, b, x, factor);
///
/// The scalars of the recurrences are computed where the dot products are, inside the kernels, so an iteration waits
/// for nothing; the host looks at the residual every options.check_every iterations. An iteration enqueues, beside A
/// and M: conjugate gradients 4 kernels, BiCGStab 5, step j (from 0) of GMRES 5 + 2 (j / 8).
///
/// Scalar: float, double, Kokkos::complex of both.
template <class Scalar, class ExecutionSpace>
class KrylovSolver {
 public:
  using Operator = LinearOperator<Scalar, ExecutionSpace>;
  using input_type = typename Operator::input_type;
  using output_type = typename Operator::output_type;

  /// For systems of so many rows. \throws Error InvalidOption.
  KrylovSolver(const ExecutionSpace& space, std::size_t rows, const KrylovOptions& options = {});
  ~KrylovSolver();
  KrylovSolver(KrylovSolver&&) noexcept;
  KrylovSolver& operator=(KrylovSolver&&) noexcept;

  /// Starts from what x holds and leaves the solution there. `M` approximates the inverse of A. Waits for `space`. When
  /// the iteration converges by its own recursion but b - A x does not bear it out, it starts again from x.
  /// b = 0 gives x = 0. The result, not an exception, says how it ended.
  /// \throws Error SizeMismatch.
  KrylovResult solve(const ExecutionSpace& space, const Operator& A, input_type b, output_type x,
                     const Operator& M = {});

  const KrylovOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace terrace
