// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vectors of a solve. Forward, from the leaves to the roots: a front's own rows and what its children left, b; then
//
//     y1 = X b1,    u = b2 - M b1,    X = L11^-1,  M = L21 X
//
// where y1 is a part of the result and u is for the parent. Backward: x1 = X^T y1 - M^T x2. The fronts of a level are
// independent of each other, and those in device memory go through their own columns in blocks of 256.
#pragma once

#include <cstddef>

namespace terrace::cuda::ldlt {

template <class Scalar>
struct SolveVectors {
  Scalar* y;  // the caller's
  std::size_t y_stride;
  Scalar* own;  // forward: b of own rows; backward: x
  std::size_t own_stride;
  Scalar* updates;  // forward: u; backward: what a front multiplies M^T with
  std::size_t update_stride;
  int columns;
};

}  // namespace terrace::cuda::ldlt
