// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/detail/check_square.hpp>
#include <terrace/error.hpp>

#include <string>

namespace terrace::detail {

void check_square(std::int64_t rows, std::int64_t columns, const char* operation) {
  if (rows != columns)
    throw Error(ErrorCode::NotSquare, "the matrix is " + std::to_string(rows) + "x" + std::to_string(columns) + "; " +
                                          operation + " needs a square matrix");
}

}  // namespace terrace::detail
