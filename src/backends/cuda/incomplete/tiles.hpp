// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns that are locally dense, as bands, blocks and what is filled by complete factorizations, in tiles: groups of
// neighbouring rows with nearly the same columns, and the same groups of columns. A tile that has any entry is
// eliminated as a dense one (eliminate_tiles.hpp), and what is not in the pattern stays out by a mask for each row.
//
// Sorted rows have the entries of a tile side by side. So the factor's values stay where they are, in compressed rows,
// and a tile knows for each of its rows where they begin and, as bits, which columns they have.
#pragma once

#include <vector>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "backends/cuda/analysis/find_tiles.hpp"
#include "backends/cuda/incomplete/tile_order.hpp"
#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "parallel/host_vectors.hpp"

namespace terrace::cuda {

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
  template <class T>
  using Array = Kokkos::View<T*, parallel::Device<Kokkos::Cuda>>;

  int levels = 0;
  TiledPattern<Offset> pattern;
  Array<int> group_map, tile_map, columns, rows, diagonal, order;
  Array<TileRow<Offset>> tile_rows;
  Array<unsigned char> is_full;

  bool are_there() const { return pattern.tiles > 0; }
  std::size_t bytes_held() const {
    return (group_map.span() + tile_map.span() + columns.span() + rows.span() + diagonal.span() + order.span()) *
               sizeof(int) +
           tile_rows.span() * sizeof(TileRow<Offset>) + is_full.span();
  }
};

/// A warp for each row of tiles, as for_tiles_of.
template <class Offset>
__global__ void fill_tiles_kernel(TileSearch<Offset> search, const int* tile_map, int* columns,
                                  TileRow<Offset>* tile_rows, unsigned char* is_full) {
  const std::size_t group = number_of_warp();
  if (group >= static_cast<std::size_t>(search.groups)) return;
  const unsigned lane = threadIdx.x % warp_size;
  const int height = search.group_map[group + 1] - search.group_map[group];
  int tile = tile_map[group];
  for_tiles_of<1>(search, static_cast<int>(group), [&](int column, const TileRow<Offset>(&rows)[1]) {
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

struct FindGroupOfRows {
  const int* group_map;
  int groups;
  int* group_of;

  KOKKOS_FUNCTION void operator()(int row) const {
    int low = 0, high = groups;  // the group begins at or before the row, the one behind it does not
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (group_map[middle] <= row) low = middle;
      else high = middle;
    }
    group_of[row] = low;
  }
};

/// Of a pattern whose rows have long runs of neighbouring columns: its tiles, or none where they would be small or
/// mostly empty. Waits for the space.
template <class Offset>
class FindTiles {
  using Space = Kokkos::Cuda;

 public:
  FindTiles(const Space& space, const incomplete::MergedPattern<int, Offset, Space>& merged)
      : space_(space), rows_{merged.view(), true}, entries_(merged.entries.extent(0)) {}

  TiledRows<Offset> find() {
    group();
    if (EliminationTuning::rows_of_tile * groups() > rows_.pattern.rows) return {};
    if (EliminationTuning::filled_tiles * count() > static_cast<double>(entries_)) return {};
    fill();
    return std::move(found_);
  }

 private:
  static constexpr unsigned threads = 128;

  template <class T>
  static auto array(const Space& space, const char* label, std::size_t count) {
    return parallel::uninitialized<T>(space, label, count);
  }

  template <class T, class View>
  std::vector<T> read(const View& from) const {
    std::vector<T> host(from.extent(0));
    if (!host.empty()) read_numbers(space_, from.data(), host.size(), host.data());
    return host;
  }

  void group() {
    const auto bits =
        array<unsigned char>(space_, "terrace::cuda::row_bits", static_cast<std::size_t>(rows_.pattern.rows));
    find_runs(space_, rows_, bits.data());
    group_map_ = group_rows(read<unsigned char>(bits), tile_width);
    found_.group_map = parallel::from_host_vector(space_, "terrace::cuda::group_map", group_map_);
    group_of_ = array<int>(space_, "terrace::cuda::group_of", static_cast<std::size_t>(rows_.pattern.rows));
    Kokkos::parallel_for("terrace::cuda::find_group_of_rows", Kokkos::RangePolicy<Space>(space_, 0, rows_.pattern.rows),
                         FindGroupOfRows{found_.group_map.data(), groups(), group_of_.data()});
  }

  int groups() const { return static_cast<int>(group_map_.size()) - 1; }
  TileSearch<Offset> search() const { return {rows_, groups(), found_.group_map.data(), group_of_.data()}; }

  /// Returns the area of all tiles.
  double count() {
    const auto counts = array<TileCount>(space_, "terrace::cuda::tile_counts", static_cast<std::size_t>(groups()));
    count_tiles<1>(space_, search(), counts.data());
    const auto host = read<TileCount>(counts);
    double area = 0;
    graph_.tile_map.assign(1, 0);
    for (int group = 0; group < groups(); ++group) {
      graph_.tile_map.push_back(graph_.tile_map.back() + host[group].tiles);
      area += static_cast<double>(group_map_[group + 1] - group_map_[group]) * host[group].columns;
    }
    return area;
  }

  void fill() {
    const auto tiles = static_cast<std::size_t>(graph_.tile_map.back());
    found_.tile_map = parallel::from_host_vector(space_, "terrace::cuda::tile_map", graph_.tile_map);
    found_.columns = array<int>(space_, "terrace::cuda::tile_columns", tiles);
    found_.tile_rows = array<TileRow<Offset>>(space_, "terrace::cuda::tile_rows", tiles * tile_width);
    found_.is_full = array<unsigned char>(space_, "terrace::cuda::full_tiles", tiles);
    launch(space_, "terrace::cuda::fill_tiles", fill_tiles_kernel<Offset>, blocks_of(groups(), threads / warp_size),
           threads, search(), found_.tile_map.data(), found_.columns.data(), found_.tile_rows.data(),
           found_.is_full.data());
    graph_.columns = read<int>(found_.columns);
    TileOrder order = order_tiles(graph_);
    found_.rows = parallel::from_host_vector(space_, "terrace::cuda::rows_of_tiles", order.rows);
    found_.diagonal = parallel::from_host_vector(space_, "terrace::cuda::diagonal_tiles", order.diagonal);
    found_.order = parallel::from_host_vector(space_, "terrace::cuda::order_of_tiles", order.order);
    found_.levels = order.levels;
    found_.pattern = {groups(),
                      static_cast<int>(tiles),
                      found_.group_map.data(),
                      found_.tile_map.data(),
                      found_.columns.data(),
                      found_.rows.data(),
                      found_.diagonal.data(),
                      found_.order.data(),
                      found_.tile_rows.data(),
                      found_.is_full.data()};
  }

  Space space_;
  SearchedRows<Offset> rows_;
  std::size_t entries_;
  std::vector<int> group_map_;
  Kokkos::View<int*, parallel::Device<Space>> group_of_;
  TileGraph graph_;
  TiledRows<Offset> found_;
};

}  // namespace terrace::cuda
