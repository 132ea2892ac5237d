// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse pattern in compressed rows: which columns each row names, without values.
//
// What is made of another pattern remembers in `source` where each entry stood there, so that values are copied by one
// kernel and a pattern serves any number of matrices.
#pragma once

#include "parallel/memory.hpp"

namespace terrace::sparse {

/// No entry of the other pattern: the value is zero.
template <class Offset>
inline constexpr Offset no_source = static_cast<Offset>(-1);

/// The kernels' side: raw pointers, copied by value.
template <class Ordinal, class Offset>
struct GraphView {
  Ordinal rows = 0;
  const Offset* row_map = nullptr;
  const Ordinal* entries = nullptr;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return row_map[row]; }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return row_map[row + 1]; }
};

/// The owner's side.
template <class Ordinal, class Offset, class Space>
struct CrsGraph {
  Kokkos::View<Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<Offset*, parallel::Device<Space>> source;  // empty where nobody asks

  Ordinal rows() const { return row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(row_map.extent(0) - 1); }
  GraphView<Ordinal, Offset> view() const { return {rows(), row_map.data(), entries.data()}; }
  std::size_t bytes_held() const {
    return (row_map.span() + source.span()) * sizeof(Offset) + entries.span() * sizeof(Ordinal);
  }
};

}  // namespace terrace::sparse
