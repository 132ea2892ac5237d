// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of a front on a host. They follow from the size of the front alone, so that whoever works on it, and in
// whatever order, sums the same numbers in the same groups.
//
// Own columns are cut in block columns, own rows in tiles of the same size, so that diagonal blocks are tiles; the rows
// below, those of the contribution block, in taller tiles. Tiles are counted from the first own row to the last row.
#pragma once

#include <algorithm>
#include <cstdint>

namespace terrace::ldlt {

struct FrontTiles {
  int rows, columns;
  int width;   // of block columns
  int height;  // of tiles below; a multiple of the width

  static constexpr int widest = 256;

  /// For a factorization: wide blocks read a large front less often, narrow ones waste less on the diagonal.
  static FrontTiles of_factorization(int rows, int columns) {
    if (rows < 768) return {rows, columns, 64, 256};
    if (rows < 2048) return {rows, columns, 128, 256};
    return {rows, columns, widest, 512};
  }

  /// For a solve: a tile is read once, column by column, and long columns are read faster. Those of large fronts are
  /// cut so that several threads have work.
  static FrontTiles of_solve(int rows, int columns) {
    if (rows < 2048) return {rows, columns, 512, 2048};
    return {rows, columns, 512, 1024};
  }

  int own() const { return (columns + width - 1) / width; }
  int below() const { return (rows - columns + height - 1) / height; }
  int count() const { return own() + below(); }

  int row_begin(int tile) const { return tile < own() ? tile * width : columns + (tile - own()) * height; }
  int row_end(int tile) const {
    return tile < own() ? std::min(columns, (tile + 1) * width) : std::min(rows, columns + (tile - own() + 1) * height);
  }

  /// Block columns of the contribution block, and the tile that holds the first row of one.
  int contribution_blocks() const { return (rows - columns + width - 1) / width; }
  int tile_of_contribution_block(int block) const { return own() + block * width / height; }
};

/// The lower triangle of a contribution block in block columns: block column b holds rows width * b and below of its
/// columns, one column after the other.
struct ContributionLayout {
  std::int64_t rows;
  std::int64_t width;

  explicit ContributionLayout(const FrontTiles& tiles) : rows(tiles.rows - tiles.columns), width(tiles.width) {}

  std::int64_t block_begin(std::int64_t block) const {
    return width * (rows * block - width * (block * (block - 1) / 2));
  }
  int leading_dimension(std::int64_t block) const { return static_cast<int>(rows - block * width); }
  /// Where row 0 of a column would lie; its rows from the block's first on are there.
  std::int64_t column_begin(std::int64_t column) const {
    const std::int64_t block = column / width;
    return block_begin(block) + (column - block * width) * leading_dimension(block) - block * width;
  }
  /// A multiple of 8, so that blocks that follow each other share no cache line.
  std::size_t size() const {
    const std::int64_t blocks = rows / width, rest = rows - blocks * width;
    return static_cast<std::size_t>((block_begin(blocks) + rest * rest + 7) / 8 * 8);
  }
};

}  // namespace terrace::ldlt
