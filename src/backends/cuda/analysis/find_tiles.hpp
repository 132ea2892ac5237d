// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows have nearly the same columns as the one before, and which tiles of groups of rows and the same groups of
// columns have entries.
#pragma once

#include "backends/cuda/analysis/group_rows.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "sparse/find_column.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda {

/// The rows of a pattern that are looked at: whole, or the strict triangle.
template <class Offset>
struct SearchedRows {
  sparse::TriangleView<int, Offset> pattern;
  bool whole;

  __device__ Offset begin(int row) const { return whole ? pattern.row_map[row] : pattern.begin(row); }
  __device__ Offset end(int row) const { return whole ? pattern.row_map[row + 1] : pattern.end(row); }

  __device__ bool has(int row, int column) const {
    return sparse::find_column(pattern.entries, begin(row), end(row), column) != end(row);
  }

  /// The same. In rows alike the column is this entry, or in bands the next one.
  __device__ bool has_near(int row, Offset entry, int column) const {
    const Offset near = begin(row) + entry;
    if (near < end(row) && pattern.entries[near] == column) return true;
    return (near + 1 < end(row) && pattern.entries[near + 1] == column) || has(row, column);
  }
};

/// RowBits of each row. The diagonal counts as an entry of a strict triangle. A warp for each row.
template <class Offset>
__global__ void find_runs_kernel(SearchedRows<Offset> rows, unsigned char* bits) {
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(rows.pattern.rows)) return;
  const auto lane = static_cast<Offset>(threadIdx.x % warp_size);
  const auto row = static_cast<int>(number), former = row > 0 ? row - 1 : row;
  const Offset begin = rows.begin(row), end = rows.end(row), diagonal = rows.whole ? 0 : 1;
  const Offset length = end - begin + diagonal, former_length = rows.end(former) - rows.begin(former) + diagonal;
  const Offset longer = length > former_length ? length : former_length;
  const Offset shorter = length + former_length - longer;
  const bool is_linked = row > 0 && (rows.has(row, former) || rows.has(former, row));
  unsigned shared = 0;
  if (2 * shorter >= longer && row > 0)
    for (Offset p = begin + lane; p < end; p += warp_size)
      if (rows.has_near(former, p - begin, rows.pattern.entries[p])) ++shared;
  shared = __reduce_add_sync(all_lanes, shared);
  if (is_linked && !rows.whole) ++shared;  // the diagonal of one is a column of the other
  if (lane != 0) return;
  const bool begins = 2 * static_cast<Offset>(shared) < longer;
  bits[row] = static_cast<unsigned char>((begins ? begins_run : 0) | (is_linked ? needs_former : 0));
}

/// A warp for each row.
template <class Offset>
void find_runs(const Kokkos::Cuda& space, const SearchedRows<Offset>& rows, unsigned char* bits) {
  constexpr unsigned threads = 128;
  launch(space, "terrace::cuda::find_runs", find_runs_kernel<Offset>, blocks_of(rows.pattern.rows, threads / warp_size),
         threads, rows, bits);
}

template <class Offset>
struct TileSearch {
  SearchedRows<Offset> rows;
  int groups;
  const int* group_map;
  const int* group_of;  // by row
};

/// A row's entries in a tile.
template <class Offset>
struct TileRow {
  Offset first;   // position in the pattern
  unsigned mask;  // bit j: column j of the group, of the first 32
};

/// Bits begin, ..., begin + count - 1, modulo 32.
__device__ inline unsigned run_of_bits(int begin, int count) {
  const unsigned bits = count < warp_size ? (1u << count) - 1 : ~0u;
  return __funnelshift_l(bits, bits, static_cast<unsigned>(begin));
}

/// Passes the row's entries before column `last`, whose columns are none before `first`. Most often no column is
/// missing from the first of them on.
template <class Offset>
__device__ TileRow<Offset> pass_tile(const int* entries, int first, int last, Offset& at, Offset end) {
  TileRow<Offset> found{at, 0};
  if (at == end || entries[at] >= last) return found;
  const int begin = entries[at] - first, left = last - entries[at];
  if (left <= static_cast<std::int64_t>(end - at) && entries[at + static_cast<Offset>(left - 1)] == last - 1) {
    found.mask = run_of_bits(begin, left);
    at += static_cast<Offset>(left);
    return found;
  }
  for (; at < end && entries[at] < last; ++at) found.mask |= run_of_bits(entries[at] - first, 1);
  return found;
}

/// Calls visit(group of columns, entries in it of this lane's rows) for each tile of a row of tiles, in ascending
/// order, by a warp whose lanes have as many rows each as there are in `Rows` warps.
template <int Rows, class Offset, class Visit>
__device__ void for_tiles_of(const TileSearch<Offset>& search, int group, const Visit& visit) {
  const auto& rows = search.rows;
  Offset at[Rows], end[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int row = search.group_map[group] + static_cast<int>(threadIdx.x % warp_size) + r * warp_size;
    const bool is_row = row < search.group_map[group + 1];
    at[r] = is_row ? rows.begin(row) : 0;
    end[r] = is_row ? rows.end(row) : 0;
  }
  for (;;) {
    int own = search.groups;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (at[r] < end[r]) own = min(own, search.group_of[rows.pattern.entries[at[r]]]);
    const int next = __reduce_min_sync(all_lanes, own);
    if (next == search.groups) return;
    const int first = search.group_map[next], last = search.group_map[next + 1];
    TileRow<Offset> found[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) found[r] = pass_tile(rows.pattern.entries, first, last, at[r], end[r]);
    visit(next, found);
  }
}

/// Of a row of tiles: how many there are, of how many columns together, and whether one is on the diagonal.
struct TileCount {
  int tiles, columns, own;
};

/// A warp for each row of tiles.
template <int Rows, class Offset>
__global__ void count_tiles_kernel(TileSearch<Offset> search, TileCount* counts) {
  const std::size_t group = number_of_warp();
  if (group >= static_cast<std::size_t>(search.groups)) return;
  TileCount count{0, 0, 0};
  for_tiles_of<Rows>(search, static_cast<int>(group), [&](int column, const auto&) {
    ++count.tiles;
    if (static_cast<std::size_t>(column) == group) count.own = 1;
    count.columns += search.group_map[column + 1] - search.group_map[column];
  });
  if (threadIdx.x % warp_size == 0) counts[group] = count;
}

template <int Rows, class Offset>
void count_tiles(const Kokkos::Cuda& space, const TileSearch<Offset>& search, TileCount* counts) {
  constexpr unsigned threads = 128;
  launch(space, "terrace::cuda::count_tiles", count_tiles_kernel<Rows, Offset>,
         blocks_of(search.groups, threads / warp_size), threads, search, counts);
}

}  // namespace terrace::cuda
