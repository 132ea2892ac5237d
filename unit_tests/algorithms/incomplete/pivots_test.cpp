// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of bad pivots: the same in factorizations by levels of fill and by thresholds.
#include <terrace/terrace.hpp>

#include "reference/small_matrices.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Arrays = reference::CompressedArrays<double>;

struct PivotCase {
  Factorization factorization = Factorization::Lu;
  PivotPolicy policy = PivotPolicy::Report;
  double threshold = 0;
  double first_shift = 1e-3;
  int max_attempts = 16;
};

/// Both factorizations have these options, under the same names.
template <class Options>
Options with_pivots(const PivotCase& with, Options options) {
  options.pivots.policy = with.policy;
  options.pivots.threshold = with.threshold;
  options.pivots.first_shift = with.first_shift;
  options.pivots.max_attempts = with.max_attempts;
  return options;
}

template <class SpaceType>
struct ByLevels {
  using Space = SpaceType;
  using Factor = IluFactor<double, int, int, Space>;

  static Factor factorize(const Arrays& arrays, const PivotCase& with) {
    const DeviceArrays<Combination<double, int, Space>> device(arrays);
    return Factor(
        Space(),
        IluSymbolic<int, int, Space>(Space(), device.row_map, device.entries, {.factorization = with.factorization}),
        device.values, with_pivots(with, IluFactorOptions()));
  }
};

template <class SpaceType>
struct ByThresholds {
  using Space = SpaceType;
  using Factor = IlutFactor<double, int, int, Space>;

  static Factor factorize(const Arrays& arrays, const PivotCase& with) {
    const DeviceArrays<Combination<double, int, Space>> device(arrays);
    return Factor(Space(), device.row_map, device.entries, device.values,
                  with_pivots(with, IlutOptions{.factorization = with.factorization}));
  }
};

template <class Factorize>
class Pivots : public ::testing::Test {
 public:
  static auto factorize(const Arrays& arrays, const PivotCase& with = {}) { return Factorize::factorize(arrays, with); }

  static bool is_finite(const typename Factorize::Factor& factor) {
    const auto values = to_host(factor.values());
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  }
};

using Host = Kokkos::DefaultHostExecutionSpace;
using Default = Kokkos::DefaultExecutionSpace;
using Factorizations = ::testing::Types<ByLevels<Host>, ByThresholds<Host>, ByLevels<Default>, ByThresholds<Default>>;
TYPED_TEST_SUITE(Pivots, Factorizations);

TYPED_TEST(Pivots, OfZeroAreReportedAndForgottenWhenTheyAreGone) {
  auto factor = this->factorize(singular());
  EXPECT_EQ(factor.info().first_zero_pivot, 1);
  EXPECT_EQ(factor.info().first_bad_row(), 1);
  EXPECT_FALSE(factor.info().succeeded());
  using Space = typename TypeParam::Space;
  factor.refactorize(Space(), DeviceArrays<Combination<double, int, Space>>(tridiagonal()).values);
  EXPECT_TRUE(factor.info().succeeded());
}

TYPED_TEST(Pivots, ThatAreTinyAreReported) {
  auto arrays = singular();
  arrays.values[3] = 1.0 + 1e-15;
  EXPECT_EQ(this->factorize(arrays, {.threshold = 1e-12}).info().first_tiny_pivot, 1);
}

TYPED_TEST(Pivots, ThatAreNotPositiveAreReported) {
  const auto info = this->factorize(indefinite(), {.factorization = Factorization::Cholesky}).info();
  EXPECT_EQ(info.first_nonpositive_pivot, 1);
  EXPECT_EQ(info.first_bad_row(), 1);
  EXPECT_FALSE(info.succeeded());
}

TYPED_TEST(Pivots, ThatAreNotFiniteAreReportedUnderEveryPolicy) {
  for (const double bad : {double(NAN), HUGE_VAL})
    for (const std::size_t place : {2U, 3U, 4U})
      for (const auto policy : {PivotPolicy::Report, PivotPolicy::Replace, PivotPolicy::Shift}) {
        auto arrays = tridiagonal();
        arrays.values[place] = bad;
        const auto info = this->factorize(arrays, {.policy = policy, .max_attempts = 3}).info();
        EXPECT_EQ(info.first_nonfinite_row, 1) << "entry " << place;
        EXPECT_FALSE(info.succeeded());
      }
}

TYPED_TEST(Pivots, ThatAreBadAreReplacedAndCounted) {
  const auto expect = [&](const Arrays& arrays, Factorization factorization, int count) {
    const auto factor =
        this->factorize(arrays, {.factorization = factorization, .policy = PivotPolicy::Replace, .threshold = 0.1});
    EXPECT_EQ(factor.info().replaced_pivots, count);
    EXPECT_EQ(factor.info().first_bad_row(), 1);
    EXPECT_TRUE(factor.info().succeeded());
    EXPECT_TRUE(this->is_finite(factor));
  };
  expect(singular(), Factorization::Lu, 2);  // 3 - 1 / 0.3 is tiny too
  expect(singular(), Factorization::Cholesky, 2);
  expect(indefinite(), Factorization::Cholesky, 1);
}

TYPED_TEST(Pivots, AreShiftedUntilAllArePositive) {
  PivotCase with{.factorization = Factorization::Cholesky, .policy = PivotPolicy::Shift, .first_shift = 0.5};
  const auto factor = this->factorize(indefinite(), with);
  const auto info = factor.info();
  EXPECT_TRUE(info.succeeded());
  EXPECT_EQ(info.shift, 2.0);
  EXPECT_EQ(info.attempts, 4);
  EXPECT_TRUE(this->is_finite(factor));
  with.first_shift = 1e-9;
  with.max_attempts = 3;
  const auto given_up = this->factorize(indefinite(), with).info();
  EXPECT_FALSE(given_up.succeeded());
  EXPECT_EQ(given_up.attempts, 3);
}

}  // namespace
}  // namespace terrace::test
