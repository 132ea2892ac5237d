// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves A x = b by preconditioned Krylov iterations that stay on the device.
#pragma once

#include <memory>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>
#include <terrace/krylov_result.hpp>
#include <terrace/linear_operator.hpp>
#include <vector>

namespace terrace {

namespace detail {
template <class View, class Scalar, class ExecutionSpace>
concept ColumnsFor = VectorsFor<View, Scalar, ExecutionSpace> &&(View::rank() == 2);
}  // namespace detail

/// The memory of one Krylov method, and the solves that use it.
///
///     terrace::CrsOperator A(space, matrix);
///     terrace::KrylovSolver<double, Space> solver(space, n, {.method = terrace::KrylovMethod::ConjugateGradient});
///     const auto result = solver.solve(space, A, b, x, factor);
///
/// The scalars of the recurrences are computed where the dot products are, inside the kernels, so an iteration waits
/// for nothing; the host looks at the residual every options.check_every iterations. An iteration enqueues, beside A
/// and M: conjugate gradients 3 kernels, BiCGStab 3 (4 and 5 when A is no CrsOperator, which makes dot products with
/// its product; where it has listed rows, one more for each product), step j (from 0) of GMRES 5 + 2 (j / 8), and one
/// more in step 0. Where the space can, they are recorded and replayed (options.replay).
///
/// The magnitudes of A and b do not matter: as long as b, x and A x are normal numbers of Scalar, sums of squares
/// neither overflow nor vanish. Denormal numbers have fewer digits, and true_residual says what came of it.
///
/// Ownership: A, M, b and x are used while solve runs and not kept. Concurrency: as for TriangularSolver.
///
/// Scalar: float, double, Kokkos::complex of both.
template <class Scalar, class ExecutionSpace>
class KrylovSolver {
 public:
  /// A or M: refers to what it is made from, or owns it.
  using Operator = LinearOperator<Scalar, ExecutionSpace>;
  using input_type = typename Operator::input_type;    ///< a vector that is read
  using output_type = typename Operator::output_type;  ///< a vector that is written
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  /// For systems of so many rows. Waits for `space`. \throws Error InvalidOption, OutOfMemory.
  KrylovSolver(const ExecutionSpace& space, std::size_t rows, const KrylovOptions& options = {});
  ~KrylovSolver();
  KrylovSolver(KrylovSolver&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  KrylovSolver& operator=(KrylovSolver&&) noexcept;  ///< likewise

  /// Starts from what x holds and leaves the solution there. `M` approximates the inverse of A. Waits for `space`. When
  /// the iteration converges by its own recursion but b - A x does not bear it out, it starts again from x.
  /// b = 0 gives x = 0. The result, not an exception, says how it ended.
  /// \throws Error SizeMismatch.
  KrylovResult solve(const ExecutionSpace& space, const Operator& A, input_type b, output_type x,
                     const Operator& M = {});

  /// The same for several right-hand sides at once, n x m views of any layout (copied when their columns do not lie one
  /// after the other): m systems with scalars, residuals and ends of their own, which share the products with A and M.
  /// Each takes the iterations that it takes alone; the loop ends with the last of them, and what has converged
  /// stays as it is. Returns a result for each column; the times in them are those of all together. Holds m times the
  /// memory from the first such solve on, until one with another m, which builds its memory before it gives up the old:
  /// when that fails, the exception leaves the solver as it was.
  ///
  ///     terrace::IluFactor factor(space, symbolic, A.values, {.right_hand_sides = 32});
  ///     const std::vector<terrace::KrylovResult> results = solver.solve(space, A, B, X, factor);
  ///
  /// \throws Error SizeMismatch; InvalidOption when the method is Gmres or FlexibleGmres and m is above one.
  template <detail::ColumnsFor<const Scalar, ExecutionSpace> RightHandSides,
            detail::ColumnsFor<Scalar, ExecutionSpace> Solutions>
  std::vector<KrylovResult> solve(const ExecutionSpace& space, const Operator& A, const RightHandSides& B,
                                  const Solutions& X, const Operator& M = {}) {
    return solve_columns(space, A, B, X, M);
  }

  /// As they were given.
  const KrylovOptions& options() const;

 private:
  std::vector<KrylovResult> solve_columns(const ExecutionSpace& space, const Operator& A, const const_vectors& B,
                                          const vectors& X, const Operator& M);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace terrace
