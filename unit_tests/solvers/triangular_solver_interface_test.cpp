// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What callers can get wrong, what info() tells them, and what the library promises about instances, fences,
// allocations.
#include <terrace/level_sets.hpp>
#include <terrace/terrace.hpp>

#include "support/device_triangle.hpp"
#include "support/every_option.hpp"
#include "support/recorded_events.hpp"

namespace terrace::test {
namespace {

template <class Space>
class Interface : public ::testing::Test {
 public:
  using Tested = Combination<double, int, Space>;
  using Arrays = reference::CompressedArrays<double>;

  /// The code and row of the error that the analysis throws.
  static std::pair<ErrorCode, std::optional<std::int64_t>> error_of(const Arrays& arrays,
                                                                    const TriangularOptions& options = {}) {
    try {
      DeviceArrays<Tested>(arrays).analyze(options);
    } catch (const Error& error) {
      return {error.code(), error.line()};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  static TriangularInfo info_of(const Arrays& arrays, const TriangularOptions& options = {}) {
    return DeviceArrays<Tested>(arrays).analyze(options).info();
  }

  /// 3x3: row 0: (0), row 1: (0, 1), row 2: (0, 1, 2).
  static Arrays dense_lower() { return {{0, 1, 3, 6}, {0, 0, 1, 0, 1, 2}, {2, 1, 2, 1, 1, 2}}; }
};

using TestedSpaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(Interface, TestedSpaces);

TYPED_TEST(Interface, RejectsARowMapThatDecreases) {
  auto arrays = this->dense_lower();
  arrays.row_map = {0, 3, 1, 6};
  EXPECT_EQ(this->error_of(arrays), std::make_pair(ErrorCode::InvalidRowMap, std::optional<std::int64_t>(1)));
}

TYPED_TEST(Interface, RejectsARowMapThatDoesNotStartAtZero) {
  auto arrays = this->dense_lower();
  arrays.row_map = {1, 1, 3, 6};
  EXPECT_EQ(this->error_of(arrays).first, ErrorCode::InvalidRowMap);
}

TYPED_TEST(Interface, RejectsARowMapThatDoesNotEndAtTheEntries) {
  auto arrays = this->dense_lower();
  for (const std::size_t end : {5u, 7u, 1000000u}) {
    arrays.row_map[3] = end;
    EXPECT_EQ(this->error_of(arrays).first, ErrorCode::InvalidRowMap);
  }
  EXPECT_EQ(this->error_of({{}, {0}, {1.0}}).first, ErrorCode::InvalidRowMap);
}

TYPED_TEST(Interface, RejectsAColumnOutsideTheMatrix) {
  for (const int column : {-1, 3, 2000000000}) {
    auto arrays = this->dense_lower();
    arrays.entries[4] = column;
    EXPECT_EQ(this->error_of(arrays), std::make_pair(ErrorCode::ColumnOutOfRange, std::optional<std::int64_t>(2)));
  }
}

TYPED_TEST(Interface, RejectsEntriesOnTheWrongSide) {
  auto arrays = this->dense_lower();
  arrays.entries[2] = 2;
  EXPECT_EQ(this->error_of(arrays), std::make_pair(ErrorCode::WrongTriangle, std::optional<std::int64_t>(1)));
  EXPECT_EQ(this->error_of(this->dense_lower(), {.uplo = Uplo::Upper}).first, ErrorCode::WrongTriangle);
  EXPECT_EQ(this->error_of(this->dense_lower(), {.format = Format::Csc}).first, ErrorCode::WrongTriangle);
}

TYPED_TEST(Interface, RejectsDuplicatesSortedOrNot) {
  EXPECT_EQ(this->error_of({{0, 1, 4}, {0, 0, 0, 1}, {1, 1, 1, 1}}),
            std::make_pair(ErrorCode::DuplicateEntry, std::optional<std::int64_t>(1)));
  EXPECT_EQ(this->error_of({{0, 1, 4}, {0, 0, 1, 0}, {1, 1, 1, 1}}),
            std::make_pair(ErrorCode::DuplicateEntry, std::optional<std::int64_t>(1)));
  EXPECT_EQ(this->error_of({{0, 1, 4}, {0, 1, 0, 1}, {1, 1, 1, 1}}),
            std::make_pair(ErrorCode::DuplicateEntry, std::optional<std::int64_t>(1)));
}

TYPED_TEST(Interface, NamesTheRowOfADuplicateInTransposedCopiesToo) {
  const reference::CompressedArrays<double> upper{{0, 1, 2, 6}, {0, 1, 1, 2, 0, 1}, {1, 1, 1, 1, 1, 1}};
  for (const auto algorithm : {Algorithm::Sequential, Algorithm::LevelScheduled, Algorithm::SyncFreeColumns})
    EXPECT_EQ(this->error_of(upper, {.uplo = Uplo::Upper, .format = Format::Csc, .algorithm = algorithm}),
              std::make_pair(ErrorCode::DuplicateEntry, std::optional<std::int64_t>(2)));
}

TYPED_TEST(Interface, RejectsAsManyValuesAsThereAreNot) {
  auto arrays = this->dense_lower();
  arrays.values.pop_back();
  EXPECT_EQ(this->error_of(arrays).first, ErrorCode::SizeMismatch);
}

TYPED_TEST(Interface, RejectsOptionsThatDoNotExist) {
  EXPECT_EQ(this->error_of(this->dense_lower(), {.rows_per_task = -1}).first, ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(this->dense_lower(), {.right_hand_sides = 0}).first, ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(this->dense_lower(), {.algorithm = Algorithm::SyncFreeColumns, .deterministic = true}).first,
            ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(this->dense_lower(), {.rows_per_task = 1 << 21}).first, ErrorCode::InvalidOption);
  for (const auto algorithm :
       {Algorithm::Sequential, Algorithm::SyncFreeRows, Algorithm::SyncFreeColumns, Algorithm::Blocked})
    EXPECT_EQ(this->error_of(this->dense_lower(), {.algorithm = algorithm, .storage = Storage::Hec}).first,
              ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(this->dense_lower(), {.storage = Storage::Hec, .rows_per_task = 2}).first,
            ErrorCode::InvalidOption);
  EXPECT_EQ(this->error_of(this->dense_lower(), {.algorithm = Algorithm::Blocked, .storage = Storage::Crs}).first,
            ErrorCode::InvalidOption);
  if (!has_blocks<TypeParam>) {
    EXPECT_EQ(this->error_of(this->dense_lower(), {.algorithm = Algorithm::Blocked}).first, ErrorCode::InvalidOption);
  }
}

TYPED_TEST(Interface, RejectsAMatrixThatIsNotSquare) {
  using Device = typename TestFixture::Tested::Device;
  const auto arrays = DeviceArrays<typename TestFixture::Tested>(this->dense_lower());
  const KokkosSparse::CrsMatrix<double, int, Device, void, int> wide("wide", 3, 4, 6, arrays.values, arrays.row_map,
                                                                     arrays.entries);
  try {
    TriangularSolver solver(TypeParam(), wide);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotSquare);
    EXPECT_STREQ(error.what(), "the matrix is 3x4; a triangular solve needs a square matrix");
  }
}

TYPED_TEST(Interface, RejectsVectorsOfTheWrongLength) {
  using Vector = Kokkos::View<double*, typename TestFixture::Tested::Device>;
  using Vectors = Kokkos::View<double**, typename TestFixture::Tested::Device>;
  auto solver = DeviceArrays<typename TestFixture::Tested>(this->dense_lower()).analyze({});
  const Vector three("three", 3), four("four", 4);
  EXPECT_THROW(solver.solve(TypeParam(), four, three), Error);
  EXPECT_THROW(solver.solve(TypeParam(), three, four), Error);
  EXPECT_THROW(solver.solve(TypeParam(), Vectors("b", 3, 2), Vectors("x", 3, 3)), Error);
  EXPECT_THROW(solver.update_values(TypeParam(), four), Error);
  try {
    solver.solve(TypeParam(), four, three);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::SizeMismatch);
    EXPECT_STREQ(error.what(), "b has 4 rows; the matrix has 3");
  }
}

/// Wrong ranks, scalars and memory do not compile.
template <class View, class Scalar, class Space>
concept Accepted = detail::VectorsFor<View, Scalar, Space>;
using HostSpace = Kokkos::DefaultHostExecutionSpace;
static_assert(Accepted<Kokkos::View<double*, Kokkos::HostSpace>, const double, HostSpace>);
static_assert(Accepted<Kokkos::View<const double*, Kokkos::HostSpace>, const double, HostSpace>);
static_assert(!Accepted<Kokkos::View<const double*, Kokkos::HostSpace>, double, HostSpace>);
static_assert(!Accepted<Kokkos::View<double, Kokkos::HostSpace>, const double, HostSpace>);
static_assert(!Accepted<Kokkos::View<double***, Kokkos::HostSpace>, const double, HostSpace>);
static_assert(!Accepted<Kokkos::View<float*, Kokkos::HostSpace>, const double, HostSpace>);
static_assert(bool(Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace, Kokkos::HostSpace>::accessible) ==
              Accepted<Kokkos::View<double*, Kokkos::HostSpace>, const double, Kokkos::DefaultExecutionSpace>);

TYPED_TEST(Interface, ReportsAMissingDiagonalAndSolvesItAsZero) {
  const reference::CompressedArrays<double> missing{{0, 1, 2, 4}, {0, 0, 1, 2}, {2, 1, 1, 2}};
  using T = typename TestFixture::Tested;
  for (const auto& options : with_every_algorithm<TypeParam>({})) {
    SCOPED_TRACE(describe({options, true, true}));
    const auto solver = DeviceArrays<T>(missing).analyze(options);
    EXPECT_EQ(solver.info().first_missing_diagonal, 1);
    EXPECT_EQ(solver.info().first_singular_row(), 1);
    EXPECT_LE(solver.info().entries, 4);
    const Kokkos::View<double*, typename T::Device> x("x", 3);
    Kokkos::deep_copy(x, 1.0);
    solver.solve(TypeParam(), x, x);
    EXPECT_EQ(to_host(x)[0], 0.5);
    EXPECT_FALSE(std::isfinite(to_host(x)[1]));
    EXPECT_FALSE(std::isfinite(to_host(x)[2]));
  }
}

TYPED_TEST(Interface, AUnitDiagonalMayBeAbsentFromSomeRowsOnly) {
  const reference::CompressedArrays<double> some{{0, 1, 2, 4}, {0, 0, 1, 2}, {NAN, 1, 1, NAN}};
  using T = typename TestFixture::Tested;
  for (const auto& options : with_every_algorithm<TypeParam>({.diag = Diag::Unit})) {
    SCOPED_TRACE(describe({options, true, true}));
    const auto solver = DeviceArrays<T>(some).analyze(options);
    EXPECT_FALSE(solver.info().first_missing_diagonal);
    EXPECT_FALSE(solver.info().first_nonfinite_row);
    const Kokkos::View<double*, typename T::Device> x("x", 3);
    Kokkos::deep_copy(x, 1.0);
    solver.solve(TypeParam(), x, x);
    EXPECT_EQ(to_host(x), (std::vector<double>{1.0, 0.0, 1.0}));
  }
}

TYPED_TEST(Interface, ReportsTheFirstZeroOnTheDiagonalAndForgetsItWhenItIsGone) {
  auto arrays = this->dense_lower();
  arrays.values[2] = 0.0;
  arrays.values[5] = 0.0;
  const auto good = DeviceArrays<typename TestFixture::Tested>(this->dense_lower());
  for (const bool check : {true, false}) {
    auto solver = DeviceArrays<typename TestFixture::Tested>(arrays).analyze({.check_structure = check});
    EXPECT_EQ(solver.info().first_zero_diagonal, 1);
    solver.update_values(TypeParam(), good.values);
    EXPECT_FALSE(solver.info().first_zero_diagonal);
  }
}

TYPED_TEST(Interface, TakesNewValuesOfTwoTrianglesTogether) {
  using T = typename TestFixture::Tested;
  using Solver = typename T::Solver;
  const auto full = [](std::vector<double> values) {
    return typename TestFixture::Arrays{{0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, std::move(values)};
  };
  const DeviceArrays<T> before(full({1, 1, 1, 1, 0, 1, 1, 1, 1})), after(full({2, 1, 1, 1, 4, 1, 2, 1, 2}));
  const auto solution = [](const Solver& solver, const std::vector<double>& b) {
    const auto x = to_device<double, typename T::Device>(b);
    solver.solve(TypeParam(), x, x);
    return to_host(x);
  };
  for (const auto algorithm : {Algorithm::Automatic, Algorithm::Sequential}) {
    auto lower = before.analyze({.stored = Stored::Full, .algorithm = algorithm});
    auto upper = before.analyze({.uplo = Uplo::Upper, .stored = Stored::Full});
    EXPECT_EQ(lower.info().first_zero_diagonal, 1);
    Solver::update_values(TypeParam(), lower, upper, after.values);
    EXPECT_EQ(solution(lower, {2, 9, 7}), (std::vector<double>{1, 2, 1.5}));
    EXPECT_EQ(solution(upper, {7, 9, 4}), (std::vector<double>{1.625, 1.75, 2}));
    EXPECT_FALSE(lower.info().first_zero_diagonal);

    auto other = DeviceArrays<T>(this->dense_lower()).analyze({});
    EXPECT_THROW(Solver::update_values(TypeParam(), lower, other, after.values), Error);
    EXPECT_THROW(Solver::update_values(TypeParam(), other, lower, after.values), Error);
    EXPECT_EQ(solution(lower, {2, 9, 7}), (std::vector<double>{1, 2, 1.5}));
  }
  auto empty = DeviceArrays<T>({{0}, {}, {}}).analyze({}), also_empty = DeviceArrays<T>({{0}, {}, {}}).analyze({});
  Solver::update_values(TypeParam(), empty, also_empty, {});
}

TYPED_TEST(Interface, ReportsTheFirstRowThatIsNotFinite) {
  for (const double bad : {double(NAN), HUGE_VAL, -HUGE_VAL}) {
    auto arrays = this->dense_lower();
    arrays.values[3] = bad;
    EXPECT_EQ(this->info_of(arrays).first_nonfinite_row, 2);
    EXPECT_FALSE(this->info_of(arrays, {.check_structure = false}).first_nonfinite_row);
  }
  EXPECT_FALSE(this->info_of(this->dense_lower()).first_nonfinite_row);
}

TYPED_TEST(Interface, CountsLevelsTasksAndBytes) {
  const auto triangle = reference::make_triangle<double>(200, reference::Pattern::Random, Uplo::Lower, 8);
  const auto expected = reference::levels_of(triangle);
  const auto arrays = reference::compress(triangle, {}, 1);
  for (const auto algorithm : {Algorithm::LevelScheduled, Algorithm::SyncFreeRows}) {
    for (const int rows_per_task : {1, 8}) {
      const auto info = this->info_of(arrays, {.algorithm = algorithm, .rows_per_task = rows_per_task});
      EXPECT_EQ(info.algorithm, algorithm);
      EXPECT_EQ(info.levels, *std::max_element(expected.begin(), expected.end()) + 1);
      EXPECT_EQ(info.rows_per_task, rows_per_task);
      EXPECT_EQ(info.tasks, 200 / rows_per_task);
      EXPECT_EQ(info.entries, static_cast<std::int64_t>(arrays.entries.size()));
      const bool is_on_host = std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>;
      const bool is_packed = is_on_host && algorithm == Algorithm::LevelScheduled;
      EXPECT_EQ(info.copies_matrix, is_packed || rows_per_task == 1);
      EXPECT_GT(info.bytes_held, 0u);
      EXPECT_FALSE(info.reason.empty());
    }
  }
}

TYPED_TEST(Interface, SaysHowTheTriangleIsStored) {
  const auto triangle = reference::make_triangle<double>(200, reference::Pattern::Random, Uplo::Lower, 8);
  const auto expected = reference::levels_of(triangle);
  const auto arrays = reference::compress(triangle, {}, 1);
  for (const auto storage : {Storage::Crs, Storage::Hec})
    EXPECT_EQ(this->info_of(arrays, {.algorithm = Algorithm::LevelScheduled, .storage = storage}).storage, storage);
  for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled, Algorithm::Sequential})
    EXPECT_NE(this->info_of(arrays, {.algorithm = algorithm}).storage, Storage::Hec);
  const auto info = this->info_of(arrays, {.storage = Storage::Hec});
  EXPECT_EQ(info.algorithm, Algorithm::LevelScheduled);
  EXPECT_EQ(info.levels, *std::max_element(expected.begin(), expected.end()) + 1);
  EXPECT_EQ(info.task_levels, info.levels);
  EXPECT_EQ(info.tasks, 200);
  EXPECT_EQ(info.entries, static_cast<std::int64_t>(arrays.entries.size()));
  EXPECT_TRUE(info.copies_matrix);
  EXPECT_NE(info.reason.find("ELL part of width"), std::string::npos) << info.reason;
}

TYPED_TEST(Interface, HoldsLittleMemory) {
  const auto triangle = reference::make_triangle<double>(5000, reference::Pattern::Random, Uplo::Lower, 8);
  const reference::Writing columns{{.format = Format::Csc, .algorithm = Algorithm::SyncFreeColumns}};
  const auto arrays = reference::compress(triangle, columns, 1);
  const double input = 12.0 * double(arrays.entries.size()) + 4.0 * double(arrays.row_map.size());
  EXPECT_LE(double(this->info_of(arrays, columns.options).bytes_held), 0.2 * input);
  const auto rows = reference::compress(triangle, {}, 1);
  for (const auto algorithm : {Algorithm::LevelScheduled, Algorithm::SyncFreeRows})
    EXPECT_LE(double(this->info_of(rows, {.algorithm = algorithm, .rows_per_task = 1}).bytes_held), 2.2 * input);
}

TYPED_TEST(Interface, FindsTheLevelSetsOfTheDefinition) {
  using T = typename TestFixture::Tested;
  for (const auto pattern : reference::all_patterns()) {
    for_each_writing([&](const reference::Writing& writing) {
      const auto triangle = reference::make_triangle<double>(77, pattern, writing.options.uplo, 9);
      const auto expected = reference::levels_of(reference::apply_op(triangle, writing.options.op, Diag::NonUnit));
      const DeviceArrays<T> arrays(reference::compress(triangle, writing, 5));
      const auto sets = level_sets<int, int, TypeParam>(TypeParam(), arrays.row_map, arrays.entries, writing.options);
      const auto order = to_host(sets.row_order);
      ASSERT_EQ(sets.levels(), *std::max_element(expected.begin(), expected.end()) + 1) << describe(writing);
      for (int level = 0; level < sets.levels(); ++level)
        for (int place = sets.level_offsets[level]; place < sets.level_offsets[level + 1]; ++place)
          ASSERT_EQ(expected[order[place]], level) << describe(writing) << ", row " << order[place];
    });
  }
}

TYPED_TEST(Interface, EnqueuesLabelledKernelsOnTheCallersInstanceWithoutFenceOrAllocation) {
  using T = typename TestFixture::Tested;
  const auto triangle = reference::make_triangle<double>(300, reference::Pattern::Random, Uplo::Lower, 2);
  const DeviceArrays<T> arrays(reference::compress(triangle, {}, 1));
  const auto instance = Kokkos::Experimental::partition_space(TypeParam(), 1)[0];
  const Kokkos::View<double*, typename T::Device> b("b", 300), x("x", 300);
  for (const auto& options : with_every_algorithm<TypeParam>({})) {
    SCOPED_TRACE(describe({options, true, true}));
    auto solver = typename T::Solver(instance, arrays.row_map, arrays.entries, arrays.values, options);
    for (const Op op : all_ops()) solver.solve(instance, b, x, op);
    instance.fence();
    const RecordedEvents events;
    for (const Op op : all_ops()) solver.solve(instance, b, x, op);
    solver.update_values(instance, arrays.values);
    EXPECT_GE(events.kernels(), 3);
    EXPECT_EQ(events.fences(), std::vector<std::string>());
    EXPECT_EQ(events.allocations(), 0);
    EXPECT_EQ(events.kernels_elsewhere(Kokkos::Tools::Experimental::device_id(instance)), 0);
    EXPECT_EQ(events.unlabelled(), std::vector<std::string>());
  }
}

TYPED_TEST(Interface, LooksAtTheValuesWhenInfoIsFirstAsked) {
  using T = typename TestFixture::Tested;
  const auto triangle = reference::make_triangle<double>(30, reference::Pattern::Random, Uplo::Lower, 2);
  const DeviceArrays<T> arrays(reference::compress(triangle, {}, 1));
  const RecordedEvents events;
  auto solver = arrays.analyze({});
  EXPECT_EQ(events.kernels_named("check_values"), 0);
  solver.info();
  const int looked = events.kernels_named("check_values");
  EXPECT_GE(looked, 1);
  solver.info();
  EXPECT_EQ(events.kernels_named("check_values"), looked);
  solver.update_values(TypeParam(), arrays.values);
  EXPECT_EQ(events.kernels_named("check_values"), looked);
  solver.info();
  EXPECT_EQ(events.kernels_named("check_values"), 2 * looked);
}

TYPED_TEST(Interface, MovesAndWorksFromAFunction) {
  using T = typename TestFixture::Tested;
  const auto triangle = reference::make_triangle<double>(30, reference::Pattern::Random, Uplo::Lower, 2);
  auto make = [&] { return DeviceArrays<T>(reference::compress(triangle, {}, 1)).analyze({}); };
  auto solver = make();
  solver = make();
  SolveCheck<T>(Judged<double>(triangle, Diag::NonUnit), solver).one_vector(Op::None);
}

}  // namespace
}  // namespace terrace::test
