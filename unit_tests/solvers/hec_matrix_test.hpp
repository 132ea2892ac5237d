// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HecMatrix against a serial loop, and its width against every other, for one scalar, one offset type and one space.
#pragma once

#include <terrace/hec_matrix.hpp>
#include <terrace/krylov_solver.hpp>

#include "reference/general_matrix.hpp"
#include "reference/krylov.hpp"
#include "reference/listed_rows.hpp"
#include "support/device_triangle.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {

template <class T>
class HecMatrixTest : public ::testing::Test {
 public:
  using Number = typename T::Scalar;
  using OnSpace = typename T::Space;
  using RealNumber = reference::Real<Number>;
  using Rows = reference::ListedRows<Number>;
  using Matrix = HecMatrix<Number, int, typename T::Offset, OnSpace>;
  using ColumnViews = Kokkos::View<Number**, Kokkos::LayoutLeft, typename T::Device>;

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  static Matrix make(const Rows& rows, const HecOptions& options = {}) {
    const DeviceArrays<T> arrays(rows.compressed());
    return Matrix(OnSpace(), arrays.row_map, arrays.entries, arrays.values, rows.columns, options);
  }

  static std::vector<Number> product(const Matrix& A, const std::vector<Number>& x) {
    const auto device_x = to_device<Number, typename T::Device>(x);
    const Kokkos::View<Number*, typename T::Device> y("y", static_cast<std::size_t>(A.info().rows));
    Kokkos::deep_copy(y, Number(std::numeric_limits<RealNumber>::quiet_NaN()));  // what was there is not read
    A.apply(OnSpace(), device_x, y);
    return to_host(y);
  }

  static double allowed_error(const Rows& rows) {
    return 4.0 * (double(rows.longest()) + 2.0) * double(std::numeric_limits<RealNumber>::epsilon());
  }

  static void expect_products(const Rows& rows, const Matrix& A, const std::vector<std::size_t>& counts = {2, 9}) {
    const auto x = random_vector<Number>(rows.columns, 5);
    EXPECT_LE(rows.error_of(x, product(A, x)), allowed_error(rows));
    for (const std::size_t columns : counts) {
      std::vector<std::vector<Number>> vectors;
      for (unsigned k = 0; k < columns; ++k) vectors.push_back(random_vector<Number>(rows.columns, k));
      const auto X = to_device_columns<T, Kokkos::LayoutLeft>(vectors, static_cast<std::size_t>(rows.columns));
      const ColumnViews Y("Y", rows.rows.size(), columns);
      Kokkos::deep_copy(Y, Number(std::numeric_limits<RealNumber>::quiet_NaN()));
      A.apply(OnSpace(), X, Y);
      for (std::size_t k = 0; k < columns; ++k)
        EXPECT_LE(rows.error_of(vectors[k], column_to_host(Y, k)), allowed_error(rows)) << "column " << k;
    }
  }

  /// Empty rows, one of 3000 entries, and others, in a matrix with fewer rows than columns.
  static Rows uneven_rows() {
    std::vector<int> lengths(203, 4);
    for (const int row : {0, 31, 32, 77, 202}) lengths[row] = 0;
    for (const int row : {1, 33, 150}) lengths[row] = 11;
    lengths[100] = 3000;
    return reference::rows_of_lengths<Number>(lengths, 4000, 3);
  }

  /// Any square matrix with each diagonal somewhere in its row.
  static Rows rows_with_diagonals(int n) {
    std::mt19937 generator(8);
    Rows matrix{n, {}};
    for (int row = 0; row < n; ++row) {
      matrix.rows.emplace_back();
      auto& entries = matrix.rows.back();
      for (int column = 0; column < n; ++column)
        if (column == row || generator() % 6 == 0) entries.emplace_back(column, random_scalar(generator));
      std::shuffle(entries.begin(), entries.end(), generator);
    }
    return matrix;
  }
  static Number random_scalar(std::mt19937& generator) { return reference::random_scalar<Number>(generator); }

  static std::pair<ErrorCode, std::optional<std::int64_t>> error_of(const reference::CompressedArrays<Number>& arrays,
                                                                    int columns, const HecOptions& options = {}) {
    const DeviceArrays<T> on_device(arrays);
    try {
      Matrix(OnSpace(), on_device.row_map, on_device.entries, on_device.values, columns, options);
    } catch (const Error& error) {
      return {error.code(), error.line()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  /// Rows (0), (0, 1), (0, 1, 2).
  static reference::CompressedArrays<Number> dense_lower() {
    return {{0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}, std::vector<Number>(6, Number(1))};
  }
};

TYPED_TEST_SUITE_P(HecMatrixTest);

TYPED_TEST_P(HecMatrixTest, ChoosesTheWidthOfLeastCost) {
  std::mt19937 generator(17);
  for (int round = 0; round < 40; ++round) {
    const int rows = 1 + static_cast<int>(generator() % 100u);
    const auto lengths = reference::random_lengths(rows, 40, generator);
    const auto matrix =
        reference::rows_of_lengths<typename TypeParam::Scalar>(lengths, 50, static_cast<unsigned>(generator()));
    const auto left_over = [&](int width) {
      double entries = 0;
      for (const int length : lengths) entries += std::max(0, length - width);
      return entries;
    };
    for (const double p : {0.0, 0.5, 1.0, 3.0, 20.0, 1000.0, TestFixture::infinity}) {
      const auto cost = [&](int width) {
        const double entries = left_over(width);
        return double(width) * rows + (entries == 0 ? 0.0 : p * entries);
      };
      int best = 0;
      for (int width = 1; width <= 40; ++width)
        if (cost(width) < cost(best)) best = width;
      const HecInfo info = this->make(matrix, {.relative_performance = p}).info();
      ASSERT_EQ(info.width, best) << "round " << round << ", p_r " << p;
      EXPECT_EQ(info.cost, cost(best));
      EXPECT_EQ(double(info.crs_entries), left_over(best));
      EXPECT_EQ(double(info.ell_entries), left_over(0) - left_over(best));
      EXPECT_EQ(info.padding, (rows + 31) / 32 * 32 * info.width - info.ell_entries);
    }
  }
}

TYPED_TEST_P(HecMatrixTest, MultipliesLikeALoopWithEveryWidth) {
  std::mt19937 generator(23);
  std::vector<typename TestFixture::Rows> matrices{
      this->uneven_rows(), reference::rows_of_lengths<typename TypeParam::Scalar>({3}, 7, 1),
      reference::rows_of_lengths<typename TypeParam::Scalar>(std::vector<int>(64, 0), 5, 1),
      reference::rows_of_lengths<typename TypeParam::Scalar>(reference::random_lengths(97, 12, generator), 30, 2)};
  for (const auto& rows : matrices)
    for (const int width : {-1, 0, 1, 2, 5, 11, 30}) {
      if (width > rows.columns) continue;
      SCOPED_TRACE("width " + std::to_string(width) + " of " + std::to_string(rows.columns) + " columns");
      HecOptions options;
      if (width >= 0) options.width = width;
      this->expect_products(rows, this->make(rows, options), {1, 2, 8, 9, 17});
      if (this->HasFailure()) return;
    }
}

TYPED_TEST_P(HecMatrixTest, PutsAllEntriesIntoOnePartAtBothEndsOfTheScale) {
  const auto rows = this->uneven_rows();
  const auto compressed = this->make(rows, {.relative_performance = 0});
  EXPECT_EQ(compressed.info().width, 0);
  EXPECT_EQ(compressed.info().ell_entries, 0);
  EXPECT_EQ(compressed.info().padding, 0);
  this->expect_products(rows, compressed);
  for (const double huge : {1e30, TestFixture::infinity}) {
    const auto ell = this->make(rows, {.relative_performance = huge});
    EXPECT_EQ(ell.info().width, 3000);
    EXPECT_EQ(ell.info().crs_entries, 0);
    this->expect_products(rows, ell);
  }
}

TYPED_TEST_P(HecMatrixTest, EndsRowsWithTheirDiagonalWhereverItStood) {
  const auto rows = this->rows_with_diagonals(70);
  for (const int width : {-1, 0, 1, 7, 70}) {
    HecOptions options{.width = {}, .ends_with_diagonal = true};
    if (width >= 0) options.width = width;
    const auto A = this->make(rows, options);
    EXPECT_GE(A.info().crs_entries, 70);
    this->expect_products(rows, A);
  }
  const auto ell = this->make(rows, {.relative_performance = 1e30, .ends_with_diagonal = true});
  EXPECT_EQ(ell.info().crs_entries, 70);
  EXPECT_EQ(ell.info().width, static_cast<std::int64_t>(rows.longest()) - 1);
}

TYPED_TEST_P(HecMatrixTest, ANumberThatIsNotFiniteReachesTheRowsThatNameItsColumnAlone) {
  using Scalar = typename TypeParam::Scalar;
  using Real = typename TestFixture::RealNumber;
  std::mt19937 generator(2);
  auto rows = reference::rows_of_lengths<Scalar>(reference::random_lengths(45, 9, generator), 20, 6);
  rows.rows[7].clear();
  for (const int width : {0, 1, 3, 9, 20}) {
    const auto A = this->make(rows, {.width = width});
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
      for (int poisoned = 0; poisoned <= rows.columns; ++poisoned) {  // the last: all of them
        auto x = random_vector<Scalar>(rows.columns, 3);
        for (int column = 0; column < rows.columns; ++column)
          if (column == poisoned || poisoned == rows.columns) x[column] = Scalar(bad);
        std::vector<bool> expected;
        for (const auto& row : rows.rows)
          expected.push_back(std::any_of(row.begin(), row.end(), [&](const auto& entry) {
            return entry.first == poisoned || poisoned == rows.columns;
          }));
        ASSERT_EQ(reference::is_not_finite(this->product(A, x)), expected)
            << "width " << width << ", column " << poisoned;
      }
  }
}

TYPED_TEST_P(HecMatrixTest, TakesNewValues) {
  for (const bool ends_with_diagonal : {false, true}) {
    auto rows = this->rows_with_diagonals(60);
    auto A = this->make(rows, {.width = 4, .ends_with_diagonal = ends_with_diagonal});
    std::mt19937 generator(77);
    for (auto& row : rows.rows)
      for (auto& entry : row) entry.second = this->random_scalar(generator);
    const DeviceArrays<TypeParam> changed(rows.compressed());
    A.update_values(typename TypeParam::Space(), changed.values);
    Kokkos::deep_copy(changed.values, typename TypeParam::Scalar(0));  // they were copied
    this->expect_products(rows, A);
  }
}

TYPED_TEST_P(HecMatrixTest, TakesMatricesOfNoRowsColumnsOrEntries) {
  using Space = typename TypeParam::Space;
  using Device = typename TypeParam::Device;
  using Scalar = typename TypeParam::Scalar;
  const Kokkos::View<int*, Device> entries("entries", 0);
  const Kokkos::View<Scalar*, Device> values("values", 0);
  for (const std::size_t length : {0u, 1u}) {
    typename TestFixture::Matrix A(Space(), Kokkos::View<typename TypeParam::Offset*, Device>("map", length), entries,
                                   values, 3);
    A.apply(Space(), Kokkos::View<Scalar*, Device>("x", 3), values);
    A.update_values(Space(), values);
    EXPECT_EQ(A.info().rows, 0);
    EXPECT_EQ(A.info().bytes_held, 0u);
  }
  const auto empty = this->make({0, std::vector<std::vector<std::pair<int, Scalar>>>(5)});
  EXPECT_EQ(this->product(empty, {}), std::vector<Scalar>(5, Scalar(0)));
  const auto A = this->make(this->rows_with_diagonals(5));
  EXPECT_NO_THROW(
      A.apply(Space(), typename TestFixture::ColumnViews("X", 5, 0), typename TestFixture::ColumnViews("Y", 5, 0)));
}

TYPED_TEST_P(HecMatrixTest, RejectsOptionsThatCannotBeAndNamesTheNumbers) {
  const auto arrays = this->dense_lower();
  for (const double p : {-1.0, -TestFixture::infinity, double(NAN)})
    EXPECT_EQ(this->error_of(arrays, 3, {.relative_performance = p}).first, ErrorCode::InvalidOption);
  for (const std::int64_t width : {std::int64_t(-1), std::int64_t(4), std::int64_t(1) << 40})
    EXPECT_EQ(this->error_of(arrays, 3, {.width = width}).first, ErrorCode::InvalidOption);
  try {
    const DeviceArrays<TypeParam> on_device(arrays);
    typename TestFixture::Matrix(typename TypeParam::Space(), on_device.row_map, on_device.entries, on_device.values, 3,
                                 {.width = 4});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the width of the ELL part is 4; it must lie between 0 and the number of columns, 3");
  }
}

TYPED_TEST_P(HecMatrixTest, RejectsArraysThatAreNoMatrixAndNamesTheRow) {
  using Found = std::pair<ErrorCode, std::optional<std::int64_t>>;
  auto arrays = this->dense_lower();
  arrays.row_map = {0, 3, 1, 6};
  EXPECT_EQ(this->error_of(arrays, 3), Found(ErrorCode::InvalidRowMap, 1));
  arrays.row_map = {1, 1, 3, 6};
  EXPECT_EQ(this->error_of(arrays, 3).first, ErrorCode::InvalidRowMap);
  for (const std::size_t end : {5u, 7u, 1000000u}) {
    arrays.row_map = {0, 1, 3, end};
    EXPECT_EQ(this->error_of(arrays, 3).first, ErrorCode::InvalidRowMap);
  }
  EXPECT_EQ(this->error_of({{}, {0}, {typename TypeParam::Scalar(1)}}, 3).first, ErrorCode::InvalidRowMap);
  for (const int column : {-1, 3, 2000000000}) {
    arrays = this->dense_lower();
    arrays.entries[4] = column;
    EXPECT_EQ(this->error_of(arrays, 3), Found(ErrorCode::ColumnOutOfRange, 2));
  }
  EXPECT_EQ(this->error_of(this->dense_lower(), 2), Found(ErrorCode::ColumnOutOfRange, 2));
  EXPECT_EQ(this->error_of(this->dense_lower(), -1).first, ErrorCode::SizeMismatch);
  arrays = this->dense_lower();
  arrays.values.pop_back();
  EXPECT_EQ(this->error_of(arrays, 3).first, ErrorCode::SizeMismatch);
}

TYPED_TEST_P(HecMatrixTest, RowsThatEndWithTheirDiagonalNeedOneAndASquareMatrix) {
  using Found = std::pair<ErrorCode, std::optional<std::int64_t>>;
  EXPECT_EQ(this->error_of(this->dense_lower(), 4, {.ends_with_diagonal = true}).first, ErrorCode::NotSquare);
  auto arrays = this->dense_lower();
  arrays.entries[2] = 0;
  EXPECT_EQ(this->error_of(arrays, 3, {.ends_with_diagonal = true}), Found(ErrorCode::MissingDiagonal, 1));
}

TYPED_TEST_P(HecMatrixTest, RejectsVectorsThatDoNotFit) {
  using Space = typename TypeParam::Space;
  using Vector = Kokkos::View<typename TypeParam::Scalar*, typename TypeParam::Device>;
  using Columns = typename TestFixture::ColumnViews;
  auto A = this->make({4, std::vector<std::vector<std::pair<int, typename TypeParam::Scalar>>>(3)});
  const Vector three("three", 3), four("four", 4);
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return to_string(error.code());
    }
    return "nothing";
  };
  EXPECT_NO_THROW(A.apply(Space(), four, three));
  EXPECT_STREQ(code_of([&] { A.apply(Space(), three, three); }), "size-mismatch");
  EXPECT_STREQ(code_of([&] { A.apply(Space(), four, four); }), "size-mismatch");
  EXPECT_STREQ(code_of([&] { A.apply(Space(), Columns("X", 4, 2), Columns("Y", 3, 3)); }), "size-mismatch");
  EXPECT_STREQ(code_of([&] { A.update_values(Space(), four); }), "size-mismatch");
}

TYPED_TEST_P(HecMatrixTest, EnqueuesOnTheCallersInstanceWithoutFenceOrAllocation) {
  using Space = typename TypeParam::Space;
  const auto rows = this->uneven_rows();
  const DeviceArrays<TypeParam> arrays(rows.compressed());
  const auto instance = Kokkos::Experimental::partition_space(Space(), 1)[0];
  for (const int width : {0, 4, 3000}) {
    typename TestFixture::Matrix A(instance, arrays.row_map, arrays.entries, arrays.values, rows.columns,
                                   {.width = width});
    const typename TestFixture::ColumnViews X("X", 4000, 9), Y("Y", 203, 9);
    const auto x = Kokkos::subview(X, Kokkos::ALL, 0), y = Kokkos::subview(Y, Kokkos::ALL, 0);
    A.apply(instance, X, Y);
    instance.fence();
    const RecordedEvents events;
    A.apply(instance, x, y);
    A.apply(instance, X, Y);
    A.update_values(instance, arrays.values);
    EXPECT_GE(events.kernels(), 4);
    EXPECT_EQ(events.fences(), std::vector<std::string>());
    EXPECT_EQ(events.allocations(), 0);
    EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
    EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
  }
}

TYPED_TEST_P(HecMatrixTest, GivesTheSameBitsEachTime) {
  const auto rows = this->uneven_rows();
  const auto x = random_vector<typename TypeParam::Scalar>(rows.columns, 5);
  for (const int width : {0, 4}) {
    const auto A = this->make(rows, {.width = width});
    const auto first = this->product(A, x);
    for (int round = 0; round < 20; ++round) ASSERT_EQ(this->product(A, x), first);
  }
}

TYPED_TEST_P(HecMatrixTest, IsTheOperatorOfAKrylovMethod) {
  using T = TypeParam;
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Crs = KokkosSparse::CrsMatrix<Scalar, int, typename T::Device, void, typename T::Offset>;
  const auto matrix = reference::poisson<Scalar>(20, 15);
  const DeviceArrays<T> arrays(reference::compress(matrix));
  const Crs crs("A", 300, 300, static_cast<typename T::Offset>(arrays.values.extent(0)), arrays.values, arrays.row_map,
                arrays.entries);
  const LinearOperator<Scalar, Space> A = HecMatrix(Space(), crs);
  EXPECT_TRUE(A.is_replayable());
  const auto b = random_vector<Scalar>(300, 4);
  const auto device_b = to_device<Scalar, typename T::Device>(b);
  const Kokkos::View<Scalar*, typename T::Device> x("x", 300);
  const double tolerance = 1e3 * double(std::numeric_limits<typename TestFixture::RealNumber>::epsilon());
  KrylovSolver<Scalar, Space> solver(Space(), 300, {.tolerance = tolerance});
  EXPECT_TRUE(solver.solve(Space(), A, device_b, x).converged());
  const auto residual = reference::plus(b, Scalar(-1), reference::multiply(matrix, to_host(x)));
  EXPECT_LE(reference::norm(residual), 2 * tolerance * reference::norm(b));
}

REGISTER_TYPED_TEST_SUITE_P(HecMatrixTest, ChoosesTheWidthOfLeastCost, MultipliesLikeALoopWithEveryWidth,
                            PutsAllEntriesIntoOnePartAtBothEndsOfTheScale, EndsRowsWithTheirDiagonalWhereverItStood,
                            ANumberThatIsNotFiniteReachesTheRowsThatNameItsColumnAlone, TakesNewValues,
                            TakesMatricesOfNoRowsColumnsOrEntries, RejectsOptionsThatCannotBeAndNamesTheNumbers,
                            RejectsArraysThatAreNoMatrixAndNamesTheRow,
                            RowsThatEndWithTheirDiagonalNeedOneAndASquareMatrix, RejectsVectorsThatDoNotFit,
                            EnqueuesOnTheCallersInstanceWithoutFenceOrAllocation, GivesTheSameBitsEachTime,
                            IsTheOperatorOfAKrylovMethod);

}  // namespace terrace::test
