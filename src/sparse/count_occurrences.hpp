// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "parallel/concurrency.hpp"

namespace terrace::sparse {

/// How often each column is named: in-degrees where a row lists what needs it, out-degrees where it lists what it
/// needs. A kernel over rows, and a walk of for_each_row.
template <class Graph, class Ordinal, class Offset, class Count>
struct CountOccurrences {
  Graph from;
  Count* occurrences;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = begin(row); k < end(row); ++k) entry(row, k);
  }
  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return from.begin(row); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return from.end(row); }
  KOKKOS_FUNCTION void entry(Ordinal, Offset k) const { parallel::fetch_increment(occurrences[from.entries[k]]); }
  KOKKOS_FUNCTION void finish(Ordinal) const {}
};

}  // namespace terrace::sparse
