// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The filled row of ILU(k), from the graph of A alone.
//
// Elimination fills (i, j) exactly when the graph of A has a path from i to j whose inner vertices are all smaller than
// min(i, j) (Rose and Tarjan 1978), and the level of the entry is the length of the shortest such path less one. So a
// row can be found without the others: walk from i, at most k + 1 links far, through vertices smaller than i (Hysom
// and Pothen, "A scalable parallel algorithm for incomplete factor preconditioning", SIAM J. Sci. Comput. 22, 2001).
//
// One walk finds both triangles of the row. It carries the highest inner vertex of the path, `via`, and keeps for
// each vertex the lowest via that any path so far has reached it with: (i, j) is filled once that is below min(i, j).
// A vertex is walked through again only when a longer path reached it with a lower via.
//
// Invariant: after step s the table holds the lowest via over all paths of at most s links, for every vertex that such
// a path reaches. A step takes the vias as the step before left them, so the lanes that share it need no order.
// The last step is for filling alone: what it reaches must lie above the vertex it comes from, so it reads the half of
// that row behind the diagonal. ILU(1) is that step after the row itself.
//
// Cost: for each row the links within k steps, and half of the links of the last.
#pragma once

#include "algorithms/incomplete/fill_limit.hpp"
#include "algorithms/incomplete/search_table.hpp"

namespace terrace::incomplete {

template <class Ordinal, class Offset>
struct FillSearch {
  sparse::TriangleView<Ordinal, Offset> graph;  // sorted rows with their diagonals
  int fill_level;
  std::int64_t max_entries = std::numeric_limits<std::int64_t>::max();  // of all rows

  /// Lists the filled columns of the row, in any order; their number, or -1 when the table has no capacity.
  template <class Lanes>
  KOKKOS_FUNCTION std::int64_t list_columns(const Lanes& lanes, Ordinal row, const SearchTable<Ordinal>& table) const {
    walk(lanes, row, table);
    if (table.is_full()) return -1;
    return table.list(lanes, [row](const SearchSlot<Ordinal>& slot) { return slot.via < bound(row, slot.vertex); });
  }

 private:
  /// What all inner vertices of a path that fills stay below.
  KOKKOS_FUNCTION static Ordinal bound(Ordinal row, Ordinal column) { return row < column ? row : column; }

  template <class Lanes>
  KOKKOS_FUNCTION void walk(const Lanes& lanes, Ordinal row, const SearchTable<Ordinal>& table) const {
    follow(lanes, graph.row_map[row], row, row, Ordinal(-1), true, table);
    for (int links = 2; links <= fill_level + 1 && !table.is_full(); ++links) {
      const unsigned vertices = table.list(lanes, [row](SearchSlot<Ordinal>& slot) { return is_new(row, slot); });
      if (vertices == 0) return;
      const bool is_last = links == fill_level + 1;
      for (unsigned k = 0; k < vertices; ++k) {
        const Ordinal vertex = table.listed(k).vertex;
        const Offset first = is_last ? graph.diagonal[vertex] + 1 : graph.row_map[vertex];
        follow(lanes, first, vertex, row, table.listed(k).walked, !is_last, table);
      }
    }
  }

  /// Whether the vertex is to be walked through: not at all yet, or with a higher via only.
  KOKKOS_FUNCTION static bool is_new(Ordinal row, SearchSlot<Ordinal>& slot) {
    const Ordinal via = slot.via < slot.vertex ? slot.vertex : slot.via;
    if (slot.vertex >= row || via >= slot.walked) return false;
    slot.walked = via;
    return true;
  }

  /// The links of a vertex, from a place in its row on.
  template <class Lanes>
  KOKKOS_FUNCTION void follow(const Lanes& lanes, Offset first, Ordinal vertex, Ordinal row, Ordinal via, bool goes_on,
                              const SearchTable<Ordinal>& table) const {
    const auto links = static_cast<unsigned>(graph.row_map[vertex + 1] - first);
    lanes.for_each(0, links, [&](unsigned link) {
      const Ordinal to = graph.entries[first + static_cast<Offset>(link)];
      if (goes_on || via < bound(row, to)) table.reach(lanes, to, via);
    });
  }
};

}  // namespace terrace::incomplete
