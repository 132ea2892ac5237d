// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows have nearly the same columns as the one before, and which tiles of groups of rows and the same groups of
// columns have entries.
#pragma once

#include <algorithm>
#include <vector>

#include "backends/cuda/analysis/group_rows.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "sparse/find_column.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda {

/// The rows of a pattern that are looked at: whole, or the strict triangle.
template <class Offset>
struct SearchedRows {
  sparse::TriangleView<int, Offset> pattern;
  bool whole;

  KOKKOS_FUNCTION Offset begin(int row) const { return whole ? pattern.row_map[row] : pattern.begin(row); }
  KOKKOS_FUNCTION Offset end(int row) const { return whole ? pattern.row_map[row + 1] : pattern.end(row); }

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

template <class Offset>
struct LongestRow {
  SearchedRows<Offset> rows;

  KOKKOS_FUNCTION void operator()(int row, int& longest) const {
    longest = Kokkos::max(longest, static_cast<int>(rows.end(row) - rows.begin(row)));
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

/// Entries of a row. Waits for the space.
template <class Offset>
int longest_row(const Kokkos::Cuda& space, const SearchedRows<Offset>& rows) {
  int longest = 0;
  Kokkos::parallel_reduce("terrace::cuda::longest_row", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, rows.pattern.rows),
                          LongestRow<Offset>{rows}, Kokkos::Max<int>(longest));
  return longest;
}

struct FindGroupOfRow {
  const int* group_map;
  int groups;
  int* group_of;

  KOKKOS_FUNCTION void operator()(int row) const {
    group_of[row] = sparse::place_of_column(group_map, 0, groups, row + 1) - 1;
  }
};

/// Enqueued: the groups, and by row its group.
inline void write_groups(const Kokkos::Cuda& space, const std::vector<int>& groups, int* group_map, int* group_of) {
  write_numbers(space, groups, group_map);
  Kokkos::parallel_for("terrace::cuda::find_group_of_rows", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, groups.back()),
                       FindGroupOfRow{group_map, static_cast<int>(groups.size()) - 1, group_of});
}

/// Parts of a row of tiles, so that a warp has not too many of them to walk along.
inline int parts_of_tile_rows(int longest_row) {
  constexpr int entries_of_part = 2048, most_parts = 32;
  return std::clamp(longest_row / entries_of_part, 1, most_parts);
}

template <class Offset>
struct TileSearch {
  SearchedRows<Offset> rows;
  int groups;
  const int* group_map;
  const int* group_of;  // by row
  int parts;            // of each row of tiles, with as many groups of columns each; numbered along the rows

  KOKKOS_FUNCTION std::size_t all_parts() const {
    return static_cast<std::size_t>(groups) * static_cast<std::size_t>(parts);
  }
  __device__ int group_of_part(std::size_t part) const { return static_cast<int>(part / parts); }
  /// The first group of columns of a part of any row of tiles, or where the last part ends.
  __device__ int first_column(std::int64_t part_of_row) const { return static_cast<int>(part_of_row * groups / parts); }
};

/// By row of tiles what is known by part: where each begins, and all end.
inline std::vector<int> without_parts(const std::vector<int>& map, int parts) {
  std::vector<int> rows;
  for (std::size_t k = 0; k < map.size(); k += static_cast<std::size_t>(parts)) rows.push_back(map[k]);
  return rows;
}

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

/// Calls visit(group of columns, entries in it of this lane's rows) for each tile of a part of a row of tiles, in
/// ascending order, by a warp whose lanes have as many rows each as there are in `Rows` warps.
template <int Rows, class Offset, class Visit>
__device__ void for_tiles_of(const TileSearch<Offset>& search, std::size_t part, const Visit& visit) {
  const auto& rows = search.rows;
  const int* const entries = rows.pattern.entries;
  const int group = search.group_of_part(part);
  const auto part_of_row = static_cast<std::int64_t>(part % search.parts);
  Offset at[Rows], end[Rows];
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const int row = search.group_map[group] + static_cast<int>(threadIdx.x % warp_size) + r * warp_size;
    const bool is_row = row < search.group_map[group + 1];
    at[r] = is_row ? rows.begin(row) : 0;
    end[r] = is_row ? rows.end(row) : 0;
    if (search.parts == 1) continue;
    const int first = search.group_map[search.first_column(part_of_row)],
              last = search.group_map[search.first_column(part_of_row + 1)];
    at[r] = sparse::place_of_column(entries, at[r], end[r], first);
    end[r] = sparse::place_of_column(entries, at[r], end[r], last);
  }
  for (;;) {
    int own = search.groups;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      if (at[r] < end[r]) own = min(own, search.group_of[entries[at[r]]]);
    const int next = __reduce_min_sync(all_lanes, own);
    if (next == search.groups) return;
    const int first = search.group_map[next], last = search.group_map[next + 1];
    TileRow<Offset> found[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) found[r] = pass_tile(entries, first, last, at[r], end[r]);
    visit(next, found);
  }
}

/// Of a part of a row of tiles: how many there are, of how many columns together, and whether one is on the diagonal.
struct TileCount {
  int tiles, columns, own;
};

/// A warp for each part.
template <int Rows, class Offset>
__global__ void count_tiles_kernel(TileSearch<Offset> search, TileCount* counts) {
  const std::size_t part = number_of_warp();
  if (part >= search.all_parts()) return;
  TileCount count{0, 0, 0};
  for_tiles_of<Rows>(search, part, [&](int column, const auto&) {
    ++count.tiles;
    if (column == search.group_of_part(part)) count.own = 1;
    count.columns += search.group_map[column + 1] - search.group_map[column];
  });
  if (threadIdx.x % warp_size == 0) counts[part] = count;
}

template <int Rows, class Offset>
void count_tiles(const Kokkos::Cuda& space, const TileSearch<Offset>& search, TileCount* counts) {
  constexpr unsigned threads = 128;
  launch(space, "terrace::cuda::count_tiles", count_tiles_kernel<Rows, Offset>,
         blocks_of(search.all_parts(), threads / warp_size), threads, search, counts);
}

}  // namespace terrace::cuda
