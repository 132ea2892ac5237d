// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which tiles are eliminated. Plain arithmetic on the host: no CUDA here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace terrace::cuda {

/// The tiles of each row of tiles, whose columns ascend; there is one on each diagonal.
struct TileGraph {
  std::vector<int> tile_map;  // groups + 1
  std::vector<int> columns;

  int groups() const { return static_cast<int>(tile_map.size()) - 1; }
  int tiles() const { return static_cast<int>(columns.size()); }
};

/// Where in time tiles stand: tile (I, J) belongs to the step min(I, J), and steps of one level are independent.
struct TileOrder {
  std::vector<int> order;     // by time; none comes before one that it needs
  std::vector<int> rows;      // by tile: its row of tiles
  std::vector<int> diagonal;  // by group: the tile
  int levels = 0;
};

/// Step m needs every earlier step k with a tile (m, k) or (k, m). Within a step the diagonal comes first, and then
/// what is next to it, for which the next steps wait.
inline TileOrder order_tiles(const TileGraph& graph) {
  TileOrder found;
  const int groups = graph.groups();
  found.rows.resize(graph.columns.size());
  found.diagonal.assign(static_cast<std::size_t>(groups), -1);
  std::vector<std::vector<int>> steps(static_cast<std::size_t>(groups));  // tiles of each, ascending in max(I, J)
  for (int row = 0; row < groups; ++row)
    for (int tile = graph.tile_map[row]; tile < graph.tile_map[row + 1]; ++tile) {
      found.rows[tile] = row;
      if (graph.columns[tile] == row) found.diagonal[row] = tile;
      steps[std::min(row, graph.columns[tile])].push_back(tile);
    }
  const auto last_of = [&](int tile) { return std::max(found.rows[tile], graph.columns[tile]); };
  std::vector<int> level(static_cast<std::size_t>(groups), 0);
  for (int step = 0; step < groups; ++step) {
    std::stable_sort(steps[step].begin(), steps[step].end(), [&](int a, int b) { return last_of(a) < last_of(b); });
    for (const int tile : steps[step]) {
      const int last = last_of(tile);
      if (last > step) level[last] = std::max(level[last], level[step] + 1);
    }
    found.levels = std::max(found.levels, level[step] + 1);
  }
  std::vector<int> by_level(static_cast<std::size_t>(groups));
  std::iota(by_level.begin(), by_level.end(), 0);
  std::stable_sort(by_level.begin(), by_level.end(), [&](int a, int b) { return level[a] < level[b]; });
  found.order.reserve(graph.columns.size());
  for (const int step : by_level) found.order.insert(found.order.end(), steps[step].begin(), steps[step].end());
  return found;
}

}  // namespace terrace::cuda
