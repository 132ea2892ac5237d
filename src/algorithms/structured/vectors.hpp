// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's vectors: checked, and taken column by column.
#pragma once

#include <terrace/error.hpp>

#include "algorithms/structured/multiply.hpp"

namespace terrace::structured {

template <class Scalar, class Space>
void check_vectors(const Grid& grid, const char* in_name, const detail::MultiVector<const Scalar, Space>& in,
                   const char* out_name, const detail::MultiVector<Scalar, Space>& out) {
  const auto check_rows = [&](const char* name, std::size_t rows) {
    if (rows != static_cast<std::size_t>(grid.cells()))
      throw Error(ErrorCode::SizeMismatch, std::string(name) + " has " + std::to_string(rows) + " rows; the " +
                                               to_string(grid) + " grid has " + std::to_string(grid.cells()) +
                                               " cells");
  };
  check_rows(in_name, in.rows);
  check_rows(out_name, out.rows);
  if (in.columns != out.columns)
    throw Error(ErrorCode::SizeMismatch, std::string(in_name) + " has " + std::to_string(in.columns) + " columns and " +
                                             out_name + " has " + std::to_string(out.columns) +
                                             "; they need equally many");
}

/// Calls body(in, out) for each pair of columns, as contiguous vectors where they are.
template <class Scalar, class Space, class Body>
void for_each_column(const detail::MultiVector<const Scalar, Space>& in, const detail::MultiVector<Scalar, Space>& out,
                     const Body& body) {
  const bool contiguous = in.row_stride == 1 && out.row_stride == 1;
  for (std::size_t column = 0; column < in.columns; ++column) {
    const Scalar* const from = in.data + static_cast<Index>(column) * in.column_stride;
    Scalar* const to = out.data + static_cast<Index>(column) * out.column_stride;
    if (contiguous) body(Vector<const Scalar, true>{from, 1}, Vector<Scalar, true>{to, 1});
    else body(Vector<const Scalar, false>{from, in.row_stride}, Vector<Scalar, false>{to, out.row_stride});
  }
}

}  // namespace terrace::structured
