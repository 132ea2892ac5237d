// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers of IlutFactor can get wrong, and what is promised about its solves.
#include <terrace/terrace.hpp>

#include "algorithms/incomplete/threshold/work_arrays.hpp"
#include "reference/small_matrices.hpp"
#include "support/device_triangle.hpp"
#include "support/failing_kernel.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

template <class Space>
class IlutInterface : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Arrays = reference::CompressedArrays<double>;
  using Factor = IlutFactor<double, int, int, Space>;
  using Vector = Kokkos::View<double*, typename Tested::Device>;

  static Factor factorize(const Arrays& arrays, const IlutOptions& options = {}) {
    const DeviceArrays<Tested> device(arrays);
    return Factor(Space(), device.row_map, device.entries, device.values, options);
  }

  static std::pair<ErrorCode, std::optional<std::int64_t>> error_of(const Arrays& arrays,
                                                                    const IlutOptions& options = {}) {
    try {
      factorize(arrays, options);
    } catch (const Error& error) {
      return {error.code(), error.line()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  static std::pair<ErrorCode, std::optional<std::int64_t>> at(ErrorCode code, std::int64_t row) { return {code, row}; }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(IlutInterface, TestedSpaces);

TYPED_TEST(IlutInterface, RejectsARowMapThatDoesNotFit) {
  auto arrays = tridiagonal();
  arrays.row_map = {0, 5, 2, 7};
  EXPECT_EQ(this->error_of(arrays), this->at(ErrorCode::InvalidRowMap, 1));
  arrays.row_map = {0, 2, 5, 6};
  EXPECT_EQ(this->error_of(arrays).first, ErrorCode::InvalidRowMap);
  EXPECT_EQ(this->error_of({{}, {0}, {1.0}}).first, ErrorCode::InvalidRowMap);
}

TYPED_TEST(IlutInterface, RejectsColumnsOutsideTheMatrixAndDuplicates) {
  auto arrays = tridiagonal();
  arrays.entries[4] = 3;
  EXPECT_EQ(this->error_of(arrays), this->at(ErrorCode::ColumnOutOfRange, 1));
  EXPECT_EQ(this->error_of({{0, 1, 2, 6}, {0, 1, 1, 0, 2, 1}, {1, 1, 1, 1, 1, 1}}),
            this->at(ErrorCode::DuplicateEntry, 2));
}

TYPED_TEST(IlutInterface, NamesTheRowOfAMissingDiagonalOrInsertsIt) {
  const reference::CompressedArrays<double> missing{{0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {2, 1, 1, 1, 1, 2}};
  EXPECT_EQ(this->error_of(missing), this->at(ErrorCode::MissingDiagonal, 1));
  const auto factor = this->factorize(missing, {.insert_missing_diagonal = true});
  EXPECT_EQ(factor.info().first_inserted_diagonal, 1);
  EXPECT_EQ(to_host(factor.values()), (std::vector<double>{2, 1, 0.5, -0.5, 1, -2, 4}));
}

TYPED_TEST(IlutInterface, RejectsOptionsThatDoNotExist) {
  const auto error_of = [&](const IlutOptions& options) { return this->error_of(tridiagonal(), options).first; };
  EXPECT_EQ(error_of({.fill = -1}), ErrorCode::InvalidOption);
  EXPECT_EQ(error_of({.ordering = Ordering::Given, .permutation = {0, 1, 1}}), ErrorCode::InvalidOption);
  EXPECT_EQ(error_of({.permutation = {0, 1, 2}}), ErrorCode::InvalidOption);
  for (const double tolerance : {-1e-3, double(NAN), HUGE_VAL})
    EXPECT_EQ(error_of({.drop_tolerance = tolerance}), ErrorCode::InvalidOption);
  EXPECT_EQ(error_of({.pivots = {.threshold = 1.5}}), ErrorCode::InvalidOption);
  EXPECT_EQ(error_of({.pivots = {.first_shift = 0}}), ErrorCode::InvalidOption);
  EXPECT_EQ(error_of({.pivots = {.max_attempts = 0}}), ErrorCode::InvalidOption);
}

TYPED_TEST(IlutInterface, RejectsAMatrixThatIsNotSquareAndViewsOfTheWrongLength) {
  const auto arrays = DeviceArrays<typename TestFixture::Tested>(tridiagonal());
  const KokkosSparse::CrsMatrix<double, int, typename TestFixture::Tested::Device, void, int> wide(
      "wide", 3, 4, 7, arrays.values, arrays.row_map, arrays.entries);
  try {
    IlutFactor factor(TypeParam(), wide);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotSquare);
    EXPECT_STREQ(error.what(), "the matrix is 3x4; a factorization needs a square matrix");
  }
  const typename TestFixture::Vector three("three", 3), four("four", 4);
  EXPECT_THROW(typename TestFixture::Factor(TypeParam(), arrays.row_map, arrays.entries, four), Error);
  auto factor = this->factorize(tridiagonal());
  EXPECT_THROW(factor.refactorize(TypeParam(), four), Error);
  EXPECT_THROW(factor.apply(TypeParam(), three, four), Error);
  EXPECT_THROW(factor.apply(TypeParam(), four, three), Error);
}

/// Also what is dropped at once, and what stands where nothing would be kept.
TYPED_TEST(IlutInterface, ReportsValuesThatAreNotFinite) {
  for (const double bad : {double(NAN), HUGE_VAL})
    for (const std::size_t place : {2u, 3u, 4u})
      for (const int fill : {0, 10})
        for (const auto policy : {PivotPolicy::Report, PivotPolicy::Replace, PivotPolicy::Shift}) {
          auto arrays = tridiagonal();
          arrays.values[place] = bad;
          const auto info =
              this->factorize(arrays, {.fill = fill, .pivots = {.policy = policy, .max_attempts = 3}}).info();
          EXPECT_EQ(info.first_nonfinite_row, 1) << "entry " << place << " fill " << fill;
          EXPECT_FALSE(info.succeeded());
        }
}

/// The entries beside the diagonal are 0.45 and 0.41 of the norm of their row.
TYPED_TEST(IlutInterface, NormsOfHugeAndTinyValuesNeitherOverflowNorUnderflow) {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    auto arrays = tridiagonal();
    for (auto& value : arrays.values) value *= scale;
    for (const auto& [tolerance, entries] : {std::pair(0.1, 7), std::pair(0.5, 3)}) {
      const auto factor =
          this->factorize(arrays, {.factorization = Factorization::Cholesky, .drop_tolerance = tolerance});
      EXPECT_TRUE(factor.info().succeeded());
      EXPECT_EQ(factor.info().factor_entries, entries) << "scale " << scale;
    }
  }
}

TYPED_TEST(IlutInterface, TakesTheEmptyMatrix) {
  for (const auto& map : {std::vector<std::size_t>{}, std::vector<std::size_t>{0}}) {
    auto factor = this->factorize({map, {}, {}});
    const typename TestFixture::Vector nothing("nothing", 0);
    factor.apply(TypeParam(), nothing, nothing);
    factor.refactorize(TypeParam(), nothing);
    EXPECT_EQ(factor.info().rows, 0);
    EXPECT_TRUE(factor.info().succeeded());
  }
}

/// With capacity for the rows of A at first: the store of finished rows has to grow on the way.
TYPED_TEST(IlutInterface, GrowsWithTheFactorAndHoldsNoMoreThanThat) {
  const auto arrays = reference::compress(reference::poisson<double>(24, 24));
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky}) {
    const auto factor = this->factorize(arrays, {.factorization = factorization, .fill = 576, .drop_tolerance = 0});
    EXPECT_TRUE(factor.info().succeeded());
    EXPECT_EQ(factor.info().dropped_entries, 0);
    const auto entries = static_cast<double>(factor.info().factor_entries);
    EXPECT_GT(entries, 8.0 * static_cast<double>(arrays.entries.size()));
    // Solves by tiles, which suit this factor on an NVIDIA GPU, hold up to three numbers for an entry.
    const double bytes_of_entry = parallel::has_tuned_engines<TypeParam> ? 56 : 40;
    EXPECT_LE(static_cast<double>(factor.info().bytes_held), bytes_of_entry * entries + 80 * 576);
  }
}

TYPED_TEST(IlutInterface, SolvesOnTheCallersInstanceWithoutFenceOrAllocation) {
  const DeviceArrays<typename TestFixture::Tested> arrays(reference::compress(reference::poisson<double>(30, 20)));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const typename TestFixture::Vector r("r", 600), z("z", 600);
  const typename TestFixture::Factor factor(instance, arrays.row_map, arrays.entries, arrays.values);
  factor.apply(instance, r, z);
  instance.fence();
  const RecordedEvents events;
  factor.apply(instance, r, z);
  EXPECT_GE(events.kernels(), 2);
  EXPECT_EQ(events.fences(), std::vector<std::string>());
  EXPECT_EQ(events.allocations(), 0);
  EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
}

/// Whichever of its kernels fails. The scaling belongs to the factor as its rows do.
TYPED_TEST(IlutInterface, ARefactorizationThatFailsLeavesTheFactorAsItWas) {
  auto matrix = reference::compress(reference::poisson<double>(12, 9));
  const DeviceArrays<typename TestFixture::Tested> arrays(matrix);
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row)
    for (auto k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (matrix.entries[k] == static_cast<int>(row)) matrix.values[k] *= 2 + static_cast<double>(row % 7);
  const DeviceArrays<typename TestFixture::Tested> changed(matrix);
  typename TestFixture::Factor factor(
      TypeParam(), arrays.row_map, arrays.entries, arrays.values,
      {.fill = 3, .drop_tolerance = 1e-3, .ordering = Ordering::ReverseCuthillMckee, .scaling = Scaling::Diagonal});
  const auto solution = [&] {
    const auto z = to_device<double, typename TestFixture::Tested::Device>(random_vector<double>(108, 3));
    factor.apply(TypeParam(), z, z);
    return to_host(z);
  };
  const auto expected = solution(), values = to_host(factor.values());
  const auto entries = to_host(factor.entries());
  const auto bytes = factor.info().bytes_held;
  const auto fails = [&](int kernel) {
    try {
      const FailingKernel failing(kernel);
      factor.refactorize(TypeParam(), changed.values);
      return false;
    } catch (const FailingKernel::Failure&) {
      return true;
    }
  };
  int kernel = 0;
  for (; fails(kernel); ++kernel) {
    ASSERT_EQ(solution(), expected) << "kernel " << kernel;
    ASSERT_EQ(to_host(factor.values()), values);
    ASSERT_EQ(to_host(factor.entries()), entries);
    ASSERT_EQ(factor.info().bytes_held, bytes);
  }
  EXPECT_GT(kernel, 5);
  EXPECT_NE(solution(), expected);
}

/// Working rows for all the rows that a device can have under way would take 14 GB here.
TYPED_TEST(IlutInterface, OneLongRowTakesFewerWorkersAndNotAllTheMemory) {
  constexpr int n = 200000;
  constexpr std::size_t bytes_of_worker = (std::size_t(20) << 18) + 8 * std::size_t(n);
  typename TestFixture::Arrays arrays;
  std::vector<double> r;
  for (int row = 0; row < n; ++row) {
    double sum = 0;
    const int first = row + 1 == n ? 0 : std::max(row - 1, 0), last = std::min(row + 1, n - 1);
    for (int column = first; column <= last; ++column) {
      arrays.entries.push_back(column);
      arrays.values.push_back(column == row ? 4.0 : row + 1 == n ? -1e-6 * (1 + column % 3) : -1.0);
      sum += arrays.values.back();
    }
    arrays.row_map.push_back(arrays.entries.size());
    r.push_back(sum);
  }
  const auto factor = this->factorize(arrays, {.fill = n, .drop_tolerance = 0});
  EXPECT_TRUE(factor.info().succeeded());
  EXPECT_EQ(factor.info().factor_entries, static_cast<std::int64_t>(arrays.entries.size()));
  EXPECT_GE(factor.info().workers, 1);
  EXPECT_LE(static_cast<std::size_t>(factor.info().workers) * bytes_of_worker, incomplete::WorkBudget::most);
  const auto z = to_device<double, typename TestFixture::Tested::Device>(r);
  factor.apply(TypeParam(), z, z);
  for (const double one : to_host(z)) ASSERT_NEAR(one, 1.0, 1e-12);
}

TYPED_TEST(IlutInterface, Moves) {
  auto first = this->factorize(tridiagonal(), {.fill = 0});
  EXPECT_EQ(to_host(first.values()), (std::vector<double>{2, 2, 2}));
  auto second = this->factorize(tridiagonal());
  first = std::move(second);
  EXPECT_EQ(to_host(first.values()), (std::vector<double>{2, -1, -0.5, 1.5, -1, -1 / 1.5, 2 - 1 / 1.5}));
}

}  // namespace
}  // namespace terrace::test
