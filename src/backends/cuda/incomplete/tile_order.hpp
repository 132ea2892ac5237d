// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How rows are grouped to tiles, and in which order tiles are eliminated. Plain arithmetic on the host: no CUDA here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace terrace::cuda {

/// Rows, and columns, of a tile at most: a warp's lanes.
inline constexpr int tile_width = 32;

/// The first row of each group, and the number of rows. `begins[row]`: the row does not go on with the columns of the
/// one before. A run of rows that do is divided into groups of nearly equal size, as few as can be.
inline std::vector<int> group_rows(const std::vector<unsigned char>& begins) {
  const auto rows = static_cast<int>(begins.size());
  std::vector<int> group_map;
  for (int first = 0, last = 0; first < rows; first = last) {
    for (last = first + 1; last < rows && begins[last] == 0;) ++last;
    const int length = last - first, groups = (length + tile_width - 1) / tile_width;
    for (int group = 0; group < groups; ++group)
      group_map.push_back(first + static_cast<int>(static_cast<long long>(length) * group / groups));
  }
  group_map.push_back(rows);
  return group_map;
}

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
