// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether x and y fit the matrix of y = A x, and each other.
#pragma once

#include "algorithms/triangular/check_vectors.hpp"

namespace terrace::krylov {

inline void check_length(const char* name, std::size_t found, std::int64_t expected, const char* what) {
  if (found != static_cast<std::size_t>(expected))
    throw Error(ErrorCode::SizeMismatch, std::string(name) + " has " + std::to_string(found) +
                                             " rows; the matrix has " + std::to_string(expected) + " " + what);
}

inline void check_product(std::size_t x_rows, std::size_t x_columns, std::size_t y_rows, std::size_t y_columns,
                          std::int64_t rows, std::int64_t columns) {
  check_length("x", x_rows, columns, "columns");
  check_length("y", y_rows, rows, "rows");
  if (x_columns != y_columns)
    throw Error(ErrorCode::SizeMismatch, "x has " + std::to_string(x_columns) + " columns and y has " +
                                             std::to_string(y_columns) + "; they need equally many");
  triangular::check_number_of_columns(y_columns);
}

}  // namespace terrace::krylov
