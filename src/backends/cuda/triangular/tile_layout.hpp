// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of a triangle that is dense, or locally dense as a band, dense blocks or a factor with supernodes; and
// whether they pay.
//
// The model, in microseconds: with tiles a block row takes `block_us` behind the one before it, and all tiles are read;
// without, a row takes `row_us` behind the one that it needs, and all entries are read with their columns. Each takes
// as long as the larger of the two. How many rows stand behind each other nobody counts: of each block row those that
// need the row before them. And tiles shall not hold far more numbers than there are entries.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "backends/cuda/analysis/find_tiles.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/triangular/tile_graph.hpp"
#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda::triangular {

struct Tiles {
  static constexpr int size = TileTuning::rows, numbers = size * size;
};

/// The kernels' side of TileLists.
struct DeviceTileLists {
  const int* map = nullptr;
  const int* tiles = nullptr;
  const int* others = nullptr;
  const int* order = nullptr;
};

/// The kernels' side. Position p, the p-th row in solution order, is row rows - 1 - p if the triangle is solved
/// backward.
struct TileLayout {
  int rows = 0, blocks = 0, tiles = 0;
  bool backward = false;
  const int* first = nullptr;     // blocks + 1: positions
  const int* block_of = nullptr;  // by position
  const int* diagonal = nullptr;  // by block: the tile
  DeviceTileLists by_row, by_column;

  KOKKOS_FUNCTION int row_of(int position) const { return backward ? rows - 1 - position : position; }
};

/// The owner's side.
struct TriangleLayout {
  TileLayout layout;
  int levels = 0;
  std::string reason;
  Arrays memory;

  std::size_t bytes_held() const { return memory.bytes_held(); }
};

/// Arrays that go to the device together.
class PackedArrays {
 public:
  /// Sets the pointer when they are there.
  void add(const std::vector<int>& numbers, const int*& to) {
    places_.emplace_back(numbers_.size(), &to);
    numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  }
  Arrays upload(const Kokkos::Cuda& space) const {
    Arrays memory(space, "terrace::cuda::tile_lists", Arrays::bytes<int>(numbers_.size()));
    int* const numbers = memory.take<int>(numbers_.size());
    write_numbers(space, numbers_, numbers);
    for (const auto& [place, to] : places_) *to = numbers + place;
    return memory;
  }

 private:
  std::vector<int> numbers_;
  std::vector<std::pair<std::size_t, const int**>> places_;
};

inline TriangleLayout upload_tiles(const Kokkos::Cuda& space, const TriangleTiles& tiles, bool backward) {
  TriangleLayout found;
  auto& layout = found.layout;
  layout.rows = tiles.first.back();
  layout.blocks = tiles.blocks();
  layout.tiles = tiles.tiles;
  layout.backward = backward;
  found.levels = tiles.rows.levels;
  PackedArrays arrays;
  arrays.add(tiles.first, layout.first);
  arrays.add(groups_of_rows(tiles.first), layout.block_of);
  arrays.add(tiles.diagonal, layout.diagonal);
  const auto add_lists = [&](const TileLists& lists, DeviceTileLists& to) {
    arrays.add(lists.map, to.map);
    arrays.add(lists.tiles, to.tiles);
    arrays.add(lists.others, to.others);
    arrays.add(lists.order, to.order);
  };
  add_lists(tiles.rows, layout.by_row);
  add_lists(tiles.columns, layout.by_column);
  found.memory = arrays.upload(space);
  return found;
}

/// A warp for each part of a row of tiles, as for_tiles_of: their columns. `part_map`: where those of each begin.
template <class Offset>
__global__ void list_tiles_kernel(TileSearch<Offset> search, const int* part_map, int* columns) {
  const std::size_t part = number_of_warp();
  if (part >= search.all_parts()) return;
  int tile = part_map[part];
  for_tiles_of<Tiles::size / warp_size>(search, part, [&](int column, const auto&) {
    if (column == search.group_of_part(part)) return;
    if (threadIdx.x % warp_size == 0) columns[tile] = column;
    ++tile;
  });
}

/// The sum of entries, less what the runs of neighbouring columns among them would have if they were just long enough.
/// Of each row only the first entries: a row may be very long.
template <class Offset>
struct WeighRuns {
  sparse::TriangleView<int, Offset> pattern;
  static constexpr Offset most = 128;

  KOKKOS_FUNCTION void operator()(int row, std::int64_t& surplus) const {
    const Offset begin = pattern.begin(row), left = pattern.end(row) - begin, end = begin + (left < most ? left : most);
    for (Offset p = begin; p < end; ++p)
      surplus += p == begin || pattern.entries[p - 1] + 1 != pattern.entries[p] ? 1 - TileTuning::entries_of_run : 1;
  }
};

/// What a layout is made from. All wait for the space.
template <class Offset>
class FindTriangleTiles {
  using Space = Kokkos::Cuda;
  using Triangle = sparse::Triangle<int, Offset, Space>;

 public:
  /// Of gathering rows. `entries`: of the triangle.
  FindTriangleTiles(const Space& space, const Triangle& triangle, double entries, bool backward,
                    std::size_t number_bytes)
      : space_(space),
        rows_{triangle.view(), false},
        entries_(entries),
        backward_(backward),
        number_bytes_(static_cast<double>(number_bytes)) {}

  /// Whatever the columns are. Where hardly an entry is missing nobody looks for tiles without any.
  TriangleLayout equal_blocks(const char* reason) {
    group_map_ = equal_groups(count(), Tiles::size);
    const bool are_all_there = entries_ >= TileTuning::density_of_all_tiles * 0.5 * count() * count();
    auto found = upload_tiles(space_, are_all_there ? list_all_tiles(group_map_, backward_) : find(), backward_);
    found.reason = reason;
    return found;
  }

  /// Of rows with the same columns, where tiles are believed to pay.
  std::optional<TriangleLayout> where_they_pay() {
    const double rows = count();
    if (rows < 2 * Tiles::size || entries_ < TileTuning::entries_of_run * rows || !has_long_runs()) return {};
    const auto host = find_row_bits();
    group_map_ = group_rows(host, Tiles::size);
    if (TileTuning::rows_of_block * blocks() > rows) return {};
    const auto linked = static_cast<double>(
        std::count_if(host.begin(), host.end(), [](unsigned char bit) { return (bit & needs_former) != 0; }));
    TriangleTiles tiles = find();
    if (static_cast<double>(tiles.tiles) * Tiles::numbers > TileTuning::numbers_of_entry * entries_) return {};
    const double read_tiles = (tiles.tiles - 0.5 * blocks()) * Tiles::numbers * number_bytes_;
    const double with_tiles = std::max(tiles.rows.levels * TileTuning::block_us, read_tiles / TileTuning::bytes_per_us);
    const double without = std::max(tiles.rows.levels * linked / blocks() * TileTuning::row_us,
                                    entries_ * (number_bytes_ + sizeof(int)) / TileTuning::bytes_per_us);
    if (with_tiles > TileTuning::least_gain * without) return {};
    auto found = upload_tiles(space_, tiles, backward_);
    found.reason = "the triangle is locally dense: by tiles a solve is estimated at " + microseconds(with_tiles) +
                   ", by rows at " + microseconds(without);
    return found;
  }

 private:
  static std::string microseconds(double time) { return std::to_string(std::lround(time)) + " us"; }

  int count() const { return rows_.pattern.rows; }
  int blocks() const { return static_cast<int>(group_map_.size()) - 1; }

  std::vector<unsigned char> find_row_bits() const {
    const auto rows = static_cast<std::size_t>(count());
    const parallel::Scratch<unsigned char, Space> bits(space_, "terrace::cuda::row_bits", rows);
    find_runs(space_, rows_, bits.data());
    return read_numbers(space_, bits.data(), rows);
  }

  bool has_long_runs() const {
    std::int64_t surplus = 0;
    Kokkos::parallel_reduce("terrace::cuda::weigh_runs", Kokkos::RangePolicy<Space>(space_, 0, count()),
                            WeighRuns<Offset>{rows_.pattern}, surplus);
    return surplus >= 0;
  }

  TriangleTiles find() {
    const auto rows = static_cast<std::size_t>(count()), groups = static_cast<std::size_t>(blocks());
    TileSearch<Offset> search{rows_, blocks(), nullptr, nullptr, parts_of_tile_rows(longest_row(space_, rows_))};
    const std::size_t parts = search.all_parts();
    JoinedScratch memory(space_, "terrace::cuda::tile_search",
                         Arrays::bytes<int>(groups + 1) + Arrays::bytes<int>(parts + 1) + Arrays::bytes<int>(rows) +
                             Arrays::bytes<TileCount>(parts));
    auto *const group_map = memory.take<int>(groups + 1), *const part_map = memory.take<int>(parts + 1);
    auto* const group_of = memory.take<int>(rows);
    auto* const counts = memory.take<TileCount>(parts);
    write_groups(space_, group_map_, group_map, group_of);
    search.group_map = group_map;
    search.group_of = group_of;
    count_tiles<Tiles::size / warp_size>(space_, search, counts);
    std::vector<int> tiles{0};
    for (const TileCount& part : read_numbers(space_, counts, parts))
      tiles.push_back(tiles.back() + part.tiles - part.own);
    write_numbers(space_, tiles, part_map);
    const auto columns = find_columns(search, part_map, static_cast<std::size_t>(tiles.back()));
    return list_tiles(group_map_, without_parts(tiles, search.parts), columns, backward_);
  }

  /// Of all tiles beside the diagonal.
  std::vector<int> find_columns(const TileSearch<Offset>& search, const int* part_map, std::size_t tiles) const {
    const parallel::Scratch<int, Space> columns(space_, "terrace::cuda::tile_columns", tiles);
    constexpr unsigned threads = 128;
    launch(space_, "terrace::cuda::list_tiles", list_tiles_kernel<Offset>,
           blocks_of(search.all_parts(), threads / warp_size), threads, search, part_map, columns.data());
    return read_numbers(space_, columns.data(), tiles);
  }

  Space space_;
  SearchedRows<Offset> rows_;
  double entries_;
  bool backward_;
  double number_bytes_;
  std::vector<int> group_map_;
};

}  // namespace terrace::cuda::triangular
