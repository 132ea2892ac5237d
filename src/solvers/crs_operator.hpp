// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of terrace::CrsOperator.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/error.hpp>

#include "algorithms/krylov/check_product.hpp"
#include "backends/krylov.hpp"

namespace terrace {

namespace krylov {

/// Vectors as columns.
template <class Matrix, class Input, class Output, class Projection>
void multiply_views(const typename Matrix::execution_space& space, const Matrix& A, const Input& x, const Output& y,
                    const Projection* projection) {
  using Scalar = typename Matrix::non_const_value_type;
  check_product(x.extent(0), x.extent(1), y.extent(0), y.extent(1), A.numRows(), A.numCols());
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
