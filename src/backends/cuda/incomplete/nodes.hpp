// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes: up to three consecutive rows with the same columns, as the unknowns of a point of a mesh have. Every row of
// the pattern holds all columns of a node or none, and a node's rows hold its own; a row that fits nowhere is a node of
// its own. Fill by levels keeps nodes: what reaches one unknown of a point reaches the others by the same path.
//
// Found in two passes. A row that differs from the one before begins a node, and so do a column that some row holds
// without the one before it, and the column behind one that some row ends with. What lies between two beginnings is a
// run, which is cut into threes. Looking back for the beginning of its run costs each row of it a step, but m rows of a
// run hold at least m^2 entries: O(entries) together.
#pragma once

#include "backends/cuda/launch.hpp"
#include "backends/cuda/watch.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda {

/// Rows of a node, at most.
inline constexpr int max_rows_of_node = 3;

/// A warp for each row.
template <class Kernel, class Offset, class... Arguments>
void launch_for_rows(const Kokkos::Cuda& space, const char* label, Kernel kernel,
                     const sparse::TriangleView<int, Offset>& pattern, const Arguments&... arguments) {
  constexpr std::size_t threads = 128, rows_per_block = threads / warp_size;
  launch(space, label, kernel, blocks_of(pattern.rows, rows_per_block), threads, pattern, arguments...);
}

template <class Offset>
__device__ bool has_columns_of_row_before(const sparse::TriangleView<int, Offset>& pattern, int row) {
  const Offset begin = pattern.row_map[row], length = pattern.row_map[row + 1] - begin;
  if (begin - pattern.row_map[row - 1] != length) return false;
  auto left = parallel::EntriesLeft<Offset>::of_row(begin - length, begin);
  for (left.advance(static_cast<int>(threadIdx.x % warp_size));; left.advance(warp_size)) {
    const bool differs = left.any() && pattern.entries[left.next] != pattern.entries[left.next + length];
    if (__any_sync(all_lanes, differs)) return false;
    if (__all_sync(all_lanes, left.left <= warp_size)) return true;
  }
}

/// `begins` has a byte for each row, all zero at first.
template <class Offset>
__global__ void mark_runs_kernel(sparse::TriangleView<int, Offset> pattern, unsigned char* begins) {
  const int row = ShareOfRow::of_warp(number_of_warp(), 1, pattern.rows).row;
  if (row == pattern.rows) return;
  const Offset begin = pattern.row_map[row], end = pattern.row_map[row + 1];
  parallel::for_entries_of_lane(begin, end, static_cast<int>(threadIdx.x) % warp_size, warp_size, [&](Offset p) {
    const int column = pattern.entries[p];
    if (p == begin || pattern.entries[p - 1] != column - 1) begins[column] = 1;
    if (column + 1 < pattern.rows && (p + 1 == end || pattern.entries[p + 1] != column + 1)) begins[column + 1] = 1;
  });
  if (row > 0 && !has_columns_of_row_before(pattern, row) && threadIdx.x % warp_size == 0) begins[row] = 1;
}

/// The width of each node at its first row, 0 at the others; and how many there are.
struct CutRuns {
  const unsigned char* begins;
  int rows;
  unsigned char* widths;

  KOKKOS_FUNCTION void operator()(int row, int& nodes) const {
    int first = row;
    while (begins[first] == 0) --first;
    int width = 0;
    if ((row - first) % max_rows_of_node == 0) {
      width = 1;
      while (width < max_rows_of_node && row + width < rows && begins[row + width] == 0) ++width;
      ++nodes;
    }
    widths[row] = static_cast<unsigned char>(width);
  }
};

/// Fills `widths` and returns the number of nodes; `begins` is scratch of the same size. Waits for the space.
template <class Offset>
int find_nodes(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern, unsigned char* begins,
               unsigned char* widths) {
  check(cudaMemsetAsync(begins, 0, static_cast<std::size_t>(pattern.rows), space.cuda_stream()), "cudaMemsetAsync");
  launch_for_rows(space, "terrace::cuda::mark_runs", mark_runs_kernel<Offset>, pattern, begins);
  int nodes = 0;
  Kokkos::parallel_reduce("terrace::cuda::cut_runs", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, pattern.rows),
                          CutRuns{begins, pattern.rows, widths}, nodes);
  return nodes;
}

}  // namespace terrace::cuda
