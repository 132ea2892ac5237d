// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For each column, the rows that name it: the other direction of every dependence.
//
// The order within a row of the result is whatever the threads make it; sort_rows makes it ascend.
#pragma once

#include "sparse/build_rows.hpp"

namespace terrace::sparse {

/// `Graph` has rows, entries, begin and end: GraphView, or a triangle, whose strict part is transposed.
template <class Graph, class Ordinal, class Offset>
struct VisitTransposed {
  Graph from;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return from.begin(row); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return from.end(row); }
  template <class Emit>
  KOKKOS_FUNCTION void entry(Ordinal row, Offset k, const Emit& emit) const {
    emit(from.entries[k], row, k);
  }
};

/// A square pattern transposed, in arrays of `scratch`. Waits for the space before it fills.
template <class Ordinal, class Offset, class Space, class Graph>
CrsGraph<Ordinal, Offset, Space> transpose(const Space& space, const Graph& from, Ordinal rows,
                                           parallel::ScratchArrays<Space>& scratch, Sources sources = Sources::Forget) {
  return build_rows<Ordinal, Offset>(space, "terrace::sparse::transpose", rows, rows,
                                     VisitTransposed<Graph, Ordinal, Offset>{from}, sources, scratch);
}

}  // namespace terrace::sparse
