// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns that are built row by row, transposed, permuted and cut into blocks, against the definition.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "algorithms/triangular/reorder_rows.hpp"
#include "sparse/assign_levels.hpp"
#include "sparse/copy_triangle.hpp"
#include "sparse/extract_blocks.hpp"
#include "sparse/permute.hpp"
#include "sparse/transpose.hpp"
#include "support/device_triangle.hpp"

namespace terrace {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Device = Kokkos::Device<Space, Space::memory_space>;
using Graph = sparse::CrsGraph<int, int, Space>;

/// Row by row, the columns and where each stood in the other pattern.
using Rows = std::vector<std::vector<std::pair<int, int>>>;

Graph on_device(const Rows& rows) {
  std::vector<int> row_map{0}, entries;
  for (const auto& row : rows) {
    for (const auto& [column, source] : row) entries.push_back(column);
    row_map.push_back(static_cast<int>(entries.size()));
  }
  return {test::to_device<int, Device>(row_map), test::to_device<int, Device>(entries), {}};
}

Rows on_host(const Graph& graph) {
  const auto row_map = test::to_host(graph.row_map), entries = test::to_host(graph.entries);
  const bool has_source = graph.source.extent(0) > 0;
  const auto source = has_source ? test::to_host(graph.source) : std::vector<int>(entries.size(), 0);
  Rows rows(static_cast<std::size_t>(graph.rows()));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (int k = row_map[row]; k < row_map[row + 1]; ++k) rows[row].emplace_back(entries[k], source[k]);
  return rows;
}

/// `per_row` columns on average, ascending, numbered in their order; some rows are empty and one is full.
Rows random_rows(int n, double per_row, unsigned seed) {
  std::mt19937 generator(seed);
  std::bernoulli_distribution is_stored(n > 0 ? std::min(1.0, per_row / n) : 0.0);
  Rows rows(static_cast<std::size_t>(n));
  int position = 0;
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; ++column)
      if (row % 7 != 3 && (row == n / 2 || is_stored(generator))) rows[row].emplace_back(column, position++);
  return rows;
}

std::vector<int> shuffled(int n, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) order[k] = k;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

constexpr int sizes[] = {0, 1, 2, 31, 33, 700};

TEST(SparseGraphs, TransposeListsTheRowsOfEachColumn) {
  for (const int n : sizes) {
    const Rows rows = random_rows(n, 4, 1);
    Rows expected(rows.size());
    for (int row = 0; row < n; ++row)
      for (const auto& [column, position] : rows[row]) expected[column].emplace_back(row, position);
    const Graph from = on_device(rows);
    parallel::ScratchArrays<Space> scratch;
    const Graph to = sparse::transpose<int, int>(Space(), from.view(), n, scratch, sparse::Sources::Keep);
    sparse::sort_rows(Space(), to);
    EXPECT_EQ(on_host(to), expected) << n;
  }
}

TEST(SparseGraphs, PermuteRenumbersRowsAndColumns) {
  for (const int n : sizes) {
    const Rows rows = random_rows(n, 5, 2);
    const auto original = shuffled(n, 3);
    std::vector<int> renumbered(original.size());
    for (int k = 0; k < n; ++k) renumbered[original[k]] = k;
    Rows expected(rows.size());
    for (int row = 0; row < n; ++row) {
      for (const auto& [column, position] : rows[original[row]])
        expected[row].emplace_back(renumbered[column], position);
      std::sort(expected[row].begin(), expected[row].end());
    }
    const Graph from = on_device(rows);
    EXPECT_EQ(on_host(sparse::permute<int, int, Space>(Space(), from.view(), nullptr,
                                                       test::to_device<int, Device>(original))),
              expected)
        << n;
  }
}

/// Takes entries as devices do, some at a time and in another order, on the host.
template <class Kernel>
void walk_backward_by_entries(int items, const Kernel& kernel) {
  for (int item = items - 1; item >= 0; --item) {
    kernel.finish(item);
    for (int k = kernel.end(item) - 1; k >= kernel.begin(item); --k) kernel.entry(item, k);
  }
}

TEST(SparseGraphs, EntriesGoWhereWholeItemsPutThem) {
  const std::vector<int> row_map{0, 1, 3, 3, 6}, entries{0, 0, 1, 0, 2, 3}, order{3, 0, 1};
  const std::vector<int> diagonal_last{0, 1, 3, 4, 7}, lower{0, 0, 1, 2, 0, 2, 3};
  const auto check = [](int items, const auto& visit) {
    using Visit = std::remove_cvref_t<decltype(visit)>;
    std::vector<int> lengths[2];
    for (auto& of_kernel : lengths) of_kernel.assign(4, 0);
    const sparse::CountEntries<Visit, int, int> count{{visit}, lengths[0].data()}, other{{visit}, lengths[1].data()};
    for (int item = 0; item < items; ++item) count(item);
    if (!sparse::GivesOwnRow<Visit>) {
      walk_backward_by_entries(items, other);
      EXPECT_EQ(lengths[1], lengths[0]);
    }
    std::vector<int> map{0};
    for (const int length : lengths[0]) map.push_back(map.back() + length);
    std::vector<std::multiset<std::pair<int, int>>> rows[2];
    std::vector<int> columns[2];
    for (const int way : {0, 1}) {
      std::vector<int> next(map.begin(), map.end() - 1), source(map.back(), -1);
      columns[way].assign(map.back(), -1);
      const sparse::FillEntries<Visit, int, int> fill{
          {visit}, map.data(), next.data(), {columns[way].data(), source.data()}};
      if (way == 0)
        for (int item = 0; item < items; ++item) fill(item);
      else walk_backward_by_entries(items, fill);
      for (int row = 0; row < 4; ++row) {
        rows[way].emplace_back();
        for (int k = map[row]; k < map[row + 1]; ++k) rows[way].back().emplace(columns[way][k], source[k]);
      }
    }
    EXPECT_EQ(rows[1], rows[0]);
    if (sparse::GivesOwnRow<Visit>) {
      EXPECT_EQ(columns[1], columns[0]);
    }
  };
  const sparse::GraphView<int, int> graph{4, row_map.data(), entries.data()};
  check(4, sparse::VisitTransposed<sparse::GraphView<int, int>, int, int>{graph});
  check(3, sparse::VisitPermuted<int, int>{graph, nullptr, order.data(), order.data()});
  sparse::TriangleView<int, int> triangle;
  triangle.rows = 4;
  triangle.row_map = diagonal_last.data();
  triangle.entries = lower.data();
  triangle.skip_back = 1;
  for (const bool diagonal : {false, true}) {
    check(4, sparse::VisitTransposedTriangle<int, int>{triangle, diagonal});
    check(3, triangular::VisitReordered<int, int>{triangle, order.data(), nullptr, diagonal});
  }
}

TEST(SparseGraphs, BlocksMayOverlapAndLeaveRowsOut) {
  const int n = 200;
  const Rows rows = random_rows(n, 9, 4);
  std::vector<int> list_map{0}, original, list_of;
  std::mt19937 generator(5);
  for (int list = 0; list < 9; ++list) {
    for (int row = 0; row < n; ++row)
      if (list != 4 && (list == 8 ? row % 40 == 20 : generator() % 3 == 0)) {  // 4 is empty, 8 short, with the full row
        original.push_back(row);
        list_of.push_back(list);
      }
    list_map.push_back(static_cast<int>(original.size()));
  }
  Rows expected(original.size());
  for (std::size_t p = 0; p < original.size(); ++p) {
    std::map<int, int> place;
    for (int q = list_map[list_of[p]]; q < list_map[list_of[p] + 1]; ++q) place[original[q]] = q;
    for (const auto& [column, position] : rows[original[p]])
      if (place.contains(column)) expected[p].emplace_back(place[column], position);
  }
  const Graph from = on_device(rows);
  const sparse::RowLists<int, Space> lists{test::to_device<int, Device>(list_map),
                                           test::to_device<int, Device>(original),
                                           test::to_device<int, Device>(list_of)};
  EXPECT_EQ(on_host(sparse::extract_blocks<int, int, Space>(Space(), from.view(), lists, true)), expected);
  if constexpr (parallel::is_host_space<Space>) {
    std::int64_t entries = 0;
    const auto graph = sparse::extract_blocks_by_list<int, int, Space>(
        Space(), from.view(), from.entries.extent(0), lists, true, [&](std::int64_t found) { entries = found; });
    EXPECT_EQ(on_host(graph), expected);
    EXPECT_EQ(entries, static_cast<std::int64_t>(graph.entries.extent(0)));
  }
}

TEST(SparseGraphs, WorkersForListsHaveNoMoreMemoryThanTheMatrix) {
  EXPECT_EQ(sparse::workers_for_lists(0, 8, 10, 70), 1);
  EXPECT_EQ(sparse::workers_for_lists(3, 8, 10, 70), 3);
  EXPECT_EQ(sparse::workers_for_lists(100, 8, 10, 70), 8);
  EXPECT_EQ(sparse::workers_for_lists(100, 64, 10, 70), 32);
  EXPECT_EQ(sparse::workers_for_lists(100, 64, 0, 0), 1);
}

TEST(SparseGraphs, SortsRowsOfEveryLength) {
  std::vector<int> row_map{0}, entries, source;
  for (const int length : {0, 1, 2, 32, 33, 511, 513, 5000}) {
    const auto columns = shuffled(length, static_cast<unsigned>(length));
    for (const int column : columns) {
      entries.push_back(column);
      source.push_back(1000 * column + length);
    }
    row_map.push_back(static_cast<int>(entries.size()));
  }
  const Graph graph{test::to_device<int, Device>(row_map), test::to_device<int, Device>(entries),
                    test::to_device<int, Device>(source)};
  sparse::sort_rows(Space(), graph);
  for (const auto& row : on_host(graph))
    for (std::size_t k = 0; k < row.size(); ++k)
      EXPECT_EQ(row[k], std::pair(static_cast<int>(k), 1000 * static_cast<int>(k) + static_cast<int>(row.size())));
}

TEST(SparseGraphs, LevelsOfAnyDependenceGraph) {
  for (const int n : {1, 40, 600}) {
    Rows needs = random_rows(n, 3, 6);
    for (int row = 0; row < n; ++row) std::erase_if(needs[row], [&](const auto& entry) { return entry.first >= row; });
    std::vector<int> level(static_cast<std::size_t>(n), 0);
    for (int row = 0; row < n; ++row)
      for (const auto& [needed, position] : needs[row]) level[row] = std::max(level[row], level[needed] + 1);
    const Graph graph = on_device(needs);
    const auto found = sparse::assign_levels<int, int, Space>(Space(), graph.view(), n, true, false);
    EXPECT_EQ(test::to_host(found.level.view()), level) << n;
    const auto peeled = sparse::peel_levels<int, int, Space>(Space(), graph.view(), n, true);
    EXPECT_EQ(test::to_host(peeled.level.view()), level) << n;
    parallel::ScratchArrays<Space> scratch;
    const Graph dependents = sparse::transpose<int, int>(Space(), graph.view(), n, scratch);
    const auto from_dependents = sparse::peel_levels<int, int, Space>(Space(), dependents.view(), n, false);
    EXPECT_EQ(test::to_host(from_dependents.level.view()), level) << n;
  }
}

/// Nodes that thousands need, alone on their level, among few and among thousands of nodes that nobody needs.
TEST(SparseGraphs, LevelsBehindHubs) {
  Rows needs;
  int first = 0, position = 0;
  for (const int width : {1, 1500, 1, 300, 5000, 40, 3000, 2}) {
    const int begin = static_cast<int>(needs.size());
    for (int node = 0; node < width; ++node) {
      needs.emplace_back();
      for (int hub = first; hub < begin && hub < first + 3; ++hub) needs.back().emplace_back(hub, position++);
    }
    first = begin;
  }
  const auto n = static_cast<int>(needs.size());
  std::vector<int> level(needs.size(), 0);
  for (int row = 0; row < n; ++row)
    for (const auto& [needed, at] : needs[row]) level[row] = std::max(level[row], level[needed] + 1);
  ASSERT_EQ(level.back(), 7);
  const Graph graph = on_device(needs);
  const auto peeled = sparse::peel_levels<int, int, Space>(Space(), graph.view(), n, true);
  EXPECT_EQ(peeled.levels, 8);
  EXPECT_EQ(test::to_host(peeled.level.view()), level);
}

}  // namespace
}  // namespace terrace
