// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles a triangle has, in the order in which substitution comes to them. Plain arithmetic on the host: no CUDA
// here.
//
// Positions are rows in solution order, and block rows are numbered by them: tile (i, j) has j <= i, whatever uplo and
// op are. The transposed system goes from the last block row to the first, along the columns of tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace terrace::cuda::triangular {

/// For each block, what it takes from others: tiles, and the blocks whose unknowns these multiply, in the order in
/// which the unknowns come.
struct TileLists {
  std::vector<int> map;  // blocks + 1
  std::vector<int> tiles, others;
  std::vector<int> order;  // of blocks: none before one that it needs, and those that need nothing first
  int levels = 0;

  int blocks() const { return static_cast<int>(map.size()) - 1; }
};

struct TriangleTiles {
  std::vector<int> first;     // blocks + 1: positions
  std::vector<int> diagonal;  // by block: its tile on the diagonal
  TileLists rows, columns;    // of the system, and of the transposed one
  int tiles = 0;

  int blocks() const { return static_cast<int>(first.size()) - 1; }
};

/// By level; `solves` are the blocks in the order of substitution.
inline void order_blocks(TileLists& lists, const std::vector<int>& solves) {
  std::vector<int> level(solves.size(), 0);
  for (const int block : solves) {
    for (int at = lists.map[block]; at < lists.map[block + 1]; ++at)
      level[block] = std::max(level[block], level[lists.others[at]] + 1);
    lists.levels = std::max(lists.levels, level[block] + 1);
  }
  lists.order = solves;
  std::stable_sort(lists.order.begin(), lists.order.end(), [&](int a, int b) { return level[a] < level[b]; });
}

/// Of groups of rows as the matrix has them, `group_map`, and the tiles beside the diagonal that each row of tiles has.
inline TriangleTiles list_tiles(const std::vector<int>& group_map, const std::vector<int>& tile_map,
                                const std::vector<int>& columns, bool backward) {
  TriangleTiles found;
  const int blocks = static_cast<int>(group_map.size()) - 1, rows = group_map.back();
  const auto flipped = [&](int group) { return backward ? blocks - 1 - group : group; };
  for (int block = 0; block <= blocks; ++block)
    found.first.push_back(backward ? rows - group_map[blocks - block] : group_map[block]);
  found.rows.map.assign(1, 0);
  for (int block = 0; block < blocks; ++block) {
    const int group = flipped(block);
    for (int at = tile_map[group]; at < tile_map[group + 1]; ++at) found.rows.others.push_back(flipped(columns[at]));
    std::sort(found.rows.others.begin() + found.rows.map.back(), found.rows.others.end());
    while (found.rows.tiles.size() < found.rows.others.size()) found.rows.tiles.push_back(found.tiles++);
    found.rows.map.push_back(static_cast<int>(found.rows.others.size()));
    found.diagonal.push_back(found.tiles++);
  }
  auto& transposed = found.columns;
  transposed.map.assign(static_cast<std::size_t>(blocks) + 1, 0);
  for (const int other : found.rows.others) ++transposed.map[other + 1];
  for (int block = 0; block < blocks; ++block) transposed.map[block + 1] += transposed.map[block];
  transposed.tiles.resize(found.rows.tiles.size());
  transposed.others.resize(found.rows.tiles.size());
  std::vector<int> next(transposed.map.begin(), transposed.map.end() - 1);
  for (int block = blocks - 1; block >= 0; --block)
    for (int at = found.rows.map[block]; at < found.rows.map[block + 1]; ++at) {
      const int place = next[found.rows.others[at]]++;
      transposed.tiles[place] = found.rows.tiles[at];
      transposed.others[place] = block;
    }
  std::vector<int> ascending(static_cast<std::size_t>(blocks)), descending(static_cast<std::size_t>(blocks));
  for (int block = 0; block < blocks; ++block) ascending[block] = descending[blocks - 1 - block] = block;
  order_blocks(found.rows, ascending);
  order_blocks(found.columns, descending);
  return found;
}

/// Of a dense triangle: each block row needs all before it.
inline TriangleTiles list_all_tiles(const std::vector<int>& group_map, bool backward) {
  const int blocks = static_cast<int>(group_map.size()) - 1;
  std::vector<int> tile_map{0}, columns;
  for (int group = 0; group < blocks; ++group) {
    for (int column = backward ? group + 1 : 0; column < (backward ? blocks : group); ++column)
      columns.push_back(column);
    tile_map.push_back(static_cast<int>(columns.size()));
  }
  return list_tiles(group_map, tile_map, columns, backward);
}

}  // namespace terrace::cuda::triangular
