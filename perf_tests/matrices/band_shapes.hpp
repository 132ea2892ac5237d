// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lower triangles with little or no parallelism: dense, chain, random band.
#pragma once

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// All entries: n levels.
LowerTriangle dense_pattern(int n);

/// Each row reads the row before it: n levels.
LowerTriangle chain_pattern(int n);

/// Each row reads `draws` rows drawn from the `bandwidth` rows before it.
LowerTriangle random_band_pattern(int n, int bandwidth, int draws, unsigned seed);

}  // namespace terrace::perf
