// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inside of ILUT where memory is short: tables that several columns share, rows that do not fit, stores that are
// full.
#include "algorithms/incomplete/threshold/run_elimination.hpp"

#include "algorithms/incomplete/threshold/claim_runs.hpp"
#include "algorithms/incomplete/threshold/rows_on_host.hpp"
#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using RunOfRows = incomplete::ThresholdRun<double, int, int, Space>;
using Row = incomplete::WorkingRow<double, int>;

/// Memory for one row.
struct SmallRow {
  int bits;
  std::vector<int> columns;
  std::vector<unsigned> occupied, selected;
  std::vector<double> values, sizes;

  SmallRow(int table_bits, unsigned capacity)
      : bits(table_bits),
        columns(std::size_t(1) << bits, Row::empty),
        occupied(capacity),
        selected(capacity),
        values(columns.size()),
        sizes(columns.size()) {}
  Row row() {
    const auto capacity = static_cast<unsigned>(selected.size());
    return {columns.data(), values.data(), sizes.data(), occupied.data(), selected.data(), capacity, bits};
  }
};

TEST(WorkingRow, GivesEachColumnItsPlaceHoweverFewThereAre) {
  SmallRow memory(5, 16);
  Row row = memory.row();
  std::mt19937 generator(3);
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::map<int, unsigned> expected;
    while (expected.size() < 16) {
      const int column = static_cast<int>(generator() % 2000000000u);
      const unsigned place = row.place_of(column);
      EXPECT_EQ(expected.emplace(column, place).first->second, place);
      EXPECT_EQ(row.count, expected.size());
      EXPECT_EQ(row.columns[place], column);
    }
    EXPECT_EQ(row.place_of(2000000001), Row::nowhere);
    for (const auto& [column, place] : expected) EXPECT_EQ(row.place_of(column), place);
    row.clear();
    EXPECT_EQ(std::count(memory.columns.begin(), memory.columns.end(), Row::empty), 32);
  }
}

TEST(WorkingRow, ATableAsLongAsTheMatrixHasAPlaceForEachColumn) {
  SmallRow memory(4, 16);
  Row row = memory.row();
  for (int column = 15; column >= 0; --column) EXPECT_EQ(row.place_of(column), static_cast<unsigned>(column));
}

TEST(SelectLargest, OfEqualSizesTheSmallerColumnComesFirst) {
  SmallRow memory(4, 6);
  Row row = memory.row();
  for (const auto& [column, size] : {std::pair(9, 2.0), {4, 1.0}, {7, HUGE_VAL}, {8, 3.0}, {3, 2.0}, {5, 2.0}})
    row.sizes[row.place_of(column)] = size;
  const auto columns_of = [&](unsigned most) {
    std::copy(memory.occupied.begin(), memory.occupied.end(), memory.selected.begin());
    const unsigned kept = incomplete::select_largest(row, memory.selected.data(), 6, most);
    std::vector<int> columns;
    for (unsigned k = 0; k < kept; ++k) columns.push_back(row.columns[memory.selected[k]]);
    return columns;
  };
  EXPECT_EQ(columns_of(0), std::vector<int>());
  EXPECT_EQ(columns_of(1), (std::vector<int>{7}));
  EXPECT_EQ(columns_of(3), (std::vector<int>{3, 7, 8}));
  EXPECT_EQ(columns_of(4), (std::vector<int>{3, 5, 7, 8}));
  EXPECT_EQ(columns_of(9), (std::vector<int>{3, 4, 5, 7, 8, 9}));
}

TEST(SortItems, SortsFewAndMany) {
  std::mt19937 generator(5);
  for (const unsigned count : {0u, 1u, 2u, 24u, 25u, 200u}) {
    std::vector<unsigned> items(count);
    for (auto& item : items) item = static_cast<unsigned>(generator() % 50);
    incomplete::sort_items(items.data(), count, incomplete::Ascending());
    EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
  }
}

/// All of an elimination but its memory.
RunOfRows::Elimination elimination_of(const DeviceArrays<Combination<double, int, Space>>& arrays, int* diagnostics) {
  RunOfRows::Elimination elimination{};
  elimination.pattern = {static_cast<int>(arrays.row_map.extent(0)) - 1, arrays.row_map.data(), arrays.entries.data()};
  elimination.matrix = {arrays.values.data(), nullptr, arrays.entries.data(), nullptr, nullptr, false, false};
  elimination.pivots = {1e-16, false, false, diagnostics};
  elimination.fill = 20;
  elimination.drop_tolerance = 1e-4;
  elimination.diagonal_factor = 1;
  return elimination;
}

std::vector<std::map<int, double>> rows_in(const incomplete::FinishedRows<double, int, int>& rows, int count) {
  std::vector<std::map<int, double>> found(static_cast<std::size_t>(count));
  for (int row = 0; row < count; ++row)
    for (int p = rows.begin[row]; p < rows.end[row]; ++p) found[row][rows.entries[p]] = rows.values[p];
  return found;
}

/// With tables of 2^bits places, a store of that capacity, and working rows in so many bytes.
std::vector<std::map<int, double>> factor_of(const reference::GeneralMatrix<double>& matrix, int bits,
                                             std::size_t capacity, std::size_t bytes = incomplete::WorkBudget::most,
                                             const std::vector<int>& run_map = {}) {
  using T = Combination<double, int, Space>;
  const int n = matrix.size();
  const DeviceArrays<T> arrays(reference::compress(matrix));
  const Kokkos::View<int*, T::Device> diagnostics("diagnostics", incomplete::PivotDiagnostics);
  auto elimination = elimination_of(arrays, diagnostics.data());
  elimination.finished.run_map = run_map.empty() ? nullptr : run_map.data();
  elimination.finished.runs = static_cast<int>(run_map.size()) - 1;
  RunOfRows::Store store(Space(), n, capacity);
  incomplete::WorkMemory<double, int, Space> work(Space(), n, bits, bytes);
  EXPECT_GT(RunOfRows(Space(), store, work).run(elimination), 0);
  return rows_in(store.for_kernels(), n);
}

TEST(ThresholdRun, ReachesTheSameFactorFromHardlyAnyRoom) {
  const auto matrix = reference::random_matrix<double>(300, 4, 11);
  const auto expected = factor_of(matrix, 16, 100000);
  for (const int bits : {2, 4, 6})
    for (const std::size_t capacity : {1u, 50u, 100000u}) EXPECT_EQ(factor_of(matrix, bits, capacity), expected);
}

TEST(ThresholdRun, RowsClaimedTogetherHaveTheSameBits) {
  const auto matrix = reference::poisson<double>(20, 15);
  const auto expected = factor_of(matrix, 16, 100000);
  for (const std::vector<int>& run_map :
       {std::vector<int>{0, 300}, {0, 20, 40, 60, 61, 62, 100, 290, 300}, {0, 1, 299, 300}}) {
    EXPECT_EQ(factor_of(matrix, 16, 100000, incomplete::WorkBudget::most, run_map), expected);
    EXPECT_EQ(factor_of(matrix, 3, 10, incomplete::WorkBudget::most, run_map), expected);  // which begins anew
  }
}

TEST(RowsOnHost, HaveTheSameBitsHoweverManyAreEliminatedAtATime) {
  const auto matrix = reference::random_matrix<double>(300, 4, 11);
  const DeviceArrays<Combination<double, int, Space>> arrays(reference::compress(matrix));
  const auto expected = factor_of(matrix, 16, 100000);
  std::int64_t dropped = 0;
  for (const int portion : {1, 7, 299, 300, 1000})
    for (const std::size_t capacity : {1u, 100000u}) {  // or the store grows
      incomplete::RowsOnHost<double, int, int> rows(elimination_of(arrays, nullptr), capacity);
      int portions = 0;
      for (; !rows.are_all_finished(); ++portions) rows.eliminate(portion);
      EXPECT_EQ(portions, (300 + portion - 1) / portion);
      EXPECT_EQ(rows_in(rows.finished(), 300), expected);
      EXPECT_GE(rows.entries(), static_cast<std::size_t>(rows.finished().end[299]));
      EXPECT_GT(rows.dropped(), 0);
      if (dropped == 0) dropped = rows.dropped();
      EXPECT_EQ(rows.dropped(), dropped);
      EXPECT_EQ(rows.diagnostics()[incomplete::ZeroPivot], 300);  // none
    }
}

TEST(RowsOnHost, NameTheirFirstBadPivot) {
  auto matrix = reference::poisson<double>(20, 15);
  for (const int row : {40, 200}) matrix.rows[row] = {{row, 0.0}};
  const DeviceArrays<Combination<double, int, Space>> arrays(reference::compress(matrix));
  incomplete::RowsOnHost<double, int, int> rows(elimination_of(arrays, nullptr), 1000);
  while (!rows.are_all_finished()) rows.eliminate(50);
  EXPECT_EQ(rows.diagnostics()[incomplete::ZeroPivot], 40);
}

/// A store takes rows that were made elsewhere, however large it is.
TEST(RowStore, TakesRowsFromAHost) {
  const auto matrix = reference::random_matrix<double>(300, 4, 11);
  const DeviceArrays<Combination<double, int, Space>> arrays(reference::compress(matrix));
  incomplete::RowsOnHost<double, int, int> rows(elimination_of(arrays, nullptr), 1000);
  rows.eliminate(300);
  for (const std::size_t capacity : {1u, 100000u}) {
    RunOfRows::Store store(Space(), 300, capacity);
    store.take_from_host(Space(), rows.finished(), rows.entries());
    Space().fence();
    EXPECT_EQ(rows_in(store.for_kernels(), 300), rows_in(rows.finished(), 300));
  }
}

std::vector<int> claim_runs_of(const reference::GeneralMatrix<double>& matrix) {
  using T = Combination<double, int, Space>;
  const DeviceArrays<T> arrays(reference::compress(matrix));
  const sparse::CrsGraph<int, int, Space> rows{arrays.row_map, arrays.entries, {}};
  return to_host(incomplete::find_claim_runs(Space(), incomplete::merged_rows(Space(), rows)));
}

TEST(ClaimRuns, AreTheLinesOfAGridWhereThereAreThreads) {
  const int lines = incomplete::RunTuning::runs_of_thread * Space().concurrency();
  std::vector<int> expected;
  for (int line = 0; Space().concurrency() > 1 && line <= lines; ++line) expected.push_back(30 * line);
  EXPECT_EQ(claim_runs_of(reference::poisson<double>(30, lines)), expected);
}

std::vector<int> claims_of_threads(const reference::GeneralMatrix<double>& matrix, std::size_t threads) {
  using T = Combination<double, int, Space>;
  const DeviceArrays<T> arrays(reference::compress(matrix));
  const sparse::CrsGraph<int, int, Space> rows{arrays.row_map, arrays.entries, {}};
  return incomplete::choose_claims(incomplete::merged_rows(Space(), rows).view(), arrays.entries.extent(0), threads);
}

TEST(ClaimRuns, AreTheChainsThatNoTwoThreadsCanShare) {
  EXPECT_EQ(claims_of_threads(reference::poisson<double>(1000, 1), 2), (std::vector<int>{0}));
  EXPECT_EQ(claims_of_threads(reference::poisson<double>(500, 2), 7), (std::vector<int>{0, 500}));
}

/// A chain of every third row, each with two more rows behind it.
TEST(ClaimRuns, GoOnWhereShortRowsNeedOneOfThoseJustBefore) {
  const auto comb = reference::symmetric_links(600, 3, [](int row, std::mt19937&) {
    return row % 3 == 0 ? std::vector<int>{row - 3} : std::vector<int>{row - 1};
  });
  EXPECT_EQ(claims_of_threads(comb, 2), (std::vector<int>{0}));
}

TEST(ClaimRuns, AreNoneWhereRowsTakeLongOrNeedOthersOrAreFew) {
  EXPECT_TRUE(claims_of_threads(reference::full_band(400, 20), 2).empty());
  EXPECT_TRUE(claims_of_threads(reference::poisson<double>(5, 400), 2).empty());
  EXPECT_TRUE(claims_of_threads(reference::GeneralMatrix<double>(9), 2).empty());
  EXPECT_TRUE(claims_of_threads(reference::GeneralMatrix<double>(0), 2).empty());
}

TEST(ClaimRuns, AreNoneForOneThread) { EXPECT_TRUE(claims_of_threads(reference::poisson<double>(30, 30), 1).empty()); }

TEST(AffordableWorkers, AreAsManyAsTheMemoryHasRoomForButOneAtLeast) {
  using incomplete::affordable_workers;
  EXPECT_EQ(affordable_workers(2048, 1 << 10, std::size_t(1) << 30), 2048u);
  EXPECT_EQ(affordable_workers(2048, std::size_t(1) << 24, std::size_t(1) << 30), 64u);
  EXPECT_EQ(affordable_workers(2048, std::size_t(1) << 40, std::size_t(1) << 30), 1u);
  EXPECT_EQ(affordable_workers(1, std::size_t(1) << 40, 0), 1u);
  EXPECT_EQ(affordable_workers(7, 0, 1), 1u);
}

/// Working rows of 1.6 MB at first, and of 6.8 MB when a row did not fit.
TEST(WorkMemory, HasFewerWorkersWhereTheirRowsBecomeLong) {
  incomplete::WorkMemory<double, int, Space> work(Space(), 200000, 16, 8000000);
  EXPECT_EQ(work.workers(), std::min(static_cast<unsigned>(Space().concurrency()), 5u));
  work.grow(Space());
  EXPECT_EQ(work.workers(), 1u);
  EXPECT_EQ(work.for_kernels().capacity, 200000u);
}

/// Throws at each allocation of columns of more than a megabyte and a half.
class ShortMemory {
 public:
  ShortMemory() { Kokkos::Tools::Experimental::set_allocate_data_callback(allocate); }
  ~ShortMemory() { Kokkos::Tools::Experimental::set_callbacks({}); }
  ShortMemory(const ShortMemory&) = delete;
  ShortMemory& operator=(const ShortMemory&) = delete;

 private:
  static void allocate(const Kokkos_Profiling_SpaceHandle, const char* label, const void* memory,
                       const std::uint64_t bytes) {
    if (std::string(label) != "terrace::incomplete::columns" || bytes < 1500000) return;
    Kokkos::HostSpace().deallocate(const_cast<void*>(memory), bytes);
    throw std::bad_alloc();
  }
};

TEST(WorkMemory, HasFewerWorkersWhereTheMemoryCannotBeHad) {
  if (Space().concurrency() < 2) GTEST_SKIP() << "one thread has one worker";
  incomplete::WorkMemory<double, int, Space> work(Space(), 200000, 16);
  EXPECT_GT(work.workers(), 1u);
  const ShortMemory until_the_end;
  work.grow(Space());
  EXPECT_EQ(work.workers(), 1u);
}

TEST(WorkMemory, SaysSoWhenThereIsNoMemoryForOneWorker) {
  incomplete::WorkMemory<double, int, Space> work(Space(), 2000000, 16);
  work.grow(Space());
  const ShortMemory until_the_end;
  try {
    work.grow(Space());
    FAIL() << "there is no memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
  }
}

TEST(ThresholdRun, OneWorkerReachesTheFactorOfAll) {
  const auto matrix = reference::random_matrix<double>(300, 4, 12);
  EXPECT_EQ(factor_of(matrix, 16, 100000, 1), factor_of(matrix, 16, 100000, incomplete::WorkBudget::most));
}

TEST(RowStore, SaysWhenNoOffsetCouldCountMore) {
  using Store = incomplete::RowStore<char, int, signed char, Space>;
  Store store(Space(), 1, 40);
  for (const std::size_t capacity : {80u, 127u}) {
    store.grow(Space());
    EXPECT_EQ(store.capacity(), capacity);
  }
  EXPECT_THROW(store.grow(Space()), Error);
}

}  // namespace
}  // namespace terrace::test
