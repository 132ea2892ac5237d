// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "No fence, no allocation": every operation that promises so, with every option that leads elsewhere, is captured in a
// graph, which refuses a wait or an allocation, and replayed with other right-hand sides.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/ilu.hpp>
#include <terrace/ilut.hpp>

#include "reference/compressed_triangle.hpp"
#include "reference/general_matrix.hpp"
#include "support/captured_apply.hpp"
#include "support/every_option.hpp"
#include "support/every_ordering.hpp"

namespace terrace::test {

template <class T>
class CaptureTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Offset = typename T::Offset;
  using Symbolic = IluSymbolic<int, Offset, Kokkos::Cuda>;
  using Factor = IluFactor<Scalar, int, Offset, Kokkos::Cuda>;
  using Threshold = IlutFactor<Scalar, int, Offset, Kokkos::Cuda>;
  using Vector = Kokkos::View<Scalar*, typename T::Device>;
  using Columns = Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename T::Device>;

  static constexpr int rows = 600, columns = 3;

  CaptureTest() : space(cuda_instance()), arrays(reference::compress(reference::poisson<Scalar>(30, 20))) {}

  /// apply(in, out, op) for every operation, one vector and several.
  void expect_captured(const auto& apply, int count = columns) const {
    for (const Op op : all_ops()) {
      SCOPED_TRACE(to_string(op));
      expect_captured_in_every_rank<T>(space, rows, count,
                                       [&](const auto& in, const auto& out) { apply(in, out, op); });
    }
  }

  void expect_solves_captured(const TriangularOptions& options) const {
    const auto triangle = reference::make_triangle<Scalar>(rows, reference::Pattern::Random, options.uplo, 2);
    const DeviceArrays<T> of_triangle(reference::compress(triangle, {options, true, true}, 1));
    for (const auto& with_algorithm : with_every_algorithm<Kokkos::Cuda>(options)) {
      SCOPED_TRACE(describe({with_algorithm, true, true}));
      typename T::Solver solver(space, of_triangle.row_map, of_triangle.entries, of_triangle.values, with_algorithm);
      expect_captured(
          [&](const auto& b, const auto& x, Op op) {
            solver.update_values(space, of_triangle.values);
            solver.solve(space, b, x, op);
          },
          std::max(columns, with_algorithm.right_hand_sides));
    }
  }

  /// A factor with new values and a solve with it, in one graph; new values and right-hand sides for the replay.
  void expect_refactorization_captured(const Symbolic& symbolic, const IluFactorOptions& options) const {
    const Vector values = to_device<Scalar, typename T::Device>(to_host(arrays.values));
    Factor factor(space, symbolic, values, options);
    const CapturedApply<T, Vector> vectors(rows, 1);
    vectors.fill(5);
    const CapturedGraph graph(space, [&] {
      factor.refactorize(space, values);
      factor.apply(space, vectors.in(), vectors.out());
    });
    ASSERT_EQ(graph.failure(), "");
    auto other = to_host(values);
    for (std::size_t k = 0; k < other.size(); ++k) other[k] *= reference::Real<Scalar>(k % 2 == 0 ? 1.25 : 1.5);
    Kokkos::deep_copy(values, to_device<Scalar, typename T::Device>(other));
    vectors.fill(6);
    const Factor fresh(space, symbolic, values, options);
    fresh.apply(space, vectors.in(), vectors.direct());
    Kokkos::fence();
    for (int replay = 0; replay < 3; ++replay) graph.replay();
    space.fence();
    vectors.expect_alike();
  }

  Kokkos::Cuda space;
  DeviceArrays<T> arrays;
};

TYPED_TEST_SUITE_P(CaptureTest);

TYPED_TEST_P(CaptureTest, TriangularSolvesAndNewValuesByEveryAlgorithm) {
  for (const auto uplo : {Uplo::Lower, Uplo::Upper})
    for (const auto format : {Format::Csr, Format::Csc})
      for (const Op op : {Op::None, Op::ConjugateTranspose})
        this->expect_solves_captured({.uplo = uplo, .format = format, .op = op});
  this->expect_solves_captured({.diag = Diag::Unit});
}

TYPED_TEST_P(CaptureTest, NewValuesOfTwoTrianglesTogether) {
  using Solver = typename TypeParam::Solver;
  using Number = typename TypeParam::Scalar;
  Solver lower(this->space, this->arrays.row_map, this->arrays.entries, this->arrays.values, {.stored = Stored::Full}),
      upper(this->space, this->arrays.row_map, this->arrays.entries, this->arrays.values,
            {.uplo = Uplo::Upper, .stored = Stored::Full});
  const Kokkos::View<Number*, typename TypeParam::Device> between("between", this->rows);
  CapturedApply<TypeParam, typename TestFixture::Vector>(this->rows, 1)
      .check(this->space, [&](const auto& b, const auto& x) {
        Solver::update_values(this->space, lower, upper, this->arrays.values);
        lower.solve(this->space, b, between);
        upper.solve(this->space, between, x);
      });
}

TYPED_TEST_P(CaptureTest, SolvesWithIncompleteFactorsOrderedAndScaled) {
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky})
    for (const int level : {0, 1})
      for (const auto ordering : every_ordering())
        for (const auto scaling : {Scaling::None, Scaling::Diagonal})
          for (const int right_hand_sides : {1, 3, 17}) {
            if (right_hand_sides > 1 && level > 0) continue;
            SCOPED_TRACE(std::string(to_string(factorization)) + " level " + std::to_string(level) + " " +
                         to_string(ordering) + " " + to_string(scaling) + " for " + std::to_string(right_hand_sides));
            const typename TestFixture::Symbolic symbolic(
                this->space, this->arrays.row_map, this->arrays.entries,
                {.factorization = factorization, .fill_level = level, .ordering = ordering});
            const typename TestFixture::Factor factor(this->space, symbolic, this->arrays.values,
                                                      {.scaling = scaling, .right_hand_sides = right_hand_sides});
            this->expect_captured([&](const auto& r, const auto& z, Op op) { factor.apply(this->space, r, z, op); },
                                  std::max(this->columns, right_hand_sides));
          }
}

TYPED_TEST_P(CaptureTest, RefactorizationsByEveryAlgorithmOrderedAndScaled) {
  const auto check = [&](const IluSymbolicOptions& pattern, const IluFactorOptions& options) {
    SCOPED_TRACE(std::string(to_string(pattern.factorization)) + " level " + std::to_string(pattern.fill_level) + " " +
                 to_string(pattern.algorithm) + " " + to_string(pattern.ordering) + " " + to_string(options.scaling) +
                 " " + to_string(options.pivots.policy) + " relaxation " + std::to_string(options.relaxation));
    this->expect_refactorization_captured(
        typename TestFixture::Symbolic(this->space, this->arrays.row_map, this->arrays.entries, pattern), options);
  };
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky})
    for (const int level : {0, 1})
      for (const double relaxation : {0.0, 0.5}) {
        for (const auto algorithm :
             {Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows})
          check({.factorization = factorization, .fill_level = level, .algorithm = algorithm},
                {.relaxation = relaxation});
        for (const auto ordering : every_ordering())
          for (const auto scaling : {Scaling::None, Scaling::Diagonal})
            check({.factorization = factorization, .fill_level = level, .ordering = ordering},
                  {.relaxation = relaxation, .scaling = scaling, .pivots = {.policy = PivotPolicy::Replace}});
      }
}

TYPED_TEST_P(CaptureTest, SolvesWithThresholdFactorsOrderedAndScaled) {
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky})
    for (const auto ordering : every_ordering())
      for (const auto scaling : {Scaling::None, Scaling::Diagonal})
        for (const int right_hand_sides : {1, 17}) {
          SCOPED_TRACE(std::string(to_string(factorization)) + " " + to_string(ordering) + " " + to_string(scaling));
          const typename TestFixture::Threshold factor(this->space, this->arrays.row_map, this->arrays.entries,
                                                       this->arrays.values,
                                                       {.factorization = factorization,
                                                        .ordering = ordering,
                                                        .scaling = scaling,
                                                        .right_hand_sides = right_hand_sides});
          this->expect_captured([&](const auto& r, const auto& z, Op op) { factor.apply(this->space, r, z, op); },
                                std::max(this->columns, right_hand_sides));
        }
}

TYPED_TEST_P(CaptureTest, ProductsWithSparseMatrices) {
  using T = TypeParam;
  using Number = typename T::Scalar;
  using Matrix = KokkosSparse::CrsMatrix<Number, int, typename T::Device, void, typename T::Offset>;
  reference::GeneralMatrix<Number> uneven(this->rows);  // long rows beside empty ones
  for (int row = 0; row < uneven.size(); ++row) {
    const int length = row % 97 == 0 ? uneven.size() : row % 5 == 0 ? 0 : 1 + row % 40;
    for (int k = 0; k < length; ++k)
      uneven.rows[row][length == uneven.size() ? k : (row * 31 + k * 17) % uneven.size()] =
          reference::number<Number>(1.0 + (row + k) % 7);
  }
  for (const auto& matrix : {reference::poisson<Number>(30, 20), uneven}) {
    const DeviceArrays<T> device(reference::compress(matrix));
    const CrsOperator<Number, int, typename T::Offset, Kokkos::Cuda> A(
        Matrix("A", this->rows, this->rows, static_cast<typename T::Offset>(device.values.extent(0)), device.values,
               device.row_map, device.entries));
    const auto apply = [&](const auto& x, const auto& y) { A.apply(this->space, x, y); };
    CapturedApply<T, typename TestFixture::Vector>(this->rows, 1).check(this->space, apply);
    for (const int count : {1, 3, 17})
      CapturedApply<T, typename TestFixture::Columns>(this->rows, count).check(this->space, apply);
  }
}

REGISTER_TYPED_TEST_SUITE_P(CaptureTest, TriangularSolvesAndNewValuesByEveryAlgorithm, NewValuesOfTwoTrianglesTogether,
                            SolvesWithIncompleteFactorsOrderedAndScaled,
                            RefactorizationsByEveryAlgorithmOrderedAndScaled,
                            SolvesWithThresholdFactorsOrderedAndScaled, ProductsWithSparseMatrices);

}  // namespace terrace::test
