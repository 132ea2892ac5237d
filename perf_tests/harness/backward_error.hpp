// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How good a solution is.
#pragma once

#include <vector>

#include "harness/lower_triangle.hpp"

namespace terrace::perf {

/// The componentwise backward error max_i |b - L x|_i / (|L| |x| + |b|)_i (Oettli and Prager 1964): by how
/// much, relatively, the entries of L and b must change for x to be exact. NaN when x has a NaN or Inf.
double backward_error(const LowerTriangle& L, const std::vector<double>& b, const std::vector<double>& x);

/// What a substitution in any order may leave: 1e-13, or the length of the longest row in units of rounding,
/// whichever is more (Higham, Accuracy and Stability, theorem 8.5).
double tolerated_backward_error(const LowerTriangle& L);

}  // namespace terrace::perf
