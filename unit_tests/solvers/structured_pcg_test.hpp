// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StructuredPcg against conjugate gradients on rows, and every way in which it stops.
#pragma once

#include <array>
#include <terrace/structured_pcg.hpp>

#include "reference/conjugate_gradients.hpp"
#include "solvers/structured_factor_test.hpp"

namespace terrace::test {

template <class T>
class StructuredPcgTest : public ::testing::Test {
 public:
  using Numbers = std::vector<typename T::Scalar>;
  using Pcg = StructuredPcg<typename T::Scalar, typename T::Space>;
  using Matrix = reference::GridMatrix<typename T::Scalar>;
  static constexpr bool is_double = std::is_same_v<typename T::Scalar, double>;
  static constexpr double reachable = is_double ? 1e-10 : 1e-5;

  static Pcg make(const Matrix& A, const StructuredFactorOptions& options) {
    return Pcg(typename T::Space(), to_device_matrix<T>(A, true), options);
  }

  /// The solution for the given right-hand side and first guess.
  struct Outcome : StructuredPcgResult {
    Numbers x;
  };
  static Outcome solve(const Pcg& pcg, const Numbers& b, const StructuredPcgOptions& options, Numbers guess = {}) {
    guess.resize(b.size());
    const auto x = to_device<typename T::Scalar, typename T::Device>(guess);
    const auto result =
        pcg.solve(typename T::Space(), to_device<typename T::Scalar, typename T::Device>(b), x, options);
    return {result, to_host(x)};
  }

  static double true_residual(const Matrix& A, const Numbers& b, const Numbers& x) {
    const auto rows = A.rows();
    double residual = 0, norm = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      double sum = double(b[row]);
      for (const auto& [column, value] : rows[row]) sum -= double(value) * double(x[column]);
      residual += sum * sum;
      norm += double(b[row]) * double(b[row]);
    }
    return std::sqrt(residual / norm);
  }

  static void expect_solved(const Pcg& pcg, const Matrix& A) {
    const auto b = random_vector<typename T::Scalar>(A.size(), 5);
    const auto result = solve(pcg, b, {.tolerance = reachable});
    EXPECT_TRUE(result.converged()) << to_string(A.grid) << ": " << to_string(result.reason);
    EXPECT_LE(true_residual(A, b, result.x), 2 * reachable) << to_string(A.grid);
    EXPECT_LE(result.true_residual, reachable) << to_string(A.grid);
  }

  static int iterations_on_poisson(int edge, double relaxation) {
    const auto A = reference::make_poisson<typename T::Scalar>({edge, edge});
    const auto b = random_vector<typename T::Scalar>(A.size(), 5);
    return solve(make(A, {.relaxation = relaxation}), b, {.tolerance = reachable}).iterations;
  }

  /// Positive on the diagonal, and indefinite.
  static Matrix indefinite() {
    auto A = reference::make_poisson<typename T::Scalar>({6, 6});
    A.center.assign(A.center.size(), typename T::Scalar(1));
    return A;
  }

  template <class Call>
  static ErrorCode thrown_by(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorCode::InvalidFile;
  }
};

TYPED_TEST_SUITE_P(StructuredPcgTest);

TYPED_TEST_P(StructuredPcgTest, SolvesOnEverySmallShape) {
  int shape = 0;
  for_each_grid(5, [&](const Grid& grid) {
    const auto A = reference::make_grid_matrix<typename TypeParam::Scalar>(grid, true, 100u + ++shape);
    for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>())
      if (algorithm != SweepAlgorithm::Wavefronts || shape % 8 == 0)
        this->expect_solved(this->make(A, {.relaxation = 0.5 * (shape % 3), .algorithm = algorithm}), A);
    if (shape % 8 == 0)
      this->expect_solved({typename TypeParam::Space(), to_device_matrix<TypeParam>(A, true), NoPreconditioner()}, A);
  });
}

TYPED_TEST_P(StructuredPcgTest, FollowsConjugateGradientsOnRows) {
  for (const Grid& grid : {Grid{13, 11, 1}, Grid{9, 8, 7}, Grid{70, 40, 1}})
    for (const double relaxation : {0.0, 0.9}) {
      const auto A = reference::make_poisson<typename TypeParam::Scalar>(grid);
      const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
      std::vector<reference::Row> rows;
      for (const auto& row : A.rows()) rows.emplace_back(row.begin(), row.end());
      const auto expected = reference::residuals_of_pcg(rows, reference::factorize_incompletely(rows, relaxation),
                                                        {b.begin(), b.end()}, 12);
      for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>()) {
        const auto pcg = this->make(A, {.relaxation = relaxation, .algorithm = algorithm});
        const auto result = this->solve(pcg, b, {.tolerance = 1e-30, .max_iterations = 12, .check_every = 5});
        ASSERT_EQ(result.residuals.size(), expected.size());
        EXPECT_NEAR(result.norm_of_b, expected[0], 1e-6 * expected[0]);
        for (std::size_t k = 0; k < expected.size(); ++k)
          EXPECT_NEAR(result.residuals[k] * expected[0] / expected[k], 1.0, this->is_double ? 1e-9 : 1e-2)
              << to_string(grid) << " " << to_string(algorithm) << " iteration " << k;
      }
    }
}

TYPED_TEST_P(StructuredPcgTest, NeedsFarFewerIterationsWithModifiedFactors) {
  const int ic_small = this->iterations_on_poisson(32, 0.0), ic_large = this->iterations_on_poisson(128, 0.0);
  const int mic_small = this->iterations_on_poisson(32, 1.0), mic_large = this->iterations_on_poisson(128, 1.0);
  EXPECT_LT(2 * mic_large, ic_large);
  EXPECT_GT(double(ic_large) / ic_small, 3.0);    // theory: 4
  EXPECT_LT(double(mic_large) / mic_small, 2.6);  // theory: 2
}

TYPED_TEST_P(StructuredPcgTest, GivesTheSameSolutionHoweverSeldomItChecks) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({40, 30});
  const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  const auto pcg = this->make(A, {.relaxation = 1.0});
  const auto expected = this->solve(pcg, b, {.tolerance = this->reachable, .check_every = 1});
  for (const int every : {2, 7, 256}) {
    const auto found = this->solve(pcg, b, {.tolerance = this->reachable, .check_every = every});
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_EQ(found.residuals, expected.residuals);
    EXPECT_EQ(found.x, expected.x);
  }
  EXPECT_EQ(static_cast<int>(expected.residuals.size()), expected.iterations + 1);
}

TYPED_TEST_P(StructuredPcgTest, RepeatedSolvesGiveTheSameBits) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({100, 100});
  const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  const auto pcg = this->make(A, {.relaxation = 1.0});
  const auto expected = this->solve(pcg, b, {.max_iterations = 20});
  for (int repetition = 0; repetition < 10; ++repetition)
    ASSERT_EQ(this->solve(pcg, b, {.max_iterations = 20}).x, expected.x);
}

TYPED_TEST_P(StructuredPcgTest, StopsAtOnceWhereNothingIsToDo) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({6, 5, 4});
  const auto pcg = this->make(A, {});
  const typename TestFixture::Numbers zero(A.center.size()), ones(A.center.size(), 1);
  for (const auto& guess : {zero, ones}) {
    const auto result = this->solve(pcg, zero, {}, guess);
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.x, zero);
  }
  const auto exact = this->solve(pcg, reference::multiply(A.rows(), ones), {.tolerance = this->reachable}, ones);
  EXPECT_TRUE(exact.converged());
  EXPECT_EQ(exact.iterations, 0);
}

TYPED_TEST_P(StructuredPcgTest, SolvesOneCellInOneIteration) {
  reference::GridMatrix<typename TypeParam::Scalar> A{{1, 1, 1}, {4}, {{0}, {0}, {0}}, {{0}, {0}, {0}}};
  const auto result = this->solve(this->make(A, {}), {2}, {});
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 1);
  EXPECT_EQ(result.x[0], typename TypeParam::Scalar(0.5));
}

TYPED_TEST_P(StructuredPcgTest, SaysThatItReachedTheLimit) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({40, 40});
  const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  for (const int limit : {0, 3, 10}) {
    const auto result = this->solve(this->make(A, {}), b, {.max_iterations = limit});
    EXPECT_EQ(result.reason, StopReason::IterationLimit);
    EXPECT_EQ(result.iterations, limit);
    EXPECT_NEAR(result.true_residual, result.recursive_residual, 1e-4 * result.recursive_residual);
  }
}

TYPED_TEST_P(StructuredPcgTest, TellsAnIndefiniteMatrixFromABrokenPreconditioner) {
  const auto A = this->indefinite();
  const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  const typename TestFixture::Pcg plain(typename TypeParam::Space(), to_device_matrix<TypeParam>(A, true),
                                        NoPreconditioner());
  EXPECT_EQ(this->solve(plain, b, {}).reason, StopReason::Indefinite);
  const auto broken = this->make(A, {.pivots = {.policy = PivotPolicy::Report}});
  EXPECT_TRUE(broken.factor_info().breakdown);
  const auto result = this->solve(broken, b, {});
  EXPECT_EQ(result.reason, StopReason::PreconditionerBreakdown);
  EXPECT_TRUE(std::isnan(result.true_residual)) << "zero would say that x is a solution";
  const auto shifted = this->make(A, {});
  EXPECT_GT(shifted.factor_info().shift, 0.0);
  EXPECT_EQ(this->solve(shifted, b, {}).reason, StopReason::Indefinite);
}

TYPED_TEST_P(StructuredPcgTest, NoticesWhatIsNotFinite) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({20, 20});
  auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  b[7] = std::numeric_limits<typename TypeParam::Scalar>::quiet_NaN();
  const auto result = this->solve(this->make(A, {}), b, {});
  EXPECT_EQ(result.reason, StopReason::NotFinite);
  EXPECT_EQ(result.x, typename TestFixture::Numbers(b.size()));
}

TYPED_TEST_P(StructuredPcgTest, StagnatesWhereRoundingKeepsTheResidualUp) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({60, 60});
  const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  const auto pcg = this->make(A, {.relaxation = 1.0});
  const auto beyond = this->solve(pcg, b, {.tolerance = this->is_double ? 1e-18 : 1e-9});
  EXPECT_EQ(beyond.reason, StopReason::Stagnation);
  EXPECT_GE(beyond.restarts, 1);
  EXPECT_GT(beyond.true_residual, beyond.recursive_residual);
  const typename TestFixture::Pcg plain(typename TypeParam::Space(), to_device_matrix<TypeParam>(A, true),
                                        NoPreconditioner());
  const typename TestFixture::Numbers smooth(b.size(),
                                             1);  // with which the residual of plain iterations rises at first
  const auto impatient = this->solve(plain, smooth, {.check_every = 1, .stagnation_window = 5});
  EXPECT_EQ(impatient.reason, StopReason::Stagnation);
  EXPECT_EQ(impatient.iterations, 5);
}

TYPED_TEST_P(StructuredPcgTest, ReportsItsProgressAndMayBeGivenUp) {
  const auto A = reference::make_poisson<typename TypeParam::Scalar>({20, 20});
  const auto b = random_vector<typename TypeParam::Scalar>(A.size(), 5);
  const auto pcg = this->make(A, {});
  std::vector<int> seen;
  this->solve(pcg, b, {.max_iterations = 12, .check_every = 5, .monitor = [&](int k, double) { seen.push_back(k); }});
  EXPECT_EQ(seen, (std::vector<int>{5, 10, 12}));
  const auto give_up = [](int, double) { throw std::runtime_error("enough"); };
  EXPECT_THROW(this->solve(pcg, b, {.monitor = give_up}), std::runtime_error);
  EXPECT_TRUE(this->solve(pcg, b, {.tolerance = this->reachable}).converged());
}

TYPED_TEST_P(StructuredPcgTest, FollowsTheMatrixWhenItIsFactorizedAnew) {
  using T = TypeParam;
  auto A = reference::make_poisson<typename T::Scalar>({12, 11});
  const Kokkos::View<typename T::Scalar*, typename T::Device> center =
      to_device<typename T::Scalar, typename T::Device>(A.center);
  auto diagonals = to_symmetric_diagonals<T>(A);
  diagonals.center = center;
  typename TestFixture::Pcg pcg(
      typename T::Space(),
      StructuredMatrix<typename T::Scalar, typename T::Space>(typename T::Space(), A.grid, diagonals),
      StructuredFactorOptions{.relaxation = 1.0});
  for (auto& number : A.center) number += 2;
  Kokkos::deep_copy(center, to_device<typename T::Scalar, typename T::Device>(A.center));
  pcg.refactorize(typename T::Space());
  this->expect_solved(pcg, A);
  const auto b = random_vector<typename T::Scalar>(A.size(), 5);
  const auto fresh = this->solve(this->make(A, {.relaxation = 1.0}), b, {});
  EXPECT_EQ(this->solve(pcg, b, {}).residuals, fresh.residuals);
}

TYPED_TEST_P(StructuredPcgTest, RejectsWrongInput) {
  using T = TypeParam;
  const auto A = reference::make_poisson<typename T::Scalar>({4, 3});
  const auto pcg = this->make(A, {});
  const auto b = random_vector<typename T::Scalar>(12, 5);
  EXPECT_EQ(this->thrown_by([&] { this->solve(pcg, random_vector<typename T::Scalar>(11, 5), {}); }),
            ErrorCode::SizeMismatch);
  for (const auto& options : std::vector<StructuredPcgOptions>{{.tolerance = 0.0},
                                                               {.tolerance = double(NAN)},
                                                               {.max_iterations = -1},
                                                               {.check_every = 0},
                                                               {.check_every = 257},
                                                               {.stagnation_window = -1}})
    EXPECT_EQ(this->thrown_by([&] { this->solve(pcg, b, options); }), ErrorCode::InvalidOption);
  EXPECT_EQ(this->thrown_by([&] {
    typename TestFixture::Pcg(typename T::Space(), to_device_matrix<T>(A, false), StructuredFactorOptions{});
  }),
            ErrorCode::NotSymmetric);
}

TYPED_TEST_P(StructuredPcgTest, IteratesOnTheCallersInstanceWithoutAllocation) {
  using T = TypeParam;
  const auto A = reference::make_poisson<typename T::Scalar>({7, 5, 3});
  const auto instance = Kokkos::Experimental::partition_space(typename T::Space(), 1)[0];
  const Kokkos::View<typename T::Scalar*, typename T::Device> b("b", 105), x("x", 105);
  Kokkos::deep_copy(b, typename T::Scalar(1));
  for (const auto algorithm : sweep_algorithms<typename T::Space>()) {
    const typename TestFixture::Pcg pcg(instance, to_device_matrix<T>(A, true),
                                        StructuredFactorOptions{.algorithm = algorithm});
    pcg.solve(instance, b, x, {.max_iterations = 3});
    const RecordedEvents events;
    pcg.solve(instance, b, x, {.tolerance = 1e-30, .max_iterations = 3});
    EXPECT_GE(events.kernels(), 9);
    EXPECT_EQ(events.allocations(), 0);
    EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
    EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
  }
}

TYPED_TEST_P(StructuredPcgTest, PowersOfTwoChangeNoBit) {
  using Scalar = typename TypeParam::Scalar;
  const auto times = [](std::vector<Scalar> numbers, int power) {
    for (Scalar& number : numbers) number = std::ldexp(number, power);
    return numbers;
  };
  // Powers of two of b and of A; roots of pivots have the same bits for even ones.
  const auto powers =
      this->is_double
          ? std::vector<std::array<int, 2>>{{-990, 0}, {-600, -66}, {600, 66}, {1000, 0}, {0, 400}, {0, -400}}
          : std::vector<std::array<int, 2>>{{-90, 0}, {-80, -66}, {80, 66}, {110, 0}, {0, 66}, {0, -66}};
  const auto A = reference::make_poisson<Scalar>({24, 13});
  const auto b = random_vector<Scalar>(A.size(), 5);
  for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>())
    for (const bool preconditioned : {true, false}) {
      const auto solver_of = [&](const reference::GridMatrix<Scalar>& matrix) {
        if (preconditioned) return this->make(matrix, {.relaxation = 0.9, .algorithm = algorithm});
        return typename TestFixture::Pcg(typename TypeParam::Space(), to_device_matrix<TypeParam>(matrix, true),
                                         NoPreconditioner());
      };
      const auto ordinary = this->solve(solver_of(A), b, {.tolerance = this->reachable});
      EXPECT_TRUE(ordinary.converged());
      for (const auto& [of_b, of_A] : powers) {
        if (!this->is_double && preconditioned && of_A != 0) continue;  // pivots square entries of A
        SCOPED_TRACE(std::string(to_string(algorithm)) + " b 2^" + std::to_string(of_b) + " A 2^" +
                     std::to_string(of_A));
        auto scaled = A;
        scaled.center = times(A.center, of_A);
        for (auto* side : {&scaled.lower, &scaled.upper})
          for (auto& numbers : *side) numbers = times(numbers, of_A);
        const auto found = this->solve(solver_of(scaled), times(b, of_b), {.tolerance = this->reachable});
        EXPECT_EQ(found.reason, StopReason::Converged);
        EXPECT_EQ(found.residuals, ordinary.residuals);
        EXPECT_EQ(found.true_residual, ordinary.true_residual);
        EXPECT_EQ(found.norm_of_b, std::ldexp(ordinary.norm_of_b, of_b));
        EXPECT_EQ(times(found.x, of_A - of_b), ordinary.x);
      }
    }
}

TYPED_TEST_P(StructuredPcgTest, SolvesAtTheEndsOfTheRange) {
  using Scalar = typename TypeParam::Scalar;
  const auto magnitudes = this->is_double ? std::vector<double>{1e-300, 1e-200, 1e200, 1e300}
                                          : std::vector<double>{1e-37, 1e-24, 1e20, 1e35};
  for (const double magnitude : magnitudes)
    for (const double of_A : {1e-20, 1.0, 1e20}) {
      const double of_x = magnitude / of_A;
      if (of_x < 4 * double(std::numeric_limits<Scalar>::min()) ||
          of_x > 1e-3 * double(std::numeric_limits<Scalar>::max()))
        continue;
      SCOPED_TRACE("b 1e" + std::to_string(std::log10(magnitude)) + " A 1e" + std::to_string(std::log10(of_A)));
      auto A = reference::make_poisson<Scalar>({24, 13});
      for (auto& number : A.center) number *= Scalar(of_A);
      for (auto* side : {&A.lower, &A.upper})
        for (auto& numbers : *side)
          for (auto& number : numbers) number *= Scalar(of_A);
      auto b = random_vector<Scalar>(A.size(), 5);
      for (auto& number : b) number *= Scalar(magnitude);
      const bool squares = this->is_double || of_A == 1.0;  // pivots square entries of A
      const auto pcg = squares ? this->make(A, {.relaxation = 0.9})
                               : typename TestFixture::Pcg(typename TypeParam::Space(),
                                                           to_device_matrix<TypeParam>(A, true), NoPreconditioner());
      const auto result = this->solve(pcg, b, {.tolerance = 10 * this->reachable});
      EXPECT_EQ(result.reason, StopReason::Converged);
      EXPECT_GT(result.iterations, 3);
      EXPECT_LE(result.true_residual, 10 * this->reachable);
      EXPECT_NEAR(result.norm_of_b / magnitude, std::sqrt(A.size() / 3.0), 0.2 * std::sqrt(A.size() / 3.0));
    }
}

TYPED_TEST_P(StructuredPcgTest, AFirstGuessMayBeFarTooLarge) {
  using Scalar = typename TypeParam::Scalar;
  const auto A = reference::make_poisson<Scalar>({24, 13});
  const auto b = random_vector<Scalar>(A.size(), 5);
  auto guess = random_vector<Scalar>(A.size(), 6);
  for (auto& number : guess) number *= this->is_double ? Scalar(1e120) : Scalar(1e25);
  const auto result = this->solve(this->make(A, {.relaxation = 0.9}), b, {.tolerance = this->reachable}, guess);
  EXPECT_EQ(result.reason, StopReason::Converged);
  EXPECT_LE(this->true_residual(A, b, result.x), 2 * this->reachable);
}

REGISTER_TYPED_TEST_SUITE_P(StructuredPcgTest, PowersOfTwoChangeNoBit, SolvesAtTheEndsOfTheRange,
                            AFirstGuessMayBeFarTooLarge, SolvesOnEverySmallShape, FollowsConjugateGradientsOnRows,
                            NeedsFarFewerIterationsWithModifiedFactors, GivesTheSameSolutionHoweverSeldomItChecks,
                            RepeatedSolvesGiveTheSameBits, StopsAtOnceWhereNothingIsToDo, SolvesOneCellInOneIteration,
                            SaysThatItReachedTheLimit, TellsAnIndefiniteMatrixFromABrokenPreconditioner,
                            NoticesWhatIsNotFinite, StagnatesWhereRoundingKeepsTheResidualUp,
                            ReportsItsProgressAndMayBeGivenUp, FollowsTheMatrixWhenItIsFactorizedAnew,
                            RejectsWrongInput, IteratesOnTheCallersInstanceWithoutAllocation);

}  // namespace terrace::test
