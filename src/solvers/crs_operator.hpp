// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of terrace::CrsOperator.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/error.hpp>

#include "algorithms/krylov/check_product.hpp"
#include "backends/failures.hpp"
#include "backends/krylov.hpp"

namespace terrace {

namespace krylov {

template <class Matrix>
auto rows_of(const Matrix& A) {
  return CrsRows<typename Matrix::non_const_value_type, typename Matrix::non_const_size_type>{
      A.graph.row_map.data(), A.graph.entries.data(), A.values.data(), A.numRows(), static_cast<std::int64_t>(A.nnz())};
}

}  // namespace krylov

template <class Scalar, class Ordinal, class Offset, class Space>
CrsOperator<Scalar, Ordinal, Offset, Space>::CrsOperator(const Space& space, matrix_type A) try
    : matrix_(std::move(A)) {
  if constexpr (!parallel::is_host_space<Space>) {
    const typename parallel::Runtime<Space>::BesideOthers beside_others;
    const auto rows = krylov::rows_of(matrix_);
    listed_ = std::make_shared<const krylov::ListOfRows<Space>>(krylov::list_rows(space, rows));
  }
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::CrsOperator");
}

/// Vectors as columns.
template <class Scalar, class Ordinal, class Offset, class Space>
template <class Input, class Output>
void CrsOperator<Scalar, Ordinal, Offset, Space>::multiply(const Space& space, const Input& x, const Output& y,
                                                           const krylov::Projection<Scalar>* projection) const {
  krylov::check_product(x.extent(0), x.extent(1), y.extent(0), y.extent(1), matrix_.numRows(), matrix_.numCols());
  if (y.extent(0) == 0 || y.extent(1) == 0) return;
  auto rows = krylov::rows_of(matrix_);
  if (listed_) rows.take_list(*listed_);
  krylov::multiply(space, rows, krylov::Columns<const Scalar>{x.data(), static_cast<std::ptrdiff_t>(x.extent(0))},
                   krylov::Columns<Scalar>{y.data(), static_cast<std::ptrdiff_t>(y.extent(0))},
                   static_cast<int>(y.extent(1)), projection);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_type& x,
                                                        const output_type& y) const {
  multiply(space, x, y, nullptr);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_columns_type& x,
                                                        const output_columns_type& y) const {
  multiply(space, x, y, nullptr);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void CrsOperator<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_columns_type& x,
                                                        const output_columns_type& y,
                                                        const krylov::Projection<Scalar>& projection) const {
  multiply(space, x, y, &projection);
}

}  // namespace terrace
