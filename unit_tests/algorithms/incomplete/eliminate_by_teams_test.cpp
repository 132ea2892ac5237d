// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that teams eliminate have the bits of rows that one thread eliminates, and the same is said of their pivots.
#include "algorithms/incomplete/eliminate_by_teams.hpp"

#include "algorithms/incomplete/row_schedule.hpp"
#include "algorithms/triangular/solve_by_levels.hpp"
#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

template <class Space>
class TeamElimination : public ::testing::Test {
 public:
  using T = Combination<double, int, Space>;
  using Rows = incomplete::Elimination<double, int, int, Space>;
  template <class Number>
  using View = Kokkos::View<Number*, typename T::Device>;

  struct Result {
    std::vector<std::uint64_t> bits;
    std::vector<int> diagnostics;
  };

  /// Where pivots that are too small are replaced.
  static void expect_the_same(const reference::RealMatrix& matrix, bool symmetric, double shift = 0) {
    const Space space;
    const DeviceArrays<T> arrays(reference::compress(matrix));
    const auto merged =
        incomplete::merged_rows(space, sparse::CrsGraph<int, int, Space>{arrays.row_map, arrays.entries, {}});
    const IluSymbolicOptions options{.factorization = symmetric ? Factorization::Cholesky : Factorization::Lu,
                                     .algorithm = Algorithm::LevelScheduled,
                                     .rows_per_task = 1};
    const auto schedule = incomplete::ScheduleMaker<int, int, Space>(space, merged, options, nullptr).make();
    const auto& levels = schedule.tasks.by_level;
    const triangular::LevelSolve<int, int> walk{schedule.for_kernels(), levels.level_offsets.data(), &levels.offsets,
                                                &schedule.chains};
    const auto eliminate = [&](const auto& run) {
      const View<double> values("values", arrays.values.extent(0));
      const View<int> diagnostics("diagnostics", incomplete::PivotDiagnostics);
      const Rows rows{merged.view(),
                      incomplete::plain_entries<double, int>(merged, arrays.values.data(), nullptr, false, false),
                      values.data(),
                      {1e-8, symmetric, true, diagnostics.data()},
                      {},
                      0.0,
                      1.0 + shift,
                      symmetric,
                      false};
      incomplete::forget_pivots(space, diagnostics.data(), matrix.size());
      run(rows);
      space.fence();
      Result result{{}, to_host(diagnostics)};
      for (const double value : to_host(values))
        result.bits.push_back(std::isnan(value) ? ~std::uint64_t(0) : Kokkos::bit_cast<std::uint64_t>(value));
      return result;
    };
    const auto expected = eliminate([&](const Rows& rows) { triangular::gather_by_levels(space, rows, walk); });
    for (const int threads : {32, 64, 128}) {
      const auto found =
          eliminate([&](const Rows& rows) { incomplete::eliminate_by_teams(space, rows, walk, threads); });
      EXPECT_EQ(found.diagnostics, expected.diagnostics) << threads << " threads";
      EXPECT_TRUE(found.bits == expected.bits) << threads << " threads";
    }
  }
};

using SerialAndDefault =
    std::conditional_t<std::is_same_v<Kokkos::Serial, Kokkos::DefaultExecutionSpace>, ::testing::Types<Kokkos::Serial>,
                       ::testing::Types<Kokkos::Serial, Kokkos::DefaultExecutionSpace>>;
TYPED_TEST_SUITE(TeamElimination, SerialAndDefault);

TYPED_TEST(TeamElimination, HasTheBitsOfOneThreadOnEveryShape) {
  for (const auto& shape : reference::elimination_shapes()) {
    SCOPED_TRACE(shape.name);
    this->expect_the_same(shape.matrix, false);
    if (reference::is_symmetric(shape.matrix)) this->expect_the_same(shape.matrix, true);
  }
}

TYPED_TEST(TeamElimination, AddsShiftsToTheDiagonal) {
  for (const bool symmetric : {false, true}) this->expect_the_same(reference::blocks(350), symmetric, 0.125);
}

TYPED_TEST(TeamElimination, ReplacesPivotsThatAreTooSmall) {
  for (const bool symmetric : {false, true}) {
    auto matrix = reference::full_band(300, 40);
    for (const int row : {0, 7, 8, 150, 299}) matrix.rows[row][row] = row == 8 ? -3.0 : 0.0;
    this->expect_the_same(matrix, symmetric);
  }
}

TYPED_TEST(TeamElimination, ReportsTheFirstRowThatIsNotFinite) {
  for (const bool symmetric : {false, true}) {
    auto matrix = reference::blocks(350);
    matrix.rows[200][200] = HUGE_VAL;
    matrix.rows[90][80] = matrix.rows[80][90] = std::numeric_limits<double>::quiet_NaN();
    this->expect_the_same(matrix, symmetric);
  }
}

TEST(TeamTuning, GivesTeamsToLongRows) {
  using incomplete::TeamTuning;
  EXPECT_FALSE(TeamTuning::pays(1000, 7000, 9000));
  EXPECT_TRUE(TeamTuning::pays(1000, 12000, 9000));
  EXPECT_TRUE(TeamTuning::pays(1000, 7000, 56000));
  EXPECT_EQ(TeamTuning::threads(1000, 81000), 32);
  EXPECT_EQ(TeamTuning::threads(1000, 128000), 64);
  EXPECT_EQ(TeamTuning::threads(1000, 1000000), 128);
}

}  // namespace
}  // namespace terrace::test
