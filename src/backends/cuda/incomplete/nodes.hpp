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
#include "sparse/for_each_row.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::incomplete {

/// Rows of a node, at most.
inline constexpr int max_rows_of_node = 3;

/// As a walk over the rows, entry by entry: of a hub's row many warps take a part each.
template <class Offset>
struct MarkRuns {
  sparse::TriangleView<int, Offset> pattern;
  unsigned char* begins;  // a byte for each row, all zero at first

  KOKKOS_FUNCTION Offset begin(int row) const { return pattern.row_map[row]; }
  KOKKOS_FUNCTION Offset end(int row) const { return pattern.row_map[row + 1]; }

  KOKKOS_FUNCTION void entry(int row, Offset p) const {
    const int column = pattern.entries[p];
    if (p == begin(row) || pattern.entries[p - 1] != column - 1) begins[column] = 1;
    if (column + 1 < pattern.rows && (p + 1 == end(row) || pattern.entries[p + 1] != column + 1))
      begins[column + 1] = 1;
    if (is_as_long_as_before(row) && pattern.entries[p - length(row)] != column) begins[row] = 1;
  }

  KOKKOS_FUNCTION void finish(int row) const {
    if (!is_as_long_as_before(row)) begins[row] = 1;
  }

 private:
  KOKKOS_FUNCTION Offset length(int row) const { return end(row) - begin(row); }
  KOKKOS_FUNCTION bool is_as_long_as_before(int row) const { return row > 0 && length(row - 1) == length(row); }
};

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

/// Fills `widths` and returns the number of nodes of a pattern with so many entries. `begins`, of the same size, and
/// one number are scratch. Waits for the space.
template <class Offset>
int find_nodes(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern, std::size_t entries,
               unsigned char* begins, int* scratch, unsigned char* widths) {
  check(cudaMemsetAsync(begins, 0, static_cast<std::size_t>(pattern.rows), space.cuda_stream()), "cudaMemsetAsync");
  sparse::for_each_row(space, "terrace::cuda::mark_runs", pattern.rows, entries, scratch,
                       MarkRuns<Offset>{pattern, begins});
  int nodes = 0;
  Kokkos::parallel_reduce("terrace::cuda::cut_runs", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, pattern.rows),
                          CutRuns{begins, pattern.rows, widths}, nodes);
  return nodes;
}

}  // namespace terrace::cuda::incomplete
