// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// KrylovSolver against the textbook's iterations, for one scalar, one offset type and one space.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/ilu.hpp>
#include <terrace/krylov_solver.hpp>

#include "reference/dense_incomplete_factors.hpp"
#include "reference/krylov.hpp"
#include "reference/listed_rows.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

inline constexpr KrylovMethod all_methods[] = {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab,
                                               KrylovMethod::Gmres, KrylovMethod::FlexibleGmres};

/// A matrix on the device, its ILU(0) or IC(0), and solves with it.
template <class T>
class KrylovProblem {
 public:
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Vector = Kokkos::View<Scalar*, typename T::Device>;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, int, typename T::Device, void, typename T::Offset>;
  using Operator = CrsOperator<Scalar, int, typename T::Offset, Space>;
  using Factor = IluFactor<Scalar, int, typename T::Offset, Space>;

  KrylovProblem(const reference::GeneralMatrix<Scalar>& matrix, Factorization factorization, bool lists_rows = false)
      : reference_(matrix),
        factorization_(factorization),
        arrays_(reference::compress(matrix)),
        A_(make_operator(
            Matrix("A", matrix.size(), matrix.size(), static_cast<typename T::Offset>(arrays_.values.extent(0)),
                   arrays_.values, arrays_.row_map, arrays_.entries),
            lists_rows)),
        M_(Space(), IluSymbolic(Space(), A_.matrix(), {.factorization = factorization}), arrays_.values) {}

  const reference::GeneralMatrix<Scalar>& matrix() const { return reference_; }
  int size() const { return reference_.size(); }
  const Operator& A() const { return A_; }
  const Factor& M() const { return M_; }

  std::vector<Scalar> ones() const { return std::vector<Scalar>(static_cast<std::size_t>(size()), Scalar(1)); }

  static Operator make_operator(const Matrix& matrix, bool lists_rows) {
    return lists_rows ? Operator(Space(), matrix) : Operator(matrix);
  }

  /// From zero; the true residual is judged here, with the host's arithmetic.
  KrylovResult solve(const KrylovOptions& options, bool preconditioned, const std::vector<Scalar>& b) const {
    const auto device_b = to_device<Scalar, typename T::Device>(b);
    const Vector x("x", b.size());
    KrylovSolver<Scalar, Space> solver(Space(), b.size(), options);
    const auto result =
        preconditioned ? solver.solve(Space(), A_, device_b, x, M_) : solver.solve(Space(), A_, device_b, x);
    const auto residual = reference::plus(b, Scalar(-1), reference::multiply(reference_, to_host(x)));
    const double found = b.empty() ? 0.0 : reference::norm(residual) / reference::norm(b);
    EXPECT_LE(std::abs(found - result.true_residual), 1e-3 * result.true_residual + 100 * unit);
    EXPECT_TRUE(std::isfinite(found));
    return result;
  }

  /// How many iterations the textbook takes, whose preconditioner is the textbook's too.
  int expected(const KrylovOptions& options, bool preconditioned, const std::vector<Scalar>& b) const {
    const reference::Apply<Scalar> A = [&](const auto& x) { return reference::multiply(reference_, x); };
    const reference::Apply<Scalar> identity = [](const auto& r) { return r; };
    const reference::Apply<Scalar> M = preconditioned ? textbook_preconditioner() : identity;
    if (options.method == KrylovMethod::ConjugateGradient)
      return reference::conjugate_gradient<Scalar>(A, M, b, options.tolerance, options.max_iterations);
    if (options.method == KrylovMethod::BiCGStab)
      return reference::bicgstab<Scalar>(A, M, b, options.tolerance, options.max_iterations);
    return reference::Gmres<Scalar>(A, M).solve(b, options.tolerance, options.restart, options.max_iterations);
  }

  /// Solves with the factors of the definition, without fill, on dense arrays.
  reference::Apply<Scalar> textbook_preconditioner() const {
    const bool unit_lower = factorization_ == Factorization::Lu;
    const auto mask = reference::fill_mask(reference_, 0);
    const auto a = reference::to_dense(reference_);
    const auto merged =
        unit_lower ? reference::incomplete_lu(a, mask, 0.0)
                   : reference::incomplete_cholesky(a, mask, 0.0, factorization_ == Factorization::HermitianCholesky);
    return [merged, unit_lower](const std::vector<Scalar>& r) {
      std::vector<std::complex<double>> wide;
      for (const Scalar& value : r) wide.push_back(reference::widen(value));
      std::vector<Scalar> z;
      for (const auto& value : reference::solve_merged(merged, wide, unit_lower))
        z.push_back(reference::narrow<Scalar>(value));
      return z;
    };
  }

  static constexpr double unit = std::numeric_limits<reference::Real<Scalar>>::epsilon();
  static double tolerance() { return unit > 1e-10 ? 1e-4 : 1e-8; }

 private:
  reference::GeneralMatrix<Scalar> reference_;
  Factorization factorization_;
  DeviceArrays<T> arrays_;
  Operator A_;
  Factor M_;
};

template <class T>
class KrylovTest : public ::testing::Test {
 public:
  using Problem = KrylovProblem<T>;

  static void expect_textbook(const Problem& problem, KrylovOptions options) {
    for (const bool preconditioned : {false, true}) {
      const auto b = problem.ones();
      const auto result = problem.solve(options, preconditioned, b);
      EXPECT_EQ(result.reason, StopReason::Converged) << to_string(options.method);
      EXPECT_LE(result.true_residual, options.tolerance);
      EXPECT_NEAR(result.iterations, problem.expected(options, preconditioned, b), 1)
          << to_string(options.method) << (preconditioned ? " preconditioned" : "");
      EXPECT_EQ(result.residuals.size(), static_cast<std::size_t>(result.iterations) + 1);
    }
  }
};

TYPED_TEST_SUITE_P(KrylovTest);

TYPED_TEST_P(KrylovTest, TakesTheIterationsOfTheTextbookOnPoissonGrids) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto& matrix : {reference::poisson<Scalar>(16, 12), reference::poisson<Scalar>(7, 6, 5)}) {
    const KrylovProblem<TypeParam> problem(matrix, Factorization::Cholesky);
    for (const auto method : all_methods)
      this->expect_textbook(problem, {.method = method, .tolerance = problem.tolerance(), .restart = 20});
  }
}

TYPED_TEST_P(KrylovTest, TakesTheIterationsOfTheTextbookOnConvectionDiffusion) {
  using Scalar = typename TypeParam::Scalar;
  const KrylovProblem<TypeParam> problem(reference::convection_diffusion<Scalar>(14, 14, 1, 0.8), Factorization::Lu);
  for (const auto method : {KrylovMethod::BiCGStab, KrylovMethod::Gmres, KrylovMethod::FlexibleGmres})
    for (const int restart : {10, 40})
      this->expect_textbook(problem, {.method = method, .tolerance = problem.tolerance(), .restart = restart});
}

TYPED_TEST_P(KrylovTest, SolvesRandomSystemsFromBothSides) {
  using Scalar = typename TypeParam::Scalar;
  const KrylovProblem<TypeParam> problem(reference::random_matrix<Scalar>(150, 4, 3), Factorization::Lu);
  const auto b = random_vector<Scalar>(150, 9);
  for (const auto method : {KrylovMethod::BiCGStab, KrylovMethod::Gmres})
    for (const auto side : {PreconditionerSide::Left, PreconditionerSide::Right}) {
      const auto result = problem.solve({.method = method, .side = side, .tolerance = problem.tolerance()}, true, b);
      EXPECT_EQ(result.reason, StopReason::Converged);
      EXPECT_LE(result.true_residual, problem.tolerance());
    }
}

TYPED_TEST_P(KrylovTest, LooksNowAndThenWithoutChangingTheResult) {
  using Scalar = typename TypeParam::Scalar;
  const KrylovProblem<TypeParam> problem(reference::poisson<Scalar>(15, 15), Factorization::Cholesky);
  const auto b = problem.ones();
  for (const auto method : all_methods) {
    KrylovOptions options{.method = method, .tolerance = problem.tolerance(), .restart = 8};
    const auto every = problem.solve(options, true, b);
    for (const int check_every : {7, 1000}) {
      options.check_every = check_every;
      const auto seldom = problem.solve(options, true, b);
      EXPECT_EQ(seldom.reason, StopReason::Converged) << to_string(method);
      EXPECT_EQ(seldom.iterations, every.iterations) << to_string(method);
      EXPECT_LE(seldom.true_residual, problem.tolerance());
    }
  }
}

TYPED_TEST_P(KrylovTest, TakesSystemsOfSizeZeroAndOne) {
  using Scalar = typename TypeParam::Scalar;
  for (const auto method : all_methods) {
    const KrylovProblem<TypeParam> none(reference::GeneralMatrix<Scalar>(0), Factorization::Lu);
    reference::GeneralMatrix<Scalar> four(1);
    four.rows[0][0] = Scalar(4);
    const KrylovProblem<TypeParam> one(four, Factorization::Lu);
    EXPECT_TRUE(none.solve({.method = method}, true, {}).converged());
    for (const bool preconditioned : {false, true}) {
      const auto result = one.solve({.method = method, .tolerance = one.tolerance()}, preconditioned, {Scalar(2)});
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(result.iterations, 1);
    }
  }
}

/// On a GPU a lane, a warp, a thread block or a cluster of them adds up a row.
TYPED_TEST_P(KrylovTest, MultipliesWithRowsOfEveryLength) {
  using Scalar = typename TypeParam::Scalar;
  using Columns = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename TypeParam::Device>;
  std::vector<int> lengths(1000, 4);
  lengths[3] = lengths[999] = 0;
  lengths[17] = 300;
  lengths[200] = 2048;
  lengths[201] = 2049;
  lengths[202] = 40001;
  lengths[998] = 7000;
  for (int row = 300; row < 340; ++row) lengths[row] = 900 + 20 * (row % 16);  // hubs beside each other
  const auto rows = reference::rows_of_lengths<Scalar>(lengths, 60000, 3);
  const DeviceArrays<TypeParam> arrays(rows.compressed());
  const typename TypeParam::Space space;
  const typename KrylovProblem<TypeParam>::Matrix matrix(
      "A", 1000, 60000, static_cast<typename TypeParam::Offset>(arrays.values.extent(0)), arrays.values, arrays.row_map,
      arrays.entries);
  for (const bool lists_rows : {false, true}) {
    const auto A = lists_rows ? CrsOperator(space, matrix) : CrsOperator(matrix);
    for (const std::size_t columns : {1, 2, 9}) {
      std::vector<std::vector<Scalar>> vectors;
      for (unsigned k = 0; k < columns; ++k) vectors.push_back(random_vector<Scalar>(60000, k));
      const auto X = to_device_columns<TypeParam, Kokkos::LayoutLeft>(vectors, 60000);
      const Columns Y("Y", 1000, columns);
      Kokkos::deep_copy(Y, Scalar(std::numeric_limits<reference::Real<Scalar>>::quiet_NaN()));
      A.apply(space, X, Y);
      for (std::size_t k = 0; k < columns; ++k)
        EXPECT_LE(rows.error_of(vectors[k], column_to_host(Y, k)), 40001 * KrylovProblem<TypeParam>::unit)
            << k << (lists_rows ? ", listed" : "");
    }
  }
}

/// An operator that looks at its rows lists none where all are alike, and takes matrices without rows or entries.
TYPED_TEST_P(KrylovTest, MultipliesWhereThereIsNothingToList) {
  using Scalar = typename TypeParam::Scalar;
  using Vector = Kokkos::View<Scalar*, typename TypeParam::Device>;
  const typename TypeParam::Space space;
  for (const auto& [count, length] : {std::pair{0, 0}, std::pair{1, 0}, std::pair{1, 5000}, std::pair{40, 900}}) {
    const auto rows =
        reference::rows_of_lengths<Scalar>(std::vector<int>(static_cast<std::size_t>(count), length), 5000, 3);
    const DeviceArrays<TypeParam> arrays(rows.compressed());
    const typename KrylovProblem<TypeParam>::Matrix matrix(
        "A", count, 5000, static_cast<typename TypeParam::Offset>(arrays.values.extent(0)), arrays.values,
        arrays.row_map, arrays.entries);
    const CrsOperator A(space, matrix);
    const auto x = random_vector<Scalar>(5000, 1);
    const Vector y("y", static_cast<std::size_t>(count));
    A.apply(space, to_device<Scalar, typename TypeParam::Device>(x), y);
    EXPECT_LE(rows.error_of(x, to_host(y)), 5001 * KrylovProblem<TypeParam>::unit) << count << " rows of " << length;
  }
}

TYPED_TEST_P(KrylovTest, TakesTheIterationsOfTheTextbookBehindAHub) {
  using Scalar = typename TypeParam::Scalar;
  constexpr int n = 5000;
  reference::GeneralMatrix<Scalar> matrix(n);
  for (int row = 0; row < n; ++row) {
    matrix.rows[row][row] = Scalar(row == 7 ? n : 2 + row % 9);
    if (row != 7) matrix.rows[row][7] = matrix.rows[7][row] = Scalar(-0.02);
  }
  for (const bool lists_rows : {false, true}) {
    const KrylovProblem<TypeParam> problem(matrix, Factorization::Cholesky, lists_rows);
    for (const auto method : all_methods) {
      const KrylovOptions options{.method = method, .tolerance = problem.tolerance(), .restart = 20};
      const auto result = problem.solve(options, false, problem.ones());
      EXPECT_EQ(result.reason, StopReason::Converged) << to_string(method);
      // The hub's 5,000 terms are added up in another order.
      const int expected = problem.expected(options, false, problem.ones());
      EXPECT_NEAR(result.iterations, expected, 1 + expected / 4) << to_string(method);
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(KrylovTest, TakesTheIterationsOfTheTextbookOnPoissonGrids,
                            TakesTheIterationsOfTheTextbookOnConvectionDiffusion, SolvesRandomSystemsFromBothSides,
                            LooksNowAndThenWithoutChangingTheResult, TakesSystemsOfSizeZeroAndOne,
                            MultipliesWithRowsOfEveryLength, MultipliesWhereThereIsNothingToList,
                            TakesTheIterationsOfTheTextbookBehindAHub);

}  // namespace terrace::test
