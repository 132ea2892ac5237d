// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A picture of the tree of fronts of a direct factorization.
#pragma once

#include <string>
#include <terrace/ldlt_info.hpp>
#include <vector>

namespace terrace::tools {

/// Consecutive levels of the tree, and what their fronts have together.
struct TreeBand {
  int first_level = 0, last_level = 0;
  std::vector<LdltFront> fronts;  ///< those with more rows first
  double rows = 0;
  double operations = 0;  ///< the sum over eliminated columns of the square of their entries
};

/// The levels from the roots down, one to a band, or several where there are more than `most` levels.
std::vector<TreeBand> tree_bands(const std::vector<LdltFront>& fronts, int most);

/// Writes an SVG file: a band for each level, the roots on top; in it the fronts by size, as wide as they have rows,
/// their eliminated share dark; and beside it the share of the operations. What is too narrow to be seen is drawn
/// together. \throws Error InvalidFile when the file cannot be written.
void write_tree_picture(const std::string& path, const std::string& title, const std::vector<LdltFront>& fronts);

}  // namespace terrace::tools
