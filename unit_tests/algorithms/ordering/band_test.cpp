// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/ordering/band.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "reference/symmetric_pattern.hpp"

namespace terrace {
namespace {

using ordering::find_band;
using reference::band_pattern;
using reference::Neighbours;

Neighbours beside(Neighbours first, const Neighbours& second) {
  const auto size = static_cast<int>(first.size());
  for (const auto& row : second) {
    first.emplace_back();
    for (const int v : row) first.back().insert(v + size);
  }
  return first;
}

bool is_band(const Neighbours& neighbours) { return find_band(reference::host_graph(neighbours)).has_value(); }

TEST(FindBand, FindsBandsAndNothingElse) {
  EXPECT_TRUE(is_band(band_pattern(2000, 1)));
  EXPECT_TRUE(is_band(band_pattern(2000, 7)));
  EXPECT_TRUE(is_band(band_pattern(2000, 300)));
  EXPECT_TRUE(is_band(beside(band_pattern(2000, 7), band_pattern(400, 1))));
  EXPECT_TRUE(is_band(beside(band_pattern(2000, 7), Neighbours(3000))));
  EXPECT_TRUE(is_band(beside(band_pattern(2000, 7), reference::grid(10, 10))));
  EXPECT_FALSE(is_band(beside(band_pattern(200, 7), reference::grid(40, 40))));
  EXPECT_FALSE(is_band(reference::grid(40, 40)));
  EXPECT_FALSE(is_band(reference::grid(300, 8)));
  EXPECT_FALSE(is_band(Neighbours(10)));
  EXPECT_FALSE(is_band({}));
  Neighbours star(100);
  for (int v = 1; v < 100; ++v) reference::connect(star, v, 0);
  EXPECT_FALSE(is_band(star));
}

TEST(FindBand, ListsLevelsThatOnlyNeighboursTouch) {
  const auto graph = reference::host_graph(beside(band_pattern(500, 6), band_pattern(90, 1)));
  const auto band = find_band(graph);
  ASSERT_TRUE(band);
  std::vector<int> level_of(590, -1);
  const auto levels = static_cast<int>(band->level_map.size()) - 1;
  EXPECT_EQ(band->part_map, (std::vector<int>{0, levels - 90, levels}));
  for (int level = 0; level < levels; ++level)
    for (int i = band->level_map[level]; i < band->level_map[level + 1]; ++i) level_of[band->vertices[i]] = level;
  for (int v = 0; v < 590; ++v) {
    ASSERT_GE(level_of[v], 0);
    for (std::size_t k = graph.row_map[v]; k < graph.row_map[v + 1]; ++k)
      EXPECT_LE(std::abs(level_of[v] - level_of[graph.entries[k]]), 1);
  }
}

TEST(FindBand, OrdersEachVertexOnce) {
  for (const int width : {1, 5, 40}) {
    const auto graph = reference::host_graph(beside(band_pattern(777, width), band_pattern(33, 1)));
    const auto band = find_band(graph);
    ASSERT_TRUE(band);
    for (const auto& weights : {std::vector<int>{}, std::vector<int>(810, 3), std::vector<int>(810, 20)})
      for (auto order : {ordering::dissect_band(*band, weights), ordering::order_from_both_ends(*band)}) {
        std::sort(order.begin(), order.end());
        std::vector<int> all(810);
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(order, all);
      }
  }
}

TEST(FindBand, GoesFromTheEndsToTheMiddle) {
  const auto band = find_band(reference::host_graph(band_pattern(7, 1)));
  ASSERT_TRUE(band);
  auto order = ordering::order_from_both_ends(*band);
  if (order.front() == 6)
    for (int& v : order) v = 6 - v;
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 6, 5, 4, 3}));
}

}  // namespace
}  // namespace terrace
