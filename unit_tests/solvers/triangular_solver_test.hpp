// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TriangularSolver against textbook substitution, for one scalar, one offset type and one space.
#pragma once

#include "support/every_option.hpp"

namespace terrace::test {

template <class T>
class TriangularSolverTest : public ::testing::Test {
 public:
  static reference::SparseTriangle<typename T::Scalar> triangle(int n, reference::Pattern pattern,
                                                                Uplo uplo = Uplo::Lower) {
    return reference::make_triangle<typename T::Scalar>(n, pattern, uplo, 1234u + static_cast<unsigned>(n));
  }

  static DeviceArrays<T> arrays(const reference::SparseTriangle<typename T::Scalar>& triangle,
                                const TriangularOptions& options = {}) {
    return DeviceArrays<T>(reference::compress(triangle, {options, true, true}, 5));
  }
};

TYPED_TEST_SUITE_P(TriangularSolverTest);

TYPED_TEST_P(TriangularSolverTest, SolvesEveryOptionCombined) {
  using T = TypeParam;
  for_each_writing([&](const reference::Writing& writing) {
    const auto triangle = this->triangle(41, reference::Pattern::Random, writing.options.uplo);
    const Judged<typename T::Scalar> judged(triangle, writing.options.diag);
    const DeviceArrays<T> arrays(reference::compress(triangle, writing, 5));
    for (const auto& options : with_every_algorithm<typename T::Space>(writing.options)) {
      SCOPED_TRACE(describe({options, writing.sorted, writing.unit_diagonal_stored}));
      const auto solver = arrays.analyze(options);
      const SolveCheck<T> check(judged, solver);
      for (const Op op : all_ops()) check.one_vector(op);
      check.template many_vectors<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(options.op, 5);
      check.template many_vectors<Kokkos::LayoutRight, Kokkos::LayoutRight>(Op::Transpose, 3);
      if (this->HasFailure()) return;
    }
  });
}

TYPED_TEST_P(TriangularSolverTest, SolvesEveryOptionWithoutChecks) {
  using T = TypeParam;
  for_each_writing([&](reference::Writing writing) {
    if (!writing.sorted) return;
    const auto triangle = this->triangle(33, reference::Pattern::Random, writing.options.uplo);
    const Judged<typename T::Scalar> judged(triangle, writing.options.diag);
    writing.options.check_structure = false;
    writing.unit_diagonal_stored = writing.options.format == Format::Csr;
    const DeviceArrays<T> arrays(reference::compress(triangle, writing, 6));
    for (const auto& options : with_every_algorithm<typename T::Space>(writing.options)) {
      SCOPED_TRACE(describe({options, writing.sorted, writing.unit_diagonal_stored}));
      const auto solver = arrays.analyze(options);
      for (const Op op : all_ops()) SolveCheck<T>(judged, solver).one_vector(op);
      if (this->HasFailure()) return;
    }
  });
}

TYPED_TEST_P(TriangularSolverTest, SolvesEveryPatternAtEverySize) {
  using T = TypeParam;
  for (const auto pattern : reference::all_patterns()) {
    for (const int n : {1, 2, 31, 32, 33, 64, 300}) {
      for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
        const auto triangle = this->triangle(n, pattern, uplo);
        const Judged<typename T::Scalar> judged(triangle, Diag::NonUnit);
        const auto arrays = this->arrays(triangle, {.uplo = uplo});
        for (const auto& options : with_every_algorithm<typename T::Space>({.uplo = uplo})) {
          SCOPED_TRACE(describe({options, true, true}) + ", pattern " + std::to_string(static_cast<int>(pattern)));
          const auto solver = arrays.analyze(options);
          for (const Op op : {Op::None, Op::Transpose}) SolveCheck<T>(judged, solver).one_vector(op);
          if (this->HasFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST_P(TriangularSolverTest, SolvesRowsOfEveryLength) {
  using T = TypeParam;
  for (const auto uplo : {Uplo::Lower, Uplo::Upper})
    for (const auto diag : {Diag::NonUnit, Diag::Unit}) {
      const auto triangle = reference::rows_of_every_length<typename T::Scalar>(uplo);
      const Judged<typename T::Scalar> judged(triangle, diag);
      for (const auto stored : {Stored::Triangle, Stored::Full})
        for (const auto op : {Op::None, Op::ConjugateTranspose})
          for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled}) {
            const TriangularOptions options{
                .uplo = uplo, .diag = diag, .stored = stored, .algorithm = algorithm, .op = op};
            SCOPED_TRACE(describe({options, true, true}));
            const auto solver =
                DeviceArrays<T>(reference::compress(triangle, {options, true, true}, 5)).analyze(options);
            const SolveCheck<T> check(judged, solver);
            for (const Op of_solve : all_ops()) check.one_vector(of_solve);
            check.template many_vectors<Kokkos::LayoutLeft, Kokkos::LayoutRight>(op, 5);
            if (this->HasFailure()) return;
          }
    }
}

TYPED_TEST_P(TriangularSolverTest, RowsOfEveryLengthGiveTheSameBitsEachTime) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto triangle = reference::rows_of_every_length<Scalar>(Uplo::Lower);
  const auto b = to_device<Scalar, typename T::Device>(random_vector<Scalar>(triangle.size(), 3));
  const auto first_solver = this->arrays(triangle).analyze({}), second_solver = this->arrays(triangle).analyze({});
  const Kokkos::View<Scalar*, typename T::Device> x("x", b.extent(0));
  first_solver.solve(typename T::Space(), b, x);
  const auto first = to_host(x);
  for (int repetition = 0; repetition < 20; ++repetition) {
    Kokkos::deep_copy(x, Scalar(0));
    (repetition % 2 == 0 ? second_solver : first_solver).solve(typename T::Space(), b, x);
    ASSERT_EQ(first, to_host(x)) << "repetition " << repetition;
  }
}

TYPED_TEST_P(TriangularSolverTest, MixesLayoutsAndStrides) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto triangle = this->triangle(50, reference::Pattern::Random);
  const Judged<Scalar> judged(triangle, Diag::NonUnit);
  for (const auto& options : with_every_algorithm<typename T::Space>({})) {
    SCOPED_TRACE(describe({options, true, true}));
    const auto solver = this->arrays(triangle).analyze(options);
    const SolveCheck<T> check(judged, solver);
    check.template many_vectors<Kokkos::LayoutLeft, Kokkos::LayoutRight>(Op::None, 33);
    check.template many_vectors<Kokkos::LayoutRight, Kokkos::LayoutLeft>(Op::ConjugateTranspose, 9);

    Kokkos::View<Scalar**, Kokkos::LayoutRight, typename T::Device> wide("wide", 50, 4);
    const auto column = Kokkos::subview(wide, Kokkos::ALL(), 2);
    Kokkos::deep_copy(column, Scalar(1));
    solver.solve(typename T::Space(), column, column);
    EXPECT_LE(reference::backward_error(triangle, std::vector<Scalar>(50, Scalar(1)), column_to_host(wide, 2)),
              reference::allowed_error(triangle));
    for (const std::size_t other : {0u, 1u, 3u})
      EXPECT_EQ(column_to_host(wide, other), std::vector<Scalar>(50, Scalar(0)))
          << "column " << other << " was touched";
  }
}

TYPED_TEST_P(TriangularSolverTest, UpdatesValuesWithoutAnalysis) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  for_each_writing([&](const reference::Writing& writing) {
    auto triangle = this->triangle(40, reference::Pattern::Random, writing.options.uplo);
    const DeviceArrays<T> arrays(reference::compress(triangle, writing, 7));
    for (auto& row : triangle.rows)
      for (auto& [column, value] : row) value = value * static_cast<reference::Real<Scalar>>(1.5) + Scalar(0.01f);
    const Judged<Scalar> judged(triangle, writing.options.diag);
    const DeviceArrays<T> changed(reference::compress(triangle, writing, 7));
    for (const auto& options : with_every_algorithm<typename T::Space>(writing.options)) {
      SCOPED_TRACE(describe({options, writing.sorted, writing.unit_diagonal_stored}));
      auto solver = arrays.analyze(options);
      solver.update_values(typename T::Space(), changed.values);
      for (const Op op : all_ops()) SolveCheck<T>(judged, solver).one_vector(op);
      if (this->HasFailure()) return;
    }
  });
}

TYPED_TEST_P(TriangularSolverTest, RepeatedSolvesGiveTheSameBitsWhereTheyClaimTo) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto triangle = this->triangle(500, reference::Pattern::Random);
  const auto arrays = this->arrays(triangle);
  const auto b = to_device<Scalar, typename T::Device>(random_vector<Scalar>(500, 3));
  for (const auto& options : with_every_algorithm<typename T::Space>({})) {
    SCOPED_TRACE(describe({options, true, true}));
    const auto solver = arrays.analyze(options);
    Kokkos::View<Scalar*, typename T::Device> x("x", 500);
    solver.solve(typename T::Space(), b, x);
    const auto first = to_host(x);
    for (int repetition = 0; repetition < 50; ++repetition) {
      Kokkos::deep_copy(x, Scalar(0));
      solver.solve(typename T::Space(), b, x);
      const auto again = to_host(x);
      if (solver.info().deterministic) {
        ASSERT_EQ(first, again) << "repetition " << repetition;
      }
      ASSERT_LE(reference::backward_error(triangle, to_host(b), again), reference::allowed_error(triangle));
    }
  }
}

TYPED_TEST_P(TriangularSolverTest, GivesTheSameBitsForEveryOperationWhenAsked) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto triangle = this->triangle(500, reference::Pattern::Random);
  const auto b = to_device<Scalar, typename T::Device>(random_vector<Scalar>(500, 3));
  for (const auto format : {Format::Csr, Format::Csc})
    for (const auto reuse : {Reuse::Many, Reuse::Once}) {
      const TriangularOptions options{.format = format, .reuse = reuse, .deterministic = true};
      const auto solver = this->arrays(triangle, options).analyze(options);
      for (const Op op : all_ops()) {
        Kokkos::View<Scalar*, typename T::Device> x("x", 500);
        solver.solve(typename T::Space(), b, x, op);
        const auto first = to_host(x);
        for (int repetition = 0; repetition < 20; ++repetition) {
          solver.solve(typename T::Space(), b, x, op);
          ASSERT_EQ(first, to_host(x)) << to_string(format) << " " << to_string(reuse) << " " << to_string(op);
        }
      }
    }
}

TYPED_TEST_P(TriangularSolverTest, LetsNanAndInfThroughWithoutHanging) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  using Real = reference::Real<Scalar>;
  const auto triangle = this->triangle(60, reference::Pattern::Chain);
  const auto arrays = this->arrays(triangle);
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
    auto b = random_vector<Scalar>(60, 4);
    b[20] = Scalar(bad);
    const auto device_b = to_device<Scalar, typename T::Device>(b);
    for (const auto& options : with_every_algorithm<typename T::Space>({})) {
      SCOPED_TRACE(describe({options, true, true}));
      const auto solver = arrays.analyze(options);
      Kokkos::View<Scalar*, typename T::Device> x("x", 60);
      solver.solve(typename T::Space(), device_b, x);
      const auto solution = to_host(x);
      for (int row = 0; row < 60; ++row)
        EXPECT_EQ(std::isfinite(reference::magnitude(solution[row])), row < 20) << "row " << row;
    }
  }
}

TYPED_TEST_P(TriangularSolverTest, ANanReachesInHecWhatDependsOnItAndNothingElse) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
    const auto triangle = this->triangle(60, reference::Pattern::Random, uplo);
    const auto solver = this->arrays(triangle, {.uplo = uplo}).analyze({.uplo = uplo, .storage = Storage::Hec});
    for (const Op op : {Op::None, Op::Transpose})
      for (int bad = 0; bad < 60; ++bad) {
        auto b = random_vector<Scalar>(60, 4);
        b[bad] = Scalar(std::numeric_limits<reference::Real<Scalar>>::quiet_NaN());
        const auto expected =
            reference::is_not_finite(reference::substitute(reference::apply_op(triangle, op, Diag::NonUnit), b));
        const auto x = to_device<Scalar, typename T::Device>(b);
        solver.solve(typename T::Space(), x, x, op);
        ASSERT_EQ(reference::is_not_finite(to_host(x)), expected) << "row " << bad << ", op " << to_string(op);
      }
  }
}

TYPED_TEST_P(TriangularSolverTest, AnInfiniteDiagonalEntryMakesItsUnknownVanishUnlessItIsNotANumber) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  using Real = reference::Real<Scalar>;
  constexpr bool is_real = std::is_same_v<Scalar, Real>;
  for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
    auto triangle = this->triangle(60, reference::Pattern::Chain, uplo);
    triangle.rows[20][20] = Scalar(std::numeric_limits<Real>::infinity());
    const auto arrays = this->arrays(triangle, {.uplo = uplo});
    auto b = random_vector<Scalar>(60, 4);
    for (const Real bad : {Real(0), std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
      for (const auto& options : with_every_algorithm<typename T::Space>({.uplo = uplo})) {
        SCOPED_TRACE(describe({options, true, true}));
        const bool is_lower = uplo == Uplo::Lower;
        auto right = b;
        if (bad != Real(0)) right[is_lower ? 10 : 50] = Scalar(bad);
        const auto solver = arrays.analyze(options);
        EXPECT_EQ(solver.info().first_nonfinite_row, std::optional<std::int64_t>(20));
        const Kokkos::View<Scalar*, typename T::Device> x("x", 60);
        solver.solve(typename T::Space(), to_device<Scalar, typename T::Device>(right), x);
        const auto solution = to_host(x);
        for (int row = 0; row < 60; ++row) {
          const bool reaches = is_lower ? row >= 10 : row <= 50;
          const bool behind = is_lower ? row >= 20 : row <= 20;
          const double size = reference::magnitude(solution[row]);
          if (bad != Real(0)) {
            EXPECT_EQ(std::isfinite(size), !reaches) << "row " << row;
          } else if (is_real || !behind) {
            EXPECT_TRUE(std::isfinite(size)) << "row " << row;
          }
          if (bad != Real(0) || row != 20) continue;
          const double denormal = std::numeric_limits<Real>::denorm_min();
          EXPECT_TRUE(is_real ? size <= 100 * denormal : size == 0 || std::isnan(size)) << size;
        }
      }
  }
}

TYPED_TEST_P(TriangularSolverTest, TakesTheEmptyMatrix) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const Kokkos::View<Scalar*, typename T::Device> nothing("nothing", 0);
  for (const std::size_t map_length : {0u, 1u}) {
    for (const auto& options : with_every_algorithm<typename T::Space>({})) {
      const Kokkos::View<typename T::Offset*, typename T::Device> row_map("row_map", map_length);
      const Kokkos::View<int*, typename T::Device> entries("entries", 0);
      typename T::Solver solver(typename T::Space(), row_map, entries, nothing, options);
      solver.solve(typename T::Space(), nothing, nothing);
      solver.update_values(typename T::Space(), nothing);
      EXPECT_EQ(solver.info().rows, 0);
    }
  }
}

TYPED_TEST_P(TriangularSolverTest, TakesNoRightHandSides) {
  using T = TypeParam;
  const auto solver = this->arrays(this->triangle(10, reference::Pattern::Random)).analyze({});
  const Kokkos::View<typename T::Scalar**, typename T::Device> none("none", 10, 0);
  EXPECT_NO_THROW(solver.solve(typename T::Space(), none, none));
}

REGISTER_TYPED_TEST_SUITE_P(TriangularSolverTest, SolvesEveryOptionCombined, SolvesEveryOptionWithoutChecks,
                            SolvesEveryPatternAtEverySize, SolvesRowsOfEveryLength,
                            RowsOfEveryLengthGiveTheSameBitsEachTime, MixesLayoutsAndStrides,
                            UpdatesValuesWithoutAnalysis, RepeatedSolvesGiveTheSameBitsWhereTheyClaimTo,
                            GivesTheSameBitsForEveryOperationWhenAsked, LetsNanAndInfThroughWithoutHanging,
                            ANanReachesInHecWhatDependsOnItAndNothingElse,
                            AnInfiniteDiagonalEntryMakesItsUnknownVanishUnlessItIsNotANumber, TakesTheEmptyMatrix,
                            TakesNoRightHandSides);

}  // namespace terrace::test
