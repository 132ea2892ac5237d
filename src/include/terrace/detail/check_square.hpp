// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace terrace::detail {

/// \throws Error NotSquare, with the extents; `operation` is what needs a square matrix ("a factorization").
void check_square(std::int64_t rows, std::int64_t columns, const char* operation);

}  // namespace terrace::detail
