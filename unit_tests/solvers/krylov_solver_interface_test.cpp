// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How iterations end when they do not converge, what callers can get wrong, and what is promised about waiting.
#include <terrace/terrace.hpp>

#include "backends/tuned.hpp"
#include "solvers/krylov_solver_test.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

template <class Space>
class KrylovInterface : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Problem = KrylovProblem<Tested>;
  using Matrix = reference::GeneralMatrix<double>;
  using Vector = typename Problem::Vector;

  static Matrix diagonal(const std::vector<double>& values) {
    Matrix matrix(static_cast<int>(values.size()));
    for (int row = 0; row < matrix.size(); ++row) matrix.rows[row][row] = values[static_cast<std::size_t>(row)];
    return matrix;
  }

  /// x_i = b_{i+1}: each step of GMRES finds one more unknown, and the residual stays until the last.
  static Matrix cyclic(int n) {
    Matrix matrix(n);
    for (int row = 0; row < n; ++row) {
      matrix.rows[row][row] = 0.0;
      matrix.rows[row][(row + 1) % n] = 1.0;
    }
    return matrix;
  }

  static StopReason reason_of(const Matrix& matrix, const KrylovOptions& options, std::vector<double> b = {}) {
    const Problem problem(matrix, Factorization::Lu);
    if (b.empty()) b = problem.ones();
    const auto device_b = to_device<double, typename Tested::Device>(b);
    const Vector x("x", b.size());
    return KrylovSolver<double, Space>(Space(), b.size(), options).solve(Space(), problem.A(), device_b, x).reason;
  }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(KrylovInterface, TestedSpaces);

TYPED_TEST(KrylovInterface, AZeroRightHandSideGivesZero) {
  const typename TestFixture::Problem problem(reference::poisson<double>(5, 5), Factorization::Lu);
  for (const auto method : all_methods) {
    const typename TestFixture::Vector b("b", 25), x("x", 25);
    Kokkos::deep_copy(x, 3.0);
    KrylovSolver<double, TypeParam> solver(TypeParam(), 25, {.method = method});
    const auto result = solver.solve(TypeParam(), problem.A(), b, x, problem.M());
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(to_host(x), std::vector<double>(25, 0.0));
  }
}

TYPED_TEST(KrylovInterface, AnExactStartNeedsNoIteration) {
  const typename TestFixture::Problem problem(reference::poisson<double>(6, 4), Factorization::Lu);
  const auto b = reference::multiply(problem.matrix(), std::vector<double>(24, 2.0));
  const auto device_b = to_device<double, typename TestFixture::Tested::Device>(b);
  for (const auto method : all_methods) {
    const typename TestFixture::Vector x("x", 24);
    Kokkos::deep_copy(x, 2.0);
    KrylovSolver<double, TypeParam> solver(TypeParam(), 24, {.method = method});
    const auto result = solver.solve(TypeParam(), problem.A(), device_b, x, problem.M());
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(to_host(x), std::vector<double>(24, 2.0));
  }
}

TYPED_TEST(KrylovInterface, OneSolverSolvesAgainAndAgain) {
  const typename TestFixture::Problem problem(reference::poisson<double>(12, 9), Factorization::Cholesky);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  for (const auto method : all_methods) {
    KrylovSolver<double, TypeParam> solver(TypeParam(), 108, {.method = method, .restart = 5});
    std::vector<double> first;
    for (int repetition = 0; repetition < 3; ++repetition) {
      const typename TestFixture::Vector x("x", 108);
      EXPECT_TRUE(solver.solve(TypeParam(), problem.A(), b, x, problem.M()).converged());
      if (first.empty()) first = to_host(x);
      for (std::size_t row = 0; row < 108; ++row) EXPECT_NEAR(to_host(x)[row], first[row], 1e-9);
    }
  }
}

TYPED_TEST(KrylovInterface, StopsAtTheLimitOfIterations) {
  for (const auto method : all_methods)
    for (const int check_every : {1, 3, 50}) {
      const typename TestFixture::Problem problem(reference::poisson<double>(20, 20), Factorization::Lu);
      const auto result = problem.solve(
          {.method = method, .max_iterations = 4, .restart = 3, .check_every = check_every}, false, problem.ones());
      EXPECT_EQ(result.reason, StopReason::IterationLimit);
      EXPECT_EQ(result.iterations, 4);
      EXPECT_GT(result.true_residual, 1e-8);
    }
}

TYPED_TEST(KrylovInterface, ConjugateGradientsNoticeAnIndefiniteMatrix) {
  EXPECT_EQ(this->reason_of(this->diagonal({1, -4, 2}), {}), StopReason::Indefinite);
  EXPECT_EQ(this->reason_of(this->diagonal({-1, -2, -3}), {}), StopReason::Indefinite);
}

TYPED_TEST(KrylovInterface, ConjugateGradientsNoticeAnIndefinitePreconditioner) {
  const typename TestFixture::Problem problem(reference::poisson<double>(5, 5), Factorization::Lu);
  const typename TestFixture::Problem negative(this->diagonal(std::vector<double>(25, -1.0)), Factorization::Lu);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  const typename TestFixture::Vector x("x", 25);
  KrylovSolver<double, TypeParam> solver(TypeParam(), 25);
  EXPECT_EQ(solver.solve(TypeParam(), problem.A(), b, x, negative.M()).reason, StopReason::Indefinite);
}

TYPED_TEST(KrylovInterface, BreakdownsAreNamed) {
  // (r~, A r) = 0 for a rotation by a right angle.
  typename TestFixture::Matrix rotation(2);
  rotation.rows[0] = {{0, 0.0}, {1, 1.0}};
  rotation.rows[1] = {{0, -1.0}, {1, 0.0}};
  EXPECT_EQ(this->reason_of(rotation, {.method = KrylovMethod::BiCGStab}), StopReason::Breakdown);
  // A r = 0.
  typename TestFixture::Matrix nilpotent(2);
  nilpotent.rows[0] = {{0, 0.0}, {1, 1.0}};
  nilpotent.rows[1] = {{1, 0.0}};
  EXPECT_EQ(this->reason_of(nilpotent, {.method = KrylovMethod::Gmres}, {1.0, 0.0}), StopReason::Breakdown);
}

TYPED_TEST(KrylovInterface, NumbersThatAreNotFiniteAreNamed) {
  for (const auto method : all_methods) {
    auto matrix = reference::poisson<double>(5, 5);
    auto b = std::vector<double>(25, 1.0);
    b[7] = NAN;
    EXPECT_EQ(this->reason_of(matrix, {.method = method}, b), StopReason::NotFinite);
    matrix.rows[3][3] = NAN;
    EXPECT_EQ(this->reason_of(matrix, {.method = method}), StopReason::NotFinite);
  }
}

TYPED_TEST(KrylovInterface, StagnationIsNamed) {
  EXPECT_EQ(this->reason_of(this->cyclic(40), {.method = KrylovMethod::Gmres, .restart = 10, .stagnation_window = 30},
                            [] {
                              std::vector<double> b(40, 0.0);
                              b[0] = 1.0;
                              return b;
                            }()),
            StopReason::Stagnation);
  // Below the rounding unit the recursion converges, and b - A x cannot.
  EXPECT_EQ(this->reason_of(reference::poisson<double>(20, 20), {.tolerance = 1e-17}), StopReason::Stagnation);
}

TYPED_TEST(KrylovInterface, TheMonitorSeesEachLook) {
  const typename TestFixture::Problem problem(reference::poisson<double>(10, 10), Factorization::Cholesky);
  std::vector<std::pair<int, double>> seen;
  const KrylovOptions options{
      .check_every = 2, .monitor = [&](int iteration, double residual) { seen.emplace_back(iteration, residual); }};
  const auto result = problem.solve(options, true, problem.ones());
  ASSERT_EQ(static_cast<int>(seen.size()), (result.iterations + 1) / 2);
  EXPECT_EQ(seen.front().first, 2);
  EXPECT_EQ(seen.back().first, result.iterations);
  for (const auto& [iteration, residual] : seen)
    EXPECT_EQ(residual, result.residuals[static_cast<std::size_t>(iteration)]);
}

TYPED_TEST(KrylovInterface, MeasuresItsPhasesWhenAskedTo) {
  const typename TestFixture::Problem problem(reference::poisson<double>(30, 30), Factorization::Cholesky);
  const auto timed = problem.solve({.time_phases = true}, true, problem.ones());
  EXPECT_GT(timed.operator_seconds, 0);
  EXPECT_GT(timed.preconditioner_seconds, 0);
  EXPECT_LE(timed.operator_seconds + timed.preconditioner_seconds, timed.seconds);
  EXPECT_EQ(problem.solve({}, true, problem.ones()).operator_seconds, 0);
}

TYPED_TEST(KrylovInterface, RejectsOptionsThatDoNotExistAndVectorsOfTheWrongLength) {
  using Solver = KrylovSolver<double, TypeParam>;
  for (const auto& options : std::vector<KrylovOptions>{{.tolerance = -1},
                                                        {.tolerance = NAN},
                                                        {.max_iterations = -1},
                                                        {.restart = 0},
                                                        {.check_every = 0},
                                                        {.stagnation_window = 0}})
    EXPECT_THROW(Solver(TypeParam(), 3, options), Error);
  const typename TestFixture::Problem problem(reference::poisson<double>(3, 1), Factorization::Lu);
  const typename TestFixture::Vector three("three", 3), four("four", 4);
  Solver solver(TypeParam(), 3);
  EXPECT_THROW(solver.solve(TypeParam(), problem.A(), four, three), Error);
  EXPECT_THROW(solver.solve(TypeParam(), problem.A(), three, four), Error);
}

/// Counts how often it is applied, and says whether it may be replayed.
template <class Space, bool Replayable>
struct CountingOperator {
  static constexpr bool is_replayable = Replayable;
  using Operator = LinearOperator<double, Space>;
  const Operator& wrapped;
  int* applied;
  void apply(const Space& space, const typename Operator::input_type& x,
             const typename Operator::output_type& y) const {
    ++*applied;
    wrapped.apply(space, x, y);
  }
};

/// As Kokkos Tools hear it. While a tool listens nothing is replayed: these are iterations that are enqueued one by
/// one.
TYPED_TEST(KrylovInterface, IteratesWithoutWaitingOrAllocatingBetweenLooks) {
  const typename TestFixture::Problem problem(reference::poisson<double>(20, 20), Factorization::Cholesky);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  const LinearOperator<double, TypeParam> A(problem.A());
  for (const auto method : all_methods) {
    const auto count = [&](int iterations) {
      const typename TestFixture::Vector x("x", 400);
      KrylovSolver<double, TypeParam> solver(
          TypeParam(), 400, {.method = method, .tolerance = 0, .max_iterations = iterations, .check_every = 100});
      int applied = 0;
      const CountingOperator<TypeParam, false> counting{A, &applied};
      const RecordedEvents events;
      solver.solve(TypeParam(), counting, b, x, problem.M());
      EXPECT_GE(applied, iterations);
      return std::make_pair(events.fences().size(), events.allocations());
    };
    count(1);  // the first reduction of a process may allocate what Kokkos reduces in
    EXPECT_EQ(count(4), count(12)) << to_string(method);
  }
}

/// Two looks each: at the start and at the end.
TYPED_TEST(KrylovInterface, ALookWaitsAsOftenAfterManyIterationsAsAfterOne) {
  const typename TestFixture::Problem problem(reference::poisson<double>(20, 20), Factorization::Cholesky);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  for (const auto method : all_methods) {
    const auto waits = [&](int iterations) {
      const typename TestFixture::Vector x("x", 400);
      KrylovSolver<double, TypeParam> solver(
          TypeParam(), 400,
          {.method = method, .tolerance = 0, .max_iterations = iterations, .check_every = iterations});
      const RecordedEvents events;
      solver.solve(TypeParam(), problem.A(), b, x, problem.M());
      return events.fences().size();
    };
    EXPECT_EQ(waits(1), waits(5)) << to_string(method);
  }
}

/// Whether iterations of this method are recorded and replayed on the space.
template <class Space>
bool is_replayed(KrylovMethod method) {
  const bool is_short = method == KrylovMethod::ConjugateGradient || method == KrylovMethod::BiCGStab;
  return is_short && parallel::has_tuned_engines<Space>;
}

/// A wait or an allocation cannot be recorded, and an iteration that cannot be recorded asks the operator each time: so
/// the count says that there is none, where the backend replays. Elsewhere it says that each iteration asked.
TYPED_TEST(KrylovInterface, AsksAReplayableOperatorOnlyUntilTheIterationIsRecordedAndGivesTheSameBits) {
  const typename TestFixture::Problem problem(reference::poisson<double>(20, 20), Factorization::Cholesky);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  const LinearOperator<double, TypeParam> A(problem.A());
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  constexpr int iterations = 12;
  for (const auto method : all_methods) {
    const int products = method == KrylovMethod::BiCGStab ? 2 : 1;
    const auto solve = [&](bool replay) {
      const typename TestFixture::Vector x("x", 400);
      KrylovSolver<double, TypeParam> solver(
          instance, 400,
          {.method = method, .tolerance = 0, .max_iterations = iterations, .check_every = 100, .replay = replay});
      int applied = 0;
      const CountingOperator<TypeParam, true> counting{A, &applied};
      EXPECT_EQ(solver.solve(instance, counting, b, x, problem.M()).iterations, iterations);
      return std::make_pair(applied, to_host(x));
    };
    const auto [asked, expected] = solve(false);
    const auto [asked_while_replaying, found] = solve(true);
    EXPECT_GE(asked, products * iterations) << to_string(method);
    if (is_replayed<TypeParam>(method)) EXPECT_LE(asked_while_replaying, 3 * products + 2) << to_string(method);
    else EXPECT_EQ(asked_while_replaying, asked) << to_string(method);
    EXPECT_EQ(found, expected) << to_string(method);
  }
}

}  // namespace
}  // namespace terrace::test
