// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orderings and scalings of IluSymbolic and IluFactor against factors of matrices that were permuted and scaled by
// hand, for one scalar, one offset type and one space.
#pragma once

#include <terrace/ilu.hpp>
#include <terrace/ilut.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"
#include "support/every_ordering.hpp"

namespace terrace::test {

struct OrderedCase {
  IluSymbolicOptions pattern;
  Scaling scaling;
  std::string name;
};

constexpr int ordered_size = 60;

inline std::vector<OrderedCase> every_ordered_case() {
  std::vector<OrderedCase> cases;
  auto orderings = every_ordering();
  orderings.push_back(Ordering::Given);
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky})
    for (const auto uplo : {Uplo::Lower, Uplo::Upper})
      for (const int level : {0, 2})
        for (const auto ordering : orderings)
          for (const auto scaling : {Scaling::None, Scaling::Diagonal}) {
            if (factorization == Factorization::Lu && uplo == Uplo::Upper) continue;
            IluSymbolicOptions pattern{
                .factorization = factorization, .fill_level = level, .uplo = uplo, .ordering = ordering};
            if (ordering == Ordering::Given) pattern.permutation = shuffled_rows(ordered_size, 4);
            cases.push_back({pattern, scaling,
                             std::string(to_string(factorization)) + " " + to_string(uplo) + " level " +
                                 std::to_string(level) + " " + to_string(ordering) + " " + to_string(scaling)});
          }
  return cases;
}

template <class T>
class OrderedIluTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Real = reference::Real<Scalar>;
  using Space = typename T::Space;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using Symbolic = IluSymbolic<int, typename T::Offset, Space>;
  using Factor = IluFactor<Scalar, int, typename T::Offset, Space>;
  static constexpr double unit = std::numeric_limits<Real>::epsilon();
  static constexpr int size = ordered_size;

  static Matrix matrix(const IluSymbolicOptions& options, unsigned seed) {
    Matrix a = options.factorization == Factorization::Lu
                   ? reference::random_matrix<Scalar>(size, 3, seed)
                   : reference::random_symmetric<Scalar>(
                         size, 3, options.factorization == Factorization::HermitianCholesky, seed);
    for (int row = 0; row < size; ++row)  // rows of very different size
      for (auto& [column, value] : a.rows[row]) value = value * weight(row) * weight(column);
    return a;
  }
  static Real weight(int row) { return static_cast<Real>(std::ldexp(1.0, row % 7 - 3)); }

  /// What a symmetric factorization must not read is NaN.
  static Matrix with_one_triangle(Matrix a, const IluSymbolicOptions& options) {
    if (options.factorization == Factorization::Lu) return a;
    for (int row = 0; row < size; ++row)
      for (auto& [column, value] : a.rows[row])
        if (column != row && (column < row) != (options.uplo == Uplo::Lower))
          value = Scalar(std::numeric_limits<Real>::quiet_NaN());
    return a;
  }

  static std::vector<int> permutation_of(const Symbolic& symbolic) {
    auto original = to_host(symbolic.permutation());
    if (!original.empty()) return original;
    for (int row = 0; row < size; ++row) original.push_back(row);
    return original;
  }

  static std::vector<Real> scale_of(const Matrix& a, Scaling scaling) {
    std::vector<Real> scale(size, Real(1));
    if (scaling == Scaling::Diagonal)
      for (int row = 0; row < size; ++row) {
        const Real modulus = Kokkos::abs(a.at(row, row));
        if (modulus > Real(0)) scale[row] = Real(1) / std::sqrt(modulus);
      }
    return scale;
  }

  static Matrix permuted(const Matrix& a, const std::vector<int>& original, const std::vector<Real>& scale) {
    std::vector<int> number(size);
    for (int place = 0; place < size; ++place) number[original[place]] = place;
    Matrix b(size);
    for (int row = 0; row < size; ++row)
      for (const auto& [column, value] : a.rows[row])
        b.rows[number[row]][number[column]] = value * (scale[row] * scale[column]);
    return b;
  }

  /// The factor of the matrix that was permuted and scaled by hand.
  static Factor by_hand(const Matrix& a, const Symbolic& symbolic, IluFactorOptions options) {
    auto pattern = symbolic.options();
    const auto scale = scale_of(a, options.scaling);
    const DeviceArrays<T> arrays(reference::compress(permuted(a, permutation_of(symbolic), scale)));
    pattern.ordering = Ordering::Natural;
    pattern.permutation = {};
    options.scaling = Scaling::None;
    return Factor(Space(), Symbolic(Space(), arrays.row_map, arrays.entries, pattern), arrays.values, options);
  }

  /// The same pattern and the same numbers; the same bits where nothing was scaled.
  static void expect_same(const Factor& found, const Factor& expected, bool same_bits) {
    ASSERT_EQ(to_host(found.symbolic().row_map()), to_host(expected.symbolic().row_map()));
    ASSERT_EQ(to_host(found.symbolic().entries()), to_host(expected.symbolic().entries()));
    const auto a = to_host(found.values()), b = to_host(expected.values());
    for (std::size_t k = 0; k < a.size(); ++k)
      ASSERT_LE(std::abs(reference::widen(a[k]) - reference::widen(b[k])),
                same_bits ? 0.0 : 1000 * unit * (1 + std::abs(reference::widen(b[k]))))
          << "entry " << k;
  }
};

TYPED_TEST_SUITE_P(OrderedIluTest);

TYPED_TEST_P(OrderedIluTest, FactorsAreThoseOfThePermutedAndScaledMatrix) {
  using T = TypeParam;
  for (const auto& [pattern, scaling, name] : every_ordered_case()) {
    SCOPED_TRACE(name);
    const auto a = this->matrix(pattern, 5);
    for (const bool sorted : {true, false}) {
      const DeviceArrays<T> arrays(reference::compress(this->with_one_triangle(a, pattern), sorted));
      const typename TestFixture::Symbolic symbolic(typename T::Space(), arrays.row_map, arrays.entries, pattern);
      for (const double relaxation : {0.0, 0.75}) {
        const IluFactorOptions options{.relaxation = relaxation, .scaling = scaling};
        const IluFactor factor(typename T::Space(), symbolic, arrays.values, options);
        EXPECT_TRUE(factor.info().succeeded());
        this->expect_same(factor, this->by_hand(a, symbolic, options), scaling == Scaling::None);
      }
    }
    if (this->HasFailure()) return;
  }
}

TYPED_TEST_P(OrderedIluTest, RefactorizesInTheSameOrder) {
  using T = TypeParam;
  for (const auto& [pattern, scaling, name] : every_ordered_case()) {
    SCOPED_TRACE(name);
    auto a = this->matrix(pattern, 6);
    const DeviceArrays<T> arrays(reference::compress(a, false));
    const typename TestFixture::Symbolic symbolic(typename T::Space(), arrays.row_map, arrays.entries, pattern);
    const IluFactorOptions options{.scaling = scaling};
    IluFactor factor(typename T::Space(), symbolic, arrays.values, options);
    for (int row = 0; row < a.size(); ++row)
      a.rows[row][row] = a.rows[row][row] * static_cast<decltype(this->weight(0))>(1 + row % 3);
    const DeviceArrays<T> changed(reference::compress(a, false));
    factor.refactorize(typename T::Space(), changed.values);
    this->expect_same(factor, IluFactor(typename T::Space(), symbolic, changed.values, options), true);
    this->expect_same(factor, this->by_hand(a, symbolic, options), scaling == Scaling::None);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST_P(OrderedIluTest, InsertsMissingDiagonals) {
  using T = TypeParam;
  for (const auto ordering : every_ordering())
    for (const auto scaling : {Scaling::None, Scaling::Diagonal}) {
      IluSymbolicOptions pattern{.insert_missing_diagonal = true, .ordering = ordering};
      auto a = this->matrix(pattern, 7);
      const DeviceArrays<T> whole(reference::compress(a));
      for (const int row : {3, 40}) a.rows[row].erase(row);
      const DeviceArrays<T> arrays(reference::compress(a));
      const typename TestFixture::Symbolic symbolic(typename T::Space(), arrays.row_map, arrays.entries, pattern);
      EXPECT_EQ(symbolic.info().first_inserted_diagonal, 3);
      const IluFactorOptions options{.scaling = scaling, .pivots = {.policy = PivotPolicy::Replace}};
      const IluFactor factor(typename T::Space(), symbolic, arrays.values, options);
      for (const int row : {3, 40}) a.rows[row][row] = typename T::Scalar(0);
      this->expect_same(factor, this->by_hand(a, symbolic, options), scaling == Scaling::None);
    }
}

/// z = D P^T (L U)^-1 P D r for vectors in one layout.
template <class T, class Layout, class Factor>
void expect_applied(const Factor& factor, const Factor& by_hand, const std::vector<int>& original,
                    const std::vector<reference::Real<typename T::Scalar>>& scale, int columns, bool aliased) {
  using Scalar = typename T::Scalar;
  const int n = static_cast<int>(original.size());
  std::vector<std::vector<Scalar>> r, inside;
  for (int k = 0; k < columns; ++k) {
    r.push_back(random_vector<Scalar>(n, static_cast<unsigned>(20 + k)));
    inside.emplace_back();
    for (const int row : original) inside.back().push_back(r.back()[row] * scale[row]);
  }
  for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
    const auto R = to_device_columns<T, Layout>(r, static_cast<std::size_t>(n));
    const auto Z = aliased ? R : to_device_columns<T, Layout>(r, static_cast<std::size_t>(n));
    const auto Y = to_device_columns<T, Layout>(inside, static_cast<std::size_t>(n));
    factor.apply(typename T::Space(), R, Z, op);
    by_hand.apply(typename T::Space(), Y, Y, op);
    for (int k = 0; k < columns; ++k) {
      const auto z = column_to_host(Z, static_cast<std::size_t>(k)), y = column_to_host(Y, static_cast<std::size_t>(k));
      for (int place = 0; place < n; ++place) {
        const auto expected = reference::widen(y[place] * scale[original[place]]);
        ASSERT_LE(std::abs(reference::widen(z[original[place]]) - expected),
                  1e4 * OrderedIluTest<T>::unit * (1 + std::abs(expected)))
            << to_string(op) << " column " << k << " row " << original[place];
      }
      if (!aliased) {
        EXPECT_EQ(column_to_host(R, static_cast<std::size_t>(k)), r[k]);
      }
    }
  }
}

TYPED_TEST_P(OrderedIluTest, AppliesToVectorsInTheCallersNumbers) {
  using T = TypeParam;
  for (const auto& [pattern, scaling, name] : every_ordered_case()) {
    if (pattern.fill_level > 0 || pattern.uplo == Uplo::Upper) continue;
    SCOPED_TRACE(name);
    const auto a = this->matrix(pattern, 8);
    const DeviceArrays<T> arrays(reference::compress(a));
    const typename TestFixture::Symbolic symbolic(typename T::Space(), arrays.row_map, arrays.entries, pattern);
    const auto original = this->permutation_of(symbolic);
    const auto scale = this->scale_of(a, scaling);
    for (const int held : {1, 4}) {
      const IluFactorOptions options{.scaling = scaling, .right_hand_sides = held};
      const IluFactor factor(typename T::Space(), symbolic, arrays.values, options);
      const auto by_hand = this->by_hand(a, symbolic, options);
      for (const int columns : {0, 1, 4, 9})
        for (const bool aliased : {false, true}) {
          expect_applied<T, Kokkos::LayoutLeft>(factor, by_hand, original, scale, columns, aliased);
          expect_applied<T, Kokkos::LayoutRight>(factor, by_hand, original, scale, columns, aliased);
        }
    }
    if (this->HasFailure()) return;
  }
}

TYPED_TEST_P(OrderedIluTest, FactorsByThresholdsAreThoseOfThePermutedAndScaledMatrix) {
  using T = TypeParam;
  using ByThresholds = IlutFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;
  for (const auto& [pattern, scaling, name] : every_ordered_case()) {
    if (pattern.fill_level > 0) continue;
    SCOPED_TRACE(name);
    const auto a = this->matrix(pattern, 9);
    IlutOptions options{.factorization = pattern.factorization,
                        .fill = 6,
                        .drop_tolerance = 0.01,
                        .uplo = pattern.uplo,
                        .ordering = pattern.ordering,
                        .permutation = pattern.permutation,
                        .scaling = scaling,
                        .right_hand_sides = 2};
    const DeviceArrays<T> arrays(reference::compress(this->with_one_triangle(a, pattern), false));
    const ByThresholds factor(typename T::Space(), arrays.row_map, arrays.entries, arrays.values, options);
    EXPECT_TRUE(factor.info().succeeded());
    auto original = to_host(factor.permutation());
    EXPECT_EQ(original.empty(), pattern.ordering == Ordering::Natural);
    if (pattern.ordering == Ordering::Given) {
      EXPECT_EQ(original, pattern.permutation);
    }
    for (int row = static_cast<int>(original.size()); row < this->size; ++row) original.push_back(row);
    const auto scale = this->scale_of(a, scaling);
    const DeviceArrays<T> moved(reference::compress(this->permuted(a, original, scale)));
    options.ordering = Ordering::Natural;
    options.permutation = {};
    options.scaling = Scaling::None;
    const ByThresholds by_hand(typename T::Space(), moved.row_map, moved.entries, moved.values, options);
    EXPECT_EQ(to_host(factor.row_map()), to_host(by_hand.row_map()));
    EXPECT_EQ(to_host(factor.entries()), to_host(by_hand.entries()));
    expect_applied<T, Kokkos::LayoutLeft>(factor, by_hand, original, scale, 3, false);
    expect_applied<T, Kokkos::LayoutRight>(factor, by_hand, original, scale, 1, true);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST_P(OrderedIluTest, FactorsByThresholdsNameRowsInTheCallersNumbers) {
  using T = TypeParam;
  using ByThresholds = IlutFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;
  for (const auto ordering : every_ordering()) {
    auto a = this->matrix({}, 10);
    for (auto& [column, value] : a.rows[17]) value = typename T::Scalar(0);
    const DeviceArrays<T> arrays(reference::compress(a));
    const ByThresholds factor(typename T::Space(), arrays.row_map, arrays.entries, arrays.values,
                              {.ordering = ordering});
    EXPECT_EQ(factor.info().first_bad_row(), 17) << to_string(ordering);
  }
}

REGISTER_TYPED_TEST_SUITE_P(OrderedIluTest, FactorsAreThoseOfThePermutedAndScaledMatrix, RefactorizesInTheSameOrder,
                            InsertsMissingDiagonals, AppliesToVectorsInTheCallersNumbers,
                            FactorsByThresholdsAreThoseOfThePermutedAndScaledMatrix,
                            FactorsByThresholdsNameRowsInTheCallersNumbers);

}  // namespace terrace::test
