// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the entry lines of a Matrix Market file and checks each against the header.
#pragma once

#include <terrace/matrix_market.hpp>

#include "text_input.hpp"
#include "triplets.hpp"

namespace terrace::io {

/// Reads from behind the size line to the end of the file.
Triplets read_entries(TextInput& input, const MatrixMarketHeader& header);

}  // namespace terrace::io
