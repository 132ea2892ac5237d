// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the entries of the rows of U fall in the row that they are subtracted from: a byte for each product l_ik u_kj.
//
// The numeric phase then searches nothing. Step s of row i has `stride` bytes at first[i] + s stride, for the entries
// of row k of U behind the pivot; the stride is the longest of them. Zero, where no product falls, says that the entry
// falls outside the row. Rows k that are much longer than what is left of row i are left out, rows i with too many
// entries for a byte have no table, and no row has one where all together would outweigh the factor by far: these
// places are searched each time.
#pragma once

#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// Where (row, column) stands in [first, last) of the row, or last.
template <class Position>
KOKKOS_INLINE_FUNCTION Position find_column(const int* entries, Position first, Position last, int column) {
  Position low = first, high = last;
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (entries[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low < last && entries[low] == column ? low : last;
}

/// The kernels' side.
struct PlaceTable {
  static constexpr int nowhere = 0, longest_row = 256;
  static constexpr std::int64_t none = -1;

  /// Whether a row of U with so many entries behind the pivot is left out, for a row with so many left.
  KOKKOS_FUNCTION static bool is_left_out(int count, int left) { return count > 32 && count > 4 * left; }

  unsigned char* places = nullptr;
  std::int64_t* first = nullptr;  // by row; none without a table
  int* stride = nullptr;          // by row
};

/// The bytes of each row, as a scan. Rows of the scan's second run are given their part of the table.
template <class Offset>
struct PlacePlaces {
  analysis::Pattern<int, Offset> lines;
  PlaceTable table;

  KOKKOS_FUNCTION void operator()(int row, std::int64_t& sum, bool final) const {
    const Offset begin = lines.line_map[row], diagonal = lines.diagonal[row];
    const bool has_table = lines.line_map[row + 1] - begin <= static_cast<Offset>(PlaceTable::longest_row);
    int stride = 0;
    for (Offset p = begin; has_table && p < diagonal; ++p) {
      const int k = lines.entries[p];
      const auto length = static_cast<int>(lines.line_map[k + 1] - lines.diagonal[k]) - 1;
      const auto left = static_cast<int>(lines.line_map[row + 1] - p) - 1;
      if (length > stride && !PlaceTable::is_left_out(length, left)) stride = length;
    }
    if (final) {
      table.first[row] = has_table ? sum : PlaceTable::none;
      table.stride[row] = stride;
    }
    sum += static_cast<std::int64_t>(stride) * static_cast<std::int64_t>(diagonal - begin);
  }
};

/// A group of lanes for each row.
template <class Offset>
__global__ void fill_places_kernel(analysis::Pattern<int, Offset> lines, PlaceTable table, int log2_lanes) {
  const std::size_t thread = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  const auto row = static_cast<std::int64_t>(thread >> log2_lanes);
  if (row >= lines.lines || table.first[row] == PlaceTable::none) return;
  const int part = static_cast<int>(thread) & ((1 << log2_lanes) - 1), stride = table.stride[row];
  const Offset begin = lines.line_map[row];
  const auto length = static_cast<int>(lines.line_map[row + 1] - begin);
  const auto steps = static_cast<int>(lines.diagonal[row] - begin);
  const int* columns = lines.entries + begin;
  for (int step = 0; step < steps; ++step) {
    const int k = columns[step];
    const Offset first = lines.diagonal[k] + 1;
    const auto count = static_cast<int>(lines.line_map[k + 1] - first);
    if (PlaceTable::is_left_out(count, length - step - 1)) continue;
    unsigned char* places = table.places + table.first[row] + static_cast<std::int64_t>(step) * stride;
    for (int e = part; e < count; e += 1 << log2_lanes) {
      const int place = find_column(columns, step + 1, length, lines.entries[first + static_cast<Offset>(e)]);
      places[e] = static_cast<unsigned char>(place == length ? PlaceTable::nowhere : place);
    }
  }
}

}  // namespace terrace::cuda
