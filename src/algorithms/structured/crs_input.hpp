// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CrsMatrix on its way into a grid's diagonals: the checks that both ways of looking at it share.
#pragma once

#include <terrace/structured_conversion.hpp>

#include "algorithms/structured/first_row.hpp"
#include "algorithms/structured/stencil.hpp"

namespace terrace::structured {

/// The three arrays as kernels see them.
template <class Scalar, class Offset>
struct CrsRows {
  std::int64_t count;
  const Offset* row_map;
  const int* entries;
  const Scalar* values;

  template <class Matrix>
  explicit CrsRows(const Matrix& A)
      : count(A.numRows()), row_map(A.graph.row_map.data()), entries(A.graph.entries.data()), values(A.values.data()) {}
};

template <class Scalar, class Offset>
struct FindColumnOutOfRange {
  CrsRows<Scalar, Offset> A;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (Offset k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      if (A.entries[k] < 0 || A.entries[k] >= A.count) parallel::atomic_lower(*first, row);
  }
};

template <class Space>
using Rows = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Throws unless the matrix is square and its columns lie inside.
template <class Space, class Matrix>
void check_crs(const Space& space, const Matrix& A) {
  using Scalar = typename Matrix::non_const_value_type;
  using Offset = typename Matrix::non_const_size_type;
  if (A.numRows() != A.numCols())
    throw Error(ErrorCode::NotSquare, "the matrix is " + std::to_string(A.numRows()) + "x" +
                                          std::to_string(A.numCols()) + "; that of a grid is square");
  const FirstRow<Space> outside(space, A.numRows());
  Kokkos::parallel_for("terrace::structured::find_column_out_of_range", Rows<Space>(space, 0, A.numRows()),
                       FindColumnOutOfRange<Scalar, Offset>{CrsRows<Scalar, Offset>(A), outside.data()});
  if (const auto row = outside.read(space))
    throw Error(ErrorCode::ColumnOutOfRange, "row " + std::to_string(*row) + " has an entry outside the matrix", *row);
}

}  // namespace terrace::structured
