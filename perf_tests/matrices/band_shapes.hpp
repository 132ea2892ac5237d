// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lower triangles with little or no parallelism: dense, chain, bands; and dense blocks.
#pragma once

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// All entries: n levels.
LowerTriangle dense_pattern(int n);

/// Each row reads all of the `width` rows before it: n levels.
LowerTriangle full_band_pattern(int n, int width);

/// Dense blocks that do not touch, and behind them `border` rows that read all rows.
LowerTriangle blocks_pattern(int blocks, int size, int border);

/// Each row reads the row before it: n levels.
LowerTriangle chain_pattern(int n);

/// Each row reads `draws` rows drawn from the `bandwidth` rows before it.
LowerTriangle random_band_pattern(int n, int bandwidth, int draws, unsigned seed);

}  // namespace terrace::perf
