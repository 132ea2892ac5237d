// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracles themselves: what they must never call right.
#include <gtest/gtest.h>

#include <limits>

#include "reference/compressed_triangle.hpp"
#include "reference/dense_incomplete_factors.hpp"
#include "reference/differences.hpp"
#include "reference/symmetric_shapes.hpp"
#include "reference/up_looking_ldlt.hpp"

namespace terrace::reference {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(LargestError, IsZeroWithoutErrors) {
  EXPECT_EQ(LargestError().value(), 0);
  LargestError largest;
  largest.add(0);
  largest.add(0, 0);
  largest.add(0, 3);
  EXPECT_EQ(largest.value(), 0);
}

TEST(LargestError, IsTheLargestInAnyOrder) {
  for (const auto& errors : {std::vector<double>{1, 3, 2}, {3, 2, 1}, {1, 2, 3}}) {
    LargestError absolute, relative;
    for (const double error : errors) {
      absolute.add(error);
      relative.add(error, 2);
    }
    EXPECT_EQ(absolute.value(), 3);
    EXPECT_EQ(relative.value(), 1.5);
  }
}

TEST(LargestError, StaysInfiniteWhateverFollows) {
  for (const double bad : {nan, infinity, -infinity})
    for (std::size_t place = 0; place < 4; ++place) {
      std::vector<double> errors{0.0, 1e-300, 0.5, 0.0};
      errors[place] = bad;
      LargestError absolute, relative, scaled;
      for (const double error : errors) {
        absolute.add(error);
        relative.add(error, 1);
        scaled.add(1, error == bad || std::isnan(error) ? bad : 1);
      }
      EXPECT_EQ(absolute.value(), HUGE_VAL) << bad << " in place " << place;
      EXPECT_EQ(relative.value(), HUGE_VAL) << bad << " in place " << place;
      EXPECT_EQ(scaled.value(), HUGE_VAL) << bad << " in place " << place;
    }
  LargestError something_relative_to_nothing;
  something_relative_to_nothing.add(1e-300, 0);
  something_relative_to_nothing.add(0, 1);
  EXPECT_EQ(something_relative_to_nothing.value(), HUGE_VAL);
}

TEST(LargestDifference, SeesWhatIsNotFiniteAndWhatIsMissing) {
  const std::vector<double> expected{1, 2, 3};
  EXPECT_EQ(largest_difference(expected, expected), 0);
  EXPECT_EQ(relative_difference(std::vector<double>{1, 2, 4}, expected), 1 / 3.0);
  for (const double bad : {nan, infinity})
    for (std::size_t place = 0; place < 3; ++place) {
      auto found = expected;
      found[place] = bad;
      EXPECT_EQ(largest_difference(found, expected), HUGE_VAL) << place;
      EXPECT_EQ(largest_difference(expected, found), HUGE_VAL) << place;
      EXPECT_EQ(relative_difference(found, expected), HUGE_VAL) << place;
      EXPECT_EQ(relative_difference(expected, found), HUGE_VAL) << place;
    }
  EXPECT_EQ(largest_difference(std::vector<double>{}, expected), HUGE_VAL);
  EXPECT_EQ(relative_difference(expected, std::vector<double>{1, 2}), HUGE_VAL);
}

/// Both oracles of triangular systems on the same triangle: a chain whose last row needs all others.
template <class Scalar>
class BackwardErrorOracle : public ::testing::Test {
 public:
  static constexpr int rows = 6;

  BackwardErrorOracle() {
    sparse.rows.resize(rows);
    for (int row = 0; row < rows; ++row) {
      const auto add = [&](int column) {
        compressed.add(column, 0.5);
        sparse.rows[static_cast<std::size_t>(row)][column] = number<Scalar>(0.5);
      };
      for (int column = row + 1 == rows ? 0 : std::max(0, row - 1); column < row; ++column) add(column);
      compressed.end_row();
      sparse.rows[static_cast<std::size_t>(row)][row] = number<Scalar>(2.0);
    }
    for (int row = 0; row < rows; ++row) b.push_back(number<Scalar>(row - 2.5));
    x = substitute(sparse, b);
  }

  std::vector<double> errors(const std::vector<Scalar>& right, const std::vector<Scalar>& solution) const {
    const auto turned = compressed.turned_around();
    return {backward_error(sparse, right, solution), compressed.backward_error(right, solution),
            turned.backward_error({right.rbegin(), right.rend()}, {solution.rbegin(), solution.rend()})};
  }

  /// The number with another real or imaginary part; of a real number the first alone.
  static Scalar with_part(Scalar value, int part, double bad) {
    if constexpr (std::is_floating_point_v<Scalar>) value = static_cast<Scalar>(bad);
    else if (part == 0) value = Scalar(static_cast<Real<Scalar>>(bad), value.imag());
    else value = Scalar(value.real(), static_cast<Real<Scalar>>(bad));
    return value;
  }
  static constexpr int parts = std::is_floating_point_v<Scalar> ? 1 : 2;

  SparseTriangle<Scalar> sparse;
  CompressedTriangle<Scalar> compressed;
  std::vector<Scalar> b, x;
};

using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BackwardErrorOracle, Scalars);

TYPED_TEST(BackwardErrorOracle, IsSmallForASolutionAndZeroForAnExactOne) {
  for (const double error : this->errors(this->b, this->x)) EXPECT_LE(error, allowed_error(this->sparse));
  const std::vector<TypeParam> zeros(TestFixture::rows, TypeParam(0));
  for (const double error : this->errors(zeros, zeros)) EXPECT_EQ(error, 0);
  SparseTriangle<TypeParam> halves{Uplo::Lower, {{{0, TypeParam(2)}}, {{0, TypeParam(1)}, {1, TypeParam(2)}}}};
  EXPECT_EQ(backward_error<TypeParam>(halves, {TypeParam(1), TypeParam(1)}, {TypeParam(0.5f), TypeParam(0.25f)}), 0);
}

TYPED_TEST(BackwardErrorOracle, SeesAWrongUnknownInAnyPlace) {
  for (std::size_t place = 0; place < this->x.size(); ++place) {
    auto wrong = this->x;
    wrong[place] += number<TypeParam>(0.25);
    for (const double error : this->errors(this->b, wrong)) EXPECT_GT(error, 1e-3) << "unknown " << place;
  }
}

TYPED_TEST(BackwardErrorOracle, IsInfiniteForAnUnknownThatIsNotFiniteInAnyPlaceAndPart) {
  for (const double bad : {nan, infinity, -infinity})
    for (int part = 0; part < TestFixture::parts; ++part)
      for (std::size_t place = 0; place < this->x.size(); ++place) {
        auto wrong = this->x;
        wrong[place] = this->with_part(wrong[place], part, bad);
        for (const double error : this->errors(this->b, wrong))
          EXPECT_EQ(error, HUGE_VAL) << bad << " in part " << part << " of unknown " << place;
      }
}

/// What was never computed may stand beside rows that are right, and even exactly right.
TYPED_TEST(BackwardErrorOracle, DoesNotForgetWhatIsNotFiniteInADiagonalMatrix) {
  SparseTriangle<TypeParam> diagonal{Uplo::Lower, {}};
  CompressedTriangle<TypeParam> the_same;
  for (int row = 0; row < 5; ++row) {
    diagonal.rows.push_back({{row, number<TypeParam>(2.0)}});
    the_same.end_row();
  }
  const std::vector<TypeParam> zeros(5, TypeParam(0));
  for (const double bad : {nan, infinity})
    for (int part = 0; part < TestFixture::parts; ++part)
      for (std::size_t place = 0; place < 5; ++place) {
        auto wrong = zeros;
        wrong[place] = this->with_part(wrong[place], part, bad);
        EXPECT_EQ(backward_error(diagonal, zeros, wrong), HUGE_VAL) << place;
        EXPECT_EQ(the_same.backward_error(zeros, wrong), HUGE_VAL) << place;
      }
}

/// A test that expects a NaN compares the rows, and says so.
TYPED_TEST(BackwardErrorOracle, IsInfiniteForARightHandSideThatIsNotFiniteEvenWhereXMustBe) {
  for (int part = 0; part < TestFixture::parts; ++part)
    for (std::size_t place = 0; place < this->b.size(); ++place) {
      auto bad = this->b;
      bad[place] = this->with_part(bad[place], part, nan);
      const auto solution = substitute(this->sparse, bad);
      for (const double error : this->errors(bad, solution)) EXPECT_EQ(error, HUGE_VAL);
      std::vector<bool> marked(TestFixture::rows, false);
      marked[place] = true;
      EXPECT_EQ(is_not_finite(solution), this->compressed.reached_from(marked)) << "row " << place;
    }
}

TYPED_TEST(BackwardErrorOracle, IsInfiniteForASolutionOfAnotherLength) {
  auto shorter = this->x;
  shorter.pop_back();
  EXPECT_EQ(backward_error(this->sparse, this->b, shorter), HUGE_VAL);
  EXPECT_EQ(this->compressed.backward_error(this->b, shorter), HUGE_VAL);
  EXPECT_EQ(this->compressed.backward_error(shorter, this->x), HUGE_VAL);
}

TEST(CompressedTriangle, KnowsItsLevelsInBothDirections) {
  CompressedTriangle<double> matrix;
  for (int row = 0; row < 4; ++row) {
    if (row == 2) matrix.add(0, 1.0);
    if (row == 3) matrix.add(2, 1.0);
    matrix.end_row();
  }
  EXPECT_EQ(matrix.levels(), 3);
  EXPECT_EQ(matrix.turned_around().levels(), 3);
  EXPECT_EQ(matrix.reached_from({false, false, true, false}, Op::Transpose),
            (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(matrix.turned_around().reached_from({false, false, false, true}),
            (std::vector<bool>{true, true, false, true}));
}

template <class Scalar>
class UpLookingOracle : public ::testing::Test {
 public:
  /// L below the diagonal and D on it, by elimination of the whole matrix column after column.
  static Dense dense_ldlt(const GeneralMatrix<Scalar>& matrix, const std::vector<int>& order) {
    const auto given = to_dense(matrix);
    const std::size_t n = given.size();
    Dense a = given;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a[i][j] = given[order[i]][order[j]];
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = k + 1; i < n; ++i) {
        const auto l = a[i][k] / a[k][k];
        for (std::size_t j = k + 1; j < n; ++j) a[i][j] -= l * a[k][j];
        a[i][k] = l;
      }
    return a;
  }
};
TYPED_TEST_SUITE(UpLookingOracle, Scalars);

TYPED_TEST(UpLookingOracle, IsADenseFactorizationInTheSameOrder) {
  std::mt19937 generator(8);
  for (const auto& pattern : {band(1, 1), band(2, 1), band(17, 3), random_links(25, 2), hubs(24), poisson<double>(5, 4),
                              forest({band(6, 1), all_linked(5), RealMatrix(3)})}) {
    const auto matrix = indefinite<TypeParam>(dominant(pattern));
    std::vector<int> order(static_cast<std::size_t>(matrix.size()));
    std::iota(order.begin(), order.end(), 0);
    for (int shuffle = 0; shuffle < 4; ++shuffle, std::shuffle(order.begin(), order.end(), generator)) {
      const auto dense = this->dense_ldlt(matrix, order);
      const UpLookingLdlt sparse(matrix, order);
      double growth = 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        EXPECT_LE(std::abs(sparse.pivots()[k] - dense[k][k]), 1e-13 * std::abs(dense[k][k]));
        std::int64_t count = 1;
        UpLookingLdlt::Vector column(order.size());
        column[order[k]] = 1;
        const auto inverse = sparse.forward(column);  // of L: times L it is the column again
        for (std::size_t i = 0; i < order.size(); ++i) {
          auto product = inverse[order[i]];
          for (std::size_t j = 0; j < i; ++j) product += dense[i][j] * inverse[order[j]];
          EXPECT_LE(std::abs(product - column[order[i]]), 1e-13);
          if (i <= k) continue;
          if (dense[i][k] != 0.0) ++count;
          growth = std::max(growth, std::abs(dense[i][k]));
        }
        EXPECT_EQ(sparse.counts()[k], count) << "column " << k;
      }
      EXPECT_NEAR(sparse.growth(), growth, 1e-13);
    }
  }
}

TYPED_TEST(UpLookingOracle, SolvesAndItsPartsAreTheWhole) {
  for (const auto& shape : symmetric_shapes()) {
    const auto matrix = indefinite<TypeParam>(shape.matrix);
    std::vector<int> order(static_cast<std::size_t>(matrix.size()));
    std::iota(order.rbegin(), order.rend(), 0);
    const UpLookingLdlt factor(matrix, order);
    std::vector<std::complex<double>> expected;
    for (int row = 0; row < matrix.size(); ++row) expected.push_back({row % 7 - 3.0, row % 5 - 2.0});
    std::vector<std::complex<double>> b(expected.size());
    for (int row = 0; row < matrix.size(); ++row)
      for (const auto& [column, value] : matrix.rows[row]) b[row] += widen(value) * expected[column];
    EXPECT_LE(relative_difference(factor.solve(b), expected), 1e-12) << shape.name;
    EXPECT_EQ(factor.backward(factor.diagonal(factor.forward(b))), factor.solve(b));
  }
}

TYPED_TEST(UpLookingOracle, BackwardErrorSeesAWrongUnknownAndWhatIsNotFinite) {
  auto pattern = band(6, 2);
  pattern.rows.emplace_back();  // a row without an entry
  const auto with_empty_row = [&] {
    GeneralMatrix<TypeParam> matrix(7);
    for (int row = 0; row < 6; ++row)
      for (const auto& [column, value] : pattern.rows[row]) matrix.rows[row][column] = number<TypeParam>(value);
    return matrix;
  }();
  const std::vector<TypeParam> x(7, TypeParam(1));
  const auto b = multiply(with_empty_row, x);
  EXPECT_LE(backward_error(with_empty_row, b, x), 4 * std::numeric_limits<Real<TypeParam>>::epsilon());
  for (std::size_t place = 0; place < 7; ++place) {
    auto wrong = x;
    wrong[place] = TypeParam(static_cast<Real<TypeParam>>(nan));
    EXPECT_EQ(backward_error(with_empty_row, b, wrong), HUGE_VAL) << place;
    if (place == 6) continue;  // which no row names
    wrong[place] = TypeParam(2);
    EXPECT_GT(backward_error(with_empty_row, b, wrong), 1e-3) << place;
  }
  EXPECT_EQ(backward_error(with_empty_row, b, std::vector<TypeParam>(6)), HUGE_VAL);
}

}  // namespace
}  // namespace terrace::reference
