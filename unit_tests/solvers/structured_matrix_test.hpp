// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StructuredMatrix and its conversions against rows that are written down one by one.
#pragma once

#include "support/device_grid_matrix.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {

template <class T>
class StructuredMatrixTest : public ::testing::Test {
 public:
  using Numbers = std::vector<typename T::Scalar>;
  using Matrix = StructuredMatrix<typename T::Scalar, typename T::Space>;

  static Numbers product(const Matrix& A, const Numbers& x, Op op) {
    const Kokkos::View<typename T::Scalar*, typename T::Device> y("y", x.size());
    A.multiply(typename T::Space(), to_device<typename T::Scalar, typename T::Device>(x), y, op);
    return to_host(y);
  }

  /// The code, row and text of the error that `call` throws.
  template <class Call>
  static Error error_of(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {ErrorCode::InvalidFile, ""};
  }

  static GridRecognition recognize(const std::vector<std::map<int, typename T::Scalar>>& rows) {
    return recognize_grid(typename T::Space(), to_device_crs<T>(rows));
  }
};

TYPED_TEST_SUITE_P(StructuredMatrixTest);

TYPED_TEST_P(StructuredMatrixTest, MultipliesOnEverySmallGrid) {
  using Scalar = typename TypeParam::Scalar;
  for_each_grid(5, [&](const Grid& grid) {
    for (const bool symmetric : {true, false}) {
      const auto A = reference::make_grid_matrix<Scalar>(grid, symmetric, 3);
      const auto device = to_device_matrix<TypeParam>(A, symmetric);
      const auto x = random_vector<Scalar>(A.size(), 4);
      const double tolerance = 40 * double(std::numeric_limits<Scalar>::epsilon());
      EXPECT_LE(largest_difference(this->product(device, x, Op::None), reference::multiply(A.rows(), x)), tolerance)
          << to_string(grid);
      EXPECT_LE(largest_difference(this->product(device, x, Op::Transpose),
                                   reference::multiply(reference::transpose(A.rows()), x)),
                tolerance)
          << to_string(grid);
    }
  });
}

TYPED_TEST_P(StructuredMatrixTest, MultipliesColumnsInEveryLayout) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto A = reference::make_grid_matrix<Scalar>({7, 5, 3}, false, 3);
  const auto device = to_device_matrix<T>(A, false);
  const std::vector<std::vector<Scalar>> columns{random_vector<Scalar>(A.size(), 1), random_vector<Scalar>(A.size(), 2),
                                                 random_vector<Scalar>(A.size(), 3)};
  const auto left = to_device_columns<T, Kokkos::LayoutLeft>(columns, columns[0].size());
  const auto right = to_device_columns<T, Kokkos::LayoutRight>(columns, columns[0].size());
  const Kokkos::View<Scalar**, Kokkos::LayoutRight, typename T::Device> y("y", columns[0].size(), 3);
  const Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename T::Device> z("z", columns[0].size(), 3);
  device.multiply(typename T::Space(), left, y);
  device.multiply(typename T::Space(), right, z);
  for (std::size_t column = 0; column < 3; ++column) {
    const auto expected = reference::multiply(A.rows(), columns[column]);
    EXPECT_LE(largest_difference(column_to_host(y, column), expected), 1e-5);
    EXPECT_EQ(column_to_host(z, column), column_to_host(y, column));
  }
}

TYPED_TEST_P(StructuredMatrixTest, KeepsANanOutOfTheNextLine) {
  using Scalar = typename TypeParam::Scalar;
  const auto A = reference::make_grid_matrix<Scalar>({4, 3, 2}, true, 3);
  auto x = random_vector<Scalar>(A.size(), 4);
  x[3] = std::numeric_limits<Scalar>::quiet_NaN();
  const auto y = this->product(to_device_matrix<TypeParam>(A, true), x, Op::None);
  const auto rows = A.rows();
  for (int row = 0; row < A.size(); ++row) EXPECT_EQ(std::isnan(y[row]), rows[row].count(3) > 0) << "row " << row;
}

TYPED_TEST_P(StructuredMatrixTest, TakesNoViewsForDirectionsOfOneCell) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  const auto A = reference::make_grid_matrix<Scalar>({6, 1, 1}, true, 3);
  auto diagonals = to_symmetric_diagonals<T>(A);
  diagonals.y = diagonals.z = {};
  const StructuredMatrix device(typename T::Space(), A.grid, diagonals);
  const auto x = random_vector<Scalar>(6, 4);
  EXPECT_LE(largest_difference(this->product(device, x, Op::Transpose), reference::multiply(A.rows(), x)), 1e-5);
}

TYPED_TEST_P(StructuredMatrixTest, RejectsCoefficientsAcrossEveryBoundary) {
  using T = TypeParam;
  const Grid grid{4, 3, 2};
  const int step[3] = {1, 4, 12}, extent[3] = {4, 3, 2};
  for (int d = 0; d < 3; ++d)
    for (const bool upper : {true, false})
      for (int c = 0; c < 24; ++c) {
        if (c / step[d] % extent[d] != (upper ? extent[d] - 1 : 0)) continue;
        auto A = reference::make_grid_matrix<typename T::Scalar>(grid, true, 3);
        (upper ? A.upper : A.lower)[d][c] = 0.5f;
        const auto error = this->error_of([&] { to_device_matrix<T>(A, false); });
        EXPECT_EQ(error.code(), ErrorCode::CrossesBoundary);
        EXPECT_EQ(error.line(), c);
        EXPECT_NE(std::string(error.what()).find(to_string(grid.cell(c))), std::string::npos) << error.what();
      }
  auto periodic = reference::make_grid_matrix<typename T::Scalar>(grid, true, 3);
  periodic.upper[0][3] = std::numeric_limits<typename T::Scalar>::quiet_NaN();
  EXPECT_STREQ(this->error_of([&] { to_device_matrix<T>(periodic, true); }).what(),
               "cell (3, 0, 0) of the 4 x 3 x 2 grid has a coefficient for its neighbour in +x, which lies outside; it "
               "must be zero (periodic grids are not supported)");
}

TYPED_TEST_P(StructuredMatrixTest, RejectsDiagonalsOfTheWrongLengthAndGridsThatAreNone) {
  using T = TypeParam;
  const auto A = reference::make_grid_matrix<typename T::Scalar>({4, 3}, true, 3);
  auto diagonals = to_symmetric_diagonals<T>(A);
  diagonals.y = {};
  EXPECT_STREQ(this->error_of([&] { StructuredMatrix(typename T::Space(), A.grid, diagonals); }).what(),
               "the diagonal y has 0 numbers; the 4 x 3 grid has 12 cells");
  auto general = to_general_diagonals<T>(A);
  general.lower_x = Kokkos::subview(general.lower_x, std::make_pair(0, 11));
  EXPECT_EQ(this->error_of([&] { StructuredMatrix(typename T::Space(), A.grid, general); }).code(),
            ErrorCode::SizeMismatch);
  for (const Grid& grid : {Grid{0, 3, 1}, Grid{4, -3, 1}, Grid{2147483647, 2147483647, 2147483647}})
    EXPECT_EQ(this->error_of([&] { StructuredMatrix(typename T::Space(), grid, general); }).code(),
              ErrorCode::InvalidGrid);
  const auto device = to_device_matrix<T>(A, true);
  const Kokkos::View<typename T::Scalar*, typename T::Device> twelve("twelve", 12), eleven("eleven", 11);
  EXPECT_STREQ(this->error_of([&] { device.multiply(typename T::Space(), twelve, eleven); }).what(),
               "y has 11 rows; the 4 x 3 grid has 12 cells");
}

TYPED_TEST_P(StructuredMatrixTest, ConvertsToRowsAndBackOnEverySmallGrid) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  for_each_grid(4, [&](const Grid& grid) {
    for (const bool symmetric : {true, false}) {
      const auto A = reference::make_grid_matrix<Scalar>(grid, symmetric, 5);
      const auto expected = to_device_crs<T>(A.rows());
      const auto crs = to_crs<typename T::Offset>(typename T::Space(), to_device_matrix<T>(A, symmetric));
      ASSERT_EQ(to_host(crs.graph.row_map), to_host(expected.graph.row_map)) << to_string(grid);
      ASSERT_EQ(to_host(crs.graph.entries), to_host(expected.graph.entries)) << to_string(grid);
      ASSERT_EQ(to_host(crs.values), to_host(expected.values)) << to_string(grid);
      const auto back =
          to_structured(typename T::Space(), crs, grid, symmetric ? Symmetry::Symmetric : Symmetry::General);
      EXPECT_EQ(back.is_symmetric(), symmetric);
      EXPECT_EQ(to_host(back.diagonals().center), A.center);
      EXPECT_EQ(to_host(back.diagonals().upper_x), A.upper[0]);
      EXPECT_EQ(to_host(back.diagonals().upper_y), A.upper[1]);
      EXPECT_EQ(to_host(back.diagonals().upper_z), A.upper[2]);
      if (symmetric) continue;
      EXPECT_EQ(to_host(back.diagonals().lower_x), A.lower[0]);
      EXPECT_EQ(to_host(back.diagonals().lower_y), A.lower[1]);
      EXPECT_EQ(to_host(back.diagonals().lower_z), A.lower[2]);
    }
  });
}

TYPED_TEST_P(StructuredMatrixTest, RecognizesEverySmallGridWithCouplingsInEachDirection) {
  using T = TypeParam;
  for_each_grid(5, [&](const Grid& grid) {
    if (grid.nx == 1 || grid.ny == 1) return;  // those have a name with fewer directions too
    const auto found = this->recognize(reference::make_grid_matrix<typename T::Scalar>(grid, false, 5).rows());
    ASSERT_TRUE(found) << found.reason;
    EXPECT_EQ(*found.grid, grid) << found.reason;
  });
}

TYPED_TEST_P(StructuredMatrixTest, RecognizesDegenerateGrids) {
  using Rows = std::vector<std::map<int, typename TypeParam::Scalar>>;
  EXPECT_EQ(this->recognize(Rows{{{0, 1}}, {{1, 1}}, {{2, 1}}}).grid, (Grid{3, 1, 1}));
  EXPECT_EQ(this->recognize(Rows{{{0, 1}, {2, 1}}, {{1, 1}}, {{2, 1}}, {{3, 1}}}).grid, (Grid{2, 2, 1}));
  EXPECT_EQ(this->recognize(Rows{{{0, 1}, {1, 1}}, {{1, 1}}, {{2, 1}}}).grid, (Grid{3, 1, 1}));
}

TYPED_TEST_P(StructuredMatrixTest, SaysWhyAMatrixIsNoGrid) {
  auto rows = reference::make_grid_matrix<typename TypeParam::Scalar>({4, 3}, true, 5).rows();
  const auto good = rows;
  rows[3][4] = 1;
  EXPECT_EQ(this->recognize(rows).reason,
            "the entries lie 1, 4 off the diagonal, as in a 4 x 3 grid, but row 3 couples cell (3, 0, 0) across the "
            "boundary");
  rows = good;
  rows[0][3] = 1;
  EXPECT_NE(this->recognize(rows).reason.find("divides"), std::string::npos);
  rows[0][9] = 1;
  rows[0][7] = 1;
  EXPECT_NE(this->recognize(rows).reason.find("at most three"), std::string::npos);
  EXPECT_FALSE(this->recognize({}));
}

TYPED_TEST_P(StructuredMatrixTest, RejectsRowsThatAreNotThoseOfTheGrid) {
  using T = TypeParam;
  const Grid grid{4, 3};
  const auto good = reference::make_grid_matrix<typename T::Scalar>(grid, true, 5).rows();
  const auto convert = [&](const auto& rows, const Grid& into, Symmetry symmetry) {
    return this->error_of([&] { to_structured(typename T::Space(), to_device_crs<T>(rows), into, symmetry); });
  };
  EXPECT_EQ(convert(good, Grid{4, 4}, Symmetry::General).code(), ErrorCode::SizeMismatch);
  EXPECT_EQ(convert(good, Grid{3, 4}, Symmetry::General).code(), ErrorCode::NotAGrid);
  auto rows = good;
  rows[8][11] = 1;  // periodic in x
  EXPECT_EQ(convert(rows, grid, Symmetry::General).code(), ErrorCode::NotAGrid);
  EXPECT_EQ(convert(rows, grid, Symmetry::General).line(), 8);
  rows = good;
  rows[5][9] += 1;
  EXPECT_EQ(convert(rows, grid, Symmetry::Symmetric).code(), ErrorCode::NotSymmetric);
  EXPECT_EQ(convert(rows, grid, Symmetry::Symmetric).line(), 5);
}

TYPED_TEST_P(StructuredMatrixTest, MultipliesOnTheCallersInstanceWithoutFenceOrAllocation) {
  using T = TypeParam;
  const auto A = to_device_matrix<T>(reference::make_grid_matrix<typename T::Scalar>({7, 5, 3}, true, 5), true);
  const Kokkos::View<typename T::Scalar*, typename T::Device> x("x", 105), y("y", 105);
  const auto instance = Kokkos::Experimental::partition_space(typename T::Space(), 1)[0];
  const RecordedEvents events;
  A.multiply(instance, x, y);
  EXPECT_EQ(events.kernels(), 1);
  EXPECT_EQ(events.fences(), std::vector<std::string>());
  EXPECT_EQ(events.allocations(), 0);
  EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
  EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
}

REGISTER_TYPED_TEST_SUITE_P(StructuredMatrixTest, MultipliesOnEverySmallGrid, MultipliesColumnsInEveryLayout,
                            KeepsANanOutOfTheNextLine, TakesNoViewsForDirectionsOfOneCell,
                            RejectsCoefficientsAcrossEveryBoundary, RejectsDiagonalsOfTheWrongLengthAndGridsThatAreNone,
                            ConvertsToRowsAndBackOnEverySmallGrid, RecognizesEverySmallGridWithCouplingsInEachDirection,
                            RecognizesDegenerateGrids, SaysWhyAMatrixIsNoGrid, RejectsRowsThatAreNotThoseOfTheGrid,
                            MultipliesOnTheCallersInstanceWithoutFenceOrAllocation);

}  // namespace terrace::test
