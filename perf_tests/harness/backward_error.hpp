// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How good a solution is.
#pragma once

#include <vector>

#include "harness/lower_triangle.hpp"

namespace terrace::perf {

/// The componentwise backward error max_i |b - L x|_i / (|L| |x| + |b|)_i (Oettli and Prager 1964): by how
/// much, relatively, the entries of L and b must change for x to be exact. NaN when x has a NaN or Inf.
/// With `transposed` it is L^T x = b that was solved.
double backward_error(const LowerTriangle& L, bool transposed, const std::vector<Real>& b, const std::vector<Real>& x);

/// What a substitution in any order may leave: 450 units of rounding (1e-13 in double), or as many as the longest row
/// of what was solved has entries, whichever is more (Higham, Accuracy and Stability, theorem 8.5).
double tolerated_backward_error(const LowerTriangle& L, bool transposed);

}  // namespace terrace::perf
