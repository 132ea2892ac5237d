// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the matrices of structured grids and compressed rows.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <optional>
#include <string>
#include <terrace/structured_matrix.hpp>
#include <terrace/structured_options.hpp>

namespace terrace {

/// The matrices in compressed rows that can be turned into structured ones and back. Columns are int.
template <class Scalar, class Offset, class ExecutionSpace>
using GridCrsMatrix =
    KokkosSparse::CrsMatrix<Scalar, int, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>, void,
                            Offset>;

/// What recognize_grid found.
struct GridRecognition {
  std::optional<Grid> grid;  ///< empty: the matrix is not that of a grid in natural order
  std::string reason;        ///< what the answer rests on, in a sentence
  /// Whether a grid was found.
  explicit operator bool() const { return grid.has_value(); }
};

/// Finds nx, ny, nz from the entries that are not zero. Matrices that belong to several grids (a grid of one line is a
/// grid of one column) are given the one with the smallest nz, then ny. Waits for `space`; at most five passes over A.
/// \throws Error NotSquare, ColumnOutOfRange.
template <class Scalar, class Offset, class ExecutionSpace>
GridRecognition recognize_grid(const ExecutionSpace& space, const GridCrsMatrix<Scalar, Offset, ExecutionSpace>& A);

/// Copies the entries of A into diagonals; what is not stored is zero. Rows need not be sorted. Waits for `space`.
/// \throws Error NotSquare, ColumnOutOfRange, InvalidGrid; SizeMismatch: A has not one row per cell; DuplicateEntry;
///         NotAGrid: an entry other than zero couples cells that are no neighbours (periodic grids have such);
///         NotSymmetric: a_ij differs from a_ji though Symmetry::Symmetric was said.
template <class Scalar, class Offset, class ExecutionSpace>
StructuredMatrix<Scalar, ExecutionSpace> to_structured(const ExecutionSpace& space,
                                                       const GridCrsMatrix<Scalar, Offset, ExecutionSpace>& A,
                                                       const Grid& grid, Symmetry symmetry = Symmetry::General);

/// The same matrix in compressed rows, columns ascending: an entry for each neighbour inside the grid, zero or not.
/// Waits for `space`. \throws Error SizeMismatch when int or Offset cannot count rows or entries.
template <class Offset, class Scalar, class ExecutionSpace>
GridCrsMatrix<Scalar, Offset, ExecutionSpace> to_crs(const ExecutionSpace& space,
                                                     const StructuredMatrix<Scalar, ExecutionSpace>& A);

}  // namespace terrace
