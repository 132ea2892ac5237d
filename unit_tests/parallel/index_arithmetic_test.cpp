// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows whose entries lie beyond 2^31: the kernels run on the far end of arrays that exist only as address space.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "algorithms/tasks/cut_tasks.hpp"
#include "algorithms/triangular/reorder_rows.hpp"
#include "algorithms/triangular/solve_sequentially.hpp"
#include "parallel/index_arithmetic.hpp"
#include "sparse/copy_triangle.hpp"

namespace terrace {
namespace {

using Host = Kokkos::Serial;
constexpr std::size_t beyond = (std::size_t(1) << 31) + 12345;

/// Address space for `count` elements, of which only the touched pages become memory.
template <class T>
class Reserved {
 public:
  explicit Reserved(std::size_t count) : bytes_(count * sizeof(T)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Reserved() {
    if (exists()) munmap(memory_, bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  bool exists() const { return memory_ != MAP_FAILED; }
  T* data() { return static_cast<T*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

/// The bidiagonal matrix with 2 on the diagonal and -1 below it, stored from entry `beyond` on.
class BeyondTwoBillion : public ::testing::Test {
 protected:
  static constexpr int n = 100;
  Reserved<int> entries{beyond + 2 * std::size_t{n}};
  Reserved<float> values{beyond + 2 * std::size_t{n}};
  std::vector<std::size_t> row_map;

  void SetUp() override {
    if (!entries.exists() || !values.exists()) GTEST_SKIP() << "this system does not hand out unbacked address space";
    std::size_t position = beyond;
    for (int row = 0; row < n; ++row) {
      row_map.push_back(position);
      if (row > 0) put(position++, row - 1, -1.0f);
      put(position++, row, 2.0f);
    }
    row_map.push_back(position);
  }

  void put(std::size_t position, int column, float value) {
    entries.data()[position] = column;
    values.data()[position] = value;
  }

  sparse::TriangleView<int, std::size_t> pattern(std::size_t skip_back) {
    sparse::TriangleView<int, std::size_t> pattern;
    pattern.rows = n;
    pattern.row_map = row_map.data();
    pattern.entries = entries.data();
    pattern.skip_back = skip_back;
    return pattern;
  }
};

TEST_F(BeyondTwoBillion, SolvesThere) {
  Kokkos::View<float*, Host> b("b", n), x("x", n);
  Kokkos::deep_copy(b, 1.0f);
  const detail::MultiVector<const float, Host> b_vectors(b);
  const detail::MultiVector<float, Host> x_vectors(x);
  const triangular::System<float, int, std::size_t, true> system{pattern(1),
                                                                 values.data(),
                                                                 triangular::Vectors<const float, true>(b_vectors),
                                                                 triangular::Vectors<float, true>(x_vectors),
                                                                 1,
                                                                 false,
                                                                 false};
  triangular::solve_sequentially(Host(), system, true, false);
  float expected = 0.0f;
  for (int row = 0; row < n; ++row) EXPECT_FLOAT_EQ(x(row), expected = (1.0f + expected) / 2.0f);
}

TEST_F(BeyondTwoBillion, CopiesAndReordersFromThere) {
  for (const bool transpose : {false, true}) {
    const sparse::GraphView<int, std::size_t> whole{n, row_map.data(), entries.data()};
    const auto triangle = sparse::copy_triangle<int, std::size_t, Host>(Host(), whole, {}, transpose);
    ASSERT_EQ(triangle.row_map(n), static_cast<std::size_t>(2 * n - 1));
    const int row = transpose ? 41 : 42;  // holds the entry of row 42, column 41
    const auto at = triangle.view().begin(row);
    EXPECT_EQ(triangle.entries(at), transpose ? 42 : 41);
    EXPECT_EQ(triangle.source(at), row_map[42]);
    EXPECT_GT(triangle.source(at), std::size_t(1) << 31);
  }
}

constexpr int most = std::numeric_limits<int>::max();

/// One row that ends with the last entry that an int can name.
struct LastRow {
  static constexpr int first = most - 300, last = most;
  std::vector<int>* visited;

  int begin(int) const { return first; }
  int end(int) const { return last; }
  void finish(int) const {}
  void entry(int, int k) const {
    if (k < first || k >= last) throw std::out_of_range("an entry that the row does not have");
    visited->push_back(k);
  }
};

std::vector<int> entries_of_last_line() {
  std::vector<int> entries;
  for (int k = LastRow::first; k < LastRow::last; ++k) entries.push_back(k);
  return entries;
}

TEST(LargestNumbers, LanesVisitEachEntryOfTheLastRowOnce) {
  for (const int log2_lanes : {0, 3, 5}) {
    std::vector<int> visited;
    int has_long_rows = 0;
    const sparse::WalkByLanes<int, LastRow> walk{{&visited}, log2_lanes, &has_long_rows};
    for (std::size_t thread = 0; thread < std::size_t(1) << log2_lanes; ++thread) walk(thread);
    std::sort(visited.begin(), visited.end());
    if (log2_lanes == 5) EXPECT_EQ(visited, entries_of_last_line());
    else EXPECT_EQ(has_long_rows, 1);
  }
}

TEST(LargestNumbers, ALaneLooksAheadOfTheLastEntry) {
  constexpr int lanes = 32, at_once = 4;
  std::vector<int> visited;
  for (int lane = 0; lane < lanes; ++lane) {
    auto entries = parallel::EntriesLeft<int>::of_row(LastRow::first, LastRow::last);
    for (entries.advance(lane); entries.any(); entries.advance(at_once * lanes))
      for (int w = 0; w < at_once; ++w)
        if (entries.has(w * lanes)) LastRow{&visited}.entry(0, entries.place(w * lanes));
  }
  std::sort(visited.begin(), visited.end());
  EXPECT_EQ(visited, entries_of_last_line());
}

TEST(LargestNumbers, AreRoundedUp) {
  EXPECT_EQ(parallel::divide_up(0, 7), 0);
  EXPECT_EQ(parallel::divide_up(14, 7), 2);
  EXPECT_EQ(parallel::divide_up(15, 7), 3);
  EXPECT_EQ(parallel::divide_up(most, 2), 1 << 30);
  EXPECT_EQ(parallel::divide_up(most, most), 1);
}

TEST(LargestNumbers, TasksHoldNoMoreRowsThanThereAre) {
  using Length = tasks::TaskLength<int>;
  EXPECT_EQ(Length::pieces_of(most - 1, 64).most, 64);
  EXPECT_EQ(Length::whole(1 << 29, 8).most, most);
  EXPECT_EQ(Length::whole(1000, 8).most, 8000);
}

/// Of a heap of 2^31 - 1 entries: what stands in its second half has no children.
TEST(LargestNumbers, LeavesOfTheLargestHeapStayWhereTheyAre) {
  Reserved<int> memory(most);
  if (!memory.exists()) GTEST_SKIP() << "this system does not hand out unbacked address space";
  const Kokkos::View<int*, parallel::Device<Host>> entries(memory.data(), most);
  const sparse::SortRows<int, int, Host> sort{{}, entries, {}, most};
  entries(most - 1) = 7;
  for (const int leaf : {most / 2, most - 1}) sort.sift_down(0, leaf, most);
  EXPECT_EQ(entries(most - 1), 7);
}

}  // namespace
}  // namespace terrace
