// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether right-hand sides and solutions fit the matrix and each other, and values the entries.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <terrace/error.hpp>

namespace terrace::triangular {

/// Kernels count columns in an int, several at a time.
inline void check_number_of_columns(std::size_t columns) {
  constexpr std::size_t most = std::numeric_limits<int>::max() - 64;
  if (columns > most)
    throw Error(ErrorCode::SizeMismatch,
                "there are " + std::to_string(columns) + " columns; an operation takes up to " + std::to_string(most));
}

inline void check_number_of_values(std::size_t values, std::size_t entries) {
  if (values != entries)
    throw Error(ErrorCode::SizeMismatch,
                "there are " + std::to_string(values) + " values for " + std::to_string(entries) + " entries");
}

inline void check_vectors(std::size_t rows, std::size_t b_rows, std::size_t b_columns, std::size_t x_rows,
                          std::size_t x_columns) {
  const auto fail = [&](const char* name, std::size_t found) {
    throw Error(ErrorCode::SizeMismatch,
                std::string(name) + " has " + std::to_string(found) + " rows; the matrix has " + std::to_string(rows));
  };
  if (b_rows != rows) fail("b", b_rows);
  if (x_rows != rows) fail("x", x_rows);
  if (b_columns != x_columns)
    throw Error(ErrorCode::SizeMismatch, "b has " + std::to_string(b_columns) + " columns and x has " +
                                             std::to_string(x_columns) + "; they need equally many");
  check_number_of_columns(b_columns);
}

}  // namespace terrace::triangular
