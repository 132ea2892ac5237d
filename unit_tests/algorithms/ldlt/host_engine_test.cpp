// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of a host against dense L D L^T, for matrices of many shapes and sizes, and what it says of bad pivots.
#include "algorithms/ldlt/host_engine.hpp"
#include "algorithms/ldlt/locate_entries.hpp"

#include <gtest/gtest.h>

#include "support/host_factor.hpp"

namespace terrace::test {
namespace {

template <class ScalarType, class SpaceType>
struct Kind {
  using Scalar = ScalarType;
  using Space = SpaceType;
};

using Host = Kokkos::DefaultHostExecutionSpace;
using Kinds = ::testing::Types<Kind<double, Kokkos::Serial>, Kind<double, Host>,
                               Kind<Kokkos::complex<double>, Kokkos::Serial>, Kind<Kokkos::complex<double>, Host>>;

template <class T>
class HostEngine : public ::testing::Test {
 protected:
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Factor = HostFactor<Scalar, Space>;
  using Matrix = SymmetricMatrix<Scalar>;

  /// Several runs and shared fronts, however small the matrix is.
  static ldlt::HostCut finest_cut() {
    ldlt::HostCut cut(2);
    cut.least_shared = 0;
    return cut;
  }

  /// Columns of L, D on the diagonal, in the order of elimination.
  static std::vector<Scalar> dense_factor(Matrix matrix, const std::vector<int>& original) {
    const auto n = static_cast<std::size_t>(matrix.size());
    std::vector<Scalar> L(n * n);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) {
        const int a = std::max(original[i], original[j]), b = std::min(original[i], original[j]);
        const auto found = matrix.rows[a].find(b);
        if (found != matrix.rows[a].end()) L[i + j * n] = found->second;
      }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = k + 1; j < n; ++j)
        for (std::size_t i = j; i < n; ++i) L[i + j * n] -= L[i + k * n] * (L[j + k * n] / L[k + k * n]);
      for (std::size_t i = k + 1; i < n; ++i) L[i + k * n] /= L[k + k * n];
    }
    return L;
  }

  static void solve_dense(const std::vector<Scalar>& L, Scalar* x, std::size_t n, LdltPart part) {
    if (part == LdltPart::All || part == LdltPart::Forward)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = k + 1; i < n; ++i) x[i] -= L[i + k * n] * x[k];
    if (part == LdltPart::All || part == LdltPart::Diagonal)
      for (std::size_t k = 0; k < n; ++k) x[k] /= L[k + k * n];
    if (part == LdltPart::All || part == LdltPart::Backward)
      for (std::size_t k = n; k-- > 0;)
        for (std::size_t i = k + 1; i < n; ++i) x[k] -= L[i + k * n] * x[i];
  }

  static void expect_dense_solutions(const Matrix& matrix, const ldlt::HostCut& cut, double amalgamation = 1,
                                     std::vector<int> order = {}) {
    Factor factor(matrix, cut, std::move(order), amalgamation);
    factor.factorize();
    const auto n = static_cast<std::size_t>(matrix.size());
    const auto L = dense_factor(matrix, factor.original());
    for (const int columns : {1, Factor::max_columns})
      for (const auto part : {LdltPart::All, LdltPart::Forward, LdltPart::Diagonal, LdltPart::Backward}) {
        auto expected = some_numbers<Scalar>(n * static_cast<std::size_t>(columns));
        const auto found = factor.solved(expected, columns, part);
        for (int c = 0; c < columns; ++c) solve_dense(L, expected.data() + static_cast<std::size_t>(c) * n, n, part);
        reference::LargestError error;
        for (std::size_t k = 0; k < expected.size(); ++k)
          error.add(Kokkos::abs(found[k] - expected[k]), 1 + Kokkos::abs(expected[k]));
        EXPECT_LE(error.value(), 1e-12) << n << " rows, " << columns << " columns, part " << static_cast<int>(part);
      }
    double growth = 0;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = k + 1; i < n; ++i) growth = std::max(growth, incomplete::magnitude(L[i + k * n]));
    EXPECT_NEAR(factor.record.growth, growth, 1e-12 * (1 + growth));
    EXPECT_EQ(factor.record.first_nonfinite, matrix.size());
    EXPECT_EQ(factor.record.replaced, 0);
  }

  /// |A x - b|, relative to |A| |x| + |b|.
  static void expect_small_residual(const Matrix& matrix, const ldlt::HostCut& cut) {
    Factor factor(matrix, cut);
    factor.factorize();
    const auto b = some_numbers<Scalar>(static_cast<std::size_t>(matrix.size()));
    const auto x = factor.solved(b, 1);
    std::vector<int> place(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) place[factor.original()[i]] = static_cast<int>(i);
    std::vector<Scalar> residual(b);
    std::vector<double> weight(b.size());
    const auto add = [&](int i, int j, const Scalar& value) {
      residual[place[i]] -= value * x[place[j]];
      weight[place[i]] += Kokkos::abs(value) * Kokkos::abs(x[place[j]]);
    };
    for (int i = 0; i < matrix.size(); ++i)
      for (const auto& [j, value] : matrix.rows[i]) {
        add(i, j, value);
        if (i != j) add(j, i, value);
      }
    reference::LargestError error;
    for (std::size_t i = 0; i < b.size(); ++i) error.add(Kokkos::abs(residual[i]), weight[i] + Kokkos::abs(b[i]));
    EXPECT_LE(error.value(), 1e-13);
  }
};

TYPED_TEST_SUITE(HostEngine, Kinds);

TYPED_TEST(HostEngine, SolvesDenseMatricesAroundTheSizesOfBlocks) {
  for (const int n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300}) {
    const auto matrix = matrix_of<typename TypeParam::Scalar>(n, [](int, int) { return true; });
    this->expect_dense_solutions(matrix, this->finest_cut());
  }
}

/// More tiles than one in solves too; of a front with two children, some below its own rows.
TYPED_TEST(HostEngine, SolvesWithSeveralTiles) {
  using Number = typename TypeParam::Scalar;
  for (const int n : {513, 1100})
    this->expect_small_residual(matrix_of<Number>(n, [](int, int) { return true; }), this->finest_cut());
  constexpr int leaf = 20, border = 2100;  // two leaves that touch the border alone, which is a chain
  const auto bordered = matrix_of<Number>(2 * leaf + border, [](int i, int j) {
    if (i < 2 * leaf) return (i < leaf) == (j < leaf);
    return j < 2 * leaf || i - j == 1;
  });
  this->expect_small_residual(bordered, this->finest_cut());
}

TYPED_TEST(HostEngine, SolvesRandomPatterns) {
  std::mt19937 random(7);
  for (unsigned trial = 0; trial < 150; ++trial) {
    const int n = 1 + static_cast<int>(random() % 40);
    const auto share = 2 + random() % 12;
    const auto matrix = matrix_of<typename TypeParam::Scalar>(
        n, [&](int, int) { return random() % share == 0; }, trial);
    this->expect_dense_solutions(matrix, trial % 2 ? this->finest_cut() : ldlt::HostCut(1), trial % 3);
  }
}

TYPED_TEST(HostEngine, SolvesBandsAndArrowsWithoutAmalgamation) {
  for (const int width : {1, 8, 16, 64, 70}) {
    const auto band = matrix_of<typename TypeParam::Scalar>(260, [&](int i, int j) { return i - j <= width; });
    this->expect_dense_solutions(band, this->finest_cut(), 0);
    const auto arrow = matrix_of<typename TypeParam::Scalar>(260, [&](int i, int) { return i >= 260 - width; });
    this->expect_dense_solutions(arrow, this->finest_cut(), 0);
  }
}

TYPED_TEST(HostEngine, SolvesTreesOfLargeFronts) {
  const int nodes = 7;
  std::vector<int> order;
  dissect({0, 0, 0}, {nodes, nodes, nodes}, nodes, order);
  auto cut = this->finest_cut();
  for (const int threads : {1, 2, 3}) {
    cut.threads = threads;
    this->expect_dense_solutions(cube<typename TypeParam::Scalar>(nodes, 2), cut, 1, order);
  }
}

TYPED_TEST(HostEngine, SolvesChainsStarsAndDiagonalsOfManyRows) {
  using Number = typename TypeParam::Scalar;
  constexpr int n = 100000;
  SymmetricMatrix<Number> chain(n), star(n), diagonal(n);
  for (int i = 1; i < n; ++i) {
    chain.connect(i, i - 1);
    star.connect(n - 1, i - 1);
  }
  for (auto* matrix : {&chain, &star, &diagonal}) {
    matrix->fill(3);
    this->expect_small_residual(*matrix, this->finest_cut());
  }
}

TYPED_TEST(HostEngine, ReplacesOrReportsZeroPivots) {
  using Number = typename TypeParam::Scalar;
  auto matrix = matrix_of<Number>(90, [](int i, int j) { return i - j <= 3; });
  for (auto& [column, value] : matrix.rows[70]) value = Number(0);
  for (int i = 71; i < 74; ++i) matrix.at(i, 70) = Number(0);
  HostFactor<Number, typename TypeParam::Space> factor(matrix, this->finest_cut());
  const auto row = std::find(factor.original().begin(), factor.original().end(), 70) - factor.original().begin();
  factor.factorize(true);
  EXPECT_EQ(factor.record.first_zero, row);
  EXPECT_EQ(factor.record.replaced, 1);
  EXPECT_EQ(factor.record.first_nonfinite, 90);
  factor.factorize(false);
  EXPECT_EQ(factor.record.first_zero, row);
  EXPECT_EQ(factor.record.replaced, 0);
}

TYPED_TEST(HostEngine, NamesTheFirstRowThatIsNotFiniteAndSolvesToNaN) {
  using Number = typename TypeParam::Scalar;
  std::vector<int> order;
  dissect({0, 0, 0}, {4, 4, 4}, 4, order);
  HostFactor<Number, typename TypeParam::Space> factor(cube<Number>(4, 1), ldlt::HostCut(1), order);
  const auto values = factor.values;
  const typename TypeParam::Space space;
  const auto located =
      ldlt::locate_entries(space, ldlt::FrontArrays<typename TypeParam::Space>(space, factor.fronts->plan));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (std::size_t e = 0; e < values.size(); ++e) {
      factor.values = values;
      factor.values[factor.source[e]] = Number(bad);
      factor.factorize();
      EXPECT_EQ(factor.record.first_nonfinite, located.row[e]);
      const auto x = factor.solved(some_numbers<Number>(64), 1);
      EXPECT_TRUE(std::any_of(x.begin(), x.end(), [](const Number& number) { return number != number; }));
    }
  factor.values = values;
  factor.factorize();
  EXPECT_EQ(factor.record.first_nonfinite, 64);
}

}  // namespace
}  // namespace terrace::test
