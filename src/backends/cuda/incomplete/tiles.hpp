// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns that are locally dense, as bands, blocks and what is filled by complete factorizations, in tiles: groups of
// neighbouring rows with nearly the same columns, and the same groups of columns. A tile that has any entry is
// eliminated as a dense one (eliminate_tiles.hpp), and what is not in the pattern stays out by a mask for each row.
//
// Sorted rows have the entries of a tile side by side. So the factor's values stay where they are, in compressed rows,
// and a tile knows for each of its rows where they begin and, as bits, which columns they have.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "backends/cuda/analysis/find_tiles.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/incomplete/tile_order.hpp"
#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/read_numbers.hpp"

namespace terrace::cuda::incomplete {

/// Rows, and columns, of a tile at most: a warp's lanes.
inline constexpr int tile_width = warp_size;

/// The kernels' side.
template <class Offset>
struct TiledPattern {
  int groups = 0, tiles = 0;
  const int* group_map = nullptr;              // groups + 1: rows
  const int* tile_map = nullptr;               // groups + 1: tiles by rows of tiles,
  const int* columns = nullptr;                // whose groups of columns ascend
  const int* rows = nullptr;                   // by tile
  const int* diagonal = nullptr;               // by group: the tile on the diagonal
  const int* order = nullptr;                  // of tiles, as they are claimed
  const TileRow<Offset>* tile_rows = nullptr;  // [tiles * tile_width]; none: an empty mask
  const unsigned char* is_full = nullptr;      // by tile: every row has every column

  __device__ int width(int group) const { return group_map[group + 1] - group_map[group]; }
};

/// The owner's side.
template <class Offset>
struct TiledRows {
  int levels = 0;
  TiledPattern<Offset> pattern;
  Arrays memory;

  bool are_there() const { return pattern.tiles > 0; }
  std::size_t bytes_held() const { return memory.bytes_held(); }
};

/// A warp for each part of a row of tiles, as for_tiles_of; `part_map`: where the tiles of each begin.
template <class Offset>
__global__ void fill_tiles_kernel(TileSearch<Offset> search, const int* part_map, int* columns,
                                  TileRow<Offset>* tile_rows, unsigned char* is_full) {
  const std::size_t part = number_of_warp();
  if (part >= search.all_parts()) return;
  const int group = search.group_of_part(part);
  const unsigned lane = threadIdx.x % warp_size;
  const int height = search.group_map[group + 1] - search.group_map[group];
  int tile = part_map[part];
  for_tiles_of<1>(search, part, [&](int column, const TileRow<Offset>(&rows)[1]) {
    const TileRow<Offset> found = rows[0];
    const int width = search.group_map[column + 1] - search.group_map[column];
    const bool is_full_row = static_cast<int>(lane) >= height || __popc(found.mask) == width;
    const bool all_are = __all_sync(all_lanes, is_full_row);
    tile_rows[static_cast<std::size_t>(tile) * tile_width + lane] = found;
    if (lane == 0) columns[tile] = column;
    if (lane == 0) is_full[tile] = all_are ? 1 : 0;
    ++tile;
  });
}

/// Of a pattern whose rows have long runs of neighbouring columns: its tiles, or none where they would be small or
/// mostly empty. Waits for the space.
template <class Offset>
class FindTiles {
  using Space = Kokkos::Cuda;

 public:
  FindTiles(const Space& space, const terrace::incomplete::MergedPattern<int, Offset, Space>& merged, int longest_row)
      : space_(space),
        rows_{merged.view(), true},
        parts_(parts_of_tile_rows(longest_row)),
        entries_(merged.entries.extent(0)),
        of_rows_(space, "terrace::cuda::grouped_rows",
                 Arrays::bytes<int>(count_of_rows()) + Arrays::bytes<unsigned char>(count_of_rows())),
        group_of_(of_rows_.take<int>(count_of_rows())) {}

  TiledRows<Offset> find() {
    group();
    if (EliminationTuning::rows_of_tile * groups() > rows_.pattern.rows && !are_entries_in_large_groups()) return {};
    if (EliminationTuning::filled_tiles * count() > static_cast<double>(entries_)) return {};
    fill();
    return std::move(found_);
  }

 private:
  static constexpr unsigned threads = 128;

  /// Of few groups: whether an average entry is in one that is large enough. A dense part has most of the work,
  /// whatever rows stand beside it.
  bool are_entries_in_large_groups() const {
    if (groups() > EliminationTuning::few_groups) return false;
    const auto row_map = read_numbers(space_, rows_.pattern.row_map, count_of_rows() + 1);
    double sum = 0;
    for (std::size_t group = 0; group < count_of_groups(); ++group) {
      const int first = group_map_[group], end = group_map_[group + 1];
      sum += static_cast<double>(row_map[end] - row_map[first]) * (end - first);
    }
    return sum >= EliminationTuning::rows_of_tile * static_cast<double>(entries_);
  }

  std::size_t count_of_rows() const { return static_cast<std::size_t>(rows_.pattern.rows); }
  std::size_t count_of_groups() const { return group_map_.size() - 1; }
  int groups() const { return static_cast<int>(count_of_groups()); }

  void group() {
    auto* const bits = of_rows_.take<unsigned char>(count_of_rows());
    find_runs(space_, rows_, bits);
    group_map_ = group_rows(read_numbers(space_, bits, count_of_rows()), tile_width);
  }

  /// Returns the area of all tiles.
  double count() {
    search_ = {rows_, groups(), nullptr, group_of_, parts_};
    const std::size_t parts = search_.all_parts();
    of_groups_.emplace(
        space_, "terrace::cuda::groups_of_rows",
        Arrays::bytes<int>(count_of_groups() + 1) + Arrays::bytes<TileCount>(parts) + Arrays::bytes<int>(parts + 1));
    auto* const group_map = of_groups_->template take<int>(count_of_groups() + 1);
    auto* const counts = of_groups_->template take<TileCount>(parts);
    part_map_ = of_groups_->template take<int>(parts + 1);
    write_groups(space_, group_map_, group_map, group_of_);
    search_.group_map = group_map;
    count_tiles<1>(space_, search_, counts);
    const auto host = read_numbers(space_, counts, parts);
    double area = 0;
    std::vector<int> part_map{0};
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t group = part / static_cast<std::size_t>(search_.parts);
      part_map.push_back(part_map.back() + host[part].tiles);
      area += static_cast<double>(group_map_[group + 1] - group_map_[group]) * host[part].columns;
    }
    write_numbers(space_, part_map, part_map_);
    graph_.tile_map = without_parts(part_map, search_.parts);
    return area;
  }

  void fill() {
    const auto tiles = static_cast<std::size_t>(graph_.tile_map.back());
    found_.memory = Arrays(space_, "terrace::cuda::tiles",
                           2 * Arrays::bytes<int>(count_of_groups() + 1) + Arrays::bytes<int>(count_of_groups()) +
                               3 * Arrays::bytes<int>(tiles) + Arrays::bytes<TileRow<Offset>>(tiles * tile_width) +
                               Arrays::bytes<unsigned char>(tiles));
    auto& memory = found_.memory;
    auto* const group_map = memory.template take<int>(count_of_groups() + 1);
    auto* const tile_map = memory.template take<int>(count_of_groups() + 1);
    auto* const diagonal = memory.template take<int>(count_of_groups());
    auto *const columns = memory.template take<int>(tiles), *const rows = memory.template take<int>(tiles),
                *const order = memory.template take<int>(tiles);
    auto* const tile_rows = memory.template take<TileRow<Offset>>(tiles * tile_width);
    auto* const is_full = memory.template take<unsigned char>(tiles);
    write_numbers(space_, group_map_, group_map);
    write_numbers(space_, graph_.tile_map, tile_map);
    launch(space_, "terrace::cuda::fill_tiles", fill_tiles_kernel<Offset>,
           blocks_of(search_.all_parts(), threads / warp_size), threads, search_, part_map_, columns, tile_rows,
           is_full);
    graph_.columns = read_numbers(space_, columns, tiles);
    const TileOrder found = order_tiles(graph_);
    write_numbers(space_, found.rows, rows);
    write_numbers(space_, found.diagonal, diagonal);
    write_numbers(space_, found.order, order);
    found_.levels = found.levels;
    found_.pattern = {groups(), static_cast<int>(tiles), group_map, tile_map, columns, rows, diagonal, order, tile_rows,
                      is_full};
  }

  Space space_;
  SearchedRows<Offset> rows_;
  int parts_;
  std::size_t entries_;
  JoinedScratch of_rows_;
  std::optional<JoinedScratch> of_groups_;
  int* group_of_;
  std::vector<int> group_map_;
  TileSearch<Offset> search_{};
  int* part_map_ = nullptr;  // where the tiles of each part of a row of tiles begin
  TileGraph graph_;
  TiledRows<Offset> found_;
};

}  // namespace terrace::cuda::incomplete
