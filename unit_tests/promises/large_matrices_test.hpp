// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices and vectors near the ends of what their indices count: entries up to the last position that an int names and
// beyond 2^31 where Offset has 64 bits, and more right-hand sides than a grid of thread blocks has along y.
//
// The large matrix is made and checked on the device, by kernels that know its entries from a formula. Row i couples to
// the rows i +- k stride, k = 1, ..., 15: `stride` chains of 100 rows beside each other, hence 100 wide levels, and
// each chain a full band, so that ILU(0) is the complete factorization. With int offsets the last rows have a
// small entry in column 0 as well, as many of them as make the number of entries the largest int.
//
// Memory: with stride s 2,860 s entries and 100 s rows. With 64-bit offsets (s = 760,000), in GB: the matrix 26.7, two
// vectors 1.2, symbolic phase 33 (lists of products 30.4), values of the factor 17.4, its two triangular solvers 31.6,
// scratch and the rest 4.5: 115 at once. With int offsets (s = 750,868) 113. A triangular solver alone takes 18 beside
// the matrix and three vectors.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <terrace/terrace.hpp>

#include "backends/cuda/check.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

/// The matrix by formula.
struct WideBand {
  static constexpr int width = 15, rows_of_chain = 100;
  static constexpr std::int64_t entries_of_slot = 2860;  // of the rows with the same number modulo stride

  std::int64_t stride;
  std::int64_t more;  // rows at the end that have an entry in column 0

  KOKKOS_FUNCTION std::int64_t rows() const { return rows_of_chain * stride; }
  KOKKOS_FUNCTION std::int64_t entries() const { return entries_of_slot * stride + more; }

  KOKKOS_FUNCTION static int before(std::int64_t place) { return place < width ? static_cast<int>(place) : width; }
  KOKKOS_FUNCTION static int behind(std::int64_t place) { return before(rows_of_chain - 1 - place); }

  KOKKOS_FUNCTION std::int64_t first_with_more() const { return rows() - more; }
  KOKKOS_FUNCTION std::int64_t first_entry(std::int64_t row) const {
    const std::int64_t place = row / stride;
    std::int64_t all = 0;
    for (std::int64_t p = 0; p < place; ++p) all += (before(p) + 1 + behind(p)) * stride;
    const std::int64_t of_others = row > first_with_more() ? row - first_with_more() : 0;
    return all + (row - place * stride) * (before(place) + 1 + behind(place)) + of_others;
  }

  /// Calls visit(column, value) from left to right. Diagonally dominant.
  template <class Visit>
  KOKKOS_FUNCTION void visit(std::int64_t row, const Visit& visit) const {
    const std::int64_t place = row / stride;
    if (row >= first_with_more()) visit(std::int64_t(0), 1e-9);
    for (int k = -before(place); k <= behind(place); ++k)
      visit(row + k * stride, k == 0 ? 1.0 : -static_cast<double>(1 + (row + 2 * k + 60) % 3) / 96);
  }
};

template <class Offset>
struct FillWideBand {
  WideBand A;
  Offset* row_map;
  int* entries;
  double* values;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    std::int64_t at = A.first_entry(row);
    row_map[row] = static_cast<Offset>(at);
    A.visit(row, [&](std::int64_t column, double value) {
      entries[at] = static_cast<int>(column);
      values[at++] = value;
    });
    if (row + 1 == A.rows()) row_map[row + 1] = static_cast<Offset>(at);
  }
};

enum class Part { Lower, Upper, Whole };

/// Rows in which the part of A times x is not b. Not a number is not b.
struct CountWrongRows {
  WideBand A;
  Part part;
  const double* b;
  const double* x;
  double tolerance;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& wrong) const {
    double left = b[row];
    A.visit(row, [&](std::int64_t column, double value) {
      const bool belongs = part == Part::Whole || column == row || (column < row) == (part == Part::Lower);
      if (belongs) left -= value * x[column];
    });
    if (!(Kokkos::abs(left) <= tolerance)) ++wrong;
  }
};

struct FillVector {
  double* b;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const { b[row] = 0.5 + static_cast<double>(row % 1013) / 1013; }
};

template <class T>
class LargeMatricesTest : public ::testing::Test {
 public:
  using Offset = typename T::Offset;
  using Space = Kokkos::Cuda;
  using Rows = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  using Vector = Kokkos::View<double*, typename T::Device>;

  static constexpr bool has_64_bits = sizeof(Offset) > sizeof(int);

  static WideBand band() {
    if (has_64_bits) return {760000, 0};
    constexpr std::int64_t most = std::numeric_limits<int>::max(), stride = most / WideBand::entries_of_slot;
    return {stride, most - stride * WideBand::entries_of_slot};
  }

  /// Whether the device has so many GB left; the caller skips the test when it has not.
  static bool has_memory(double gigabytes) {
    std::size_t free = 0, all = 0;
    cuda::check(cudaMemGetInfo(&free, &all));
    return static_cast<double>(free) >= 1e9 * gigabytes;
  }

  static Vector vector(const char* label, const WideBand& A) {
    return Vector(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)),
                  static_cast<std::size_t>(A.rows()));
  }

  static Vector right_hand_side(const WideBand& A) {
    const Vector b = vector("b", A);
    Kokkos::parallel_for("terrace::test::fill_vector", Rows(0, A.rows()), FillVector{b.data()});
    return b;
  }

  static std::int64_t wrong_rows(const WideBand& A, Part part, const Vector& b, const Vector& x, double tolerance) {
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce("terrace::test::count_wrong_rows", Rows(0, A.rows()),
                            CountWrongRows{A, part, b.data(), x.data(), tolerance}, wrong);
    return wrong;
  }
};

/// The arrays of the large matrix.
template <class T>
struct WideBandArrays {
  Kokkos::View<typename T::Offset*, typename T::Device> row_map;
  Kokkos::View<int*, typename T::Device> entries;
  Kokkos::View<double*, typename T::Device> values;

  explicit WideBandArrays(const WideBand& A)
      : row_map(Kokkos::view_alloc(Kokkos::WithoutInitializing, "row_map"), static_cast<std::size_t>(A.rows()) + 1),
        entries(Kokkos::view_alloc(Kokkos::WithoutInitializing, "entries"), static_cast<std::size_t>(A.entries())),
        values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "values"), static_cast<std::size_t>(A.entries())) {
    using Rows = typename LargeMatricesTest<T>::Rows;
    Kokkos::parallel_for("terrace::test::fill_wide_band", Rows(0, A.rows()),
                         FillWideBand<typename T::Offset>{A, row_map.data(), entries.data(), values.data()});
    Kokkos::fence("terrace::test");
  }
};

TYPED_TEST_SUITE_P(LargeMatricesTest);

TYPED_TEST_P(LargeMatricesTest, SolvesBothTrianglesOfTwoBillionEntries) {
  if (!this->has_memory(50)) GTEST_SKIP() << "the device has less than 50 GB free";
  const auto A = this->band();
  const WideBandArrays<TypeParam> arrays(A);
  const auto b = this->right_hand_side(A), x = this->vector("x", A);
  for (const auto reuse : {Reuse::Many, Reuse::Once})
    for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
      Kokkos::deep_copy(x, 0.0);
      const typename TypeParam::Solver solver(Kokkos::Cuda(), arrays.row_map, arrays.entries, arrays.values,
                                              {.uplo = uplo, .stored = Stored::Full, .reuse = reuse});
      EXPECT_FALSE(solver.info().first_singular_row());
      solver.solve(Kokkos::Cuda(), b, x);
      const auto part = uplo == Uplo::Lower ? Part::Lower : Part::Upper;
      EXPECT_EQ(this->wrong_rows(A, part, b, x, 1e-12), 0) << solver.info().reason;
    }
}

TYPED_TEST_P(LargeMatricesTest, MultipliesTwoBillionEntries) {
  if (!this->has_memory(30)) GTEST_SKIP() << "the device has less than 30 GB free";
  const auto A = this->band();
  const WideBandArrays<TypeParam> arrays(A);
  const auto x = this->right_hand_side(A), y = this->vector("y", A);
  using Operator = CrsOperator<double, int, typename TypeParam::Offset, Kokkos::Cuda>;
  const auto n = static_cast<int>(A.rows());
  const Operator product(typename Operator::matrix_type("A", n, n, static_cast<typename TypeParam::Offset>(A.entries()),
                                                        arrays.values, arrays.row_map, arrays.entries));
  product.apply(Kokkos::Cuda(), x, y);
  EXPECT_EQ(this->wrong_rows(A, Part::Whole, y, x, 1e-12), 0);
}

/// Rows with an entry in column 0 drop what it fills in, all of it far below 1e-6.
TYPED_TEST_P(LargeMatricesTest, FactorizesTwoBillionEntries) {
  if (!this->has_memory(122)) GTEST_SKIP() << "the device has less than 122 GB free";
  const auto A = this->band();
  const WideBandArrays<TypeParam> arrays(A);
  const auto b = this->right_hand_side(A);
  const IluSymbolic<int, typename TypeParam::Offset, Kokkos::Cuda> symbolic(Kokkos::Cuda(), arrays.row_map,
                                                                            arrays.entries);
  EXPECT_EQ(symbolic.info().factor_entries, A.entries());
  const IluFactor<double, int, typename TypeParam::Offset, Kokkos::Cuda> factor(Kokkos::Cuda(), symbolic,
                                                                                arrays.values);
  EXPECT_TRUE(factor.info().succeeded());
  const auto x = this->vector("x", A);
  factor.apply(Kokkos::Cuda(), b, x);
  EXPECT_LE(this->wrong_rows(A, Part::Whole, b, x, 1e-12), A.more);
  EXPECT_EQ(this->wrong_rows(A, Part::Whole, b, x, 1e-6), 0);
}

inline constexpr int many_columns = 70000, small_rows = 50;

/// The symmetric tridiagonal matrix with 4 on the diagonal.
inline reference::CompressedArrays<double> small_matrix() {
  reference::CompressedArrays<double> arrays;
  for (int row = 0; row < small_rows; ++row) {
    for (int column = std::max(row - 1, 0); column <= std::min(row + 1, small_rows - 1); ++column) {
      arrays.entries.push_back(column);
      arrays.values.push_back(column == row ? 4.0 : -1.0);
    }
    arrays.row_map.push_back(arrays.entries.size());
  }
  return arrays;
}

template <class Columns>
struct FillColumnsOfTest {
  Columns B;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const auto row = place % small_rows, column = place / small_rows;
    B(row, column) = 1.0 + static_cast<double>((7 * row + column) % 1009) / 1009;
  }
};

/// Numbers of B that are not those of the part of the small matrix times X.
template <class Columns>
struct CountWrongNumbers {
  Columns B, X;
  Part part;
  double tolerance;
  KOKKOS_FUNCTION void operator()(std::int64_t place, std::int64_t& wrong) const {
    const auto row = place % small_rows, column = place / small_rows;
    double left = B(row, column) - 4.0 * X(row, column);
    if (part != Part::Upper && row > 0) left += X(row - 1, column);
    if (part != Part::Lower && row + 1 < small_rows) left += X(row + 1, column);
    if (!(Kokkos::abs(left) <= tolerance)) ++wrong;
  }
};

/// B and X for so many columns.
template <class T, class Layout>
struct ManyColumns {
  using View = Kokkos::View<double**, Layout, typename T::Device>;
  using Numbers = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>;
  View B{"B", small_rows, many_columns}, X{"X", small_rows, many_columns};

  ManyColumns() { Kokkos::parallel_for("terrace::test::fill_columns", all(), FillColumnsOfTest<View>{B}); }
  static Numbers all() { return Numbers(0, std::int64_t(small_rows) * many_columns); }

  std::int64_t wrong_numbers(Part part, double tolerance = 1e-12) const {
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce("terrace::test::count_wrong_numbers", all(), CountWrongNumbers<View>{B, X, part, tolerance},
                            wrong);
    return wrong;
  }
};

template <class T, class Layout>
void solve_many_columns() {
  const Kokkos::Cuda space;
  const DeviceArrays<T> arrays(small_matrix());
  const ManyColumns<T, Layout> columns;
  for (const int together : {1, 32})
    for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
      Kokkos::deep_copy(columns.X, 0.0);
      const auto solver = arrays.analyze({.uplo = uplo, .stored = Stored::Full, .right_hand_sides = together});
      solver.solve(space, columns.B, columns.X);
      EXPECT_EQ(columns.wrong_numbers(uplo == Uplo::Lower ? Part::Lower : Part::Upper), 0) << together << " together";
    }
  const IluSymbolic<int, typename T::Offset, Kokkos::Cuda> symbolic(space, arrays.row_map, arrays.entries);
  const IluFactor<double, int, typename T::Offset, Kokkos::Cuda> factor(space, symbolic, arrays.values);
  Kokkos::deep_copy(columns.X, 0.0);
  factor.apply(space, columns.B, columns.X);
  EXPECT_EQ(columns.wrong_numbers(Part::Whole), 0);
}

TYPED_TEST_P(LargeMatricesTest, SolvesForSeventyThousandRightHandSides) {
  solve_many_columns<TypeParam, Kokkos::LayoutLeft>();
  solve_many_columns<TypeParam, Kokkos::LayoutRight>();
}

template <class T, class Layout>
void iterate_with_many_columns(const CrsOperator<double, int, typename T::Offset, Kokkos::Cuda>& A) {
  const ManyColumns<T, Layout> columns;
  for (const auto method : {KrylovMethod::ConjugateGradient, KrylovMethod::BiCGStab}) {
    Kokkos::deep_copy(columns.X, 0.0);
    KrylovSolver<double, Kokkos::Cuda> solver(Kokkos::Cuda(), small_rows,
                                              {.method = method, .tolerance = 1e-10, .max_iterations = 80});
    const auto results = solver.solve(Kokkos::Cuda(), A, columns.B, columns.X);
    ASSERT_EQ(results.size(), static_cast<std::size_t>(many_columns));
    for (std::size_t k = 0; k < results.size(); ++k)
      ASSERT_EQ(results[k].reason, StopReason::Converged) << to_string(method) << " column " << k;
    EXPECT_EQ(columns.wrong_numbers(Part::Whole, 1e-8), 0) << to_string(method);
  }
}

/// The sums of each column take 32 KB.
TYPED_TEST_P(LargeMatricesTest, IteratesForSeventyThousandRightHandSides) {
  if (!this->has_memory(6)) GTEST_SKIP() << "the device has less than 6 GB free";
  const DeviceArrays<TypeParam> arrays(small_matrix());
  using Operator = CrsOperator<double, int, typename TypeParam::Offset, Kokkos::Cuda>;
  const Operator A(typename Operator::matrix_type("A", small_rows, small_rows,
                                                  static_cast<typename TypeParam::Offset>(arrays.entries.extent(0)),
                                                  arrays.values, arrays.row_map, arrays.entries));
  const ManyColumns<TypeParam, Kokkos::LayoutLeft> columns;
  A.apply(Kokkos::Cuda(), typename Operator::input_columns_type(columns.B), columns.X);
  const ManyColumns<TypeParam, Kokkos::LayoutLeft> swapped;
  Kokkos::deep_copy(swapped.X, columns.B);
  Kokkos::deep_copy(swapped.B, columns.X);
  EXPECT_EQ(swapped.wrong_numbers(Part::Whole), 0);
  iterate_with_many_columns<TypeParam, Kokkos::LayoutLeft>(A);
  iterate_with_many_columns<TypeParam, Kokkos::LayoutRight>(A);
}

REGISTER_TYPED_TEST_SUITE_P(LargeMatricesTest, SolvesBothTrianglesOfTwoBillionEntries, MultipliesTwoBillionEntries,
                            FactorizesTwoBillionEntries, SolvesForSeventyThousandRightHandSides,
                            IteratesForSeventyThousandRightHandSides);

}  // namespace terrace::test
