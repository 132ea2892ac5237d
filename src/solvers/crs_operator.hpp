// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of terrace::CrsOperator.
#pragma once

#include <string>
#include <terrace/crs_operator.hpp>
#include <terrace/error.hpp>

#include "algorithms/triangular/check_vectors.hpp"
#include "backends/krylov.hpp"

namespace terrace {

namespace krylov {

inline void check_length(const char* name, std::size_t found, std::int64_t expected, const char* what) {
  if (found != static_cast<std::size_t>(expected))
    throw Error(ErrorCode::SizeMismatch, std::string(name) + " has " + std::to_string(found) +
                                             " rows; the matrix has " + std::to_string(expected) + " " + what);
}

/// Vectors as columns; the checks of every product.
template <class Matrix, class Input, class Output, class Projection>
void multiply_views(const typename Matrix::execution_space& space, const Matrix& A, const Input& x, const Output& y,
                    const Projection* projection) {
  using Scalar = typename Matrix::non_const_value_type;
  check_length("x", x.extent(0), A.numCols(), "columns");
  check_length("y", y.extent(0), A.numRows(), "rows");
  if (x.extent(1) != y.extent(1))
    throw Error(ErrorCode::SizeMismatch, "x has " + std::to_string(x.extent(1)) + " columns and y has " +
                                             std::to_string(y.extent(1)) + "; they need equally many");
  triangular::check_number_of_columns(y.extent(1));
  if (y.extent(0) == 0 || y.extent(1) == 0) return;
  using Offset = typename Matrix::non_const_size_type;
  const CrsRows<Scalar, Offset> rows{A.graph.row_map.data(), A.graph.entries.data(), A.values.data(), A.numRows(),
                                     static_cast<std::int64_t>(A.nnz())};
  multiply(space, rows, Columns<const Scalar>{x.data(), static_cast<std::ptrdiff_t>(x.extent(0))},
           Columns<Scalar>{y.data(), static_cast<std::ptrdiff_t>(y.extent(0))}, static_cast<int>(y.extent(1)),
           projection);
}

}  // namespace krylov

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_type& x,
                                                        const output_type& y) const {
  krylov::multiply_views<matrix_type, input_type, output_type, krylov::Projection<Scalar>>(space, matrix_, x, y,
                                                                                           nullptr);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_columns_type& x,
                                                        const output_columns_type& y) const {
  krylov::multiply_views<matrix_type, input_columns_type, output_columns_type, krylov::Projection<Scalar>>(
      space, matrix_, x, y, nullptr);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_columns_type& x,
                                                        const output_columns_type& y,
                                                        const krylov::Projection<Scalar>& projection) const {
  krylov::multiply_views(space, matrix_, x, y, &projection);
}

}  // namespace terrace
