// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that lanes share: how many lanes a level gets, and that every row is solved once, whoever takes it. On a host
// each team is one thread, which takes long rows by the same lists.
#include "algorithms/triangular/row_lanes.hpp"

#include "algorithms/triangular/level_lengths.hpp"
#include "algorithms/triangular/make_engine.hpp"
#include "reference/triangle_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

template <class Space>
class RowLanes : public ::testing::Test {
 public:
  using T = Combination<double, int, Space>;
  using Lengths = triangular::LevelLengths<int, int, Space>;
  using Chains = std::vector<triangular::Chain<int>>;

  /// Rows in level order, and what knows them.
  struct Prepared {
    explicit Prepared(const reference::CompressedArrays<double>& matrix, Uplo uplo)
        : arrays(matrix),
          problem{sparse::check_input<int, int, Space>(Space(), arrays.row_map, arrays.entries,
                                                       static_cast<int>(matrix.row_map.size()) - 1, {.uplo = uplo}),
                  arrays.values, nullptr},
          schedule(tasks::schedule_rows(Space(), original(), uplo == Uplo::Upper)),
          triangle(Space(), triangular::reorder_rows(Space(), original(), schedule.by_level.order, true), arrays.values,
                   problem.options()),
          lengths(Space(), triangle.structure().view(), schedule.by_level),
          chains(triangular::chains_by_lanes<Space>(schedule.by_level.offsets, lengths)) {}

    sparse::Triangle<int, int, Space> original() const {
      return sparse::make_triangle(Space(), problem.input, sparse::Orientation::Gather);
    }

    DeviceArrays<T> arrays;
    triangular::Problem<double, int, int, Space> problem;
    tasks::TaskSchedule<int, int, Space> schedule;
    triangular::StoredTriangle<double, int, int, Space> triangle;
    Lengths lengths;
    Chains chains;
  };

  static std::vector<double> solve(const Prepared& prepared, const Chains& chains, const std::vector<double>& b) {
    const Kokkos::View<double*, typename T::Device> x = to_device<double, typename T::Device>(b);
    triangular::LevelSolve<int, int> walk{{},
                                          prepared.schedule.by_level.level_offsets.data(),
                                          &prepared.schedule.by_level.offsets,
                                          &chains,
                                          prepared.lengths.longest_on_device.data()};
    walk.tasks.order = prepared.schedule.by_level.order.data();
    const Kokkos::View<const double*, typename T::Device> right = x;
    prepared.triangle.with_system(detail::MultiVector<const double, Space>(right),
                                  detail::MultiVector<double, Space>(x), Op::None, [&](const auto& system) {
                                    for (const auto& chain : chains)
                                      triangular::gather_by_lanes(Space(), system, walk, chain);
                                  });
    Space().fence();
    return to_host(x);
  }
};

using SerialAndDefault =
    std::conditional_t<std::is_same_v<Kokkos::Serial, Kokkos::DefaultExecutionSpace>, ::testing::Types<Kokkos::Serial>,
                       ::testing::Types<Kokkos::Serial, Kokkos::DefaultExecutionSpace>>;
TYPED_TEST_SUITE(RowLanes, SerialAndDefault);

TYPED_TEST(RowLanes, SolveTrianglesWithHubsInBothDirections) {
  for (const auto& lower :
       {reference::with_hubs<double>(), reference::with_hub<double>(5000), reference::dense_triangle<double>(700),
        reference::wide_band<double>(), reference::mixed_widths<double>(), reference::grid_triangle<double>(60, 50)})
    for (const auto& matrix : {lower, lower.turned_around()}) {
      const typename TestFixture::Prepared prepared(matrix, matrix.uplo);
      const auto b = random_vector<double>(matrix.rows(), 3);
      for (const int lanes : {0, 1, 2, 8, 32}) {
        auto chains = prepared.chains;
        for (auto& chain : chains) {
          if (lanes == 0) continue;
          chain.lanes = triangular::LaneTuning::at_most<TypeParam>(lanes);
          chain.has_long_rows = true;  // where there are none, the kernel knows
        }
        const auto x = this->solve(prepared, chains, b);
        EXPECT_LT(matrix.backward_error(b, x), 1e-12) << lanes << " lanes of " << matrix.rows() << " rows";
        EXPECT_EQ(this->solve(prepared, chains, b), x);
      }
    }
}

TYPED_TEST(RowLanes, MeasureTheRowsOfEachLevel) {
  reference::CompressedTriangle<double> matrix;
  for (int row = 0; row < 40; ++row) matrix.end_row();  // the first level
  for (int row = 40; row < 50; ++row) {                 // the second one
    for (int column = 0; column < row - 39; ++column) matrix.add(column, 0.1);
    matrix.end_row();
  }
  for (int column = 0; column < 50; ++column) matrix.add(column, 0.01);
  matrix.end_row();
  const typename TestFixture::Prepared prepared(matrix, Uplo::Lower);
  EXPECT_EQ(prepared.lengths.longest, (std::vector<int>{0, 10, 50}));
  EXPECT_EQ(prepared.lengths.entries, (std::vector<int>{0, 55, 50}));
}

TYPED_TEST(RowLanes, AreNotGivenToShortRows) {
  const auto grid = reference::grid_triangle<double>(60, 50);
  const typename TestFixture::Prepared prepared(grid, Uplo::Lower);
  EXPECT_EQ(prepared.chains.size(), 1u);
  for (const auto& chain : prepared.chains) {
    EXPECT_EQ(chain.lanes, 1);
    EXPECT_FALSE(chain.has_long_rows);
  }
}

TYPED_TEST(RowLanes, KnowWhereALevelHasALongRow) {
  const auto matrix = reference::with_hub<double>(100000);
  const typename TestFixture::Prepared prepared(matrix, Uplo::Lower);
  ASSERT_EQ(prepared.schedule.by_level.levels(), 3);
  EXPECT_FALSE(prepared.chains.front().has_long_rows);
  EXPECT_TRUE(prepared.chains.back().has_long_rows);
}

}  // namespace
}  // namespace terrace::test
