// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KrylovSolver with several right-hand sides against itself with each of them alone.
#pragma once

#include <array>

#include "solvers/krylov_solver_test.hpp"

namespace terrace::test {

template <class T>
class KrylovColumnsTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Problem = KrylovProblem<T>;
  using Column = std::vector<Scalar>;
  using Solver = KrylovSolver<Scalar, Space>;

  static constexpr std::array methods{KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab};

  struct Solved {
    std::vector<KrylovResult> results;
    std::vector<Column> x;
  };

  /// From zero, in views of the given layout.
  template <class Layout = Kokkos::LayoutLeft>
  static Solved solve(Solver& solver, const LinearOperator<Scalar, Space>& A, const LinearOperator<Scalar, Space>& M,
                      const std::vector<Column>& b, std::size_t rows) {
    const auto device_b = to_device_columns<T, Layout>(b, rows);
    const auto x = to_device_columns<T, Layout>(std::vector<Column>(b.size(), Column(rows)), rows);
    Solved solved{solver.solve(Space(), A, device_b, x, M), {}};
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t k = 0; k < b.size(); ++k) {
      solved.x.emplace_back();
      for (std::size_t row = 0; row < rows; ++row) solved.x.back().push_back(host(row, k));
    }
    return solved;
  }

  /// Columns that converge at different speeds: random, smooth, a unit vector, nothing.
  static std::vector<Column> columns_of_all_kinds(int n, unsigned seed) {
    Column unit(static_cast<std::size_t>(n), Scalar(0));
    unit[static_cast<std::size_t>(n) / 3] = Scalar(5);
    return {random_vector<Scalar>(n, seed), Column(static_cast<std::size_t>(n), Scalar(1)), unit,
            Column(static_cast<std::size_t>(n), Scalar(0)), random_vector<Scalar>(n, seed + 1)};
  }

  static void expect_as_alone(const Problem& problem, const KrylovOptions& options, bool preconditioned,
                              const std::vector<Column>& b) {
    const auto rows = static_cast<std::size_t>(problem.size());
    Solver solver(Space(), rows, options);
    const LinearOperator<Scalar, Space> A(problem.A());
    const auto M = preconditioned ? LinearOperator<Scalar, Space>(problem.M()) : LinearOperator<Scalar, Space>();
    const Solved together = solve(solver, A, M, b, rows);
    ASSERT_EQ(together.results.size(), b.size());
    for (std::size_t k = 0; k < b.size(); ++k) {
      const Solved alone = solve(solver, A, M, {b[k]}, rows);
      expect_alike(together.results[k], alone.results.front(), options);
      expect_near(together.x[k], alone.x.front());
    }
  }

  static void expect_alike(const KrylovResult& found, const KrylovResult& expected, const KrylovOptions& options) {
    EXPECT_EQ(found.reason, expected.reason) << to_string(options.method);
    EXPECT_EQ(found.iterations, expected.iterations) << to_string(options.method);
    ASSERT_EQ(found.residuals.size(), expected.residuals.size());
    EXPECT_LE(found.true_residual, options.tolerance);
    for (std::size_t k = 0; k < found.residuals.size(); ++k)
      EXPECT_NEAR(found.residuals[k], expected.residuals[k], 1e-2 * expected.residuals[k] + 100 * Problem::unit);
  }

  static void expect_near(const Column& found, const Column& expected) {
    const auto difference = reference::plus(found, Scalar(-1), expected);
    EXPECT_LE(reference::norm(difference), std::sqrt(Problem::unit) * reference::norm(expected));
  }
};

TYPED_TEST_SUITE_P(KrylovColumnsTest);

TYPED_TEST_P(KrylovColumnsTest, EachColumnTakesTheIterationsThatItTakesAlone) {
  const KrylovProblem<TypeParam> problem(reference::poisson<typename TypeParam::Scalar>(17, 13),
                                         Factorization::Cholesky);
  for (const auto method : TestFixture::methods)
    for (const bool preconditioned : {false, true})
      for (const int check_every : {1, 6})
        this->expect_as_alone(problem, {.method = method, .tolerance = problem.tolerance(), .check_every = check_every},
                              preconditioned, this->columns_of_all_kinds(problem.size(), 4));
}

TYPED_TEST_P(KrylovColumnsTest, BothSidesOfThePreconditionerSolveGeneralSystems) {
  const KrylovProblem<TypeParam> problem(reference::random_matrix<typename TypeParam::Scalar>(120, 4, 3),
                                         Factorization::Lu);
  for (const auto side : {PreconditionerSide::Left, PreconditionerSide::Right})
    this->expect_as_alone(problem, {.method = KrylovMethod::BiCGStab, .side = side, .tolerance = problem.tolerance()},
                          true, this->columns_of_all_kinds(problem.size(), 7));
}

TYPED_TEST_P(KrylovColumnsTest, TakesAnyLayoutAndManyColumns) {
  const KrylovProblem<TypeParam> problem(reference::poisson<typename TypeParam::Scalar>(9, 8), Factorization::Cholesky);
  std::vector<typename TestFixture::Column> b;
  for (unsigned k = 0; k < 19; ++k) b.push_back(random_vector<typename TypeParam::Scalar>(problem.size(), k));
  typename TestFixture::Solver solver(typename TypeParam::Space(), 72, {.tolerance = problem.tolerance()});
  const auto left = this->template solve<Kokkos::LayoutLeft>(solver, problem.A(), problem.M(), b, 72);
  const auto right = this->template solve<Kokkos::LayoutRight>(solver, problem.A(), problem.M(), b, 72);
  for (std::size_t k = 0; k < b.size(); ++k) {
    EXPECT_TRUE(left.results[k].converged());
    EXPECT_EQ(left.results[k].iterations, right.results[k].iterations);
    EXPECT_EQ(left.x[k], right.x[k]);
  }
}

REGISTER_TYPED_TEST_SUITE_P(KrylovColumnsTest, EachColumnTakesTheIterationsThatItTakesAlone,
                            BothSidesOfThePreconditionerSolveGeneralSystems, TakesAnyLayoutAndManyColumns);

}  // namespace terrace::test
