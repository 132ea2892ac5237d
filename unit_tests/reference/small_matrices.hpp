// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices of three rows whose factors are known by heart.
#pragma once

#include "reference/general_matrix.hpp"

namespace terrace::test {

/// 2 on the diagonal, -1 beside it.
inline reference::CompressedArrays<double> tridiagonal() {
  return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2}};
}

/// The second pivot is 1 - 1 = 0.
inline reference::CompressedArrays<double> singular() {
  return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, 1, 1, 1, 1, 1, 3}};
}

/// The second pivot of L L^T is 1 - 4 = -3.
inline reference::CompressedArrays<double> indefinite() {
  return {{0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, 2, 2, 1, 1, 1, 3}};
}

}  // namespace terrace::test
