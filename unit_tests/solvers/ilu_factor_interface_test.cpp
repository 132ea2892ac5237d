// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers of the incomplete factorizations can get wrong, and what is promised about
// instances, fences, allocations and memory.
#include <terrace/terrace.hpp>

#include "reference/small_matrices.hpp"
#include "support/device_triangle.hpp"
#include "support/every_ordering.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

template <class Space>
class IluInterface : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Arrays = reference::CompressedArrays<double>;
  using Symbolic = IluSymbolic<int, int, Space>;
  using Factor = IluFactor<double, int, int, Space>;
  using Vector = Kokkos::View<double*, typename Tested::Device>;

  static Symbolic analyze(const Arrays& arrays, const IluSymbolicOptions& options = {}) {
    const DeviceArrays<Tested> device(arrays);
    return Symbolic(Space(), device.row_map, device.entries, options);
  }

  static Factor factorize(const Arrays& arrays, const IluFactorOptions& options = {},
                          const IluSymbolicOptions& symbolic_options = {}) {
    const DeviceArrays<Tested> device(arrays);
    return Factor(Space(), Symbolic(Space(), device.row_map, device.entries, symbolic_options), device.values, options);
  }

  static std::pair<ErrorCode, std::optional<std::int64_t>> error_of(const Arrays& arrays,
                                                                    const IluSymbolicOptions& options = {}) {
    try {
      analyze(arrays, options);
    } catch (const Error& error) {
      return {error.code(), error.line()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  static ErrorCode error_of_factor(const IluFactorOptions& options) {
    try {
      factorize(tridiagonal(), options);
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  /// Rows 0 and 3 make the second of their pivots zero; 1 and 2 stand alone.
  static Arrays singular_pair() { return {{0, 2, 3, 4, 6}, {0, 3, 1, 2, 0, 3}, {1, 1, 1, 1, 1, 1}}; }

  static std::pair<ErrorCode, std::optional<std::int64_t>> at(ErrorCode code, std::int64_t row) { return {code, row}; }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(IluInterface, TestedSpaces);

TYPED_TEST(IluInterface, RejectsARowMapThatDoesNotFit) {
  auto arrays = tridiagonal();
  arrays.row_map = {0, 5, 2, 7};
  EXPECT_EQ(this->error_of(arrays), this->at(ErrorCode::InvalidRowMap, 1));
  arrays.row_map = {1, 2, 5, 7};
  EXPECT_EQ(this->error_of(arrays).first, ErrorCode::InvalidRowMap);
  arrays.row_map = {0, 2, 5, 6};
  EXPECT_EQ(this->error_of(arrays).first, ErrorCode::InvalidRowMap);
  EXPECT_EQ(this->error_of({{}, {0}, {1.0}}).first, ErrorCode::InvalidRowMap);
}

TYPED_TEST(IluInterface, RejectsAColumnOutsideTheMatrix) {
  for (const int column : {-1, 3, 2000000000}) {
    auto arrays = tridiagonal();
    arrays.entries[4] = column;
    EXPECT_EQ(this->error_of(arrays), this->at(ErrorCode::ColumnOutOfRange, 1));
    EXPECT_EQ(this->error_of(arrays, {.factorization = Factorization::Cholesky}),
              this->at(ErrorCode::ColumnOutOfRange, 1));
  }
}

TYPED_TEST(IluInterface, RejectsDuplicatesSortedOrNot) {
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    EXPECT_EQ(this->error_of({{0, 1, 2, 5}, {0, 1, 0, 0, 2}, {1, 1, 1, 1, 1}}, {.factorization = factorization}),
              this->at(ErrorCode::DuplicateEntry, 2));
    EXPECT_EQ(this->error_of({{0, 1, 2, 6}, {0, 1, 1, 0, 2, 1}, {1, 1, 1, 1, 1, 1}}, {.factorization = factorization}),
              this->at(ErrorCode::DuplicateEntry, 2));
    EXPECT_EQ(this->error_of({{0, 1, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}}, {.factorization = factorization}),
              this->at(ErrorCode::DuplicateEntry, 1));
  }
}

TYPED_TEST(IluInterface, NamesTheRowOfAMissingDiagonalOrInsertsIt) {
  const reference::CompressedArrays<double> missing{{0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {2, 1, 1, 1, 1, 2}};
  EXPECT_EQ(this->error_of(missing), this->at(ErrorCode::MissingDiagonal, 1));
  const auto factor = this->factorize(missing, {}, {.insert_missing_diagonal = true});
  EXPECT_EQ(factor.symbolic().info().first_inserted_diagonal, 1);
  EXPECT_EQ(factor.symbolic().info().factor_entries, 7);
  EXPECT_TRUE(factor.info().succeeded());
  EXPECT_EQ(to_host(factor.values()), (std::vector<double>{2, 1, 0.5, -0.5, 1, -2, 4}));
}

TYPED_TEST(IluInterface, RejectsAGivenOrderThatIsNoPermutation) {
  const auto given = [&](std::vector<int> permutation, Ordering ordering = Ordering::Given) {
    return this->error_of(tridiagonal(), {.ordering = ordering, .permutation = std::move(permutation)}).first;
  };
  for (const auto& wrong : {std::vector<int>{}, {0, 1}, {0, 1, 2, 3}, {0, 1, 3}, {0, -1, 2}, {2, 1, 2}})
    EXPECT_EQ(given(wrong), ErrorCode::InvalidOption);
  EXPECT_EQ(given({0, 1, 2}, Ordering::Natural), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of({{0}, {}, {}}, {.ordering = Ordering::Given, .permutation = {0}}).first,
            ErrorCode::InvalidOption);
  const auto symbolic = this->analyze(tridiagonal(), {.ordering = Ordering::Given, .permutation = {2, 0, 1}});
  EXPECT_EQ(to_host(symbolic.permutation()), (std::vector<int>{2, 0, 1}));
}

TYPED_TEST(IluInterface, RejectsOptionsThatDoNotExist) {
  EXPECT_EQ(this->error_of(tridiagonal(), {.fill_level = -1}).first, ErrorCode::InvalidOption);
  for (const double max_fill : {-1.0, double(NAN)})
    EXPECT_EQ(this->error_of(tridiagonal(), {.max_fill = max_fill}).first, ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(tridiagonal(), {.rows_per_task = -1}).first, ErrorCode::InvalidOption);
  for (const auto algorithm : {Algorithm::SyncFreeColumns, Algorithm::Blocked})
    EXPECT_EQ(this->error_of(tridiagonal(), {.algorithm = algorithm}).first, ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.relaxation = -0.1}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.relaxation = double(NAN)}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.pivots = {.threshold = 1.5}}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.pivots = {.first_shift = 0}}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.pivots = {.max_attempts = 0}}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.right_hand_sides = 0}), ErrorCode::InvalidOption);
}

TYPED_TEST(IluInterface, RejectsAMatrixThatIsNotSquareAndViewsOfTheWrongLength) {
  const auto arrays = DeviceArrays<typename TestFixture::Tested>(tridiagonal());
  const KokkosSparse::CrsMatrix<double, int, typename TestFixture::Tested::Device, void, int> wide(
      "wide", 3, 4, 7, arrays.values, arrays.row_map, arrays.entries);
  try {
    IluSymbolic symbolic(TypeParam(), wide);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotSquare);
    EXPECT_STREQ(error.what(), "the matrix is 3x4; a factorization needs a square matrix");
  }
  auto factor = this->factorize(tridiagonal());
  const typename TestFixture::Vector three("three", 3), four("four", 4);
  EXPECT_THROW(factor.refactorize(TypeParam(), four), Error);
  EXPECT_THROW(factor.apply(TypeParam(), three, four), Error);
  EXPECT_THROW(factor.apply(TypeParam(), four, three), Error);
}

TYPED_TEST(IluInterface, NamesBadPivotsInTheCallersNumbers) {
  for (const auto ordering : every_ordering()) {
    SCOPED_TRACE(to_string(ordering));
    const auto factor = this->factorize(this->singular_pair(), {}, {.ordering = ordering});
    const auto original = to_host(factor.symbolic().permutation());
    const auto second = std::find_if(original.rbegin(), original.rend(), [](int row) { return row == 0 || row == 3; });
    const int expected = original.empty() ? 3 : *second;
    EXPECT_EQ(factor.info().first_zero_pivot, expected);
    EXPECT_EQ(factor.info().first_bad_row(), expected);
    EXPECT_FALSE(factor.info().succeeded());
    auto arrays = this->singular_pair();
    arrays.values[3] = double(NAN);
    EXPECT_EQ(this->factorize(arrays, {}, {.ordering = ordering}).info().first_nonfinite_row, 2);
  }
}

TYPED_TEST(IluInterface, NamesTheBadRowThatWasEliminatedFirst) {
  // A path 1 - 2 - 0 whose second pivot, that of row 2, is zero; the third divides by it.
  const typename TestFixture::Arrays path{{0, 2, 4, 7}, {0, 2, 1, 2, 0, 1, 2}, {1, 1, 1, 1, 1, 1, 1}};
  auto factor = this->factorize(path, {}, {.ordering = Ordering::ReverseCuthillMckee});
  EXPECT_EQ(factor.info().first_zero_pivot, 2);
  ASSERT_TRUE(factor.info().first_nonfinite_row);
  EXPECT_LT(*factor.info().first_nonfinite_row, 2);
  EXPECT_EQ(factor.info().first_bad_row(), 2);
  factor.refactorize(TypeParam(),
                     to_device<double, typename TestFixture::Tested::Device>(std::vector<double>{3, 1, 3, 1, 1, 1, 3}));
  EXPECT_TRUE(factor.info().succeeded());
}

TYPED_TEST(IluInterface, NamesRowsOfABadPatternInTheCallersNumbers) {
  for (const auto ordering : every_ordering()) {
    const typename TestFixture::Arrays missing{{0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {2, 1, 1, 1, 1, 2}};
    EXPECT_EQ(this->error_of(missing, {.ordering = ordering}), this->at(ErrorCode::MissingDiagonal, 1));
    EXPECT_EQ(this->error_of({{0, 1, 2, 6}, {0, 1, 1, 0, 2, 1}, {1, 1, 1, 1, 1, 1}}, {.ordering = ordering}),
              this->at(ErrorCode::DuplicateEntry, 2));
  }
}

TYPED_TEST(IluInterface, KeepsTheScaleOfRowsWithoutAUsableDiagonal) {
  const typename TestFixture::Arrays zero{{0, 2, 4}, {0, 1, 0, 1}, {4, 2, 2, 0}};
  const auto factor = this->factorize(zero, {.scaling = Scaling::Diagonal});
  EXPECT_TRUE(factor.info().succeeded());
  EXPECT_EQ(to_host(factor.values()), (std::vector<double>{1, 1, 1, -1}));
  for (const double bad : {double(NAN), HUGE_VAL}) {
    auto arrays = tridiagonal();
    arrays.values[3] = bad;
    EXPECT_EQ(this->factorize(arrays, {.scaling = Scaling::Diagonal}).info().first_nonfinite_row, 1);
  }
}

TYPED_TEST(IluInterface, MulticolorFactorsHaveAsManyLevelsAsColours) {
  const auto info_of = [&](const reference::GeneralMatrix<double>& matrix, Algorithm algorithm) {
    const IluSymbolicOptions options{.ordering = Ordering::Multicolor, .algorithm = algorithm, .rows_per_task = 1};
    return this->analyze(reference::compress(matrix), options).info();
  };
  for (const auto algorithm : {Algorithm::LevelScheduled, Algorithm::SyncFreeRows}) {
    const auto grid = info_of(reference::poisson<double>(13, 9), algorithm);
    EXPECT_EQ(grid.colors, 2);
    EXPECT_EQ(grid.levels, 2);
    const auto symmetric = info_of(reference::random_symmetric<double>(200, 4, false, 1), algorithm);
    EXPECT_EQ(symmetric.levels, symmetric.colors);
    EXPECT_LT(symmetric.colors, 12);
    const auto general = info_of(reference::random_matrix<double>(200, 4, 1), algorithm);  // rows wait in one direction
    EXPECT_LE(general.levels, general.colors);
  }
}

TYPED_TEST(IluInterface, NestedDissectionFillsLessThanTheNaturalOrder) {
  const auto entries = [&](Ordering ordering) {
    const auto arrays = reference::compress(reference::poisson<double>(30, 30));
    return static_cast<double>(this->analyze(arrays, {.fill_level = 900, .ordering = ordering}).info().factor_entries);
  };
  if (!has_nested_dissection()) {
    EXPECT_EQ(this->error_of(tridiagonal(), {.ordering = Ordering::NestedDissection}).first, ErrorCode::InvalidOption);
    GTEST_SKIP() << "this build has no METIS";
  }
  EXPECT_LT(entries(Ordering::NestedDissection), 0.6 * entries(Ordering::Natural));
}

/// The hub has the caller's number 7 and is eliminated first.
TYPED_TEST(IluInterface, EndsWhereThereIsMoreFillThanAllowedAndNamesTheRow) {
  constexpr int n = 400, hub = 7;
  reference::GeneralMatrix<double> matrix(n);
  for (int row = 0; row < n; ++row) matrix.rows[row][row] = matrix.rows[row][hub] = matrix.rows[hub][row] = 1;
  const auto arrays = reference::compress(matrix);
  std::vector<int> hub_first{hub};
  for (int row = 0; row < n; ++row)
    if (row != hub) hub_first.push_back(row);
  const IluSymbolicOptions options{
      .fill_level = 1, .max_fill = 100.0, .ordering = Ordering::Given, .permutation = hub_first};
  const auto [code, row] = this->error_of(arrays, options);
  EXPECT_EQ(code, ErrorCode::OutOfMemory);  // 160,000 entries; A has 1,198
  EXPECT_EQ(row, hub);
  auto enough = options;
  enough.max_fill = 160000.0 / 1198.0;
  EXPECT_EQ(this->analyze(arrays, enough).info().factor_entries, 160000);
  for (const double fill : {0.0, HUGE_VAL}) {
    enough.max_fill = fill;
    EXPECT_EQ(this->analyze(arrays, enough).info().factor_entries, 160000);
  }
}

TYPED_TEST(IluInterface, TakesTheEmptyMatrix) {
  for (const auto ordering : every_ordering())
    for (const auto& map : {std::vector<std::size_t>{}, std::vector<std::size_t>{0}}) {
      auto factor =
          this->factorize({map, {}, {}}, {.scaling = Scaling::Diagonal}, {.fill_level = 2, .ordering = ordering});
      const typename TestFixture::Vector nothing("nothing", 0);
      factor.apply(TypeParam(), nothing, nothing);
      factor.refactorize(TypeParam(), nothing);
      EXPECT_EQ(factor.symbolic().info().rows, 0);
      EXPECT_TRUE(factor.info().succeeded());
    }
}

TYPED_TEST(IluInterface, TakesMatricesThatFallApart) {
  for (const auto ordering : every_ordering())
    for (const int n : {1, 2, 5}) {
      reference::GeneralMatrix<double> diagonal(n);
      for (int row = 0; row < n; ++row) diagonal.rows[row][row] = row + 2;
      const auto factor = this->factorize(reference::compress(diagonal), {}, {.fill_level = 1, .ordering = ordering});
      const auto z = to_device<double, typename TestFixture::Tested::Device>(std::vector<double>(n, 1.0));
      factor.apply(TypeParam(), z, z);
      for (int row = 0; row < n; ++row) EXPECT_EQ(to_host(z)[row], 1.0 / (row + 2));
    }
}

TYPED_TEST(IluInterface, HoldsMemoryInProportionToTheFactor) {
  const auto arrays = reference::compress(reference::poisson<double>(20, 20, 20));
  // A GPU's plan has lists of at most 80 bytes for each entry (ADR 12).
  const bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename TypeParam::memory_space>::accessible;
  const double per_entry = is_host ? 8 : 8 + 80;
  for (const int level : {0, 1, 2}) {
    const auto factor = this->factorize(arrays, {}, {.fill_level = level});
    const auto& info = factor.symbolic().info();
    const double entries = static_cast<double>(info.factor_entries);
    EXPECT_LE(static_cast<double>(info.bytes_held), per_entry * entries + 40 * 8000);
    EXPECT_LE(static_cast<double>(factor.info().bytes_held), 40 * entries + 80 * 8000);
  }
}

TYPED_TEST(IluInterface, CountsTheMemoryOfOrderingsAndScalings) {
  const auto arrays = reference::compress(reference::poisson<double>(10, 10));
  const IluSymbolicOptions sequential{.algorithm = Algorithm::Sequential};
  auto colored = sequential;
  colored.ordering = Ordering::Multicolor;
  const auto bytes = [&](const IluSymbolicOptions& pattern, const IluFactorOptions& options) {
    return this->factorize(arrays, options, pattern).info().bytes_held;
  };
  EXPECT_EQ(bytes(sequential, {.scaling = Scaling::Diagonal}) - bytes(sequential, {}), 100 * sizeof(double));
  const std::size_t two_more = bytes(colored, {.right_hand_sides = 3}) - bytes(colored, {});
  if (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename TypeParam::memory_space>::accessible) {
    EXPECT_EQ(two_more, 200 * sizeof(double));
  } else {  // and both solvers may keep as many unknowns
    EXPECT_GE(two_more, 200 * sizeof(double));
    EXPECT_LE(two_more, 3 * 200 * sizeof(double));
  }
  const auto merged = this->analyze(arrays, sequential).info().bytes_held;
  const auto copied = 460 * 2 * sizeof(int) + 101 * sizeof(int);
  EXPECT_EQ(this->analyze(arrays, colored).info().bytes_held - merged, copied + 100 * sizeof(int));
}

TYPED_TEST(IluInterface, EnqueuesLabelledKernelsOnTheCallersInstanceWithoutFenceOrAllocation) {
  using T = typename TestFixture::Tested;
  const DeviceArrays<T> arrays(reference::compress(reference::poisson<double>(30, 20)));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const typename TestFixture::Vector r("r", 600), z("z", 600);
  for (const auto algorithm :
       {Algorithm::Automatic, Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeRows}) {
    const IluSymbolic<int, int, TypeParam> symbolic(instance, arrays.row_map, arrays.entries, {.algorithm = algorithm});
    IluFactor factor(instance, symbolic, arrays.values);
    factor.refactorize(instance, arrays.values);
    factor.apply(instance, r, z);
    instance.fence();
    const RecordedEvents events;
    factor.refactorize(instance, arrays.values);
    factor.apply(instance, r, z);
    EXPECT_GE(events.kernels(), 3);
    EXPECT_EQ(events.fences(), std::vector<std::string>());
    EXPECT_EQ(events.allocations(), 0);
    EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
    EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
  }
}

TYPED_TEST(IluInterface, OrderingsAndScalingsFenceAndAllocateNothingEither) {
  using T = typename TestFixture::Tested;
  const DeviceArrays<T> arrays(reference::compress(reference::poisson<double>(30, 20)));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const Kokkos::View<double**, typename T::Device> r("r", 600, 3), z("z", 600, 3);
  for (const auto ordering : every_ordering())
    for (const auto scaling : {Scaling::None, Scaling::Diagonal}) {
      const IluSymbolic<int, int, TypeParam> symbolic(instance, arrays.row_map, arrays.entries, {.ordering = ordering});
      IluFactor factor(instance, symbolic, arrays.values, {.scaling = scaling});
      factor.refactorize(instance, arrays.values);
      factor.apply(instance, r, z);
      instance.fence();
      const RecordedEvents events;
      factor.refactorize(instance, arrays.values);
      factor.apply(instance, r, z);
      EXPECT_EQ(events.fences(), std::vector<std::string>());
      EXPECT_EQ(events.allocations(), 0);
      EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
      EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
    }
}

TYPED_TEST(IluInterface, MovesAndSharesTheSymbolicPhase) {
  const auto symbolic = this->analyze(tridiagonal());
  const DeviceArrays<typename TestFixture::Tested> arrays(tridiagonal());
  IluFactor first(TypeParam(), symbolic, arrays.values);
  IluFactor second(TypeParam(), symbolic, arrays.values, {.relaxation = 1.0});
  first = std::move(second);
  EXPECT_EQ(to_host(first.values()), (std::vector<double>{2, -1, -0.5, 1.5, -1, -1 / 1.5, 2 - 1 / 1.5}));
}

TYPED_TEST(IluInterface, AnalysesNoTriangleAgainForASecondFactor) {
  const DeviceArrays<typename TestFixture::Tested> arrays(reference::compress(reference::poisson<double>(30, 30, 30)));
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    const typename TestFixture::Symbolic symbolic(TypeParam(), arrays.row_map, arrays.entries,
                                                  {.factorization = factorization, .fill_level = 1});
    const typename TestFixture::Factor first(TypeParam(), symbolic, arrays.values);
    const RecordedEvents events;
    const typename TestFixture::Factor second(TypeParam(), symbolic, arrays.values);
    for (const char* words : {"levels", "peel", "sort_keys", "cut_tasks", "count_lines", "check_"})
      EXPECT_EQ(events.kernels_named(words), 0) << words;
  }
}

TYPED_TEST(IluInterface, FactorsThatShareAnAnalysisAreIndependent) {
  using T = typename TestFixture::Tested;
  const auto matrix = reference::poisson<double>(20, 20, 20);
  const DeviceArrays<T> arrays(reference::compress(matrix));
  auto doubled = reference::compress(matrix);
  for (auto& value : doubled.values) value *= 2;
  const DeviceArrays<T> other(doubled);
  std::optional<typename TestFixture::Factor> first, second;
  {
    const typename TestFixture::Symbolic symbolic(TypeParam(), arrays.row_map, arrays.entries);
    first.emplace(TypeParam(), symbolic, arrays.values);
    second.emplace(TypeParam(), symbolic, other.values);
  }
  const auto solve = [](const auto& factor) {
    const typename TestFixture::Vector r("r", 8000), z("z", 8000);
    Kokkos::deep_copy(r, 1.0);
    factor.apply(TypeParam(), r, z);
    return to_host(z);
  };
  const auto expected = solve(*first);
  auto halved = expected;
  for (auto& number : halved) number /= 2;
  EXPECT_EQ(solve(*second), halved);
  second->refactorize(TypeParam(), arrays.values);
  EXPECT_EQ(solve(*second), expected);
  first.reset();
  EXPECT_EQ(solve(*second), expected);
}

TYPED_TEST(IluInterface, FactorsThatShareAnAnalysisSolveAtTheSameTime) {
  using T = typename TestFixture::Tested;
  constexpr int n = 24 * 24 * 24;
  const DeviceArrays<T> arrays(reference::compress(reference::poisson<double>(24, 24, 24)));
  const typename TestFixture::Symbolic symbolic(TypeParam(), arrays.row_map, arrays.entries);
  const TypeParam instances[] = {Kokkos::Experimental::partition_space(TypeParam(), 1)[0],
                                 Kokkos::Experimental::partition_space(TypeParam(), 1)[0]};
  const typename TestFixture::Factor first(instances[0], symbolic, arrays.values);
  const typename TestFixture::Factor second(instances[1], symbolic, arrays.values);
  const typename TestFixture::Vector r("r", n), x("x", n), y("y", n);
  Kokkos::deep_copy(r, 1.0);
  Kokkos::fence();
  first.apply(instances[0], r, x);
  instances[0].fence();
  const auto expected = to_host(x);
  for (int repetition = 0; repetition < 20; ++repetition) {
    for (const Op op : {Op::None, Op::Transpose}) {
      first.apply(instances[0], r, x, op);
      second.apply(instances[1], r, y, op);
    }
    first.apply(instances[0], r, x);
    second.apply(instances[1], r, y);
    Kokkos::fence();
    ASSERT_EQ(to_host(x), expected);
    ASSERT_EQ(to_host(y), expected);
  }
}

}  // namespace
}  // namespace terrace::test
