// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only the GPU's elimination can get wrong: its ways, rows of every length, values that are flags, graphs.
#pragma once

#include <terrace/ilu.hpp>
#include <thread>

#include "reference/elimination_shapes.hpp"
#include "reference/symmetric_shapes.hpp"
#include "support/captured_graph.hpp"
#include "support/device_triangle.hpp"
#include "support/not_a_number.hpp"

namespace terrace::test {

using Shape = reference::EliminationShape;

template <class T>
class EliminationEngineTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Real = reference::Real<Scalar>;
  using Offset = typename T::Offset;
  using Matrix = reference::GeneralMatrix<Scalar>;
  using Numbers = std::vector<Scalar>;
  using Symbolic = IluSymbolic<int, Offset, Kokkos::Cuda>;
  using Factor = IluFactor<Scalar, int, Offset, Kokkos::Cuda>;
  using HostT = Combination<Scalar, Offset, Kokkos::Serial>;

  static constexpr bool is_complex = !std::is_floating_point_v<Scalar>;
  static constexpr double unit = std::numeric_limits<Real>::epsilon();
  /// 1e-13 for double.
  static constexpr double tolerance = (is_complex ? 3 : 1) * 450 * unit;

  /// Of the same bits. One thread is long at it, so for most types, and rows that are long, it is the generic
  /// elimination, level by level.
  static constexpr Algorithm reference_algorithm =
      std::is_same_v<Scalar, double> && std::is_same_v<Offset, int> ? Algorithm::Sequential : Algorithm::LevelScheduled;

  static Numbers factor_values(const Symbolic& symbolic, const DeviceArrays<T>& arrays, const IluFactorOptions& options,
                               int refactorizations = 0) {
    Factor factor(Kokkos::Cuda(), symbolic, arrays.values, options);
    for (int k = 0; k < refactorizations; ++k) factor.refactorize(Kokkos::Cuda(), arrays.values);
    return to_host(factor.values());
  }

  /// Calls test(pattern options, matrix) for the factorizations that suit the shape.
  static void for_each_factorization(const Shape& shape, int max_fill, const auto& test) {
    for (const auto factorization : {Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky})
      for (int level = 0; level <= max_fill; ++level) {
        const bool hermitian = factorization == Factorization::HermitianCholesky;
        if ((factorization != Factorization::Lu && !reference::is_symmetric(shape.matrix)) ||
            (hermitian && !is_complex))
          continue;
        SCOPED_TRACE(std::string(shape.name) + ", " + to_string(factorization) + ", level " + std::to_string(level));
        test(IluSymbolicOptions{.factorization = factorization, .fill_level = level},
             reference::with_numbers<Scalar>(shape.matrix, hermitian));
      }
  }

  /// The same bits; of complex numbers, whose products the compiler contracts in each kernel as it likes, nearly, and
  /// of modified factorizations, where lanes sum what is dropped.
  static void expect_alike(const Numbers& found, const Numbers& expected, double relaxation = 0.0) {
    if (!is_complex && relaxation == 0.0) ASSERT_EQ(found, expected);
    else expect_near(found, expected);
  }

  static void expect_near(const Numbers& found, const Numbers& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k)
      ASSERT_LE(std::abs(reference::widen(found[k]) - reference::widen(expected[k])),
                tolerance * (1 + reference::magnitude(expected[k])))
          << "entry " << k;
  }

  static void expect_bits_of_the_reference(const Shape& shape, int refactorizations,
                                           Algorithm reference = reference_algorithm) {
    for_each_factorization(shape, shape.max_fill, [&](IluSymbolicOptions pattern, const Matrix& matrix) {
      const DeviceArrays<T> arrays(reference::compress(matrix));
      const Symbolic engine(Kokkos::Cuda(), arrays.row_map, arrays.entries, pattern);
      pattern.algorithm = reference;
      const Symbolic generic(Kokkos::Cuda(), arrays.row_map, arrays.entries, pattern);
      for (const double relaxation : {0.0, 0.7}) {
        SCOPED_TRACE("relaxation " + std::to_string(relaxation));
        const IluFactorOptions options{.relaxation = relaxation};
        expect_alike(factor_values(engine, arrays, options, refactorizations), factor_values(generic, arrays, options),
                     relaxation);
      }
    });
  }

  static void expect_diagnostics(const IluInfo& found, const IluInfo& expected) {
    EXPECT_EQ(found.succeeded(), expected.succeeded());
    EXPECT_EQ(found.first_zero_pivot, expected.first_zero_pivot);
    EXPECT_EQ(found.first_tiny_pivot, expected.first_tiny_pivot);
    EXPECT_EQ(found.first_nonpositive_pivot, expected.first_nonpositive_pivot);
    EXPECT_EQ(found.first_nonfinite_row, expected.first_nonfinite_row);
    EXPECT_EQ(found.replaced_pivots, expected.replaced_pivots);
  }

  /// A symbolic phase and a factor of it, which take whatever values the test has.
  template <class On>
  struct Phases {
    DeviceArrays<On> arrays;
    IluSymbolic<int, Offset, typename On::Space> symbolic;
    IluFactor<Scalar, int, Offset, typename On::Space> factor;

    Phases(const Matrix& matrix, const IluSymbolicOptions& pattern)
        : arrays(reference::compress(matrix)),
          symbolic(typename On::Space(), arrays.row_map, arrays.entries, pattern),
          factor(typename On::Space(), symbolic, arrays.values) {}

    void refactorize(const Matrix& matrix) {
      factor.refactorize(typename On::Space(), DeviceArrays<On>(reference::compress(matrix)).values);
    }
    /// Of a factor with options of its own.
    IluInfo info_of(const Matrix& matrix, const IluFactorOptions& options) const {
      const DeviceArrays<On> values(reference::compress(matrix));
      return IluFactor<Scalar, int, Offset, typename On::Space>(typename On::Space(), symbolic, values.values, options)
          .info();
    }
  };
  using Engine = Phases<T>;

  /// By one thread of the host.
  struct Oracle : Phases<HostT> {
    Oracle(const Matrix& matrix, IluSymbolicOptions pattern) : Phases<HostT>(matrix, sequential(pattern)) {}
    static IluSymbolicOptions sequential(IluSymbolicOptions pattern) {
      pattern.algorithm = Algorithm::Sequential;
      return pattern;
    }
  };

  static void expect_end_and_report(const Shape& shape) {
    std::vector<Scalar> bad{Scalar(0), Scalar(-1)};
    for (const auto& nan : every_nan<Scalar>()) bad.push_back(nan.value);
    for_each_factorization(shape, 0, [&](const IluSymbolicOptions& pattern, const Matrix& matrix) {
      Engine engine(matrix, pattern);
      Oracle host(matrix, pattern);
      for (std::size_t k = 0; k < bad.size(); ++k) {
        SCOPED_TRACE("bad number " + std::to_string(k));
        auto broken = matrix;
        for (const int row : {0, broken.size() / 2}) broken.rows[row][row] = bad[k];
        engine.refactorize(broken);
        host.refactorize(broken);
        expect_diagnostics(engine.factor.info(), host.factor.info());
        if (k > 0) continue;
        const IluFactorOptions replace{.pivots = {.policy = PivotPolicy::Replace}};
        expect_diagnostics(engine.info_of(broken, replace), host.info_of(broken, replace));
      }
    });
  }

  /// The first row from the middle on that has entries on both sides of the diagonal; one in the middle otherwise.
  static int row_with_neighbours(const Matrix& matrix) {
    for (int row = matrix.size() / 2; row < matrix.size(); ++row)
      if (matrix.rows[row].begin()->first < row && matrix.rows[row].rbegin()->first > row) return row;
    return matrix.size() / 2;
  }

  /// On the diagonal of the first row and of one in the middle, and on both sides of the latter's diagonal.
  static std::vector<std::pair<int, int>> places(const Matrix& matrix) {
    const int row = row_with_neighbours(matrix);
    const auto& entries = matrix.rows[row];
    return {{0, 0}, {row, row}, {row, entries.begin()->first}, {row, entries.rbegin()->first}};
  }

  static void expect_exact_reach(const Shape& shape) {
    for_each_factorization(shape, 0, [&](const IluSymbolicOptions& pattern, const Matrix& matrix) {
      Engine engine(matrix, pattern);
      Oracle host(matrix, pattern);
      for (const auto& [row, column] : places(matrix)) {
        Matrix broken = matrix;
        for (const auto& [name, value] : every_nan<Scalar>()) {
          SCOPED_TRACE(name + " in (" + std::to_string(row) + ", " + std::to_string(column) + ")");
          broken.rows[row][column] = value;
          engine.refactorize(broken);
          host.refactorize(broken);  // of the same value: a Hermitian factorization reads real parts of the diagonal
          const auto expected = reference::is_not_finite(to_host(host.factor.values()));
          ASSERT_TRUE(reference::is_not_finite(to_host(engine.factor.values())) == expected);
          EXPECT_EQ(engine.factor.info().first_nonfinite_row, host.factor.info().first_nonfinite_row);
        }
      }
    });
  }
};

TYPED_TEST_SUITE_P(EliminationEngineTest);

TYPED_TEST_P(EliminationEngineTest, GivesTheBitsOfTheGenericEliminationOnEveryShape) {
  for (const Shape& shape : reference::elimination_shapes()) {
    this->expect_bits_of_the_reference(shape, 0);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST_P(EliminationEngineTest, GivesTheBitsOfTheGenericEliminationInRowBlocks) {
  this->expect_bits_of_the_reference(
      {"five-point grid of several row blocks", reference::dominant(reference::poisson<double>(120, 130)), 0}, 2);
}

TYPED_TEST_P(EliminationEngineTest, AgreesWithTheHost) {
  auto all = reference::elimination_shapes();
  all.push_back({"hubs so long that the solver cuts them", reference::hubs(2300)});
  all.push_back(
      {"hubs of three that no list serves", reference::mesh_of_three(reference::dense_part_with_hubs(400, 110))});
  all.push_back({"rows of tiles so long that several warps look for them", reference::bordered_blocks(4600, 46, 40)});
  for (const Shape& shape : all)
    this->for_each_factorization(shape, 0, [&](const IluSymbolicOptions& pattern, const auto& matrix) {
      const typename TestFixture::Engine engine(matrix, pattern);
      const typename TestFixture::Oracle host(matrix, pattern);
      this->expect_near(to_host(engine.factor.values()), to_host(host.factor.values()));
    });
}

TYPED_TEST_P(EliminationEngineTest, RepeatsItsBits) {
  for (const Shape& shape : reference::elimination_shapes()) {
    const auto matrix = reference::with_numbers<typename TypeParam::Scalar>(shape.matrix, false);
    const DeviceArrays<TypeParam> arrays(reference::compress(matrix));
    const typename TestFixture::Symbolic symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries);
    const auto first = this->factor_values(symbolic, arrays, {});
    for (const int repetitions : {1, 10, 11}) ASSERT_EQ(first, this->factor_values(symbolic, arrays, {}, repetitions));
  }
}

TYPED_TEST_P(EliminationEngineTest, SaysWhichWayItTook) {
  const auto reason = [](const reference::RealMatrix& matrix) {
    const DeviceArrays<TypeParam> arrays(
        reference::compress(reference::with_numbers<typename TypeParam::Scalar>(matrix, false)));
    return typename TestFixture::Symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries).info().reason;
  };
  const auto dense_part = reference::forest({reference::tree(200), reference::all_linked(300)});
  EXPECT_NE(reason(reference::poisson<double>(9, 8, 7)).find("only the diagonal"), std::string::npos);
  EXPECT_NE(reason(reference::tree(500)).find("only the diagonal"), std::string::npos);
  EXPECT_NE(reason(reference::saddle_point(2100, 20)).find("only the diagonal"), std::string::npos);
  EXPECT_NE(reason(reference::with_link(reference::saddle_point(2100, 20), 5, 6)).find("rows pass"), std::string::npos);
  EXPECT_NE(reason(reference::band(300, 6)).find("rows pass"), std::string::npos);
  EXPECT_NE(reason(reference::hubs(300)).find("rows pass"), std::string::npos);
  EXPECT_NE(reason(reference::wide_levels(8800)).find("one lane's"), std::string::npos);
  for (const auto& matrix :
       {reference::all_linked(150), reference::full_band(333, 70), reference::separate_blocks(330, 47),
        reference::lower_triangle(500, 60), reference::bordered_blocks(4600, 46, 40),
        reference::with_holes(reference::full_band(300, 100), false), dense_part})
    EXPECT_NE(reason(matrix).find("tiles"), std::string::npos);
  this->expect_bits_of_the_reference({"dense part beside a tree", dense_part, 0}, 1);
  EXPECT_EQ(reason(reference::shuffled(reference::blocks(350), 4)).find("tiles"), std::string::npos);
}

TYPED_TEST_P(EliminationEngineTest, FactorsOfOnePatternHaveTheSameBitsWhicheverMakesItsLists) {
  for (const Shape& shape : reference::elimination_shapes()) {
    SCOPED_TRACE(shape.name);
    const DeviceArrays<TypeParam> arrays(
        reference::compress(reference::with_numbers<typename TypeParam::Scalar>(shape.matrix, false)));
    const auto analyze = [&] { return typename TestFixture::Symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries); };
    const auto shared = analyze();
    const auto modified = this->factor_values(shared, arrays, {.relaxation = 1.0});  // which needs no lists
    const auto first = this->factor_values(shared, arrays, {}), second = this->factor_values(shared, arrays, {}, 1);
    const auto alone = this->factor_values(analyze(), arrays, {});
    EXPECT_EQ(first, alone);
    EXPECT_EQ(second, alone);
    EXPECT_EQ(modified, this->factor_values(shared, arrays, {.relaxation = 1.0}));
  }
}

TYPED_TEST_P(EliminationEngineTest, ThreadsMayMakeTheFirstFactorsOfAPatternTogether) {
  constexpr int threads = 4;
  const DeviceArrays<TypeParam> arrays(reference::compress(
      reference::with_numbers<typename TypeParam::Scalar>(reference::uneven_mesh(reference::all_linked(40)), false)));
  const typename TestFixture::Symbolic symbolic(Kokkos::Cuda(), arrays.row_map, arrays.entries);
  std::vector<typename TestFixture::Numbers> found(threads);
  std::vector<std::thread> makers;
  for (int k = 0; k < threads; ++k)
    makers.emplace_back([&, k, space = cuda_instance()] {
      const typename TestFixture::Factor factor(space, symbolic, arrays.values);
      found[k] = to_host(factor.values());
    });
  for (std::thread& maker : makers) maker.join();
  for (int k = 1; k < threads; ++k) EXPECT_EQ(found[k], found[0]);
}

TYPED_TEST_P(EliminationEngineTest, EndsAndReportsWhateverTheValuesAre) {
  for (const Shape& shape : reference::elimination_shapes()) this->expect_end_and_report(shape);
}

TYPED_TEST_P(EliminationEngineTest, ANaNReachesExactlyWhatDependsOnIt) {
  for (const Shape& shape : reference::elimination_shapes()) this->expect_exact_reach(shape);
  this->expect_exact_reach(
      {"five-point grid of several row blocks", reference::dominant(reference::poisson<double>(120, 130)), 0});
}

TYPED_TEST_P(EliminationEngineTest, CutsRowsThatAreVeryLongBehindTheDiagonal) {
  const auto matrix = reference::tree_with_hubs(9000);
  for (const Shape& shape : {Shape{"tree with hubs", matrix, 0},
                             Shape{"tree with hubs, not symmetric", reference::without_some_upper_entries(matrix), 0},
                             Shape{"tree with hubs of few rows", reference::tree_with_hubs(3500), 0}}) {
    this->expect_bits_of_the_reference(shape, 2, Algorithm::LevelScheduled);
    this->expect_exact_reach(shape);
    this->expect_end_and_report(shape);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST_P(EliminationEngineTest, TakesRowsThatAreVeryLongBeforeTheDiagonalByInnerProducts) {
  const auto grid = reference::ends_with_long_rows(reference::poisson<double>(60, 50), 1);
  const auto band = reference::ends_with_long_rows(reference::band(2500, 6), 5);
  for (const Shape& shape :
       {Shape{"arrow that ends in a full row", reference::star(5000, 4999), 0},
        Shape{"grid that ends in a full row", grid, 0}, Shape{"band that ends in long rows", band, 0},
        Shape{"the same, not symmetric", reference::without_some_upper_entries(band), 0},
        Shape{"tree with a hub in its middle", reference::tree_with_hubs(6600), 0}}) {
    SCOPED_TRACE(shape.name);
    this->expect_bits_of_the_reference(shape, 2, Algorithm::LevelScheduled);
    this->expect_exact_reach(shape);
    this->expect_end_and_report(shape);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST_P(EliminationEngineTest, IsCapturedInAGraphAndReplayed) {
  using Number = typename TypeParam::Scalar;
  const auto space = cuda_instance();
  for (const Shape& shape : reference::elimination_shapes())
    for (const double relaxation : {0.0, 0.7}) {
      SCOPED_TRACE(std::string(shape.name) + ", relaxation " + std::to_string(relaxation));
      auto matrix = reference::with_numbers<Number>(shape.matrix, false);
      const DeviceArrays<TypeParam> arrays(reference::compress(matrix));
      const typename TestFixture::Symbolic symbolic(space, arrays.row_map, arrays.entries);
      typename TestFixture::Factor factor(space, symbolic, arrays.values, {.relaxation = relaxation});
      const CapturedGraph graph(space, [&] { factor.refactorize(space, arrays.values); });
      ASSERT_EQ(graph.failure(), "");

      for (auto& row : matrix.rows)
        for (auto& entry : row) entry.second *= reference::Real<Number>(0.75);
      const DeviceArrays<TypeParam> later(reference::compress(matrix));
      Kokkos::deep_copy(arrays.values, later.values);
      Kokkos::fence();
      for (int replay = 0; replay < 3; ++replay) graph.replay();
      space.fence();
      EXPECT_EQ(to_host(factor.values()), this->factor_values(symbolic, later, {.relaxation = relaxation}));
    }
}

REGISTER_TYPED_TEST_SUITE_P(EliminationEngineTest, GivesTheBitsOfTheGenericEliminationOnEveryShape,
                            GivesTheBitsOfTheGenericEliminationInRowBlocks, AgreesWithTheHost, RepeatsItsBits,
                            SaysWhichWayItTook, FactorsOfOnePatternHaveTheSameBitsWhicheverMakesItsLists,
                            ThreadsMayMakeTheFirstFactorsOfAPatternTogether, EndsAndReportsWhateverTheValuesAre,
                            ANaNReachesExactlyWhatDependsOnIt, CutsRowsThatAreVeryLongBehindTheDiagonal,
                            TakesRowsThatAreVeryLongBeforeTheDiagonalByInnerProducts, IsCapturedInAGraphAndReplayed);

}  // namespace terrace::test
