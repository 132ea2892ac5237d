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

template <class TestedTypes>
class RowLanes : public ::testing::Test {
 public:
  using T = TestedTypes;
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Lengths = triangular::LevelLengths<int, int, Space>;
  using Chains = std::vector<triangular::Chain<int>>;

  /// Rows in level order, and what knows them.
  struct Prepared {
    explicit Prepared(const reference::CompressedArrays<Scalar>& matrix, Uplo uplo)
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
    triangular::Problem<Scalar, int, int, Space> problem;
    tasks::TaskSchedule<int, int, Space> schedule;
    triangular::StoredTriangle<Scalar, int, int, Space> triangle;
    Lengths lengths;
    Chains chains;
  };

  /// The solutions for a vector alone, and for it and others beside it.
  static std::vector<std::vector<Scalar>> solve(const Prepared& prepared, const Chains& chains,
                                                const std::vector<Scalar>& b) {
    const auto x = to_device<Scalar, typename T::Device>(b);
    run(prepared, chains, detail::MultiVector<Scalar, Space>(x));
    const std::vector<Scalar> ones(b.size(), Scalar(1));
    const auto columns = to_device_columns<T, Kokkos::LayoutRight>({ones, b, b}, b.size());
    run(prepared, chains, detail::MultiVector<Scalar, Space>(columns));
    return {to_host(x), column_to_host(columns, 1), column_to_host(columns, 2)};
  }

  static void run(const Prepared& prepared, const Chains& chains, const detail::MultiVector<Scalar, Space>& x) {
    triangular::LevelSolve<int, int> walk{{},
                                          prepared.schedule.by_level.level_offsets.data(),
                                          &prepared.schedule.by_level.offsets,
                                          &chains,
                                          prepared.lengths.longest_on_device.data()};
    walk.tasks.order = prepared.schedule.by_level.order.data();
    const detail::MultiVector<const Scalar, Space> b(x);
    prepared.triangle.with_system(b, x, Op::None, [&](const auto& system) {
      for (const auto& chain : chains) triangular::gather_by_lanes(Space(), system, walk, chain);
    });
    Space().fence();
  }
};

using Device = Kokkos::DefaultExecutionSpace;
using SerialAndDefault = std::conditional_t<
    std::is_same_v<Kokkos::Serial, Device>,
    ::testing::Types<Combination<double, int, Device>, Combination<Kokkos::complex<double>, int, Device>>,
    ::testing::Types<Combination<double, int, Kokkos::Serial>, Combination<double, int, Device>,
                     Combination<Kokkos::complex<double>, int, Device>>>;
TYPED_TEST_SUITE(RowLanes, SerialAndDefault);

TYPED_TEST(RowLanes, SolveTrianglesWithHubsInBothDirections) {
  using Number = typename TypeParam::Scalar;
  for (const auto& lower :
       {reference::with_hubs<Number>(), reference::with_hub<Number>(5000), reference::dense_triangle<Number>(700),
        reference::wide_band<Number>(), reference::mixed_widths<Number>(), reference::grid_triangle<Number>(60, 50)})
    for (const auto& matrix : {lower, lower.turned_around()}) {
      const typename TestFixture::Prepared prepared(matrix, matrix.uplo);
      const auto b = random_vector<Number>(matrix.rows(), 3);
      for (const int lanes : {0, 1, 2, 8, 32}) {
        auto chains = prepared.chains;
        for (auto& chain : chains) {
          if (lanes == 0) continue;
          chain.lanes = triangular::LaneTuning::at_most<typename TypeParam::Space>(lanes);
          chain.has_long_rows = true;  // where there are none, the kernel knows
        }
        const auto solutions = this->solve(prepared, chains, b);
        for (const auto& x : solutions)
          EXPECT_LT(matrix.backward_error(b, x), 1e-12) << lanes << " lanes of " << matrix.rows() << " rows";
        EXPECT_EQ(this->solve(prepared, chains, b), solutions);
      }
    }
}

TYPED_TEST(RowLanes, MeasureTheRowsOfEachLevel) {
  reference::CompressedTriangle<typename TypeParam::Scalar> matrix;
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
  const auto grid = reference::grid_triangle<typename TypeParam::Scalar>(60, 50);
  const typename TestFixture::Prepared prepared(grid, Uplo::Lower);
  EXPECT_EQ(prepared.chains.size(), 1u);
  for (const auto& chain : prepared.chains) {
    EXPECT_EQ(chain.lanes, 1);
    EXPECT_FALSE(chain.has_long_rows);
  }
}

TYPED_TEST(RowLanes, KnowWhereALevelHasALongRow) {
  const auto matrix = reference::with_hub<typename TypeParam::Scalar>(100000);
  const typename TestFixture::Prepared prepared(matrix, Uplo::Lower);
  ASSERT_EQ(prepared.schedule.by_level.levels(), 3);
  EXPECT_FALSE(prepared.chains.front().has_long_rows);
  EXPECT_TRUE(prepared.chains.back().has_long_rows);
}

}  // namespace
}  // namespace terrace::test
