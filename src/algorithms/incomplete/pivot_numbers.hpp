// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of L and U where elimination changes only the diagonal (row_changes.hpp): they follow from A and the
// pivots, so that whoever stores them elsewhere needs no other copy.
#pragma once

#include "algorithms/incomplete/elimination.hpp"

namespace terrace::incomplete {

/// For kernels; the values of the elimination are not read.
template <class Scalar, class Ordinal, class Offset, class Space>
struct PivotNumbers {
  Elimination<Scalar, Ordinal, Offset, Space> elimination;
  const Scalar* pivots;  // by row

  KOKKOS_FUNCTION Scalar operator()(Ordinal row, Offset p) const {
    const Ordinal column = elimination.pattern.entries[p];
    if (column > row && !elimination.symmetric) return elimination.stored(row, p);
    const Scalar diagonal = diagonal_of(column < row ? column : row);
    return column == row ? diagonal : elimination.stored(row, p) / diagonal;
  }

  KOKKOS_FUNCTION Scalar diagonal_of(Ordinal row) const {
    return elimination.symmetric ? Scalar(Kokkos::sqrt(pivots[row])) : pivots[row];
  }
};

}  // namespace terrace::incomplete
