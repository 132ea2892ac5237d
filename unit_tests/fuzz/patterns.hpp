// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of every kind, with their diagonals.
#pragma once

#include <string>
#include <vector>

#include "fuzz/draw.hpp"

namespace terrace::fuzz {

using Pattern = std::vector<std::vector<int>>;  ///< ascending columns of each row

/// Of up to n rows, with about `max_entries` at most; notes its kind.
Pattern draw_pattern(Draw& draw, int n, std::size_t max_entries);

}  // namespace terrace::fuzz
