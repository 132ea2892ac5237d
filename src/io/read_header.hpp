// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the first two parts of a Matrix Market file: the banner, which says what the entries are, and the size line.
#pragma once

#include <string_view>
#include <terrace/matrix_market.hpp>

#include "text_input.hpp"

namespace terrace::io {

/// Fetches the next line that is neither blank nor a comment. False at the end of the file.
bool next_data_line(TextInput& input, std::string_view& line);

/// Reads up to the size line and leaves `input` there.
MatrixMarketHeader read_header(TextInput& input);

}  // namespace terrace::io
