// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows of a matrix a product with it multiplies apart from the others, as a list that an operator makes once.
//
// On a device a product takes the rows in tiles of neighbours. A tile with far more entries than others is what the
// product waits for: it holds a hub, or several, for hubs often are neighbours. The rows of such tiles are listed, the
// longest first, so that a kernel of their own can share them out.
#pragma once

#include <cstdint>

#include "parallel/loops.hpp"
#include "parallel/memory.hpp"
#include "parallel/sort_keys.hpp"

namespace terrace::krylov {

/// Of a product: a tile has so many rows, and is too full with more entries.
struct TileShape {
  int rows;
  std::int64_t entries;
};

/// For kernels. The first `long_rows` have more than `entries_of_short` entries, and the first `very_long_rows` of them
/// more than `entries_of_long`.
struct ListedRows {
  static constexpr int entries_of_short = 1024, entries_of_long = 32768;

  const int* rows = nullptr;
  int count = 0, long_rows = 0, very_long_rows = 0;
};

/// The list in memory of a space.
template <class Space>
struct ListOfRows {
  Kokkos::View<const int*, parallel::Device<Space>> rows;
  int long_rows = 0, very_long_rows = 0;

  ListedRows view() const { return {rows.data(), static_cast<int>(rows.extent(0)), long_rows, very_long_rows}; }
};

template <class Offset>
struct FullTiles {
  const Offset* row_map;
  int rows;
  TileShape shape;

  KOKKOS_FUNCTION std::int64_t length(int row) const {
    return static_cast<std::int64_t>(row_map[row + 1]) - static_cast<std::int64_t>(row_map[row]);
  }
  KOKKOS_FUNCTION bool has(int row) const {
    const int first = row / shape.rows * shape.rows, end = rows - first < shape.rows ? rows : first + shape.rows;
    return static_cast<std::int64_t>(row_map[end]) - static_cast<std::int64_t>(row_map[first]) > shape.entries;
  }
};

/// How many rows are in full tiles, and the longest row of all.
template <class Offset>
struct CountFullTiles {
  FullTiles<Offset> tiles;
  KOKKOS_FUNCTION void operator()(int row, int& count, std::int64_t& longest) const {
    if (tiles.length(row) > longest) longest = tiles.length(row);
    count += tiles.has(row) ? 1 : 0;
  }
};

/// Keys of the rows in full tiles, which ascend as lengths fall, and rows rise.
template <class Offset>
struct ListFullTiles {
  FullTiles<Offset> tiles;
  std::uint64_t* keys;

  KOKKOS_FUNCTION static std::uint64_t key(std::int64_t length, int row) {
    return static_cast<std::uint64_t>(0xffffffff - static_cast<std::uint32_t>(length)) << 32 |
           static_cast<std::uint32_t>(row);
  }
  KOKKOS_FUNCTION void operator()(int row, int& before, bool final) const {
    if (!tiles.has(row)) return;
    if (final) keys[before] = key(tiles.length(row), row);
    ++before;
  }
};

template <class Offset>
struct TakeRows {
  FullTiles<Offset> tiles;
  const std::uint64_t* keys;
  int* rows;
  KOKKOS_FUNCTION void operator()(int k, int& long_rows, int& very_long_rows) const {
    const int row = static_cast<int>(keys[k] & 0xffffffff);
    rows[k] = row;
    long_rows += tiles.length(row) > ListedRows::entries_of_short ? 1 : 0;
    very_long_rows += tiles.length(row) > ListedRows::entries_of_long ? 1 : 0;
  }
};

/// None where all rows are about as long as the average one: then tiles are alike. Waits for the space.
/// \throws Error OutOfMemory.
template <class Offset, class Space>
ListOfRows<Space> list_rows(const Space& space, const Offset* row_map, int rows, std::int64_t entries,
                            const TileShape& shape) {
  constexpr std::int64_t far_longer = 4;
  if (rows == 0 || entries <= shape.entries) return {};
  const FullTiles<Offset> tiles{row_map, rows, shape};
  const Kokkos::RangePolicy<Space> each_row(space, 0, rows);
  int count = 0;
  std::int64_t longest = 0;
  parallel::reduce_range("terrace::krylov::count_full_tiles", each_row, CountFullTiles<Offset>{tiles},
                         Kokkos::Sum<int>(count), Kokkos::Max<std::int64_t>(longest));
  if (count == 0 || longest * rows <= far_longer * entries) return {};
  const auto size = static_cast<std::size_t>(count);
  const parallel::Scratch<std::uint64_t, Space> keys(space, "terrace::krylov::keys_of_rows", size);
  parallel::scan_range<int>("terrace::krylov::list_full_tiles", each_row, ListFullTiles<Offset>{tiles, keys.data()});
  parallel::sort_keys(space, keys.view());
  const auto listed = parallel::uninitialized<int>(space, "terrace::krylov::listed_rows", size);
  ListOfRows<Space> list{listed};
  parallel::reduce_range("terrace::krylov::take_rows", Kokkos::RangePolicy<Space>(space, 0, count),
                         TakeRows<Offset>{tiles, keys.data(), listed.data()}, Kokkos::Sum<int>(list.long_rows),
                         Kokkos::Sum<int>(list.very_long_rows));
  space.fence("terrace::krylov::list_rows");
  return list;
}

}  // namespace terrace::krylov
