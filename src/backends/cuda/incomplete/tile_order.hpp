// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which tiles are eliminated. Plain arithmetic on the host: no CUDA here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace terrace::cuda::incomplete {

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
class OrderTiles {
 public:
  explicit OrderTiles(const TileGraph& graph) : graph_(graph) {
    find_rows();
    list_below();
  }

  TileOrder order() {
    const auto groups = static_cast<std::size_t>(graph_.groups());
    std::vector<int> level(groups, 0), steps;  // all tiles, step by step
    std::vector<int> step_map{0};
    steps.reserve(graph_.columns.size());
    for (int step = 0; step < graph_.groups(); ++step) {
      for_tiles_of_step(step, [&](int tile, int last) {
        steps.push_back(tile);
        if (last > step) level[last] = std::max(level[last], level[step] + 1);
      });
      step_map.push_back(static_cast<int>(steps.size()));
      found_.levels = std::max(found_.levels, level[step] + 1);
    }
    found_.order.reserve(steps.size());
    for (const int step : by_level(level))
      found_.order.insert(found_.order.end(), steps.begin() + step_map[step], steps.begin() + step_map[step + 1]);
    return std::move(found_);
  }

 private:
  void find_rows() {
    found_.rows.resize(graph_.columns.size());
    found_.diagonal.assign(static_cast<std::size_t>(graph_.groups()), -1);
    for (int row = 0; row < graph_.groups(); ++row)
      for (int tile = graph_.tile_map[row]; tile < graph_.tile_map[row + 1]; ++tile) {
        found_.rows[tile] = row;
        if (graph_.columns[tile] == row) found_.diagonal[row] = tile;
      }
  }

  /// The tiles below the diagonal, column by column.
  void list_below() {
    below_map_.assign(static_cast<std::size_t>(graph_.groups()) + 1, 0);
    for (int row = 0; row < graph_.groups(); ++row)
      for (int tile = graph_.tile_map[row]; tile < found_.diagonal[row]; ++tile) ++below_map_[graph_.columns[tile] + 1];
    std::partial_sum(below_map_.begin(), below_map_.end(), below_map_.begin());
    below_.resize(static_cast<std::size_t>(below_map_.back()));
    std::vector<int> next(below_map_.begin(), below_map_.end() - 1);
    for (int row = 0; row < graph_.groups(); ++row)
      for (int tile = graph_.tile_map[row]; tile < found_.diagonal[row]; ++tile)
        below_[next[graph_.columns[tile]]++] = tile;
  }

  /// Calls body(tile, the larger of its row and its column) with that ascending, right of the diagonal before below it.
  template <class Body>
  void for_tiles_of_step(int step, const Body& body) const {
    int right = found_.diagonal[step], below = below_map_[step];
    const int last_right = graph_.tile_map[step + 1], last_below = below_map_[step + 1];
    while (right < last_right || below < last_below) {
      const int column = right < last_right ? graph_.columns[right] : graph_.groups();
      const int row = below < last_below ? found_.rows[below_[below]] : graph_.groups();
      if (column <= row) body(right++, column);
      else body(below_[below++], row);
    }
  }

  /// The steps, those of each level in their order.
  std::vector<int> by_level(const std::vector<int>& level) const {
    std::vector<int> next(static_cast<std::size_t>(found_.levels) + 1, 0), sorted(level.size());
    for (const int of_step : level) ++next[of_step + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (int step = 0; step < graph_.groups(); ++step) sorted[next[level[step]]++] = step;
    return sorted;
  }

  const TileGraph& graph_;
  TileOrder found_;
  std::vector<int> below_map_, below_;
};

inline TileOrder order_tiles(const TileGraph& graph) { return OrderTiles(graph).order(); }

}  // namespace terrace::cuda::incomplete
