// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IlutFactor against the textbook, entry by entry, for one scalar, one offset type and one space.
#pragma once

#include <terrace/ilut.hpp>

#include "parallel/concurrency.hpp"
#include "reference/threshold_factors.hpp"
#include "support/device_triangle.hpp"
#include "support/inverse_of_every_operation.hpp"

namespace terrace::test {

template <class T>
class IlutTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using Factor = IlutFactor<Scalar, int, typename T::Offset, Space>;

  static constexpr double unit = std::numeric_limits<reference::Real<Scalar>>::epsilon();

  static Matrix matrix(Factorization factorization, int n, int per_row, unsigned seed) {
    if (factorization == Factorization::Lu) return reference::random_matrix<Scalar>(n, per_row, seed);
    return reference::random_symmetric<Scalar>(n, per_row, factorization == Factorization::HermitianCholesky, seed);
  }

  static Factor factorize(const Matrix& matrix, const IlutOptions& options, bool sorted = true) {
    const DeviceArrays<T> arrays(reference::compress(matrix, sorted));
    return Factor(Space(), arrays.row_map, arrays.entries, arrays.values, options);
  }

  static Matrix merged_of(const Factor& factor) {
    const auto map = to_host(factor.row_map());
    const auto entries = to_host(factor.entries());
    const auto values = to_host(factor.values());
    Matrix merged(static_cast<int>(map.size()) - 1);
    for (int row = 0; row < merged.size(); ++row)
      for (auto k = map[row]; k < map[row + 1]; ++k) {
        EXPECT_TRUE(k == map[row] || entries[k - 1] < entries[k]) << "row " << row << " is not in order";
        merged.rows[row][entries[k]] = values[k];
      }
    return merged;
  }

  static Matrix expected_of(const Matrix& matrix, const IlutOptions& options) {
    if (options.factorization == Factorization::Lu)
      return reference::ilut(matrix, options.fill, options.drop_tolerance);
    return reference::threshold_cholesky(matrix, options.fill, options.drop_tolerance,
                                         options.factorization == Factorization::HermitianCholesky);
  }

  static void expect_factor(const Factor& factor, const Matrix& matrix) {
    EXPECT_TRUE(factor.info().succeeded());
    const auto expected = expected_of(matrix, factor.options());
    const auto found = merged_of(factor);
    std::int64_t entries = 0;
    for (int i = 0; i < matrix.size(); ++i) {
      entries += static_cast<std::int64_t>(found.rows[i].size());
      for (int j = 0; j < matrix.size(); ++j) {
        ASSERT_EQ(found.has(i, j), expected.has(i, j)) << "(" << i << ", " << j << ")";
        ASSERT_LE(std::abs(reference::widen(found.at(i, j)) - reference::widen(expected.at(i, j))),
                  200 * unit * (1 + reference::size_of(expected.at(i, j))))
            << "(" << i << ", " << j << ")";
      }
    }
    EXPECT_EQ(factor.info().factor_entries, entries);
  }

  /// A sentence for SCOPED_TRACE.
  static std::string describe(const IlutOptions& options) {
    return std::string(to_string(options.factorization)) + " fill " + std::to_string(options.fill) + " tolerance " +
           std::to_string(options.drop_tolerance);
  }

  /// (L U)_ij of the merged factor, or (L L^T)_ij.
  static std::complex<double> product_at(const Matrix& merged, int i, int j, bool unit_lower) {
    std::complex<double> sum = 0;
    for (const auto& [k, left] : merged.rows[i]) {
      if (k > std::min(i, j) || !merged.has(k, j)) continue;
      sum += (k == i && unit_lower ? 1.0 : reference::widen(left)) * reference::widen(merged.at(k, j));
    }
    return sum;
  }
};

TYPED_TEST_SUITE_P(IlutTest);

inline constexpr Factorization every_factorization[] = {Factorization::Lu, Factorization::Cholesky,
                                                        Factorization::HermitianCholesky};

TYPED_TEST_P(IlutTest, KeepsWhatTheTextbookKeeps) {
  for (const auto factorization : every_factorization)
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto matrix = this->matrix(factorization, 60, 2 + static_cast<int>(seed % 3), seed);
      for (const int fill : {0, 1, 2, 5, 12, 60, 1000})
        for (const double tolerance : {0.0, 1e-3, 0.05, 0.3}) {
          const IlutOptions options{.factorization = factorization, .fill = fill, .drop_tolerance = tolerance};
          SCOPED_TRACE(this->describe(options));
          this->expect_factor(this->factorize(matrix, options), matrix);
          if (this->HasFailure()) return;
        }
    }
}

TYPED_TEST_P(IlutTest, TakesEverySizeSortedOrShuffled) {
  for (const auto factorization : every_factorization)
    for (const int n : {1, 2, 3, 31, 64})
      for (const int per_row : {1, 4, 40})
        for (const bool sorted : {true, false}) {
          const auto matrix = this->matrix(factorization, n, per_row, 3);
          this->expect_factor(this->factorize(matrix, {.factorization = factorization, .fill = 6}, sorted), matrix);
          if (this->HasFailure()) return;
        }
}

TYPED_TEST_P(IlutTest, DroppingNothingGivesTheCompleteFactorization) {
  for (const auto factorization : every_factorization) {
    const auto matrix = this->matrix(factorization, 70, 4, 5);
    const auto factor = this->factorize(matrix, {.factorization = factorization, .fill = 70, .drop_tolerance = 0});
    EXPECT_EQ(factor.info().dropped_entries, 0);
    const auto merged = this->merged_of(factor);
    for (int i = 0; i < 70; ++i)
      for (int j = 0; j < 70; ++j)
        EXPECT_LE(std::abs(this->product_at(merged, i, j, factorization == Factorization::Lu) -
                           reference::widen(matrix.at(i, j))),
                  2000 * this->unit);
  }
}

TYPED_TEST_P(IlutTest, FactorsOfSymmetricMatricesReadOneTriangle) {
  using T = TypeParam;
  for (const auto factorization : {Factorization::Cholesky, Factorization::HermitianCholesky})
    for (const auto uplo : {Uplo::Lower, Uplo::Upper})
      for (const bool other_is_stored : {true, false}) {
        const auto matrix = this->matrix(factorization, 40, 3, 5);
        auto stored = matrix;
        for (int row = 0; row < matrix.size(); ++row)
          for (const auto& [column, value] : matrix.rows[row]) {
            if (column == row || (column < row) == (uplo == Uplo::Lower)) continue;
            stored.rows[row][column] =
                typename T::Scalar(std::numeric_limits<reference::Real<typename T::Scalar>>::quiet_NaN());
            if (!other_is_stored) stored.rows[row].erase(column);
          }
        const IlutOptions options{.factorization = factorization, .fill = 4, .uplo = uplo};
        this->expect_factor(this->factorize(stored, options, other_is_stored), matrix);
        if (this->HasFailure()) return;
      }
}

TYPED_TEST_P(IlutTest, OfEqualEntriesItKeepsThoseWithTheSmallerColumn) {
  using Number = typename TypeParam::Scalar;
  reference::GeneralMatrix<Number> arrow(9);
  for (int k = 0; k < 9; ++k) arrow.rows[k][k] = Number(32);
  for (int k = 0; k < 9; ++k)
    if (k != 4) arrow.rows[4][k] = Number(k % 2 == 0 ? 1 : -1);
  const auto merged = this->merged_of(this->factorize(arrow, {.fill = 2, .drop_tolerance = 0}));
  std::vector<int> columns;
  for (const auto& entry : merged.rows[4]) columns.push_back(entry.first);
  EXPECT_EQ(columns, (std::vector<int>{0, 1, 4, 5, 6}));
}

TYPED_TEST_P(IlutTest, AppliesTheInverseOfEveryOperation) {
  for (const auto factorization : every_factorization)
    for (const bool prepare_transpose : {false, true}) {
      const auto factor = this->factorize(this->matrix(factorization, 60, 3, 13),
                                          {.factorization = factorization, .prepare_transpose = prepare_transpose});
      const auto merged = this->merged_of(factor);
      expect_inverse_of_every_operation<TypeParam>(factor, 60, 2000 * this->unit, [&](int i, int j) {
        return this->product_at(merged, i, j, factorization == Factorization::Lu);
      });
    }
}

TYPED_TEST_P(IlutTest, NewValuesGiveANewPattern) {
  using T = TypeParam;
  for (const auto factorization : every_factorization) {
    auto matrix = this->matrix(factorization, 50, 3, 17);
    const DeviceArrays<T> arrays(reference::compress(matrix, false, 4));
    typename TestFixture::Factor factor(typename T::Space(), arrays.row_map, arrays.entries, arrays.values,
                                        {.factorization = factorization, .fill = 3, .drop_tolerance = 0.01});
    const auto before = to_host(factor.entries());
    for (int row = 0; row < 50; ++row)
      for (auto& [column, value] : matrix.rows[row])
        value = value * static_cast<reference::Real<typename T::Scalar>>(column == row ? 1 : 2 - (row + column) % 2);
    const DeviceArrays<T> changed(reference::compress(matrix, false, 4));
    factor.refactorize(typename T::Space(), changed.values);
    EXPECT_NE(to_host(factor.entries()), before);
    this->expect_factor(factor, matrix);
  }
}

/// By one thread, some hundredths of a second on a device.
struct TakeLong {
  double* result;
  KOKKOS_FUNCTION void operator()(int) const {
    double sum = *result;
    for (int k = 0; k < 4'000'000; ++k) sum = sum * 0.5 + 1.0;
    *result = sum;
  }
};

/// Rows that follow each other one by one, which somebody else might begin with before the values are there.
TYPED_TEST_P(IlutTest, TakesValuesThatAreStillBeingWritten) {
  using T = TypeParam;
  const typename T::Space space;
  for (const auto factorization : every_factorization) {
    const auto matrix = this->matrix(factorization, 20'000, 1, 3);
    const IlutOptions options{.factorization = factorization, .fill = 5, .drop_tolerance = 1e-4};
    const DeviceArrays<T> arrays(reference::compress(matrix));
    typename TestFixture::Factor factor(space, arrays.row_map, arrays.entries, arrays.values, options);
    const auto entries = to_host(factor.entries());
    const auto values = to_host(factor.values());
    const Kokkos::View<typename T::Scalar*, parallel::Device<typename T::Space>> written("values",
                                                                                         arrays.values.extent(0));
    const Kokkos::View<double*, parallel::Device<typename T::Space>> result("result", 1);
    for (int repetition = 0; repetition < 3; ++repetition) {
      Kokkos::deep_copy(written, typename T::Scalar(1));
      Kokkos::parallel_for("terrace::test::take_long", Kokkos::RangePolicy<typename T::Space>(space, 0, 1),
                           TakeLong{result.data()});
      Kokkos::deep_copy(space, written, arrays.values);
      factor.refactorize(space, written);
      ASSERT_EQ(to_host(factor.entries()), entries);
      ASSERT_EQ(to_host(factor.values()), values);
    }
  }
}

/// Also on an instance with fewer threads, where a space can be divided.
TYPED_TEST_P(IlutTest, RepeatedFactorizationsHaveTheSameBits) {
  using T = TypeParam;
  const typename T::Space whole;
  const auto part = whole.concurrency() > 1 ? Kokkos::Experimental::partition_space(whole, 1, 1)[0] : whole;
  for (const auto factorization : every_factorization) {
    const auto matrix = this->matrix(factorization, 800, 4, 19);
    const IlutOptions options{.factorization = factorization, .fill = 7, .drop_tolerance = 1e-4};
    const auto first = this->factorize(matrix, options);
    const auto entries = to_host(first.entries());
    const auto values = to_host(first.values());
    const DeviceArrays<T> arrays(reference::compress(matrix));
    for (int repetition = 0; repetition < 10; ++repetition) {
      const typename TestFixture::Factor again(repetition % 2 == 0 ? whole : part, arrays.row_map, arrays.entries,
                                               arrays.values, options);
      ASSERT_EQ(to_host(again.entries()), entries);
      ASSERT_EQ(to_host(again.values()), values);
      ASSERT_EQ(again.info().dropped_entries, first.info().dropped_entries);
    }
  }
}

/// Every row needs the one before it, and those of a dense corner need each other.
TYPED_TEST_P(IlutTest, RepeatedChainsAndDenseCornersAreExact) {
  for (const auto factorization : every_factorization) {
    auto matrix = this->matrix(factorization, 150, 2, 23);
    for (int row = 1; row < 150; ++row)
      for (int column = row < 100 ? row - 1 : 100; column < row; ++column)
        matrix.rows[row][column] = matrix.rows[column][row] =
            typename TypeParam::Scalar(-1) / static_cast<reference::Real<typename TypeParam::Scalar>>(1 + row - column);
    for (int row = 0; row < 150; ++row) matrix.rows[row][row] = typename TypeParam::Scalar(30);
    if (factorization != Factorization::Lu)
      for (int row = 0; row < 150; ++row)
        for (auto& [column, value] : matrix.rows[row])
          if (column > row)
            value = factorization == Factorization::HermitianCholesky ? reference::conjugate_of(matrix.at(column, row))
                                                                      : matrix.at(column, row);
    for (const int fill : {3, 150})
      this->expect_factor(
          this->factorize(matrix, {.factorization = factorization, .fill = fill, .drop_tolerance = 1e-3}), matrix);
  }
}

REGISTER_TYPED_TEST_SUITE_P(IlutTest, KeepsWhatTheTextbookKeeps, TakesEverySizeSortedOrShuffled,
                            DroppingNothingGivesTheCompleteFactorization, FactorsOfSymmetricMatricesReadOneTriangle,
                            OfEqualEntriesItKeepsThoseWithTheSmallerColumn, AppliesTheInverseOfEveryOperation,
                            NewValuesGiveANewPattern, TakesValuesThatAreStillBeingWritten,
                            RepeatedFactorizationsHaveTheSameBits, RepeatedChainsAndDenseCornersAreExact);

}  // namespace terrace::test
