// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of A as the merged pattern sees them: taken from where its entries came from, mirrored where only one
// triangle is read, zero where nothing is stored.
#pragma once

#include "algorithms/analysis/pattern.hpp"
#include "algorithms/triangular/row_kernels.hpp"

namespace terrace::incomplete {

template <class Scalar, class Ordinal, class Offset>
struct StoredRows {
  analysis::Pattern<Ordinal, Offset> lines;  // merged
  const Scalar* values;                      // the caller's
  const Offset* source;                      // null: each entry its own
  bool hermitian;
  bool read_upper;  // the triangle that a symmetric factorization reads

  KOKKOS_FUNCTION Scalar entry(Ordinal row, Offset p) const {
    if (!source) return values[p];
    if (source[p] == static_cast<Offset>(-1)) return Scalar(0);
    const Scalar value = values[source[p]];
    if constexpr (triangular::is_complex<Scalar>) {
      const Ordinal column = lines.entries[p];
      if (hermitian && column == row) return Scalar(value.real());
      if (hermitian && (column > row) != read_upper) return Kokkos::conj(value);
    }
    return value;
  }
};

}  // namespace terrace::incomplete
