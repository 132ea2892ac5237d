// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tables showed, in words.
#pragma once

#include "demo/contest_table.hpp"

namespace terrace::tools {

/// One sentence: the fastest algorithm, the levels, what Automatic chose and why.
std::string conclude(const std::vector<ContestResult>& results, const ContestRow& loop, const LevelStatistics& levels);

/// Names on standard error each solution whose backward error is too large. Returns whether there was none.
bool all_solutions_are_right(const std::vector<ContestResult>& results);

}  // namespace terrace::tools
