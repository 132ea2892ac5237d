// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the choices of types that the user left open.
#pragma once

#include <cstddef>
#include <terrace/matrix_market.hpp>

#include "command_line/request.hpp"

namespace terrace::tools {

bool is_complex(const std::string& precision);
bool is_single(const std::string& precision);

/// \throws UsageError for a real precision and a complex file.
void choose_precision(Request& request, const MatrixMarketHeader& header);

/// \throws UsageError for an offset that cannot count the entries.
void choose_offset(Request& request, std::size_t entries);

}  // namespace terrace::tools
