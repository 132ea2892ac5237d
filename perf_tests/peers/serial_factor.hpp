// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solves with an incomplete factor, L with a unit diagonal that is not stored and U in one merged pattern: plain
// loops in one thread.
#pragma once

namespace terrace::perf {

/// Not owned.
struct SerialFactor {
  int n;
  const int* row_map;
  const int* entries;
  const int* diagonal;  ///< where that of each row stands
  const double* values;

  /// out = (L U)^-1 in; the two may be the same.
  void solve(const double* in, double* out) const {
    for (int row = 0; row < n; ++row) {
      double sum = in[row];
      for (int k = row_map[row]; k < diagonal[row]; ++k) sum -= values[k] * out[entries[k]];
      out[row] = sum;
    }
    for (int row = n - 1; row >= 0; --row) {
      double sum = out[row];
      for (int k = diagonal[row] + 1; k < row_map[row + 1]; ++k) sum -= values[k] * out[entries[k]];
      out[row] = sum / values[diagonal[row]];
    }
  }
};

}  // namespace terrace::perf
