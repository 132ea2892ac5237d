// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StructuredFactor against incomplete factorizations and substitutions on rows.
#pragma once

#include <cmath>
#include <terrace/structured_factor.hpp>

#include "reference/sparse_incomplete_lu.hpp"
#include "support/device_grid_matrix.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {

/// The sweeps that the space has.
template <class Space>
std::vector<SweepAlgorithm> sweep_algorithms() {
  if (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible)
    return {SweepAlgorithm::Automatic, SweepAlgorithm::Wavefronts};
  return {SweepAlgorithm::Sequential, SweepAlgorithm::Pipelined, SweepAlgorithm::Wavefronts};
}

template <class T>
class StructuredFactorTest : public ::testing::Test {
 public:
  using Numbers = std::vector<typename T::Scalar>;
  using Factor = StructuredFactor<typename T::Scalar, typename T::Space>;
  using Matrix = reference::GridMatrix<typename T::Scalar>;

  static Factor factorize(const Matrix& A, bool symmetric, const StructuredFactorOptions& options) {
    return Factor(typename T::Space(), to_device_matrix<T>(A, symmetric), options);
  }

  static Numbers solve(const Factor& M, const Numbers& b, Op op = Op::None) {
    const auto x = to_device<typename T::Scalar, typename T::Device>(b);
    M.solve(typename T::Space(), x, x, op);
    return to_host(x);
  }

  /// How far `found` is from `expected`, in units of rounding of the largest number.
  static double error_of(const Numbers& found, const std::vector<double>& expected) {
    return relative_difference(found, expected) / double(std::numeric_limits<typename T::Scalar>::epsilon());
  }

  static std::vector<double> widen(const Numbers& from) { return {from.begin(), from.end()}; }

  static void check_against_rows(const Matrix& A, bool symmetric, const StructuredFactorOptions& options) {
    SCOPED_TRACE(to_string(A.grid) + (symmetric ? " symmetric " : " general ") + to_string(options.algorithm) +
                 " relaxation " + std::to_string(options.relaxation));
    const auto expected = reference::factorize_incompletely(A.rows(), options.relaxation);
    const auto M = factorize(A, symmetric, options);
    EXPECT_FALSE(M.info().breakdown);
    std::vector<double> inverse;
    for (int c = 0; c < A.size(); ++c) inverse.push_back(1 / expected.pivot(c));
    EXPECT_LE(error_of(to_host(M.inverse_pivots()), inverse), 100);
    const auto b = random_vector<typename T::Scalar>(A.size(), 7);
    EXPECT_LE(error_of(solve(M, b), expected.solve(widen(b))), 100);
    if (symmetric) return;
    EXPECT_LE(error_of(solve(M, b, Op::Transpose), expected.transposed().solve(widen(b))), 100);
  }

  template <class Call>
  static Error thrown_by(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {ErrorCode::InvalidFile, ""};
  }
};

TYPED_TEST_SUITE_P(StructuredFactorTest);

TYPED_TEST_P(StructuredFactorTest, AgreesWithRowsOnEveryShapeUpToNine) {
  int shape = 0;
  for_each_grid(9, [&](const Grid& grid) {
    const double relaxation = 0.5 * (++shape % 3);
    const bool symmetric = shape % 2 == 0;
    const auto A = reference::make_grid_matrix<typename TypeParam::Scalar>(grid, symmetric, 100u + shape, 2.0);
    for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>()) {
      const bool many_kernels = algorithm == SweepAlgorithm::Wavefronts;
      if (!many_kernels || grid.wavefronts() <= 8 || shape % 16 == 0)
        this->check_against_rows(A, symmetric, {.relaxation = relaxation, .algorithm = algorithm});
    }
  });
}

TYPED_TEST_P(StructuredFactorTest, AgreesWithRowsWhereThreadsShareTheGrid) {
  for (const Grid& grid : {Grid{300, 41, 1}, Grid{33, 130, 1}, Grid{40, 33, 17}, Grid{3, 150, 7}, Grid{700, 1, 1}})
    for (const bool symmetric : {true, false}) {
      const auto A = reference::make_grid_matrix<typename TypeParam::Scalar>(grid, symmetric, 9, 2.0);
      for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>())
        if (algorithm != SweepAlgorithm::Wavefronts || grid.wavefronts() < 100)
          this->check_against_rows(A, symmetric, {.relaxation = 1.0, .algorithm = algorithm});
    }
}

TYPED_TEST_P(StructuredFactorTest, KeepsRowSumsAtRelaxationOne) {
  using Scalar = typename TypeParam::Scalar;
  for (const bool symmetric : {true, false}) {
    const auto A = reference::make_grid_matrix<Scalar>({6, 5, 4}, symmetric, 3, 2.0);
    const auto M = this->factorize(A, symmetric, {.relaxation = 1.0});
    const std::vector<Scalar> ones(static_cast<std::size_t>(A.size()), Scalar(1));
    const auto row_sums = reference::multiply(A.rows(), ones);
    EXPECT_LE(this->error_of(this->solve(M, row_sums), this->widen(ones)), 100);
  }
}

TYPED_TEST_P(StructuredFactorTest, SolvesItsHalves) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto A = reference::make_grid_matrix<Scalar>({6, 5, 4}, false, 3, 2.0);
  const auto expected = reference::factorize_incompletely(A.rows(), 0.0);
  const auto b = random_vector<Scalar>(A.size(), 7);
  for (const auto algorithm : sweep_algorithms<typename T::Space>())
    for (const Op op : {Op::None, Op::Transpose}) {
      const auto M = this->factorize(A, false, {.algorithm = algorithm});
      const auto factor = op == Op::None ? expected : expected.transposed();
      const auto x = to_device<Scalar, typename T::Device>(b);
      M.solve_forward(typename T::Space(), x, x, op);
      auto forward = factor.solve_lower(this->widen(b));
      for (int c = 0; c < A.size(); ++c) forward[c] /= factor.pivot(c);
      EXPECT_LE(this->error_of(to_host(x), forward), 100);
      M.solve_backward(typename T::Space(), x, x, op);
      EXPECT_LE(this->error_of(to_host(x), factor.solve(this->widen(b))), 100);
    }
}

TYPED_TEST_P(StructuredFactorTest, SolvesColumnsInEveryLayout) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto A = reference::make_grid_matrix<Scalar>({9, 5, 3}, true, 3, 2.0);
  const std::size_t n = A.center.size();
  const std::vector<std::vector<Scalar>> columns{random_vector<Scalar>(A.size(), 1),
                                                 random_vector<Scalar>(A.size(), 2)};
  const auto left = to_device_columns<T, Kokkos::LayoutLeft>(columns, n);
  const auto right = to_device_columns<T, Kokkos::LayoutRight>(columns, n);
  for (const auto algorithm : sweep_algorithms<typename T::Space>()) {
    const auto M = this->factorize(A, true, {.algorithm = algorithm, .right_hand_sides = 2});
    const Kokkos::View<Scalar**, Kokkos::LayoutRight, typename T::Device> x("x", n, 2);
    const Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename T::Device> y("y", n, 2);
    M.solve(typename T::Space(), left, x);
    M.solve(typename T::Space(), right, y);
    for (std::size_t column = 0; column < 2; ++column) {
      EXPECT_EQ(column_to_host(x, column), this->solve(M, columns[column]));
      EXPECT_EQ(column_to_host(y, column), column_to_host(x, column));
    }
  }
}

TYPED_TEST_P(StructuredFactorTest, TakesTheStepsOfThePaper) {
  using T = TypeParam;
  const std::vector<std::pair<Grid, int>> papers{{{3, 3}, 5}, {{4, 2, 2}, 6}};
  for (const auto& [grid, steps] : papers) {
    const auto A = reference::make_poisson<typename T::Scalar>(grid);
    const auto M = this->factorize(A, true, {.algorithm = SweepAlgorithm::Wavefronts});
    EXPECT_EQ(M.info().wavefronts, steps);
    EXPECT_EQ(M.info().dependent_steps, steps);
    const Kokkos::View<typename T::Scalar*, typename T::Device> x("x", A.center.size());
    const RecordedEvents events;
    M.solve_forward(typename T::Space(), x, x);
    EXPECT_EQ(events.kernels(), steps);
  }
}

TYPED_TEST_P(StructuredFactorTest, CarriesANanWhereItBelongsAndNowhereElse) {
  using Scalar = typename TypeParam::Scalar;
  const Grid grid{6, 9, 3};
  const auto A = reference::make_grid_matrix<Scalar>(grid, true, 3, 2.0);
  for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>()) {
    const auto M = this->factorize(A, true, {.algorithm = algorithm});
    auto b = random_vector<Scalar>(A.size(), 1);
    const GridCell bad{5, 2, 1};
    b[grid.index(bad)] = std::numeric_limits<Scalar>::quiet_NaN();
    const auto x = to_device<Scalar, typename TypeParam::Device>(b);
    M.solve_forward(typename TypeParam::Space(), x, x);
    const auto y = to_host(x);
    for (int c = 0; c < A.size(); ++c) {
      const GridCell at = grid.cell(c);
      EXPECT_EQ(std::isnan(y[c]), at.i >= bad.i && at.j >= bad.j && at.k >= bad.k) << to_string(at);
    }
  }
}

TYPED_TEST_P(StructuredFactorTest, NamesTheCellOfABreakdownAndShiftsUntilItIsGone) {
  using Scalar = typename TypeParam::Scalar;
  auto A = reference::make_poisson<Scalar>({7, 6});
  A.center[A.grid.index({3, 2, 0})] = Scalar(0.4);
  A.center[A.grid.index({5, 4, 0})] = Scalar(0.4);
  for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>()) {
    const auto broken = this->factorize(A, true, {.algorithm = algorithm, .pivots = {.policy = PivotPolicy::Report}});
    EXPECT_EQ(broken.info().breakdown, (GridCell{3, 2, 0}));
    EXPECT_EQ(broken.info().attempts, 1);
    const auto M = this->factorize(A, true, {.algorithm = algorithm});
    EXPECT_FALSE(M.info().breakdown);
    EXPECT_EQ(M.info().first_breakdown, (GridCell{3, 2, 0}));
    EXPECT_EQ(M.info().shift, std::ldexp(1e-3, M.info().attempts - 2));
    auto shifted = A;
    for (Scalar& number : shifted.center) number *= static_cast<Scalar>(1 + M.info().shift);
    const auto expected = reference::factorize_incompletely(shifted.rows(), 0.0);
    EXPECT_NEAR(double(to_host(M.inverse_pivots())[16]) * expected.pivot(16), 1.0, 1e-3);
  }
}

TYPED_TEST_P(StructuredFactorTest, ReportsWhatNoShiftRepairs) {
  auto A = reference::make_grid_matrix<typename TypeParam::Scalar>({4, 4}, false, 3, 2.0);
  const auto cell = static_cast<std::size_t>(A.grid.index({2, 1, 0}));
  const auto expect_to_give_up = [&](int attempts) {
    for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>()) {
      const auto M = this->factorize(
          A, false, {.algorithm = algorithm, .pivots = {.policy = PivotPolicy::Shift, .max_attempts = attempts}});
      EXPECT_EQ(M.info().attempts, attempts) << to_string(algorithm);
      EXPECT_EQ(M.info().first_breakdown, (GridCell{2, 1, 0})) << to_string(algorithm);
      EXPECT_EQ(M.info().breakdown, (GridCell{2, 1, 0})) << to_string(algorithm);
    }
  };
  // A multiple of zero is zero, and where the row has nothing left of the diagonal so is the pivot.
  A.center[cell] = 0;
  for (auto& lower : A.lower) lower[cell] = 0;
  for (const int attempts : {1, 2, 4}) expect_to_give_up(attempts);
  A.center[cell] = std::numeric_limits<typename TypeParam::Scalar>::quiet_NaN();
  expect_to_give_up(4);
}

TYPED_TEST_P(StructuredFactorTest, SeesTheLastPivotOfASingularMatrixBreakDown) {
  auto A = reference::make_poisson<typename TypeParam::Scalar>({8, 8});
  for (int c = 0; c < A.size(); ++c) {
    A.center[c] = 0;
    for (const auto& [column, value] : A.row(c)) A.center[c] += column == c ? 0 : -value;
  }
  const auto M = this->factorize(A, true, {.relaxation = 1.0, .pivots = {.policy = PivotPolicy::Report}});
  EXPECT_EQ(M.info().breakdown, (GridCell{7, 7, 0}));
}

TYPED_TEST_P(StructuredFactorTest, FactorizesAnewWhatTheViewsHold) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  auto A = reference::make_grid_matrix<Scalar>({5, 4, 3}, true, 3, 2.0);
  const Kokkos::View<Scalar*, typename T::Device> center = to_device<Scalar, typename T::Device>(A.center);
  auto diagonals = to_symmetric_diagonals<T>(A);
  diagonals.center = center;
  typename TestFixture::Factor M(typename T::Space(),
                                 StructuredMatrix<Scalar, typename T::Space>(typename T::Space(), A.grid, diagonals));
  for (Scalar& number : A.center) number += 1;
  Kokkos::deep_copy(center, to_device<Scalar, typename T::Device>(A.center));
  M.refactorize(typename T::Space());
  const auto b = random_vector<Scalar>(A.size(), 1);
  const auto expected = reference::factorize_incompletely(A.rows(), 0.0);
  EXPECT_LE(this->error_of(this->solve(M, b), expected.solve(this->widen(b))), 100);
}

TYPED_TEST_P(StructuredFactorTest, RejectsWrongInput) {
  auto A = reference::make_grid_matrix<typename TypeParam::Scalar>({4, 3}, true, 3, 2.0);
  const auto code = [&](const StructuredFactorOptions& options) {
    return this->thrown_by([&] { this->factorize(A, true, options); }).code();
  };
  for (const double relaxation : {-0.1, 1.1, double(NAN)})
    EXPECT_EQ(code({.relaxation = relaxation}), ErrorCode::InvalidOption);
  EXPECT_EQ(code({.pivots = {.policy = PivotPolicy::Shift, .first_shift = 0.0}}), ErrorCode::InvalidOption);
  EXPECT_EQ(code({.pivots = {.policy = PivotPolicy::Shift, .max_attempts = 0}}), ErrorCode::InvalidOption);
  EXPECT_EQ(code({.pivots = {.policy = PivotPolicy::Replace}}), ErrorCode::InvalidOption);
  EXPECT_EQ(code({.pivots = {.threshold = 0.1}}), ErrorCode::InvalidOption);
  EXPECT_EQ(code({.right_hand_sides = 0}), ErrorCode::InvalidOption);
  const auto M = this->factorize(A, true, {});
  const Kokkos::View<typename TypeParam::Scalar*, typename TypeParam::Device> wrong("wrong", 11), right("right", 12);
  EXPECT_EQ(this->thrown_by([&] { M.solve(typename TypeParam::Space(), wrong, right); }).code(),
            ErrorCode::SizeMismatch);
  for (const double bad : {0.0, -1.0, double(NAN)}) {
    A.center[5] = static_cast<typename TypeParam::Scalar>(bad);
    const auto error = this->thrown_by([&] { this->factorize(A, true, {}); });
    EXPECT_EQ(error.code(), ErrorCode::NotPositive);
    EXPECT_EQ(error.line(), 5);
    EXPECT_STREQ(error.what(),
                 "the diagonal entry of cell (1, 1, 0) of the 4 x 3 grid is not positive; a symmetric matrix must be "
                 "positive definite");
  }
}

TYPED_TEST_P(StructuredFactorTest, RepeatedSolvesGiveTheSameBits) {
  using Scalar = typename TypeParam::Scalar;
  for (const Grid& grid : {Grid{200, 60, 1}, Grid{20, 40, 20}}) {
    const auto A = reference::make_grid_matrix<Scalar>(grid, true, 3, 2.0);
    const auto b = random_vector<Scalar>(A.size(), 1);
    for (const auto algorithm : sweep_algorithms<typename TypeParam::Space>()) {
      if (algorithm == SweepAlgorithm::Wavefronts) continue;
      const auto M = this->factorize(A, true, {.algorithm = algorithm});
      const auto first = this->solve(M, b);
      for (int repetition = 0; repetition < 30; ++repetition) ASSERT_EQ(this->solve(M, b), first);
    }
  }
}

TYPED_TEST_P(StructuredFactorTest, SolvesOnTheCallersInstanceWithoutFenceOrAllocation) {
  using T = TypeParam;
  const auto A = reference::make_grid_matrix<typename T::Scalar>({7, 5, 3}, false, 5, 2.0);
  const Kokkos::View<typename T::Scalar*, typename T::Device> b("b", 105), x("x", 105);
  const auto instance = Kokkos::Experimental::partition_space(typename T::Space(), 1)[0];
  for (const auto algorithm : sweep_algorithms<typename T::Space>()) {
    const auto M = this->factorize(A, false, {.algorithm = algorithm});
    EXPECT_FALSE(M.info().reason.empty());
    EXPECT_GT(M.info().bytes_held, 0u);
    const RecordedEvents events;
    for (const Op op : {Op::None, Op::Transpose}) M.solve(instance, b, x, op);
    EXPECT_EQ(events.kernels(), 4 * M.info().kernels);
    EXPECT_EQ(events.fences(), std::vector<std::string>());
    EXPECT_EQ(events.allocations(), 0);
    EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
    EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
  }
}

REGISTER_TYPED_TEST_SUITE_P(StructuredFactorTest, AgreesWithRowsOnEveryShapeUpToNine,
                            AgreesWithRowsWhereThreadsShareTheGrid, KeepsRowSumsAtRelaxationOne, SolvesItsHalves,
                            SolvesColumnsInEveryLayout, TakesTheStepsOfThePaper,
                            CarriesANanWhereItBelongsAndNowhereElse, NamesTheCellOfABreakdownAndShiftsUntilItIsGone,
                            ReportsWhatNoShiftRepairs, SeesTheLastPivotOfASingularMatrixBreakDown,
                            FactorizesAnewWhatTheViewsHold, RejectsWrongInput, RepeatedSolvesGiveTheSameBits,
                            SolvesOnTheCallersInstanceWithoutFenceOrAllocation);

}  // namespace terrace::test
