// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels know of a front, in one place each, so that a thread block finds it with one access.
#pragma once

#include "algorithms/ldlt/front_plan.hpp"

namespace terrace::cuda::ldlt {

/// In the order of the levels (FrontPlan::by_level).
struct FrontPlace {
  std::size_t panel;         ///< in the panels
  std::size_t contribution;  ///< from the first panel on
  std::size_t row;           ///< in FrontTree::rows
  std::size_t update;        ///< its contribution block's rows in the vectors of updates
  std::size_t child;         ///< its first child in FrontPlaces::children
  std::size_t large_column;  ///< its first own column among those of fronts in device memory
  std::size_t entry;         ///< its first entry of A
  std::size_t entries;
  int children;
  int rows, columns, first_column;
};

/// In the order of FrontTree::children.
struct ChildPlace {
  std::size_t contribution;
  std::size_t row;  ///< of its contribution block, in place_in_parent
  std::size_t update;
  int rows;  ///< of its contribution block
};

struct FrontPlaces {
  const FrontPlace* fronts;
  const ChildPlace* children;
  const int* rows;
  const int* place_in_parent;
  const std::size_t* entry_target;
};

/// A tile of a front, which a thread block works on: where it begins. Columns from FrontPlace::columns on are those of
/// the contribution block.
struct Tile {
  int front;  ///< its place in the order of the levels
  int row, column;
};

/// Which updates of children the rows of tiles add up, child after child: row i of tile n of LevelLaunches::gather
/// those at sources[map[64 n + i]], ..., sources[map[64 n + i + 1] - 1]. Such a tile has its n as Tile::column.
struct UpdateSources {
  const unsigned* map;
  const unsigned* sources;

  /// Calls visit(source) for each update of a row.
  template <class Visit>
  __device__ void for_each(std::size_t place, const Visit& visit) const {
    const unsigned end = map[place + 1];
    for (unsigned k = map[place]; k < end; ++k) visit(sources[k]);
  }

  /// b of a row, of which its own part is given.
  template <class Scalar>
  __device__ Scalar gather(std::size_t place, Scalar sum, const Scalar* updates) const {
    for_each(place, [&](unsigned source) { sum += updates[source]; });
    return sum;
  }
};

/// An array in shared memory, of numbers whose constructors must not run there.
template <class Scalar, int Count>
struct SharedNumbers {
  alignas(16) char memory[Count * sizeof(Scalar)];
  __device__ Scalar* data() { return reinterpret_cast<Scalar*>(memory); }
};

/// The numbers of an engine.
template <class Scalar>
struct FrontNumbers {
  Scalar* panels;  // and contribution blocks
  Scalar* pivots;  // D
};

/// An entry of a front's own columns.
template <class Scalar>
__device__ Scalar* panel_at(const FrontNumbers<Scalar>& numbers, const FrontPlace& front, int row, int column) {
  return numbers.panels + front.panel + static_cast<std::size_t>(column) * static_cast<std::size_t>(front.rows) + row;
}

/// A tile that lies in the panel or in the contribution block: its first number, and the distance of its columns.
template <class Scalar>
struct TileStorage {
  Scalar* data;
  std::int64_t leading_dimension;
  int rows, columns;

  __device__ TileStorage(const FrontNumbers<Scalar>& numbers, const FrontPlace& front, const Tile& tile, int side) {
    rows = min(side, front.rows - tile.row);
    if (tile.column < front.columns) {
      data = panel_at(numbers, front, tile.row, tile.column);
      leading_dimension = front.rows;
      columns = min(side, front.columns - tile.column);
    } else {
      using Packed = terrace::ldlt::PackedColumns;
      const Packed packed{front.rows - front.columns};
      const int row = tile.row - front.columns, column = tile.column - front.columns;
      data = numbers.panels + front.contribution + packed(row, column);
      leading_dimension = packed.leading_dimension(column / Packed::width);
      columns = min(side, front.rows - tile.column);
    }
  }
};

}  // namespace terrace::cuda::ldlt
