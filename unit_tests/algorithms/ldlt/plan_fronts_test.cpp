// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where everything of a factorization lies: no two things that are needed at the same time in the same place.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "algorithms/ldlt/front_plan.hpp"
#include "algorithms/ldlt/locate_entries.hpp"
#include "reference/symmetric_pattern.hpp"
#include "support/stored_pattern.hpp"

namespace terrace {
namespace {

using ldlt::FrontPlan;
using ldlt::FrontTree;
using ldlt::PackedColumns;
using ldlt::PanelOrder;
using reference::Neighbours;

FrontPlan plan_of(const Neighbours& neighbours, reference::Random& random, double amalgamation, PanelOrder panels) {
  const auto compressed = sparse::compress_graph(reference::host_graph(neighbours));
  const auto order = reference::random_order(random, compressed.graph.vertices());
  return ldlt::plan_fronts(
      ldlt::sum_children(ldlt::build_fronts(compressed, order, ldlt::tuned_amalgamation(amalgamation))), 1, panels);
}

TEST(PackedColumns, HoldTheLowerTriangleInBlockColumnsWithoutGapOrOverlap) {
  for (const int rows : {0, 1, 2, 63, 64, 65, 127, 128, 129, 200}) {
    const PackedColumns packed{rows};
    std::map<std::int64_t, std::pair<int, int>> taken;
    for (int column = 0; column < rows; ++column)
      for (int row = column / 64 * 64; row < rows; ++row) {
        const auto [at, is_new] = taken.insert({packed(row, column), {row, column}});
        ASSERT_TRUE(is_new) << row << ", " << column << " lies on " << at->second.first << ", " << at->second.second;
      }
    EXPECT_EQ(packed.size(), static_cast<std::int64_t>(taken.size())) << rows;
    if (rows == 0) continue;
    EXPECT_EQ(taken.begin()->first, 0);
    EXPECT_EQ(taken.rbegin()->first, packed.size() - 1);
    EXPECT_EQ(rows < 2 ? 1 : packed(1, 0) - packed(0, 0), 1) << "columns are contiguous";
    EXPECT_EQ(packed(rows - 1, rows - 1) - packed.block_begin((rows - 1) / 64) + 1,
              packed.leading_dimension((rows - 1) / 64) * packed.leading_dimension((rows - 1) / 64));
  }
}

TEST(PackedColumns, CountBeyond32Bits) {
  const std::int64_t rows = 100000;
  EXPECT_GT(PackedColumns{rows}(rows - 1, rows - 1), std::int64_t(1) << 32);
  EXPECT_LT(PackedColumns{rows}.size(), rows * rows / 2 + 64 * rows);
}

void expect_levels(const FrontPlan& plan) {
  const FrontTree& tree = plan.tree;
  ASSERT_EQ(plan.by_level.size(), tree.parent.size());
  std::vector<int> level_of(tree.parent.size(), -1);
  for (int level = 0; level < plan.levels(); ++level) {
    ASSERT_LT(plan.level_map[level], plan.level_map[level + 1]) << "level " << level << " is empty";
    for (int k = plan.level_map[level]; k < plan.level_map[level + 1]; ++k) {
      ASSERT_EQ(level_of[plan.by_level[k]], -1);
      level_of[plan.by_level[k]] = level;
      if (k > plan.level_map[level]) {
        ASSERT_GE(tree.rows_of(plan.by_level[k - 1]), tree.rows_of(plan.by_level[k]));
      }
    }
  }
  for (int f = 0; f < tree.fronts(); ++f)
    ASSERT_EQ(level_of[f], tree.parent[f] < 0 ? plan.levels() - 1 : level_of[tree.parent[f]] - 1);
}

std::size_t numbers_of_panel(const FrontTree& tree, int f) {
  return static_cast<std::size_t>(tree.rows_of(f)) * static_cast<std::size_t>(tree.columns_of(f));
}

/// Walks the levels as a factorization does: what a level leaves must be whole until the next one has gathered it, and
/// panels, where the memory has them, from their level on.
void expect_to_live(const FrontPlan& plan, const std::vector<std::size_t>& place, std::size_t memory,
                    const std::function<std::size_t(int)>& size_of, bool has_panels) {
  constexpr int nobody = -1, panel = -2;
  std::vector<int> owner(memory, nobody), level_of(plan.by_level.size());
  for (int level = 0; level < plan.levels(); ++level) {
    const auto take = [&](std::size_t first, std::size_t size, int who, int f) {
      ASSERT_LE(first + size, memory);
      for (std::size_t at = first; at < first + size; ++at) {
        const int before = owner[at];
        ASSERT_NE(before, panel) << "front " << f << " overwrites a panel";
        // Blocks of this level, and of the level below, which parents gather while this level is done.
        ASSERT_TRUE(before == nobody || level_of[before] < level - 1) << "front " << f << " overwrites " << before;
        owner[at] = who;
      }
    };
    const auto for_each_front = [&](const auto& visit) {
      for (int k = plan.level_map[level]; k < plan.level_map[level + 1]; ++k) visit(plan.by_level[k]);
    };
    for_each_front([&](int f) {
      level_of[f] = level;
      if (has_panels) take(plan.panel_map[f], numbers_of_panel(plan.tree, f), panel, f);
    });
    for_each_front([&](int f) { take(place[f], size_of(f), f, f); });
  }
}

void expect_contributions_live(const FrontPlan& plan) {
  const auto rows_of = [&](int f) { return plan.tree.contribution_rows_of(f); };
  expect_to_live(
      plan, plan.contribution, plan.panel_numbers() + plan.workspace,
      [&](int f) { return static_cast<std::size_t>(PackedColumns{rows_of(f)}.size()); }, true);
  ASSERT_EQ(plan.update_map.size(), plan.tree.parent.size() + 1);
  expect_to_live(
      plan, plan.update_map, plan.update_map.back(), [&](int f) { return static_cast<std::size_t>(rows_of(f)); },
      false);
}

void expect_places_in_parents(const FrontPlan& plan) {
  const FrontTree& tree = plan.tree;
  for (int f = 0; f < tree.fronts(); ++f)
    for (int k = 0; k < tree.rows_of(f); ++k) {
      const int place = plan.place_in_parent[tree.row_map[f] + static_cast<std::size_t>(k)];
      if (k < tree.columns_of(f) || tree.parent[f] < 0) {
        ASSERT_EQ(place, -1);
      } else {
        ASSERT_EQ(tree.rows_begin(tree.parent[f])[place], tree.rows_begin(f)[k]);
      }
    }
}

void expect_maps(const FrontPlan& plan) {
  const FrontTree& tree = plan.tree;
  ASSERT_EQ(plan.panel_map.size(), tree.parent.size() + 1);
  std::size_t numbers = 0;  // that no two panels share: expect_to_live
  for (int f = 0; f < tree.fronts(); ++f) numbers += numbers_of_panel(tree, f);
  ASSERT_EQ(plan.panel_numbers(), numbers);
}

/// The pattern as a caller stores it: with or without its other triangle, unsorted rows, some diagonals absent.
/// Each stored entry of the triangle that is read once, at its row and column of the front that owns the column.
void expect_entries(FrontPlan plan, const test::StoredPattern& stored) {
  const FrontTree& tree = plan.tree;
  parallel::HostArray<std::size_t> source;
  plan.entries = ldlt::assemble_entries(plan, stored.view(), 1, source);
  const auto& entries = plan.entries;
  const auto located =
      ldlt::locate_entries(Kokkos::Serial(), ldlt::FrontArrays<Kokkos::Serial>(Kokkos::Serial(), plan));
  ASSERT_EQ(entries.map.size(), tree.parent.size() + 1);
  std::set<std::size_t> expected, found;
  for (int row = 0; row + 1 < static_cast<int>(stored.row_map.size()); ++row)
    for (std::size_t k = stored.row_map[row]; k < stored.row_map[row + 1]; ++k)
      if (stored.view().is_read(row, stored.columns[k])) expected.insert(k);
  for (int f = 0; f < tree.fronts(); ++f)
    for (std::size_t e = entries.map[f]; e < entries.map[f + 1]; ++e) {
      ASSERT_GE(entries.target[e], plan.panel_map[f]);
      ASSERT_LT(entries.target[e], plan.panel_map[f] + numbers_of_panel(tree, f));
      const std::size_t local = entries.target[e] - plan.panel_map[f], rows = static_cast<std::size_t>(tree.rows_of(f));
      const int i = tree.rows_begin(f)[local % rows], j = tree.first_column[f] + static_cast<int>(local / rows);
      ASSERT_GE(i, j) << "above the diagonal";
      ASSERT_EQ(located.row[e], i);
      ASSERT_EQ(located.column[e], j);
      const std::size_t k = source[e];
      const auto behind = std::upper_bound(stored.row_map.begin(), stored.row_map.end(), k);
      const int row = static_cast<int>(behind - stored.row_map.begin()) - 1;
      const std::set<int> at{tree.original[i], tree.original[j]}, named{row, stored.columns[k]};
      ASSERT_EQ(at, named);
      ASSERT_TRUE(found.insert(k).second) << "entry " << k << " comes twice";
    }
  EXPECT_EQ(found, expected);
}

void expect_plan(const Neighbours& neighbours, reference::Random& random) {
  for (const double amalgamation : {0.0, 1.0, 3.0})
    for (const PanelOrder panels : {PanelOrder::Fronts, PanelOrder::Levels}) {
      const FrontPlan plan = plan_of(neighbours, random, amalgamation, panels);
      expect_levels(plan);
      expect_contributions_live(plan);
      expect_places_in_parents(plan);
      expect_maps(plan);
      for (const bool lower : {true, false})
        for (const bool is_full : {true, false})
          expect_entries(plan, test::stored_pattern(neighbours, lower, is_full, random));
    }
}

TEST(PlanFronts, FindsAPlaceForEverythingOnRandomPatterns) {
  reference::Random random(1);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const int n = 1 + reference::below(random, 16), edges = reference::below(random, 2 * n + 1);
    expect_plan(round % 2 == 0 ? reference::random_pattern(random, n, edges)
                               : reference::random_pattern_with_copies(random, n / 2 + 1, edges / 2, 3),
                random);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PlanFronts, FindsAPlaceForEverythingOnExtremePatterns) {
  reference::Random random(2);
  for (const auto& [name, neighbours] : reference::extreme_patterns()) {
    SCOPED_TRACE(name);
    expect_plan(neighbours, random);
  }
}

TEST(PlanFronts, FindsAPlaceForContributionBlocksOfSeveralBlockColumns) {
  reference::Random random(3);
  const int groups = 40, size = 5, root = 150;  // leaves whose contribution blocks have some 100 rows
  Neighbours neighbours(static_cast<std::size_t>(groups * size + root));
  for (int v = 0; v < groups * size; ++v) {
    for (int w = v / size * size; w < v; ++w) reference::connect(neighbours, v, w);
    for (int k = 0; k < 60; ++k) reference::connect(neighbours, v, groups * size + reference::below(random, root));
  }
  for (const double amalgamation : {0.0, 1.0}) {
    auto graph = sparse::separate_vertices(reference::host_graph(neighbours));
    const auto natural = reference::natural_order(neighbours.size());
    const auto plan_with = [&](PanelOrder panels) {
      const auto plan =
          ldlt::plan_fronts(ldlt::build_fronts(graph, natural, ldlt::tuned_amalgamation(amalgamation)), 1, panels);
      expect_levels(plan);
      expect_contributions_live(plan);
      expect_places_in_parents(plan);
      return plan;
    };
    const auto by_fronts = plan_with(PanelOrder::Fronts), by_levels = plan_with(PanelOrder::Levels);
    EXPECT_GT(by_fronts.workspace, std::size_t(50000));
    EXPECT_LE(by_levels.workspace, by_fronts.workspace);
  }
}

/// Contribution blocks of a level lie where panels of later ones will.
TEST(PlanFronts, NeedsLessMemoryWherePanelsLieByLevels) {
  reference::Random random(4);
  const int side = 24;
  Neighbours neighbours(side * side);
  for (int v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) reference::connect(neighbours, v, v + 1);
    if (v + side < side * side) reference::connect(neighbours, v, v + side);
  }
  const auto by_fronts = plan_of(neighbours, random, 0, PanelOrder::Fronts);
  const auto by_levels = ldlt::plan_fronts(FrontTree(by_fronts.tree), 1, PanelOrder::Levels);
  expect_contributions_live(by_levels);
  EXPECT_LT(2 * by_levels.workspace, by_fronts.workspace);
}

}  // namespace
}  // namespace terrace
