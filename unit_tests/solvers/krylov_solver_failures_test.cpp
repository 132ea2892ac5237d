// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What remains after something has failed: x, the residuals on record, the solver; and what limits cost that are not
// reached.
#include <climits>
#include <terrace/terrace.hpp>

#include "solvers/krylov_solver_columns_test.hpp"
#include "support/failing_memory.hpp"

namespace terrace::test {
namespace {

template <class Space>
class KrylovFailures : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Suite = KrylovColumnsTest<Tested>;
  using Problem = KrylovProblem<Tested>;
  using Solver = KrylovSolver<double, Space>;
  using Vector = typename Problem::Vector;
  using Matrix = reference::GeneralMatrix<double>;
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(KrylovFailures, TestedSpaces);

/// Makes NaN of everything, also of zero.
template <class Space>
struct NotANumber {
  using Operator = LinearOperator<double, Space>;
  void apply(const Space& space, const typename Operator::input_type&, const typename Operator::output_type& y) const {
    Kokkos::deep_copy(space, y, std::nan(""));
  }
};

TYPED_TEST(KrylovFailures, AConvergedStartIsLeftAloneWhateverThePreconditionerMakesOfZero) {
  const typename TestFixture::Problem problem(reference::poisson<double>(6, 4), Factorization::Lu);
  const auto b = reference::multiply(problem.matrix(), std::vector<double>(24, 2.0));
  const auto device_b = to_device<double, typename TestFixture::Tested::Device>(b);
  for (const auto method : all_methods) {
    const typename TestFixture::Vector x("x", 24);
    Kokkos::deep_copy(x, 2.0);
    const auto result = typename TestFixture::Solver(TypeParam(), 24, {.method = method})
                            .solve(TypeParam(), problem.A(), device_b, x, NotANumber<TypeParam>());
    EXPECT_TRUE(result.converged()) << to_string(method);
    EXPECT_EQ(to_host(x), std::vector<double>(24, 2.0)) << to_string(method);
  }
}

TYPED_TEST(KrylovFailures, APreconditionerThatMakesNaNLeavesTheFirstGuess) {
  const typename TestFixture::Problem problem(reference::poisson<double>(6, 4), Factorization::Lu);
  const auto b = to_device<double, typename TestFixture::Tested::Device>(problem.ones());
  for (const auto method : all_methods) {
    const typename TestFixture::Vector x("x", 24);
    Kokkos::deep_copy(x, 3.0);
    const auto result = typename TestFixture::Solver(TypeParam(), 24, {.method = method})
                            .solve(TypeParam(), problem.A(), b, x, NotANumber<TypeParam>());
    EXPECT_EQ(result.reason, StopReason::NotFinite) << to_string(method);
    EXPECT_EQ(to_host(x), std::vector<double>(24, 3.0)) << to_string(method);
  }
}

TYPED_TEST(KrylovFailures, ThereIsAResidualOfTheStartWhateverBIs) {
  const typename TestFixture::Problem problem(reference::poisson<double>(6, 4), Factorization::Lu);
  for (const double value : {0.0, std::nan(""), HUGE_VAL})
    for (const auto method : all_methods) {
      const auto b = to_device<double, typename TestFixture::Tested::Device>(std::vector<double>(24, value));
      const typename TestFixture::Vector x("x", 24);
      const auto result =
          typename TestFixture::Solver(TypeParam(), 24, {.method = method}).solve(TypeParam(), problem.A(), b, x);
      ASSERT_EQ(result.residuals.size(), 1U) << to_string(method) << ", b = " << value;
      EXPECT_EQ(std::isfinite(result.residuals.front()), value == 0.0);
    }
}

TYPED_TEST(KrylovFailures, AfterABreakdownTheResidualOnRecordIsThatOfX) {
  // After half a step from zero s = (0, -2), and A s = 0: x stays zero, whose residual is b.
  typename TestFixture::Matrix half(2);
  half.rows[0] = {{0, 1.0}, {1, 0.0}};
  half.rows[1] = {{0, 2.0}, {1, 0.0}};
  // (r~, A r) = 0.
  typename TestFixture::Matrix rotation(2);
  rotation.rows[0] = {{0, 0.0}, {1, 1.0}};
  rotation.rows[1] = {{0, -1.0}, {1, 0.0}};
  const typename TestFixture::Problem regular(reference::poisson<double>(2, 1), Factorization::Lu);
  for (const auto& matrix : {half, rotation}) {
    const DeviceArrays<typename TestFixture::Tested> arrays(reference::compress(matrix));
    const typename TestFixture::Problem::Operator A(
        typename TestFixture::Problem::Matrix("A", 2, 2, 4, arrays.values, arrays.row_map, arrays.entries));
    const auto b = to_device<double, typename TestFixture::Tested::Device>(std::vector<double>{1.0, 0.0});
    const typename TestFixture::Vector x("x", 2);
    const auto result =
        typename TestFixture::Solver(TypeParam(), 2, {.method = KrylovMethod::BiCGStab}).solve(TypeParam(), A, b, x);
    EXPECT_EQ(result.reason, StopReason::Breakdown);
    EXPECT_NEAR(result.recursive_residual, result.true_residual, 1e-12);
    EXPECT_EQ(result.recursive_residual, result.residuals.back());
  }
}

TYPED_TEST(KrylovFailures, AnAllocationThatFailsLeavesTheSolverAsItWas) {
  const typename TestFixture::Problem problem(reference::poisson<double>(9, 7), Factorization::Cholesky);
  const std::vector<std::vector<double>> one{problem.ones()}, three(3, problem.ones());
  for (const auto method : TestFixture::Suite::methods) {
    typename TestFixture::Solver solver(TypeParam(), 63, {.method = method});
    const auto b = to_device_columns<typename TestFixture::Tested, Kokkos::LayoutLeft>(three, 63);
    const auto expected = TestFixture::Suite::solve(solver, problem.A(), problem.M(), one, 63);
    const auto solve_columns = [&] {
      const auto x = to_device_columns<typename TestFixture::Tested, Kokkos::LayoutLeft>(
          std::vector<std::vector<double>>(3, std::vector<double>(63)), 63);
      solver.solve(TypeParam(), problem.A(), b, x, problem.M());
    };
    // With its old number of columns, and then with the new one.
    const auto solves_as_before = [&] {
      const auto alone = TestFixture::Suite::solve(solver, problem.A(), problem.M(), one, 63);
      EXPECT_EQ(alone.x, expected.x) << to_string(method);
    };
    EXPECT_GE(fail_in_turn(to_string(method), solve_columns, solves_as_before), 8);
    solves_as_before();
    for (const auto& result : TestFixture::Suite::solve(solver, problem.A(), problem.M(), three, 63).results)
      EXPECT_TRUE(result.converged());
  }
}

/// Bytes that Kokkos allocates while it lives.
class AllocatedBytes {
 public:
  AllocatedBytes() {
    total() = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback([](const Kokkos_Profiling_SpaceHandle, const char*,
                                                               const void*,
                                                               const std::uint64_t size) { total() += size; });
  }
  ~AllocatedBytes() { Kokkos::Tools::Experimental::set_callbacks({}); }
  static std::uint64_t& total() {
    static std::uint64_t bytes = 0;
    return bytes;
  }
};

TYPED_TEST(KrylovFailures, ALimitThatIsNotReachedCostsNoMemory) {
  const auto bytes = [](int most) {
    const AllocatedBytes counting;
    const typename TestFixture::Solver solver(TypeParam(), 100, {.max_iterations = most});
    return AllocatedBytes::total();
  };
  bytes(1);  // the first of a process: Kokkos allocates what it reduces in
  ASSERT_EQ(bytes(1000), bytes(1000000));
  EXPECT_EQ(bytes(1000), bytes(INT_MAX));
  const typename TestFixture::Problem problem(reference::poisson<double>(10, 10), Factorization::Cholesky);
  for (const auto method : all_methods)
    for (const int check_every : {1, 10, 200}) {
      const auto result = problem.solve({.method = method, .max_iterations = INT_MAX, .check_every = check_every}, true,
                                        problem.ones());
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(static_cast<int>(result.residuals.size()), result.iterations + 1);
    }
}

TYPED_TEST(KrylovFailures, AllResidualsOfManyIterationsAreKept) {
  typename TestFixture::Matrix cyclic(40);
  for (int row = 0; row < 40; ++row) cyclic.rows[row] = {{row, 0.0}, {(row + 1) % 40, 1.0}};
  for (int row = 0; row < 40; ++row) cyclic.rows[row][row] = 0.001;
  const typename TestFixture::Problem problem(cyclic, Factorization::Lu);
  std::vector<double> b(40, 0.0);
  b[0] = 1.0;
  KrylovOptions options{
      .method = KrylovMethod::Gmres, .max_iterations = 9001, .restart = 5, .stagnation_window = 20000};
  const auto every = problem.solve(options, false, b);
  EXPECT_EQ(every.reason, StopReason::IterationLimit);
  ASSERT_EQ(every.residuals.size(), 9002U);
  for (const int check_every : {7, 5000, INT_MAX}) {
    options.check_every = check_every;
    EXPECT_EQ(problem.solve(options, false, b).residuals, every.residuals) << check_every;
  }
}

}  // namespace
}  // namespace terrace::test
