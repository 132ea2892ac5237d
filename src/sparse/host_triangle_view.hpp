// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One triangle of a symmetric pattern on the host, as it is stored: what is read of a matrix of which one triangle is
// stored, or both.
#pragma once

#include <cstddef>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

/// Points to arrays of others. Rows are in any order.
template <class Offset>
struct HostTriangleView {
  int rows;
  const Offset* row_map;  ///< rows + 1; not read where there are no rows
  const int* entries;
  bool lower;

  /// Entries of both triangles.
  std::size_t stored() const { return rows == 0 ? 0 : static_cast<std::size_t>(row_map[rows]); }

  bool is_read(int row, int column) const { return lower ? column <= row : column >= row; }

  /// visit(row, column, place) for the entries of rows first to end - 1.
  template <class Visit>
  void for_each_read(int first, int end, const Visit& visit) const {
    const HostTriangleView view = *this;  // what is visited may be written to, but not this
    for (int row = first; row < end; ++row)
      for (Offset k = view.row_map[row], row_end = view.row_map[row + 1]; k < row_end; ++k)
        if (view.is_read(row, view.entries[k])) visit(row, view.entries[k], static_cast<std::size_t>(k));
  }
  template <class Visit>
  void for_each_read(const Visit& visit) const {
    for_each_read(0, rows, visit);
  }
};

/// Of a graph, which stores both.
inline HostTriangleView<std::size_t> triangle_of(const HostGraph& graph) {
  return {graph.vertices(), graph.row_map.data(), graph.entries.data(), true};
}

/// The graph of the whole matrix. `threads` of the host take part; what they find does not depend on how many they are.
/// For offsets int and std::size_t.
template <class Offset>
HostGraph graph_of(const HostTriangleView<Offset>& triangle, int threads = 1);

}  // namespace terrace::sparse
