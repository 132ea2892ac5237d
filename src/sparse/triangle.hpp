// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A triangle of a compressed matrix: where the strict part and the diagonal of each row lie.
//
// Rows are those of the arrays: of a matrix in compressed columns they are its columns. The strict part is one range
// of a row whenever the row is sorted: all of it but the diagonal, which stands first or last (a stored triangle), or
// what lies before or behind the diagonal (a full matrix, whose diagonal positions were looked up). Kernels see a row
// only through begin, end and diagonal_position, so one kernel serves lower and upper, stored and full, unit and
// non-unit.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <terrace/triangular_options.hpp>

#include "sparse/crs_graph.hpp"

namespace terrace::sparse {

/// The kernels' side: raw pointers, copied by value.
template <class Ordinal, class Offset>
struct TriangleView {
  Ordinal rows = 0;
  const Offset* row_map = nullptr;
  const Ordinal* entries = nullptr;
  const Offset* diagonal = nullptr;  // positions in a full matrix; null when it stands first or last
  bool behind_diagonal = false;      // the strict triangle lies behind the diagonal
  Offset skip_front = 0;             // entries before and behind the strict triangle: the diagonal, or none
  Offset skip_back = 0;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const {
    return diagonal && behind_diagonal ? diagonal[row] + 1 : row_map[row] + skip_front;
  }
  KOKKOS_FUNCTION Offset end(Ordinal row) const {
    return diagonal && !behind_diagonal ? diagonal[row] : row_map[row + 1] - skip_back;
  }
  KOKKOS_FUNCTION Offset diagonal_position(Ordinal row) const {
    if (diagonal) return diagonal[row];
    return skip_front ? row_map[row] : row_map[row + 1] - 1;
  }
};

/// The owner's side: the caller's views, or those of a copy, which remembers in `source` which of the caller's values
/// each entry takes.
template <class Ordinal, class Offset, class Space>
struct Triangle {
  Ordinal count = 0;
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<const Offset*, parallel::Device<Space>> diagonal;
  Kokkos::View<const Offset*, parallel::Device<Space>> source;
  parallel::SharedMemory<Space> diagonal_memory, source_memory;  // where these views do not own it
  bool is_copy = false;
  bool gathers = true;  // a row lists what its unknown needs (op(A)'s rows); else what needs it (its columns)
  bool behind_diagonal = false;
  Offset skip_front = 0;
  Offset skip_back = 0;
  bool may_have_long_rows = true;  // of far more entries than the average

  TriangleView<Ordinal, Offset> view() const {
    return {count, row_map.data(), entries.data(), diagonal.data(), behind_diagonal, skip_front, skip_back};
  }

  /// Where ascending rows hold the diagonal, if they do.
  void place_diagonal(bool is_stored) {
    skip_front = is_stored && behind_diagonal ? 1 : 0;
    skip_back = is_stored && !behind_diagonal ? 1 : 0;
  }

  /// Whole rows, with the diagonal and what lies on its other side.
  GraphView<Ordinal, Offset> whole() const { return {count, row_map.data(), entries.data()}; }

  std::size_t bytes_held() const {
    std::size_t bytes = (diagonal.span() + source.span()) * sizeof(Offset);
    if (is_copy) bytes += row_map.span() * sizeof(Offset) + entries.span() * sizeof(Ordinal);
    return bytes;
  }
};

/// What is known of the rows of a matrix, by a check or because the library made them.
struct StructureFacts {
  bool is_sorted = true;
  bool stores_diagonals = true;  ///< at least one
  std::optional<std::int64_t> first_missing_diagonal;
  bool may_have_long_rows = true;  ///< in the sense of for_each_row

  /// Of most matrices, and what no check has found yet.
  static StructureFacts expected() { return {true, true, {}, false}; }
  bool are_as_expected() const {
    return is_sorted && stores_diagonals && !first_missing_diagonal && !may_have_long_rows;
  }
};

/// True when the rows of the caller's arrays are the rows of op(A).
inline bool rows_gather(Format format, Op op) { return (format == Format::Csr) == (op == Op::None); }

/// True when op(A) is upper triangular, so that substitution runs from the last row to the first.
inline bool runs_backward(Uplo uplo, Op op) { return (uplo == Uplo::Upper) == (op == Op::None); }

/// True when the strict triangle of a row holds indices larger than the row's own.
inline bool lies_behind_diagonal(const TriangularOptions& options) {
  return (options.uplo == Uplo::Upper) == (options.format == Format::Csr);
}

}  // namespace terrace::sparse
