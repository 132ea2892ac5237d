// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures: of level sets and of a convergence in text, of a plane of a grid as a file.
#pragma once

#include <string>
#include <terrace/grid.hpp>
#include <vector>

namespace terrace::tools {

/// The widths of level sets.
struct LevelStatistics {
  int levels = 0;
  int widest = 0;     ///< rows
  double mean = 0;    ///< rows per level
  double median = 0;  ///< rows per level
};

LevelStatistics level_statistics(const std::vector<int>& widths);

/// One bar per level, or per run of consecutive levels when there are more than 16; a bar's length is
/// the mean width of its levels. Lines end with a newline and are at most 80 characters long.
std::string level_picture(const std::vector<int>& widths, bool unicode);

/// The logarithm of the residual over the iterations, 60 characters wide and at most 9 lines high, with the powers of
/// ten at the left. Each column shows the last of the iterations that share it. Empty when nothing can be drawn.
std::string convergence_picture(const std::vector<double>& residuals, bool unicode);

/// Writes plane k of `values` as an SVG file: blue is the least value of the plane, yellow the largest, y points up.
/// Planes of more than 400 cells along an edge are drawn from every second, third, ... cell. \throws Error InvalidFile
/// when the file cannot be written.
void write_slice_picture(const std::string& path, const Grid& grid, const std::vector<double>& values, int k);

}  // namespace terrace::tools
