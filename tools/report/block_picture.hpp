// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A picture of the blocks of a Schwarz method on a grid.
#pragma once

#include <string>
#include <terrace/grid.hpp>
#include <vector>

namespace terrace::tools {

/// Writes plane k as an SVG file: each block has a color, and what several enlarged blocks share is the darker the more
/// of them share it. Of the rows of a cell, of which all have as many, the first counts.
/// \throws Error InvalidFile when the file cannot be written.
void write_block_picture(const std::string& path, const Grid& grid, const std::vector<int>& block_of_row,
                         const std::vector<int>& copies_of_row, int k);

}  // namespace terrace::tools
