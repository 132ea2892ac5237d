// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers of the incomplete factorizations can get wrong, what becomes of bad pivots, and what is promised about
// instances, fences, allocations and memory.
#include <terrace/terrace.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"
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

  /// 3x3: 2 on the diagonal, -1 beside it.
  static Arrays tridiagonal() { return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2}}; }

  /// The second pivot is 1 - 1 = 0.
  static Arrays singular() { return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, 1, 1, 1, 1, 1, 3}}; }

  /// The second pivot of L L^T is 1 - 4 = -3.
  static Arrays indefinite() { return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, 2, 2, 1, 1, 1, 3}}; }

  static bool is_finite(const Factor& factor) {
    const auto values = to_host(factor.values());
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  }

  static std::pair<ErrorCode, std::optional<std::int64_t>> at(ErrorCode code, std::int64_t row) { return {code, row}; }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(IluInterface, TestedSpaces);

TYPED_TEST(IluInterface, RejectsARowMapThatDoesNotFit) {
  auto arrays = this->tridiagonal();
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
    auto arrays = this->tridiagonal();
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

TYPED_TEST(IluInterface, RejectsOptionsThatDoNotExist) {
  EXPECT_EQ(this->error_of(this->tridiagonal(), {.fill_level = -1}).first, ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(this->tridiagonal(), {.rows_per_task = -1}).first, ErrorCode::InvalidOption);
  for (const auto algorithm : {Algorithm::SyncFreeColumns, Algorithm::Blocked})
    EXPECT_EQ(this->error_of(this->tridiagonal(), {.algorithm = algorithm}).first, ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.relaxation = -0.1}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.relaxation = double(NAN)}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.pivot_threshold = 1.5}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.first_shift = 0}), ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of_factor({.most_attempts = 0}), ErrorCode::InvalidOption);
}

TYPED_TEST(IluInterface, RejectsAMatrixThatIsNotSquareAndViewsOfTheWrongLength) {
  const auto arrays = DeviceArrays<typename TestFixture::Tested>(this->tridiagonal());
  const KokkosSparse::CrsMatrix<double, int, typename TestFixture::Tested::Device, void, int> wide(
      "wide", 3, 4, 7, arrays.values, arrays.row_map, arrays.entries);
  try {
    IluSymbolic symbolic(TypeParam(), wide);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotSquare);
    EXPECT_STREQ(error.what(), "the matrix is 3x4; a factorization needs a square matrix");
  }
  auto factor = this->factorize(this->tridiagonal());
  const typename TestFixture::Vector three("three", 3), four("four", 4);
  EXPECT_THROW(factor.refactorize(TypeParam(), four), Error);
  EXPECT_THROW(factor.apply(TypeParam(), three, four), Error);
  EXPECT_THROW(factor.apply(TypeParam(), four, three), Error);
}

TYPED_TEST(IluInterface, ReportsAZeroPivotAndForgetsItWhenItIsGone) {
  auto factor = this->factorize(this->singular());
  EXPECT_EQ(factor.info().first_zero_pivot, 1);
  EXPECT_EQ(factor.info().first_bad_row(), 1);
  EXPECT_FALSE(factor.info().succeeded());
  factor.refactorize(TypeParam(), DeviceArrays<typename TestFixture::Tested>(this->tridiagonal()).values);
  EXPECT_TRUE(factor.info().succeeded());
}

TYPED_TEST(IluInterface, ReportsATinyPivot) {
  auto arrays = this->singular();
  arrays.values[3] = 1.0 + 1e-15;
  EXPECT_EQ(this->factorize(arrays, {.pivot_threshold = 1e-12}).info().first_tiny_pivot, 1);
}

TYPED_TEST(IluInterface, ReportsAPivotThatIsNotPositive) {
  const IluSymbolicOptions cholesky{.factorization = Factorization::Cholesky};
  const auto info = this->factorize(this->indefinite(), {}, cholesky).info();
  EXPECT_EQ(info.first_nonpositive_pivot, 1);
  EXPECT_EQ(info.first_bad_row(), 1);
  EXPECT_FALSE(info.succeeded());
}

TYPED_TEST(IluInterface, ReportsValuesThatAreNotFinite) {
  for (const double bad : {double(NAN), HUGE_VAL}) {
    auto arrays = this->tridiagonal();
    arrays.values[4] = bad;
    for (const auto policy : {PivotPolicy::Report, PivotPolicy::Replace, PivotPolicy::Shift}) {
      const auto info = this->factorize(arrays, {.pivot_policy = policy, .most_attempts = 3}).info();
      EXPECT_EQ(info.first_nonfinite_row, 1);
      EXPECT_FALSE(info.succeeded());
    }
  }
}

TYPED_TEST(IluInterface, ReplacesBadPivotsAndCountsThem) {
  const auto expect = [&](const reference::CompressedArrays<double>& arrays, Factorization factorization, int count) {
    const auto factor = this->factorize(arrays, {.pivot_policy = PivotPolicy::Replace, .pivot_threshold = 0.1},
                                        {.factorization = factorization});
    EXPECT_EQ(factor.info().replaced_pivots, count);
    EXPECT_EQ(factor.info().first_bad_row(), 1);
    EXPECT_TRUE(factor.info().succeeded());
    EXPECT_TRUE(this->is_finite(factor));
  };
  expect(this->singular(), Factorization::Lu, 2);  // 3 - 1 / 0.3 is tiny too
  expect(this->singular(), Factorization::Cholesky, 2);
  expect(this->indefinite(), Factorization::Cholesky, 1);
}

TYPED_TEST(IluInterface, ShiftsTheDiagonalUntilAllPivotsArePositive) {
  const auto factor = this->factorize(this->indefinite(), {.pivot_policy = PivotPolicy::Shift, .first_shift = 0.5},
                                      {.factorization = Factorization::Cholesky});
  const auto info = factor.info();
  EXPECT_TRUE(info.succeeded());
  EXPECT_EQ(info.shift, 2.0);
  EXPECT_EQ(info.attempts, 4);
  EXPECT_TRUE(this->is_finite(factor));
  const auto given_up =
      this->factorize(this->indefinite(), {.pivot_policy = PivotPolicy::Shift, .first_shift = 1e-9, .most_attempts = 3},
                      {.factorization = Factorization::Cholesky});
  EXPECT_FALSE(given_up.info().succeeded());
  EXPECT_EQ(given_up.info().attempts, 3);
}

TYPED_TEST(IluInterface, TakesTheEmptyMatrix) {
  for (const auto& map : {std::vector<std::size_t>{}, std::vector<std::size_t>{0}}) {
    auto factor = this->factorize({map, {}, {}}, {}, {.fill_level = 2});
    const typename TestFixture::Vector nothing("nothing", 0);
    factor.apply(TypeParam(), nothing, nothing);
    factor.refactorize(TypeParam(), nothing);
    EXPECT_EQ(factor.symbolic().info().rows, 0);
    EXPECT_TRUE(factor.info().succeeded());
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

TYPED_TEST(IluInterface, MovesAndSharesTheSymbolicPhase) {
  const auto symbolic = this->analyze(this->tridiagonal());
  const DeviceArrays<typename TestFixture::Tested> arrays(this->tridiagonal());
  IluFactor first(TypeParam(), symbolic, arrays.values);
  IluFactor second(TypeParam(), symbolic, arrays.values, {.relaxation = 1.0});
  first = std::move(second);
  EXPECT_EQ(to_host(first.values()), (std::vector<double>{2, -1, -0.5, 1.5, -1, -1 / 1.5, 2 - 1 / 1.5}));
}

}  // namespace
}  // namespace terrace::test
