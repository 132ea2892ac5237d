// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subdomains and SchwarzFactor against the definitions, for one scalar, one offset type and one space.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/ilu.hpp>
#include <terrace/ilut.hpp>
#include <terrace/krylov_solver.hpp>
#include <terrace/schwarz.hpp>

#include "reference/differences.hpp"
#include "reference/schwarz.hpp"
#include "reference/threshold_factors.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

inline constexpr SchwarzVariant all_variants[] = {SchwarzVariant::Restricted, SchwarzVariant::Harmonic,
                                                  SchwarzVariant::Additive, SchwarzVariant::Weighted,
                                                  SchwarzVariant::Symmetric};
inline constexpr Op all_operations[] = {Op::None, Op::Transpose, Op::ConjugateTranspose};
inline constexpr SchwarzAlgorithm all_schwarz_algorithms[] = {SchwarzAlgorithm::Blocks, SchwarzAlgorithm::Solvers};

template <class T>
class SchwarzTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Offset = typename T::Offset;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using PartitionType = Partition<int, Space>;
  using SubdomainsType = Subdomains<int, Offset, Space>;
  using Factor = SchwarzFactor<Scalar, int, Offset, Space>;
  using Method = reference::SchwarzMethod<Scalar>;
  using Vector = Kokkos::View<Scalar*, typename T::Device>;

  static constexpr double unit = std::numeric_limits<reference::Real<Scalar>>::epsilon();

  /// A matrix with its block numbers.
  struct Case {
    Matrix matrix;
    std::vector<int> block_of;
    int blocks;
    DeviceArrays<T> arrays;

    Case(Matrix of, std::vector<int> numbers, int count, bool sorted = true)
        : matrix(std::move(of)),
          block_of(std::move(numbers)),
          blocks(count),
          arrays(reference::compress(matrix, sorted)) {}

    PartitionType partition() const {
      return PartitionType(Space(), to_device<int, typename T::Device>(block_of), blocks);
    }
    SubdomainsType subdomains(const SubdomainOptions& options) const {
      return SubdomainsType(Space(), arrays.row_map, arrays.entries, partition(), options);
    }
    Factor factor(int overlap, const SchwarzOptions& options) const {
      return Factor(Space(), subdomains({.overlap = overlap}), arrays.values, options);
    }
  };

  static std::vector<int> random_blocks(int n, int blocks, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<int> numbers(static_cast<std::size_t>(n));
    for (int& number : numbers) number = static_cast<int>(generator() % static_cast<unsigned>(blocks));
    return numbers;
  }
  static std::vector<int> runs(int n, int blocks) {
    std::vector<int> numbers(static_cast<std::size_t>(n));
    for (int row = 0; row < n; ++row) numbers[row] = row * blocks / n;
    return numbers;
  }

  static std::vector<Scalar> random_vector(int n, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<Scalar> vector(static_cast<std::size_t>(n));
    for (auto& number : vector) number = reference::random_scalar<Scalar>(generator);
    return vector;
  }

  static std::vector<Scalar> apply(const Factor& factor, const std::vector<Scalar>& r, Op op = Op::None) {
    const auto from = to_device<Scalar, typename T::Device>(r);
    const Vector z("z", r.size());
    Kokkos::deep_copy(z, Scalar(std::numeric_limits<reference::Real<Scalar>>::quiet_NaN()));
    factor.apply(Space(), from, z, op);
    Space().fence();
    return to_host(z);
  }

  static reference::Dense dense_factor(const Matrix& block, const IluSymbolicOptions& options) {
    const auto mask = reference::fill_mask(block, options.fill_level);
    const auto a = reference::to_dense(block);
    if (options.factorization == Factorization::Lu) return reference::incomplete_lu(a, mask, 0);
    return reference::incomplete_cholesky(a, mask, 0, options.factorization == Factorization::HermitianCholesky);
  }

  static Method oracle(const Case& at, int overlap, const IluSymbolicOptions& options) {
    return {at.matrix,
            at.block_of,
            at.blocks,
            overlap,
            options.factorization == Factorization::Lu,
            [options](const Matrix& block) { return dense_factor(block, options); }};
  }

  static bool is_finite(const Scalar& value) { return std::isfinite(std::abs(reference::widen(value))); }

  static void expect_near(const std::vector<Scalar>& found, const std::vector<Scalar>& expected, double factor = 500) {
    EXPECT_LE(reference::relative_difference(found, expected), factor * unit);
  }
};

TYPED_TEST_SUITE_P(SchwarzTest);

TYPED_TEST_P(SchwarzTest, EnlargesBlocksAsASerialSearchDoes) {
  using Number = typename TypeParam::Scalar;
  const auto check = [&](const auto& matrix, int blocks, unsigned seed, bool sorted, int most_overlap) {
    const typename TestFixture::Case at(matrix, this->random_blocks(matrix.size(), blocks, seed), blocks + 1, sorted);
    for (int overlap = 0; overlap <= most_overlap; ++overlap) {
      const auto found = at.subdomains({.overlap = overlap, .max_growth = 1000});
      const auto expected = reference::subdomains(matrix, at.block_of, at.blocks, overlap);
      const auto block_map = to_host(found.block_map());
      const auto rows = to_host(found.rows());
      std::size_t places = 0, empty = 0;
      for (int block = 0; block <= blocks; ++block) {
        EXPECT_EQ(std::vector<int>(rows.begin() + block_map[block], rows.begin() + block_map[block + 1]),
                  expected[block])
            << "block " << block << ", overlap " << overlap;
        places += expected[block].size();
        empty += expected[block].empty() ? 1 : 0;
      }
      EXPECT_EQ(found.info().places, places);
      EXPECT_EQ(found.info().empty_blocks, empty);
    }
  };
  for (const unsigned seed : {1u, 2u, 3u, 4u})
    for (const int blocks : {1, 2, 5, 12})
      for (const bool sorted : {true, false})  // sparse and unsymmetric: components, isolated rows, empty blocks
        check(reference::random_matrix<Number>(40, 1, seed), blocks, seed, sorted, 4);
  for (const int hub : {0, 300})  // a row that reads all others, and is read by them
    for (const bool sorted : {true, false}) {
      auto matrix = reference::random_matrix<Number>(600, 1, 9);
      for (int row = 0; row < 600; ++row) {
        matrix.rows[hub][row] = Number(row == hub ? 9 : 0.5);
        if (row % 3 == 0) matrix.rows[row][hub] = Number(row == hub ? 9 : 0.25);
      }
      check(matrix, 7, 3, sorted, 2);
    }
}

TYPED_TEST_P(SchwarzTest, ExtractsThePatternOfTheBlocks) {
  const auto matrix = reference::random_matrix<typename TypeParam::Scalar>(30, 3, 5);
  for (const bool sorted : {true, false}) {
    const typename TestFixture::Case at(matrix, this->random_blocks(30, 4, 9), 4, sorted);
    const auto found = at.subdomains({.overlap = 1, .max_growth = 100});
    const auto places = reference::subdomains(matrix, at.block_of, 4, 1);
    const auto row_map = to_host(found.row_map());
    const auto entries = to_host(found.entries());
    const auto source = to_host(found.source());
    const auto columns_of_a = to_host(at.arrays.entries);
    int place = 0, first = 0;
    for (const auto& rows : places) {
      const auto block = reference::extract(matrix, rows);
      for (int row = 0; row < block.size(); ++row, ++place) {
        std::vector<int> expected, named;
        for (const auto& entry : block.rows[row]) expected.push_back(first + entry.first);
        for (auto k = row_map[place]; k < row_map[place + 1]; ++k) named.push_back(columns_of_a[source[k]]);
        EXPECT_EQ(std::vector<int>(entries.begin() + row_map[place], entries.begin() + row_map[place + 1]), expected);
        for (std::size_t k = 0; k < named.size(); ++k) EXPECT_EQ(named[k], rows[expected[k] - first]);
      }
      first = place;
    }
    EXPECT_EQ(found.info().block_entries, row_map.back());
  }
}

TYPED_TEST_P(SchwarzTest, IsTheDefinitionForEveryVariantAndOperation) {
  using Number = typename TypeParam::Scalar;
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky}) {
    const bool hermitian = factorization == Factorization::HermitianCholesky;
    const auto matrix = factorization == Factorization::Lu ? reference::random_matrix<Number>(37, 2, 3)
                                                           : reference::random_symmetric<Number>(37, 2, hermitian, 3);
    for (const int blocks : {1, 3, 8})
      for (const int overlap : {0, 1, 2}) {
        const typename TestFixture::Case at(matrix, this->random_blocks(37, blocks, 11), blocks);
        const auto r = this->random_vector(37, 17);
        for (const int level : {0, 1})
          for (const auto variant : all_variants)
            for (const auto algorithm : all_schwarz_algorithms) {
              const IluSymbolicOptions symbolic{.factorization = factorization, .fill_level = level};
              const IluFactorOptions numeric{.prepare_transpose = level == 0};
              const typename TestFixture::Factor factor(
                  typename TypeParam::Space(), at.subdomains({.overlap = overlap, .max_growth = 1000}),
                  at.arrays.values,
                  {.variant = variant, .blocks = IluBlocks{symbolic, numeric}, .algorithm = algorithm});
              EXPECT_TRUE(factor.info().succeeded());
              EXPECT_EQ(factor.info().algorithm, algorithm);
              const auto oracle = this->oracle(at, overlap, symbolic);
              for (const auto op : all_operations) {
                SCOPED_TRACE(std::string(to_string(factorization)) + ", " + to_string(variant) + ", " +
                             to_string(algorithm) + ", " + to_string(op) + ", " + std::to_string(blocks) +
                             " blocks, overlap " + std::to_string(overlap) + ", level " + std::to_string(level));
                this->expect_near(this->apply(factor, r, op), oracle.apply(r, variant, op));
              }
            }
      }
  }
}

TYPED_TEST_P(SchwarzTest, FactorizesBlocksByThresholds) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::random_matrix<Number>(50, 4, 8);
  const IlutOptions options{.fill = 4, .drop_tolerance = 1e-2, .prepare_transpose = true};
  const typename TestFixture::Case at(matrix, this->runs(50, 6), 6);
  const auto r = this->random_vector(50, 3);
  const typename TestFixture::Method oracle{
      matrix, at.block_of, 6, 1, true, [&](const auto& block) {
        return reference::to_dense(reference::ilut(block, options.fill, options.drop_tolerance));
      }};
  for (const auto algorithm : all_schwarz_algorithms) {
    const typename TestFixture::Factor factor(typename TypeParam::Space(),
                                              at.subdomains({.overlap = 1, .max_growth = 100}), at.arrays.values,
                                              {.blocks = options, .algorithm = algorithm});
    for (const auto op : all_operations)
      this->expect_near(this->apply(factor, r, op), oracle.apply(r, SchwarzVariant::Restricted, op));
  }
}

TYPED_TEST_P(SchwarzTest, OrdersAndScalesInsideTheBlocks) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::poisson<Number>(9, 8);
  const typename TestFixture::Case at(matrix, this->random_blocks(72, 5, 4), 5);
  const auto r = this->random_vector(72, 5);
  for (const auto ordering : {Ordering::ReverseCuthillMckee, Ordering::Multicolor})
    for (const auto scaling : {Scaling::None, Scaling::Diagonal})
      for (const auto variant : all_variants) {
        // With full fill each order solves the blocks exactly.
        const IluSymbolicOptions symbolic{.fill_level = 72, .ordering = ordering};
        for (const auto algorithm : all_schwarz_algorithms) {
          const typename TestFixture::Factor factor(
              typename TypeParam::Space(), at.subdomains({.overlap = 1, .max_growth = 100}), at.arrays.values,
              {.variant = variant, .blocks = IluBlocks{symbolic, {.scaling = scaling}}, .algorithm = algorithm});
          const auto oracle = this->oracle(at, 1, {.fill_level = 72});
          for (const auto op : all_operations) {
            SCOPED_TRACE(std::string(to_string(ordering)) + ", " + to_string(scaling) + ", " + to_string(variant));
            this->expect_near(this->apply(factor, r, op), oracle.apply(r, variant, op), 5000);
          }
        }
      }
}

TYPED_TEST_P(SchwarzTest, IsTheWholeFactorWithOneBlockAndWhenBlocksReachEverywhere) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::convection_diffusion<Number>(7, 9, 1, 0.6);
  const auto r = this->random_vector(63, 2);
  const DeviceArrays<TypeParam> arrays(reference::compress(matrix));
  const IluSymbolic<int, typename TypeParam::Offset, typename TypeParam::Space> symbolic(
      typename TypeParam::Space(), arrays.row_map, arrays.entries);
  const IluFactor<Number, int, typename TypeParam::Offset, typename TypeParam::Space> whole(typename TypeParam::Space(),
                                                                                            symbolic, arrays.values);
  const typename TestFixture::Vector z("z", 63);
  whole.apply(typename TypeParam::Space(), to_device<Number, typename TypeParam::Device>(r), z);
  Kokkos::fence();
  const auto expected = to_host(z);
  const typename TestFixture::Case one(matrix, std::vector<int>(63, 0), 1), many(matrix, this->runs(63, 4), 4);
  const typename TestFixture::Factor a = one.factor(1, {.algorithm = SchwarzAlgorithm::Solvers});
  EXPECT_EQ(this->apply(a, r), expected);
  const typename TestFixture::Factor b(typename TypeParam::Space(), many.subdomains({.overlap = 99, .max_growth = 99}),
                                       many.arrays.values, {});
  this->expect_near(this->apply(b, r), expected, 100);
  EXPECT_EQ(b.info().subdomains.max_copies, 4);
}

TYPED_TEST_P(SchwarzTest, TakesColumnsInAnyLayoutAndInPlace) {
  using Number = typename TypeParam::Scalar;
  using On = typename TypeParam::Space;
  const auto matrix = reference::random_matrix<Number>(60, 3, 21);
  const typename TestFixture::Case at(matrix, this->random_blocks(60, 7, 3), 7);
  for (const auto variant : {SchwarzVariant::Restricted, SchwarzVariant::Weighted})
    for (const auto algorithm : all_schwarz_algorithms)
      for (const int prepared : {1, 3}) {
        const typename TestFixture::Factor factor(
            On(), at.subdomains({.overlap = 1, .max_growth = 100}), at.arrays.values,
            {.variant = variant, .algorithm = algorithm, .right_hand_sides = prepared});
        const int columns = 15;  // eight, four, two and one
        Kokkos::View<Number**, Kokkos::LayoutLeft, typename TypeParam::Device> left("left", 60, columns);
        Kokkos::View<Number**, Kokkos::LayoutRight, typename TypeParam::Device> right("right", 60, columns);
        std::vector<std::vector<Number>> expected;
        const auto host = Kokkos::create_mirror_view(left);
        for (int k = 0; k < columns; ++k) {
          const auto r = this->random_vector(60, 30u + static_cast<unsigned>(k));
          for (int row = 0; row < 60; ++row) host(row, k) = r[row];
          expected.push_back(this->apply(factor, r));
        }
        Kokkos::deep_copy(left, host);
        Kokkos::deep_copy(right, left);
        factor.apply(On(), left, left);
        factor.apply(On(), right, right);
        On().fence();
        const auto found_left = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), left);
        const auto found_right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), right);
        for (int k = 0; k < columns; ++k)
          for (int row = 0; row < 60; ++row) {
            ASSERT_EQ(found_left(row, k), expected[k][row]) << row << ", " << k;
            ASSERT_EQ(found_right(row, k), expected[k][row]) << row << ", " << k;
          }
      }
}

TYPED_TEST_P(SchwarzTest, HoldsNoStaleValues) {
  using Number = typename TypeParam::Scalar;
  using On = typename TypeParam::Space;
  const auto pattern = reference::random_matrix<Number>(48, 3, 2);
  const typename TestFixture::Case at(pattern, this->random_blocks(48, 5, 6), 5);
  const auto subdomains = at.subdomains({.overlap = 2, .max_growth = 100});
  const auto r = this->random_vector(48, 1);
  const std::vector<SchwarzBlocks> kinds{
      IluBlocks{{}, {.prepare_transpose = true}},
      IluBlocks{{.fill_level = 1}, {.scaling = Scaling::Diagonal, .prepare_transpose = true}},
      IlutOptions{.fill = 5, .prepare_transpose = true}};
  for (const auto& kind : kinds)
    for (const auto variant : {SchwarzVariant::Restricted, SchwarzVariant::Symmetric}) {
      const SchwarzOptions options{.variant = variant, .blocks = kind};
      typename TestFixture::Factor factor(On(), subdomains, at.arrays.values, options);
      for (unsigned step = 0; step < 50; ++step) {
        auto matrix = pattern;
        std::mt19937 generator(step);
        for (auto& row : matrix.rows)
          for (auto& entry : row) entry.second = entry.second * Number(1 + static_cast<int>(generator() % 3));
        const DeviceArrays<TypeParam> arrays(reference::compress(matrix));
        factor.refactorize(On(), arrays.values);
        const typename TestFixture::Factor fresh(On(), subdomains, arrays.values, options);
        for (const auto op : all_operations)
          ASSERT_EQ(this->apply(factor, r, op), this->apply(fresh, r, op)) << "step " << step << ", " << to_string(op);
      }
    }
}

/// Where elimination changes only the diagonal, a device may hold the factor in the order of its applications alone
/// (Blocks, unless bad blocks are to keep their diagonals): the same numbers as by any other way.
TYPED_TEST_P(SchwarzTest, IsTheSameFactorWhereItHoldsNoOtherCopy) {
  using Number = typename TypeParam::Scalar;
  using On = typename TypeParam::Space;
  const bool is_real = std::is_floating_point_v<Number>;
  const auto general = reference::convection_diffusion<Number>(9, 8, 7, 0.4),
             symmetric = reference::poisson<Number>(9, 8, 7);
  const PivotOptions replaced{.policy = PivotPolicy::Replace, .threshold = 0.6};
  const auto r = this->random_vector(504, 4);
  for (const bool cholesky : {false, true})
    for (const IluFactorOptions& numeric : {IluFactorOptions{}, IluFactorOptions{.pivots = replaced},
                                            IluFactorOptions{.pivots = replaced, .prepare_transpose = true}}) {
      const typename TestFixture::Case at(cholesky ? symmetric : general, this->runs(504, 7), 7);
      const auto factorization = cholesky ? Factorization::Cholesky : Factorization::Lu;
      SchwarzOptions options{.blocks = IluBlocks{{.factorization = factorization}, numeric},
                             .algorithm = SchwarzAlgorithm::Blocks};
      auto alone = at.factor(2, options);
      options.bad_blocks = BadBlocks::Diagonal;
      auto copied = at.factor(2, options);
      const auto expect_same = [&] {
        EXPECT_EQ(alone.info().replaced_pivots, copied.info().replaced_pivots);
        EXPECT_EQ(alone.info().replaced_pivots > 0, numeric.pivots.policy == PivotPolicy::Replace);
        for (const auto op : all_operations) {
          const auto found = this->apply(alone, r, op), expected = this->apply(copied, r, op);
          if (is_real) {
            EXPECT_EQ(found, expected);
          } else {
            this->expect_near(found, expected);
          }
        }
      };
      expect_same();
      auto values = to_host(at.arrays.values);
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = values[k] * Number(1.5);
      const auto others = to_device<Number, typename TypeParam::Device>(values);
      alone.refactorize(On(), others);
      copied.refactorize(On(), others);
      expect_same();
      alone.refactorize(On(), at.arrays.values);
      copied.refactorize(On(), at.arrays.values);
      expect_same();
    }
}

/// With a stream of the transposes and without: a row that reads its whole block, and one that all others read, blocks
/// of one row to hundreds, several columns, rounded factors.
TYPED_TEST_P(SchwarzTest, PreparedTransposesAreTheTransposes) {
  using Number = typename TypeParam::Scalar;
  using On = typename TypeParam::Space;
  const int n = 400, first = 65, columns = 5;
  auto matrix = reference::random_matrix<Number>(n, 3, 8);
  for (int row = first + 1; row < n; ++row) {
    matrix.rows[row][first] = Number(0.001);
    matrix.rows[n - 1][row] = Number(row == n - 1 ? 4 : 0.001);
    matrix.rows[row][n - 1] = Number(row == n - 1 ? 4 : 0.002);
    matrix.rows[first][row] = Number(0.002);
  }
  std::vector<int> block_of(n, 4);
  for (int row = 0; row < first; ++row) block_of[row] = row == 0 ? 0 : row <= 31 ? 1 : 2;  // 3 is empty
  const typename TestFixture::Case at(matrix, block_of, 5);
  const auto subdomains = at.subdomains({.overlap = 0, .max_growth = 100});
  using Block = Kokkos::View<Number**, Kokkos::LayoutRight, typename TypeParam::Device>;
  const Block R("R", n, columns);
  const auto host = Kokkos::create_mirror_view(R);
  for (int k = 0; k < columns; ++k) {
    const auto r = this->random_vector(n, 50u + static_cast<unsigned>(k));
    for (int row = 0; row < n; ++row) host(row, k) = r[row];
  }
  Kokkos::deep_copy(R, host);
  for (const auto precision : {FactorPrecision::Same, FactorPrecision::Single})
    for (const int level : {0, 1}) {
      const auto applied = [&](bool prepare_transpose, Op op) {
        const typename TestFixture::Factor factor(
            On(), subdomains, at.arrays.values,
            {.blocks = IluBlocks{{.fill_level = level}, {.prepare_transpose = prepare_transpose}},
             .factor_precision = precision,
             .algorithm = SchwarzAlgorithm::Blocks,
             .right_hand_sides = columns});
        const Block Z("Z", n, columns);
        factor.apply(On(), R, Z, op);
        On().fence();
        const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Z);
        return std::vector<Number>(found.data(), found.data() + found.size());
      };
      for (const auto op : all_operations) this->expect_near(applied(true, op), applied(false, op), 5000);
    }
}

TYPED_TEST_P(SchwarzTest, GivesTheSameBitsForRenumberedBlocks) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::random_matrix<Number>(80, 3, 12);
  const auto numbers = this->random_blocks(80, 6, 2);
  auto renumbered = numbers;
  for (int& number : renumbered) number = (number * 5 + 3) % 7;
  const typename TestFixture::Case at(matrix, numbers, 6), other(matrix, renumbered, 7);
  const auto r = this->random_vector(80, 4);
  for (const auto variant : all_variants) {
    const SchwarzOptions options{.variant = variant, .algorithm = SchwarzAlgorithm::Blocks};
    const typename TestFixture::Factor a(typename TypeParam::Space(), at.subdomains({.max_growth = 100}),
                                         at.arrays.values, options);
    const typename TestFixture::Factor b(typename TypeParam::Space(), other.subdomains({.max_growth = 100}),
                                         other.arrays.values, options);
    for (const auto op : all_operations) EXPECT_EQ(this->apply(a, r, op), this->apply(b, r, op)) << to_string(variant);
  }
}

TYPED_TEST_P(SchwarzTest, ReadsFactorsInSinglePrecisionOnRequest) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::convection_diffusion<Number>(11, 12, 1, 0.4);
  const typename TestFixture::Case at(matrix, this->random_blocks(132, 6, 2), 6);
  const auto r = this->random_vector(132, 4);
  const auto subdomains = at.subdomains({.max_growth = 100});
  const typename TestFixture::Factor same(typename TypeParam::Space(), subdomains, at.arrays.values,
                                          {.algorithm = SchwarzAlgorithm::Blocks});
  const typename TestFixture::Factor single(
      typename TypeParam::Space(), subdomains, at.arrays.values,
      {.factor_precision = FactorPrecision::Single, .algorithm = SchwarzAlgorithm::Blocks});
  for (const auto op : all_operations) {
    const auto a = this->apply(same, r, op), b = this->apply(single, r, op);
    EXPECT_LE(reference::relative_difference(b, a), 1e-5);
    if (std::is_same_v<reference::Real<Number>, double>) {
      EXPECT_NE(a, b);
    }
  }
}

TYPED_TEST_P(SchwarzTest, NamesBadBlocksAndTheirRows) {
  using Number = typename TypeParam::Scalar;
  auto matrix = reference::poisson<Number>(6, 6);
  const auto numbers = this->runs(36, 6);
  matrix.rows[20].clear();
  matrix.rows[20][20] = Number(0);  // in block 3, and nobody's neighbour
  for (int row = 0; row < 36; ++row)
    if (row != 20) matrix.rows[row].erase(20);
  const typename TestFixture::Case at(matrix, numbers, 6);
  const auto r = this->random_vector(36, 4);
  for (const SchwarzBlocks& kind : {SchwarzBlocks(IluBlocks{}), SchwarzBlocks(IlutOptions{.drop_tolerance = 0})}) {
    const auto keep = at.factor(0, {.blocks = kind});
    EXPECT_FALSE(keep.info().succeeded());
    EXPECT_EQ(keep.info().first_zero_pivot, 20);
    EXPECT_EQ(keep.info().first_bad_row(), 20);
    EXPECT_EQ(keep.info().first_bad_block, 3);
    EXPECT_EQ(keep.info().bad_blocks, 1);
    const auto kept = this->apply(keep, r);
    for (int row = 0; row < 36; ++row) EXPECT_TRUE(numbers[row] == 3 || TestFixture::is_finite(kept[row])) << row;
    const auto diagonal = at.factor(0, {.blocks = kind, .bad_blocks = BadBlocks::Diagonal});
    EXPECT_TRUE(diagonal.info().succeeded());
    EXPECT_EQ(diagonal.info().diagonal_blocks, 1);
    const auto found = this->apply(diagonal, r);
    for (int row = 18; row < 24; ++row) EXPECT_EQ(found[row], row == 20 ? r[row] : Number(r[row] / Number(4))) << row;
    for (int row = 0; row < 36; ++row) EXPECT_TRUE(numbers[row] == 3 || found[row] == kept[row]) << row;
  }
}

TYPED_TEST_P(SchwarzTest, ShiftsBadBlocksAlone) {
  using Number = typename TypeParam::Scalar;
  if constexpr (std::is_floating_point_v<Number>) {
    auto matrix = reference::poisson<Number>(6, 6);
    for (int row = 18; row < 24; ++row) matrix.rows[row][row] = Number(0.9);  // block 3 is indefinite
    const typename TestFixture::Case at(matrix, this->runs(36, 6), 6);
    const auto r = this->random_vector(36, 4);
    const IluSymbolicOptions cholesky{.factorization = Factorization::Cholesky};
    const auto plain = at.factor(0, {.blocks = IluBlocks{cholesky, {}}});
    EXPECT_EQ(plain.info().bad_blocks, 1);
    EXPECT_EQ(plain.info().first_bad_block, 3);
    const auto shifted =
        at.factor(0, {.blocks = IluBlocks{cholesky, {.pivots = {.policy = PivotPolicy::Shift, .first_shift = 0.5}}}});
    EXPECT_TRUE(shifted.info().succeeded());
    EXPECT_GE(shifted.info().shift, 0.5);
    EXPECT_GT(shifted.info().attempts, 1);
    const auto a = this->apply(plain, r), b = this->apply(shifted, r);
    for (int row = 0; row < 36; ++row) {
      EXPECT_TRUE(TestFixture::is_finite(b[row]));
      EXPECT_TRUE((row >= 18 && row < 24) || a[row] == b[row]) << row;
    }
  }
}

TYPED_TEST_P(SchwarzTest, LetsANanReachWhatDependsOnIt) {
  using Number = typename TypeParam::Scalar;
  const auto matrix = reference::poisson<Number>(8, 8);
  const typename TestFixture::Case at(matrix, this->runs(64, 8), 8);
  for (const auto algorithm : all_schwarz_algorithms) {
    const auto factor = at.factor(0, {.algorithm = algorithm});
    auto r = this->random_vector(64, 4);
    r[27] = Number(std::numeric_limits<reference::Real<Number>>::quiet_NaN());
    const auto z = this->apply(factor, r);
    for (int row = 0; row < 64; ++row) EXPECT_EQ(TestFixture::is_finite(z[row]), row / 8 != 3) << row;
  }
}

TYPED_TEST_P(SchwarzTest, ANanThatIsDroppedMakesItsBlockBad) {
  using Number = typename TypeParam::Scalar;
  auto matrix = reference::poisson<Number>(6, 6);
  matrix.rows[20][21] = Number(std::numeric_limits<reference::Real<Number>>::quiet_NaN());
  const typename TestFixture::Case at(matrix, this->runs(36, 6), 6);
  const IlutOptions diagonals{.fill = 0, .pivots = {.policy = PivotPolicy::Replace}};
  for (const BadBlocks bad_blocks : {BadBlocks::Keep, BadBlocks::Diagonal}) {
    const auto info = at.factor(0, {.blocks = diagonals, .bad_blocks = bad_blocks}).info();
    EXPECT_EQ(info.first_nonfinite_row, 20);
    EXPECT_EQ(info.first_bad_block, 3);
    EXPECT_EQ(info.bad_blocks, 1);
  }
}

TYPED_TEST_P(SchwarzTest, LooksAtNoValuesBeforeItFactorizes) {
  using Number = typename TypeParam::Scalar;
  auto matrix = reference::poisson<Number>(6, 6);
  for (auto& row : matrix.rows)
    for (auto& entry : row) entry.second = Number(std::numeric_limits<reference::Real<Number>>::quiet_NaN());
  const typename TestFixture::Case at(matrix, this->runs(36, 3), 3);
  const auto subdomains = at.subdomains({});
  typename TestFixture::Factor factor(typename TypeParam::Space(), subdomains, at.arrays.values, {});
  EXPECT_EQ(factor.info().first_nonfinite_row, 0);
  EXPECT_EQ(factor.info().bad_blocks, 3);
  const DeviceArrays<TypeParam> good(reference::compress(reference::poisson<Number>(6, 6)));
  factor.refactorize(typename TypeParam::Space(), good.values);
  EXPECT_TRUE(factor.info().succeeded());
}

TYPED_TEST_P(SchwarzTest, PreconditionsKrylovMethods) {
  using Number = typename TypeParam::Scalar;
  using On = typename TypeParam::Space;
  const auto matrix = reference::poisson<Number>(24, 25);
  const typename TestFixture::Case at(matrix, this->runs(600, 9), 9);
  const KokkosSparse::CrsMatrix<Number, int, typename TypeParam::Device, void, typename TypeParam::Offset> A(
      "A", 600, 600, static_cast<typename TypeParam::Offset>(at.arrays.values.extent(0)), at.arrays.values,
      at.arrays.row_map, at.arrays.entries);
  const CrsOperator operator_of_a(A);
  const typename TestFixture::Vector b("b", 600);
  Kokkos::deep_copy(b, Number(1));
  const auto solve = [&](KrylovMethod method, const typename TestFixture::Factor& factor) {
    const typename TestFixture::Vector x("x", 600);
    return KrylovSolver<Number, On>(On(), 600, {.method = method, .tolerance = 1e-4, .restart = 20})
        .solve(On(), operator_of_a, b, x, factor);
  };
  const IluSymbolicOptions cholesky{.factorization = Factorization::HermitianCholesky};
  int before = 1000;
  for (const int overlap : {0, 1, 3}) {
    const auto result = solve(KrylovMethod::Gmres, at.factor(overlap, {}));
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, before) << "overlap " << overlap;
    before = result.iterations;
  }
  for (const auto variant : {SchwarzVariant::Additive, SchwarzVariant::Symmetric})
    EXPECT_TRUE(
        solve(KrylovMethod::ConjugateGradient, at.factor(1, {.variant = variant, .blocks = IluBlocks{cholesky, {}}}))
            .converged());
}

REGISTER_TYPED_TEST_SUITE_P(SchwarzTest, EnlargesBlocksAsASerialSearchDoes, ExtractsThePatternOfTheBlocks,
                            IsTheDefinitionForEveryVariantAndOperation, FactorizesBlocksByThresholds,
                            OrdersAndScalesInsideTheBlocks, IsTheWholeFactorWithOneBlockAndWhenBlocksReachEverywhere,
                            TakesColumnsInAnyLayoutAndInPlace, HoldsNoStaleValues,
                            IsTheSameFactorWhereItHoldsNoOtherCopy, PreparedTransposesAreTheTransposes,
                            GivesTheSameBitsForRenumberedBlocks, ReadsFactorsInSinglePrecisionOnRequest,
                            NamesBadBlocksAndTheirRows, ShiftsBadBlocksAlone, ANanThatIsDroppedMakesItsBlockBad,
                            LetsANanReachWhatDependsOnIt, LooksAtNoValuesBeforeItFactorizes,
                            PreconditionsKrylovMethods);

}  // namespace terrace::test
