// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IluSymbolic and IluFactor against the definitions, for one scalar, one offset type and one space.
#pragma once

#include <terrace/ilu.hpp>

#include "reference/dense_incomplete_factors.hpp"
#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"
#include "support/inverse_of_every_operation.hpp"

namespace terrace::test {

template <class T>
class IluTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using Symbolic = IluSymbolic<int, typename T::Offset, Space>;
  using Factor = IluFactor<Scalar, int, typename T::Offset, Space>;

  static constexpr double unit = std::numeric_limits<reference::Real<Scalar>>::epsilon();

  static Symbolic analyze(const DeviceArrays<T>& arrays, const IluSymbolicOptions& options) {
    return Symbolic(Space(), arrays.row_map, arrays.entries, options);
  }

  static Matrix matrix(Factorization factorization, int n, int per_row, unsigned seed) {
    if (factorization == Factorization::Lu) return reference::random_matrix<Scalar>(n, per_row, seed);
    return reference::random_symmetric<Scalar>(n, per_row, factorization == Factorization::HermitianCholesky, seed);
  }

  static reference::Dense merged_of(const Factor& factor) {
    const auto map = to_host(factor.symbolic().row_map());
    const auto entries = to_host(factor.symbolic().entries());
    const auto values = to_host(factor.values());
    const std::size_t n = map.size() - 1;
    reference::Dense dense(n, std::vector<std::complex<double>>(n));
    for (std::size_t row = 0; row < n; ++row)
      for (auto k = map[row]; k < map[row + 1]; ++k) dense[row][entries[k]] = reference::widen(values[k]);
    return dense;
  }

  /// The pattern is that of the mask, in ascending order.
  static void expect_pattern(const Symbolic& symbolic, const reference::Mask& mask) {
    const auto map = to_host(symbolic.row_map());
    const auto entries = to_host(symbolic.entries());
    for (std::size_t row = 0; row < mask.size(); ++row) {
      std::vector<int> expected;
      for (std::size_t column = 0; column < mask.size(); ++column)
        if (mask[row][column]) expected.push_back(static_cast<int>(column));
      EXPECT_EQ(std::vector<int>(entries.begin() + map[row], entries.begin() + map[row + 1]), expected)
          << "row " << row;
    }
  }

  static void expect_factor(const Factor& factor, const Matrix& matrix, double relaxation) {
    const auto& options = factor.symbolic().options();
    const auto mask = reference::fill_mask(matrix, options.fill_level);
    const auto a = reference::to_dense(matrix);
    const auto expected = options.factorization == Factorization::Lu
                              ? reference::incomplete_lu(a, mask, relaxation)
                              : reference::incomplete_cholesky(
                                    a, mask, relaxation, options.factorization == Factorization::HermitianCholesky);
    const auto found = merged_of(factor);
    for (std::size_t i = 0; i < mask.size(); ++i)
      for (std::size_t j = 0; j < mask.size(); ++j)
        ASSERT_LE(std::abs((mask[i][j] ? expected[i][j] : 0.0) - found[i][j]),
                  200 * unit * (1 + std::abs(expected[i][j])))
            << "(" << i << ", " << j << ")";
  }

  /// A sentence for SCOPED_TRACE.
  static std::string describe(const IluSymbolicOptions& options) {
    return std::string(to_string(options.factorization)) + " level " + std::to_string(options.fill_level) + " " +
           to_string(options.uplo) + " " + to_string(options.algorithm) + " rows per task " +
           std::to_string(options.rows_per_task);
  }

  static std::vector<IluSymbolicOptions> with_every_algorithm(IluSymbolicOptions options) {
    std::vector<IluSymbolicOptions> all{options};
    for (const auto algorithm : {Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows})
      for (const int rows_per_task : {0, 1, 5}) {
        options.algorithm = algorithm;
        options.rows_per_task = rows_per_task;
        all.push_back(options);
      }
    return all;
  }
};

TYPED_TEST_SUITE_P(IluTest);

inline constexpr Factorization all_factorizations[] = {Factorization::Lu, Factorization::Cholesky,
                                                       Factorization::HermitianCholesky};

TYPED_TEST_P(IluTest, ComputesTheFactorsOfTheDefinitionByEveryAlgorithm) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations) {
    for (const int level : {0, 1, 3}) {
      const auto matrix = this->matrix(factorization, 45, 3, 7);
      const DeviceArrays<T> arrays(reference::compress(matrix));
      for (const auto& options : this->with_every_algorithm({.factorization = factorization, .fill_level = level})) {
        SCOPED_TRACE(this->describe(options));
        const auto symbolic = this->analyze(arrays, options);
        this->expect_pattern(symbolic, reference::fill_mask(matrix, level));
        for (const double relaxation : {0.0, 0.5, 1.0}) {
          const IluFactor factor(typename T::Space(), symbolic, arrays.values, {.relaxation = relaxation});
          EXPECT_TRUE(factor.info().succeeded());
          this->expect_factor(factor, matrix, relaxation);
        }
        if (this->HasFailure()) return;
      }
    }
  }
}

TYPED_TEST_P(IluTest, LevelsBeyondTheSizeOfTheMatrixGiveTheCompleteFactor) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations) {
    const auto matrix = this->matrix(factorization, 50, 2, 23);
    const DeviceArrays<T> arrays(reference::compress(matrix, false, 4));
    for (const int level : {50, std::numeric_limits<int>::max()}) {
      const auto symbolic = this->analyze(arrays, {.factorization = factorization, .fill_level = level});
      this->expect_pattern(symbolic, reference::fill_mask(matrix, matrix.size()));
      if (level > matrix.size()) continue;  // which the reference takes for the level of what is never filled
      this->expect_factor(IluFactor(typename T::Space(), symbolic, arrays.values), matrix, 0.0);
    }
  }
}

TYPED_TEST_P(IluTest, TakesEverySizeSortedOrShuffled) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations)
    for (const int n : {1, 2, 3, 31, 64})
      for (const int per_row : {1, 4, 40})
        for (const bool sorted : {true, false}) {
          const auto matrix = this->matrix(factorization, n, per_row, 3);
          const DeviceArrays<T> arrays(reference::compress(matrix, sorted));
          const auto symbolic = this->analyze(arrays, {.factorization = factorization, .fill_level = n % 2});
          const IluFactor factor(typename T::Space(), symbolic, arrays.values);
          this->expect_factor(factor, matrix, 0.0);
          if (this->HasFailure()) return;
        }
}

TYPED_TEST_P(IluTest, FactorsOfSymmetricMatricesReadOneTriangle) {
  using T = TypeParam;
  const auto nan = typename T::Scalar(std::numeric_limits<reference::Real<typename T::Scalar>>::quiet_NaN());
  enum class Other { Mirrors, LacksOne, HasOneMore, HasOneElsewhere, IsNotStored };
  for (const auto factorization : {Factorization::Cholesky, Factorization::HermitianCholesky})
    for (const auto uplo : {Uplo::Lower, Uplo::Upper})
      for (const auto other :
           {Other::Mirrors, Other::LacksOne, Other::HasOneMore, Other::HasOneElsewhere, Other::IsNotStored}) {
        SCOPED_TRACE(std::string(to_string(uplo)) + " " + std::to_string(static_cast<int>(other)));
        const auto matrix = this->matrix(factorization, 40, 3, 5);
        const auto is_other = [&](int row, int column) {
          return column != row && (column > row) == (uplo == Uplo::Lower);
        };
        auto stored = matrix;
        int changed_row = -1, changed_column = -1;
        for (int row = 0; row < matrix.size(); ++row)
          for (const auto& [column, value] : matrix.rows[row]) {
            if (!is_other(row, column)) continue;
            if (changed_row < 0 || uplo == Uplo::Upper) changed_row = row, changed_column = column;  // a long row
            stored.rows[row][column] = nan;
            if (other == Other::IsNotStored) stored.rows[row].erase(column);
          }
        if (other == Other::LacksOne || other == Other::HasOneElsewhere) stored.rows[changed_row].erase(changed_column);
        if (other == Other::HasOneMore || other == Other::HasOneElsewhere) {
          int column = 0;
          while (!is_other(changed_row, column) || matrix.rows[changed_row].contains(column)) ++column;
          stored.rows[changed_row][column] = nan;
        }
        const DeviceArrays<T> arrays(reference::compress(stored, other != Other::IsNotStored));
        for (const int level : {0, 1}) {
          const auto symbolic =
              this->analyze(arrays, {.factorization = factorization, .fill_level = level, .uplo = uplo});
          EXPECT_EQ(symbolic.entries().data() == arrays.entries.data(), other == Other::Mirrors && level == 0);
          const IluFactor factor(typename T::Space(), symbolic, arrays.values);
          this->expect_factor(factor, matrix, 0.0);
        }
        if (this->HasFailure()) return;
      }
}

TYPED_TEST_P(IluTest, ReproducesTheMatrixOnItsPattern) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations) {
    const auto matrix = this->matrix(factorization, 90, 5, 11);
    const DeviceArrays<T> arrays(reference::compress(matrix));
    const IluFactor factor(typename T::Space(), this->analyze(arrays, {.factorization = factorization}), arrays.values);
    const auto mask = reference::fill_mask(matrix, 0);
    const auto merged = this->merged_of(factor);
    for (std::size_t i = 0; i < mask.size(); ++i)
      for (std::size_t j = 0; j < mask.size(); ++j) {
        if (!mask[i][j]) continue;
        const auto product = reference::product_at(merged, mask, i, j, factorization == Factorization::Lu);
        EXPECT_LE(std::abs(product - reference::widen(matrix.at(static_cast<int>(i), static_cast<int>(j)))),
                  100 * this->unit * 45);
      }
  }
}

TYPED_TEST_P(IluTest, ModifiedFactorsKeepTheRowSums) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations)
    for (const int level : {0, 1}) {
      auto matrix = reference::poisson<typename T::Scalar>(9, 7);
      if (factorization == Factorization::Lu)
        matrix = reference::convection_diffusion<typename T::Scalar>(9, 7, 1, 0.5);
      matrix.rows[0][0] += typename T::Scalar(1);
      const DeviceArrays<T> arrays(reference::compress(matrix));
      const auto symbolic = this->analyze(arrays, {.factorization = factorization, .fill_level = level});
      const IluFactor factor(typename T::Space(), symbolic, arrays.values, {.relaxation = 1.0});
      const auto mask = reference::fill_mask(matrix, level);
      const auto merged = this->merged_of(factor);
      for (int i = 0; i < matrix.size(); ++i) {
        std::complex<double> sum = 0, expected = 0;
        for (int j = 0; j < matrix.size(); ++j)
          sum += reference::product_at(merged, mask, static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                                       factorization == Factorization::Lu);
        for (const auto& entry : matrix.rows[i]) expected += reference::widen(entry.second);
        EXPECT_LE(std::abs(sum - expected), 500 * this->unit) << "row " << i;
      }
    }
}

TYPED_TEST_P(IluTest, AppliesTheInverseOfEveryOperation) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations)
    for (const bool prepare_transpose : {false, true}) {
      const auto matrix = this->matrix(factorization, 60, 3, 13);
      const DeviceArrays<T> arrays(reference::compress(matrix));
      const IluFactor factor(typename T::Space(), this->analyze(arrays, {.factorization = factorization}),
                             arrays.values, {.prepare_transpose = prepare_transpose});
      const auto mask = reference::fill_mask(matrix, 0);
      const auto merged = this->merged_of(factor);
      expect_inverse_of_every_operation<T>(factor, 60, 2000 * this->unit, [&](int i, int j) {
        return reference::product_at(merged, mask, static_cast<std::size_t>(i), static_cast<std::size_t>(j),
                                     factorization == Factorization::Lu);
      });
    }
}

TYPED_TEST_P(IluTest, PreparedTransposesFollowNewValues) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations)
    for (const int columns : {1, 5}) {
      const auto matrix = this->matrix(factorization, 300, 4, 23);
      const DeviceArrays<T> arrays(reference::compress(matrix, false, 4));
      auto doubled = to_host(arrays.values);
      for (auto& value : doubled) value *= 2;
      const auto symbolic = this->analyze(arrays, {.factorization = factorization});
      const IluFactorOptions options{.right_hand_sides = columns, .prepare_transpose = true};
      const IluFactor expected(typename T::Space(), symbolic, arrays.values, options);
      IluFactor factor(typename T::Space(), symbolic, to_device<typename T::Scalar, typename T::Device>(doubled),
                       options);
      factor.refactorize(typename T::Space(), arrays.values);
      const auto r = to_device<typename T::Scalar, typename T::Device>(random_vector<typename T::Scalar>(300, 3));
      const Kokkos::View<typename T::Scalar*, typename T::Device> x("x", 300), y("y", 300);
      for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
        expected.apply(typename T::Space(), r, x, op);
        factor.apply(typename T::Space(), r, y, op);
        EXPECT_EQ(to_host(x), to_host(y)) << to_string(op);
      }
    }
}

TYPED_TEST_P(IluTest, AFactorThatIsItsOwnTransposeAppliesBothAlike) {
  using T = TypeParam;
  const bool is_real = std::is_same_v<typename T::Scalar, reference::Real<typename T::Scalar>>;
  for (const auto factorization : {Factorization::Cholesky, Factorization::HermitianCholesky}) {
    const DeviceArrays<T> arrays(reference::compress(this->matrix(factorization, 300, 4, 29)));
    const auto symbolic = this->analyze(arrays, {.factorization = factorization});
    const IluFactor plain(typename T::Space(), symbolic, arrays.values);
    const IluFactor prepared(typename T::Space(), symbolic, arrays.values, {.prepare_transpose = true});
    if (is_real) {
      EXPECT_EQ(plain.bytes_held(), prepared.bytes_held());
    } else {
      EXPECT_LE(plain.bytes_held(), prepared.bytes_held());  // one thread of a host solves both alike
    }
    const auto r = to_device<typename T::Scalar, typename T::Device>(random_vector<typename T::Scalar>(300, 3));
    const Kokkos::View<typename T::Scalar*, typename T::Device> x("x", 300), y("y", 300);
    plain.apply(typename T::Space(), r, x);
    for (const Op op : {Op::Transpose, Op::ConjugateTranspose}) {
      plain.apply(typename T::Space(), r, y, op);
      if (is_real || (op == Op::Transpose) == (factorization == Factorization::Cholesky)) {
        EXPECT_EQ(to_host(x), to_host(y)) << to_string(op);
      } else {
        EXPECT_NE(to_host(x), to_host(y)) << to_string(op);
      }
    }
  }
}

TYPED_TEST_P(IluTest, RefactorizesOnTheSamePattern) {
  using T = TypeParam;
  for (const auto factorization : all_factorizations) {
    auto matrix = this->matrix(factorization, 50, 3, 17);
    const DeviceArrays<T> arrays(reference::compress(matrix, false, 4));
    const auto symbolic = this->analyze(arrays, {.factorization = factorization, .fill_level = 1});
    IluFactor factor(typename T::Space(), symbolic, arrays.values);
    for (auto& row : matrix.rows)
      for (auto& entry : row) entry.second = entry.second * static_cast<reference::Real<typename T::Scalar>>(1.25);
    const DeviceArrays<T> changed(reference::compress(matrix, false, 4));
    factor.refactorize(typename T::Space(), changed.values);
    this->expect_factor(factor, matrix, 0.0);
    const Kokkos::View<typename T::Scalar*, typename T::Device> once("once", 50), fresh("fresh", 50);
    Kokkos::deep_copy(once, typename T::Scalar(1));
    factor.apply(typename T::Space(), once, fresh);
    const IluFactor other(typename T::Space(), symbolic, changed.values);
    other.apply(typename T::Space(), once, once);
    EXPECT_EQ(to_host(once), to_host(fresh));
  }
}

/// On a device products of complex numbers are contracted to fused operations as the compiler likes, in each kernel
/// anew, and what a modified factorization drops is summed by as many lanes as an algorithm gives a row.
template <class T>
void expect_values_of_another_algorithm(const std::vector<typename T::Scalar>& expected,
                                        const std::vector<typename T::Scalar>& found, double relaxation = 0.0) {
  using Real = reference::Real<typename T::Scalar>;
  constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename T::Space::memory_space>::accessible;
  if (is_on_host || (std::is_same_v<typename T::Scalar, Real> && relaxation == 0.0)) {
    ASSERT_EQ(expected, found);
    return;
  }
  ASSERT_EQ(expected.size(), found.size());
  const Real tolerance = 100 * std::numeric_limits<Real>::epsilon();
  for (std::size_t k = 0; k < found.size(); ++k)
    ASSERT_LE(Kokkos::abs(found[k] - expected[k]), tolerance * (1 + Kokkos::abs(expected[k]))) << "entry " << k;
}

TYPED_TEST_P(IluTest, EveryAlgorithmGivesTheSameBits) {
  using T = TypeParam;
  const auto matrix = this->matrix(Factorization::Lu, 800, 4, 19);
  const DeviceArrays<T> arrays(reference::compress(matrix));
  std::vector<typename T::Scalar> of_first;
  for (const auto& options : this->with_every_algorithm({.fill_level = 0})) {
    SCOPED_TRACE(this->describe(options));
    IluFactor factor(typename T::Space(), this->analyze(arrays, options), arrays.values, {.relaxation = 0.9});
    const auto first = to_host(factor.values());
    for (int repetition = 0; repetition < 10; ++repetition) {
      factor.refactorize(typename T::Space(), arrays.values);
      ASSERT_EQ(first, to_host(factor.values()));
    }
    if (of_first.empty()) of_first = first;
    expect_values_of_another_algorithm<T>(of_first, first, 0.9);
  }
}

TYPED_TEST_P(IluTest, EveryAlgorithmGivesTheSameBitsOfSeveralUnknownsAtAPoint) {
  using T = TypeParam;
  const auto points = reference::mesh_of_three(reference::dominant(reference::poisson<double>(7, 6)));
  const DeviceArrays<T> arrays(reference::compress(reference::with_numbers<typename T::Scalar>(points, false)));
  for (const int level : {0, 1}) {
    std::vector<typename T::Scalar> of_first;
    for (const auto& options : this->with_every_algorithm({.fill_level = level})) {
      SCOPED_TRACE(this->describe(options));
      const IluFactor factor(typename T::Space(), this->analyze(arrays, options), arrays.values);
      const auto found = to_host(factor.values());
      if (of_first.empty()) of_first = found;
      expect_values_of_another_algorithm<T>(of_first, found);
    }
  }
}

TYPED_TEST_P(IluTest, ComputesTheFactorsOfTheDefinitionWhereRowsAreLong) {
  using T = TypeParam;
  for (const auto& shape : {reference::blocks(160), reference::with_holes(reference::full_band(150, 60), true),
                            reference::mesh_of_three(reference::band(40, 6)), reference::star(150, 0)})
    for (const auto factorization : all_factorizations) {
      const auto matrix =
          reference::with_numbers<typename T::Scalar>(shape, factorization == Factorization::HermitianCholesky);
      const DeviceArrays<T> arrays(reference::compress(matrix));
      const auto symbolic = this->analyze(arrays, {.factorization = factorization});
      for (const double relaxation : {0.0, 0.5}) {
        IluFactor factor(typename T::Space(), symbolic, arrays.values, {.relaxation = relaxation});
        factor.refactorize(typename T::Space(), arrays.values);
        EXPECT_TRUE(factor.info().succeeded());
        this->expect_factor(factor, matrix, relaxation);
      }
      if (this->HasFailure()) return;
    }
}

TYPED_TEST_P(IluTest, EveryAlgorithmGivesTheSameBitsOfLongRows) {
  using T = TypeParam;
  for (const auto& shape : {reference::blocks(350), reference::hubs(400), reference::all_linked(120),
                            reference::with_holes(reference::full_band(300, 100), false),
                            reference::mesh(reference::band(4, 2), [](int) { return 60; })}) {
    const DeviceArrays<T> arrays(reference::compress(reference::with_numbers<typename T::Scalar>(shape, false)));
    for (const double relaxation : {0.0, 0.9}) {
      std::vector<typename T::Scalar> of_first;
      for (const auto& options : this->with_every_algorithm({})) {
        SCOPED_TRACE(this->describe(options));
        const IluFactor factor(typename T::Space(), this->analyze(arrays, options), arrays.values,
                               {.relaxation = relaxation});
        const auto found = to_host(factor.values());
        if (of_first.empty()) of_first = found;
        expect_values_of_another_algorithm<T>(of_first, found, relaxation);
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(IluTest, ComputesTheFactorsOfTheDefinitionByEveryAlgorithm,
                            LevelsBeyondTheSizeOfTheMatrixGiveTheCompleteFactor, TakesEverySizeSortedOrShuffled,
                            FactorsOfSymmetricMatricesReadOneTriangle, ReproducesTheMatrixOnItsPattern,
                            ModifiedFactorsKeepTheRowSums, AppliesTheInverseOfEveryOperation,
                            PreparedTransposesFollowNewValues, AFactorThatIsItsOwnTransposeAppliesBothAlike,
                            RefactorizesOnTheSamePattern, EveryAlgorithmGivesTheSameBits,
                            EveryAlgorithmGivesTheSameBitsOfSeveralUnknownsAtAPoint,
                            ComputesTheFactorsOfTheDefinitionWhereRowsAreLong,
                            EveryAlgorithmGivesTheSameBitsOfLongRows);

}  // namespace terrace::test
