// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The widths of the level sets: their statistics, and a picture of them in text.
#pragma once

#include <string>
#include <vector>

namespace terrace::tools {

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

}  // namespace terrace::tools
