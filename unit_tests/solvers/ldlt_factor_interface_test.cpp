// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers of direct factorizations can get wrong, and the types that they meet.
#include <terrace/terrace.hpp>

#include "support/ldlt_interface.hpp"

namespace terrace::test {
namespace {

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(LdltInterface, TestedSpaces);

TYPED_TEST(LdltInterface, RejectsAPatternThatCannotBe) {
  using F = TestFixture;
  auto arrays = F::tridiagonal();
  arrays.row_map = {0, 5, 2, 7};
  F::expect_error(ErrorCode::InvalidRowMap, 1, {"row 1"}, arrays);
  for (const auto& map : {std::vector<std::size_t>{1, 2, 5, 7}, {0, 2, 5, 6}, {0, 2, 5, 8}}) {
    arrays.row_map = map;
    EXPECT_THROW(F::analyze(arrays), Error);
  }
  F::expect_error(ErrorCode::InvalidRowMap, {}, {"row_map"}, {{}, {0}, {1.0}});
  for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
    for (const int column : {-1, 3, 2000000000}) {
      arrays = F::tridiagonal();
      arrays.entries[4] = column;
      F::expect_error(ErrorCode::ColumnOutOfRange, 1, {"row 1"}, arrays, {.uplo = uplo});
    }
    F::expect_error(ErrorCode::DuplicateEntry, 2, {"row 2"}, {{0, 1, 2, 6}, {0, 1, 1, 0, 2, 1}, {1, 1, 1, 1, 1, 1}},
                    {.uplo = uplo});
    F::expect_error(ErrorCode::DuplicateEntry, 1, {"row 1"}, {{0, 1, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}}, {.uplo = uplo});
  }
}

TYPED_TEST(LdltInterface, RejectsAMatrixThatIsNotSquareAndViewsOfTheWrongLength) {
  using F = TestFixture;
  const DeviceArrays<typename F::Tested> arrays(F::tridiagonal());
  const KokkosSparse::CrsMatrix<double, int, typename F::Device, void, int> wide("wide", 3, 4, 7, arrays.values,
                                                                                 arrays.row_map, arrays.entries);
  F::expect_error(ErrorCode::NotSquare, {}, {"the matrix is 3x4; a factorization needs a square matrix"},
                  [&] { LdltSymbolic symbolic(TypeParam(), wide); });
  const typename F::Vector three("three", 3), four("four", 4), six("six", 6);
  const auto symbolic = F::analyze(F::tridiagonal());
  F::expect_error(ErrorCode::SizeMismatch, {}, {"6", "7"}, [&] { typename F::Factor(TypeParam(), symbolic, six); });
  auto factor = F::factorize(F::tridiagonal());
  F::expect_error(ErrorCode::SizeMismatch, {}, {"6", "7"}, [&] { factor.refactorize(TypeParam(), six); });
  using Columns = Kokkos::View<double**, typename F::Device>;
  const Columns two_columns("two", 3, 2), three_columns("three", 3, 3);
  for (const auto& [b, x] : {std::pair(three, four), std::pair(four, three)}) {
    F::expect_error(ErrorCode::SizeMismatch, {}, {"4", "3"}, [&, b = b, x = x] { factor.solve(TypeParam(), b, x); });
    F::expect_error(ErrorCode::SizeMismatch, {}, {"4", "3"}, [&, b = b, x = x] { factor.apply(TypeParam(), b, x); });
    F::expect_error(ErrorCode::SizeMismatch, {}, {"4", "3"}, [&, b = b, x = x] { factor.refine(TypeParam(), b, x); });
  }
  F::expect_error(ErrorCode::SizeMismatch, {}, {"2", "3"},
                  [&] { factor.solve(TypeParam(), two_columns, three_columns); });
}

TYPED_TEST(LdltInterface, RejectsOptionsThatDoNotExist) {
  using F = TestFixture;
  const auto arrays = F::tridiagonal();
  const auto symbolic_error = [&](const std::string& word, const LdltSymbolicOptions& options) {
    F::expect_error(ErrorCode::InvalidOption, {}, {word}, arrays, options);
  };
  for (const double amalgamation : {-0.5, double(NAN), HUGE_VAL})
    symbolic_error("amalgamation", {.amalgamation = amalgamation});
  symbolic_error("analysis_threads", {.analysis_threads = -1});
  for (const int columns : {0, -3}) symbolic_error("right_hand_sides", {.right_hand_sides = columns});
  const auto factor_error = [&](const std::string& word, const LdltFactorOptions& options) {
    F::expect_error(ErrorCode::InvalidOption, {}, {word}, [&] { F::factorize(arrays, options); });
  };
  factor_error("shift", {.pivots = {.policy = PivotPolicy::Shift}});
  for (const double threshold : {-0.1, 1.0, double(NAN), HUGE_VAL})
    factor_error("threshold", {.pivots = {.policy = PivotPolicy::Replace, .threshold = threshold}});
  for (const int steps : {-1, 101}) factor_error("refinement_steps", {.refinement_steps = steps});
  const auto factor = F::factorize(arrays);
  const typename F::Vector b("b", 3), x("x", 3);
  const auto refinement_error = [&](const std::string& word, const RefinementOptions& options) {
    F::expect_error(ErrorCode::InvalidOption, {}, {word}, [&] { factor.refine(TypeParam(), b, x, options); });
  };
  refinement_error("max_steps", {.max_steps = -1});
  for (const double tolerance : {-1e-8, double(NAN)}) refinement_error("tolerance", {.tolerance = tolerance});
  F::expect_error(ErrorCode::InvalidOption, {}, {"same memory"}, [&] { factor.refine(TypeParam(), b, b); });
}

TYPED_TEST(LdltInterface, NamesThePlaceWhereAGivenOrderIsNoPermutation) {
  using F = TestFixture;
  const auto expect = [&](const std::vector<int>& permutation, const std::vector<std::string>& words,
                          Ordering ordering = Ordering::Given) {
    try {
      F::analyze(F::tridiagonal(), {.ordering = ordering, .permutation = permutation});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
      for (const auto& word : words) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      return;
    }
    ADD_FAILURE() << "nothing was thrown";
  };
  expect({0, 1}, {"2", "3"});
  expect({}, {"0", "3"});
  expect({0, 1, 2, 3}, {"4", "3"});
  expect({2, 1, 2}, {"2"});
  expect({0, 3, 1}, {"1", "3"});
  expect({0, -1, 1}, {"1", "-1"});
  expect({2, 1, 0}, {"permutation"}, Ordering::Natural);
  EXPECT_EQ(
      to_host(F::analyze(F::tridiagonal(), {.ordering = Ordering::Given, .permutation = {2, 1, 0}}).permutation()),
      (std::vector<int>{2, 1, 0}));
}

TYPED_TEST(LdltInterface, SaysHowToGetAnOrderThatThisBuildLacks) {
  using F = TestFixture;
  if (!has_nested_dissection())
    F::expect_error(ErrorCode::InvalidOption, {}, {"TERRACE_ENABLE_METIS"}, F::tridiagonal(),
                    {.ordering = Ordering::NestedDissection});
  if (!has_minimum_degree())
    F::expect_error(ErrorCode::InvalidOption, {}, {"TERRACE_ENABLE_AMD"}, F::tridiagonal(),
                    {.ordering = Ordering::ApproximateMinimumDegree});
  EXPECT_FALSE(F::analyze(F::tridiagonal()).info().ordering_reason.empty());
}

TYPED_TEST(LdltInterface, FindsTheFirstRowWhereTheTrianglesDifferOnRequest) {
  using F = TestFixture;
  for (const auto uplo : {Uplo::Lower, Uplo::Upper}) {
    const LdltSymbolicOptions check{.uplo = uplo, .check_symmetry = true};
    const auto matrix = reference::dominant(reference::poisson<double>(6, 5));
    EXPECT_NO_THROW(F::factorize(reference::compress(matrix, false), {}, check));
    EXPECT_NO_THROW(F::factorize(write_symmetric(matrix, {.uplo = uplo}), {}, check));
    auto values = matrix;
    values.rows[13][14] += 1e-9;
    values.rows[20][26] += 1e-9;
    EXPECT_NO_THROW(F::factorize(reference::compress(values), {}, {.uplo = uplo}));
    F::expect_error(ErrorCode::NotSymmetric, uplo == Uplo::Lower ? 14 : 13, {"row 1"},
                    [&] { F::factorize(reference::compress(values), {}, check); });
    auto pattern = matrix;
    pattern.rows[14].erase(15);
    F::expect_error(ErrorCode::NotSymmetric, 15, {"row 15", "mirror"}, reference::compress(pattern), check);
    pattern = matrix;
    pattern.rows[15].erase(14);
    F::expect_error(ErrorCode::NotSymmetric, 14, {"row 14", "mirror"}, reference::compress(pattern), check);
  }
}

TYPED_TEST(LdltInterface, TakesTheEmptyMatrix) {
  using F = TestFixture;
  for (const auto& map : {std::vector<std::size_t>{}, std::vector<std::size_t>{0}})
    for (const auto scaling : {Scaling::None, Scaling::Equilibrate}) {
      auto factor = F::factorize({map, {}, {}}, {.scaling = scaling, .refinement_steps = 2});
      const typename F::Vector nothing("nothing", 0);
      factor.solve(TypeParam(), nothing, nothing);
      factor.apply(TypeParam(), nothing, nothing);
      factor.refactorize(TypeParam(), nothing);
      EXPECT_TRUE(factor.refine(TypeParam(), nothing, nothing).converged());
      EXPECT_TRUE(factor.info().succeeded());
      EXPECT_EQ(factor.symbolic().info().rows, 0);
      EXPECT_EQ(factor.symbolic().permutation().extent(0), 0u);
      EXPECT_EQ(factor.bytes_held(), 0u);
    }
  F::expect_error(ErrorCode::InvalidOption, {}, {}, {{0}, {}, {}}, {.ordering = Ordering::Given, .permutation = {0}});
}

TYPED_TEST(LdltInterface, IsAFactorThatOthersCanOwn) {
  using F = TestFixture;
  static_assert(Factor<typename F::Factor, double, TypeParam>);
  static_assert(std::is_nothrow_move_constructible_v<typename F::Factor>);
  static_assert(std::is_nothrow_move_assignable_v<typename F::Factor>);
  static_assert(!std::is_copy_constructible_v<typename F::Factor>);
  static_assert(std::is_copy_constructible_v<typename F::Symbolic>);
  const typename F::Case at(reference::dominant(reference::poisson<double>(12, 13)));
  const LinearOperator<double, TypeParam> M(at.factor());
  const auto x =
      F::from_device(at.right_hand_side(), [&](const auto& r, const auto& z) { M.apply(TypeParam(), r, z); });
  EXPECT_LE(reference::backward_error(at.matrix, at.right_hand_side(), x), 1e-14);
}

TYPED_TEST(LdltInterface, DeducesItsTypesFromAMatrix) {
  using F = TestFixture;
  const typename F::Case at(reference::dominant(reference::poisson<double>(5, 4)));
  const KokkosSparse::CrsMatrix<double, int, typename F::Device, void, int> A(
      "A", 20, 20, static_cast<int>(at.arrays.values.extent(0)), at.arrays.values, at.arrays.row_map,
      at.arrays.entries);
  const LdltSymbolic symbolic(TypeParam(), A, {.uplo = Uplo::Lower});
  const LdltFactor factor(TypeParam(), symbolic, A.values);
  static_assert(std::is_same_v<std::remove_const_t<decltype(factor)>, typename F::Factor>);
  EXPECT_LE(F::error_of(at, factor), 1e-14);
  EXPECT_EQ(factor.symbolic().options().uplo, Uplo::Lower);
}

}  // namespace
}  // namespace terrace::test
