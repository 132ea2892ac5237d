// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several right-hand sides: what callers can get wrong, and columns of which one fails.
#include <terrace/terrace.hpp>

#include "solvers/krylov_solver_columns_test.hpp"

namespace terrace::test {
namespace {

template <class Space>
class KrylovColumnsInterface : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Suite = KrylovColumnsTest<Tested>;
  using Problem = KrylovProblem<Tested>;
  using Views = Kokkos::View<double**, Kokkos::LayoutLeft, typename Tested::Device>;
  using Column = std::vector<double>;
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(KrylovColumnsInterface, TestedSpaces);

/// Knows one vector only, and counts.
template <class Space>
struct OneByOne {
  using Operator = LinearOperator<double, Space>;
  const Operator& wrapped;
  int* applied;
  void apply(const Space& space, const typename Operator::input_type& x,
             const typename Operator::output_type& y) const {
    ++*applied;
    wrapped.apply(space, x, y);
  }
};

TYPED_TEST(KrylovColumnsInterface, OperatorsOfOneVectorAreAppliedColumnByColumn) {
  const typename TestFixture::Problem problem(reference::poisson<double>(10, 10), Factorization::Cholesky);
  const LinearOperator<double, TypeParam> A(problem.A());
  int applied = 0;
  const OneByOne<TypeParam> one_by_one{A, &applied};
  const std::vector<std::vector<double>> b(3, problem.ones());
  KrylovSolver<double, TypeParam> solver(TypeParam(), 100);
  const auto together = TestFixture::Suite::solve(solver, one_by_one, problem.M(), b, 100);
  const auto expected = TestFixture::Suite::solve(solver, problem.A(), problem.M(), {problem.ones()}, 100);
  for (const auto& result : together.results) EXPECT_EQ(result.iterations, expected.results.front().iterations);
  EXPECT_EQ(applied % 3, 0);
  EXPECT_GE(applied, 3 * expected.results.front().iterations);
}

TYPED_TEST(KrylovColumnsInterface, AColumnThatFailsLeavesTheOthersAlone) {
  // (r~, A r) = 0 for a rotation by a right angle, and only there; the third unknown stands for itself.
  reference::GeneralMatrix<double> rotation(3);
  rotation.rows[0] = {{0, 0.0}, {1, 1.0}};
  rotation.rows[1] = {{0, -1.0}, {1, 0.0}};
  rotation.rows[2] = {{2, 2.0}};
  const typename TestFixture::Problem problem(reference::poisson<double>(3, 1), Factorization::Lu);
  const typename TestFixture::Problem turned(rotation, Factorization::Lu);
  KrylovSolver<double, TypeParam> solver(TypeParam(), 3, {.method = KrylovMethod::BiCGStab});
  const std::vector<std::vector<double>> b{{0, 0, 4}, {1, 2, 0}, {1, NAN, 0}, {0, 0, 0}};
  const auto solved = TestFixture::Suite::solve(solver, turned.A(), {}, b, 3);
  EXPECT_EQ(solved.results[0].reason, StopReason::Converged);
  EXPECT_NEAR(solved.x[0][2], 2.0, 1e-12);
  EXPECT_EQ(solved.results[1].reason, StopReason::Breakdown);
  EXPECT_EQ(solved.results[2].reason, StopReason::NotFinite);
  EXPECT_EQ(solved.results[3].reason, StopReason::Converged);
  EXPECT_EQ(solved.results[3].iterations, 0);
}

TYPED_TEST(KrylovColumnsInterface, ColumnsStopAtTheLimitTogether) {
  const typename TestFixture::Problem problem(reference::poisson<double>(20, 20), Factorization::Lu);
  KrylovSolver<double, TypeParam> solver(TypeParam(), 400, {.max_iterations = 5, .check_every = 3});
  std::vector<double> easy(400, 0.0);
  const auto solved = TestFixture::Suite::solve(solver, problem.A(), {}, {problem.ones(), easy}, 400);
  EXPECT_EQ(solved.results[0].reason, StopReason::IterationLimit);
  EXPECT_EQ(solved.results[0].iterations, 5);
  EXPECT_EQ(solved.results[1].reason, StopReason::Converged);
}

TYPED_TEST(KrylovColumnsInterface, NoColumnsAreSolvedAtOnce) {
  const typename TestFixture::Problem problem(reference::poisson<double>(3, 1), Factorization::Lu);
  KrylovSolver<double, TypeParam> solver(TypeParam(), 3);
  const typename TestFixture::Views none("none", 3, 0);
  EXPECT_TRUE(solver.solve(TypeParam(), problem.A(), none, none).empty());
}

TYPED_TEST(KrylovColumnsInterface, RejectsColumnsThatDoNotFit) {
  const typename TestFixture::Problem problem(reference::poisson<double>(3, 1), Factorization::Lu);
  KrylovSolver<double, TypeParam> solver(TypeParam(), 3);
  const typename TestFixture::Views two("two", 3, 2), three("three", 3, 3), long_two("long", 4, 2);
  EXPECT_THROW(solver.solve(TypeParam(), problem.A(), two, three), Error);
  EXPECT_THROW(solver.solve(TypeParam(), problem.A(), long_two, two), Error);
}

TYPED_TEST(KrylovColumnsInterface, GmresTakesOneColumnAndNamesTheMethodsThatTakeMore) {
  const typename TestFixture::Problem problem(reference::poisson<double>(3, 1), Factorization::Lu);
  const typename TestFixture::Views one("one", 3, 1), two("two", 3, 2);
  for (const auto method : {KrylovMethod::Gmres, KrylovMethod::FlexibleGmres}) {
    KrylovSolver<double, TypeParam> solver(TypeParam(), 3, {.method = method});
    EXPECT_EQ(solver.solve(TypeParam(), problem.A(), one, one).size(), 1U);
    try {
      solver.solve(TypeParam(), problem.A(), two, two);
      FAIL() << to_string(method);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
      EXPECT_NE(std::string(error.what()).find("cg and bicgstab"), std::string::npos);
    }
  }
}

TYPED_TEST(KrylovColumnsInterface, TheMonitorSeesTheLargestResidual) {
  const typename TestFixture::Problem problem(reference::poisson<double>(10, 10), Factorization::Cholesky);
  std::vector<std::pair<int, double>> seen;
  KrylovSolver<double, TypeParam> solver(
      TypeParam(), 100, {.monitor = [&](int iteration, double residual) { seen.emplace_back(iteration, residual); }});
  std::vector<double> unit(100, 0.0);
  unit[3] = 1.0;
  const auto solved = TestFixture::Suite::solve(solver, problem.A(), problem.M(), {problem.ones(), unit}, 100);
  const int most = std::max(solved.results[0].iterations, solved.results[1].iterations);
  ASSERT_EQ(static_cast<int>(seen.size()), most);
  EXPECT_EQ(seen.back().first, most);
  EXPECT_EQ(seen.front().second, std::max(solved.results[0].residuals[1], solved.results[1].residuals[1]));
}

TYPED_TEST(KrylovColumnsInterface, TheMonitorSeesTheNaNOfAColumnThatHasStopped) {
  const typename TestFixture::Problem problem(reference::poisson<double>(10, 10), Factorization::Cholesky);
  std::vector<std::vector<double>> guesses(2, std::vector<double>(100));
  guesses[0][3] = std::nan("");
  const auto b = to_device_columns<typename TestFixture::Tested, Kokkos::LayoutLeft>(
      std::vector<std::vector<double>>(2, problem.ones()), 100);
  for (const auto method : {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab}) {
    std::vector<double> seen;
    KrylovSolver<double, TypeParam> solver(
        TypeParam(), 100, {.method = method, .monitor = [&](int, double residual) { seen.push_back(residual); }});
    const auto x = to_device_columns<typename TestFixture::Tested, Kokkos::LayoutLeft>(guesses, 100);
    const auto results = solver.solve(TypeParam(), problem.A(), b, x, problem.M());
    EXPECT_EQ(results[0].reason, StopReason::NotFinite) << to_string(method);
    EXPECT_TRUE(results[1].converged()) << to_string(method);
    ASSERT_FALSE(seen.empty()) << to_string(method);
    for (const double residual : seen) EXPECT_TRUE(std::isnan(residual)) << to_string(method) << ": " << residual;
  }
}

TYPED_TEST(KrylovColumnsInterface, ProductsOfSeveralVectorsAreThoseOfEach) {
  const auto matrix = reference::random_matrix<double>(300, 7, 11);
  const typename TestFixture::Problem problem(matrix, Factorization::Lu);
  for (const std::size_t columns : {1U, 2U, 8U, 9U}) {
    std::vector<std::vector<double>> vectors;
    for (unsigned k = 0; k < columns; ++k) vectors.push_back(random_vector<double>(300, k));
    const auto x = to_device_columns<typename TestFixture::Tested, Kokkos::LayoutLeft>(vectors, 300);
    const typename TestFixture::Views y("y", 300, columns);
    problem.A().apply(TypeParam(), x, y);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (std::size_t k = 0; k < columns; ++k) {
      const auto expected = reference::multiply(matrix, vectors[k]);
      for (std::size_t row = 0; row < 300; ++row) EXPECT_NEAR(found(row, k), expected[row], 1e-12);
    }
  }
  const typename TestFixture::Views wrong("wrong", 299, 1), one("one", 300, 1);
  EXPECT_THROW(problem.A().apply(TypeParam(), wrong, one), Error);
}

}  // namespace
}  // namespace terrace::test
