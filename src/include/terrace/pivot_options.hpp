// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every factorization does about a bad pivot.
#pragma once

namespace terrace {

/// What to do about a pivot that is zero or tiny, or not positive in L L^T of a real matrix and in L L^H.
enum class PivotPolicy {
  Report,   ///< info() names it, and the factor is of no use
  Replace,  ///< it is replaced by the threshold times the 1-norm of its row of A, and counted
  Shift,    ///< start again with A + alpha diag(A), alpha growing until all pivots are good (Manteuffel 1980)
};

/// Part of the options of every factorization. Aggregate: `{.policy = PivotPolicy::Shift}`.
struct PivotOptions {
  PivotPolicy policy = PivotPolicy::Report;  ///< what is done about a bad pivot

  /// A pivot is tiny when it is at most this times the 1-norm of its row of A. 0: the rounding unit of the scalar, for
  /// PivotPolicy::Replace its square root.
  double threshold = 0.0;

  /// PivotPolicy::Shift: the first alpha; each further attempt doubles it.
  double first_shift = 1e-3;

  /// PivotPolicy::Shift: how often the matrix is factorized at most, the first time without a shift.
  int max_attempts = 16;
};

const char* to_string(PivotPolicy);  ///< report, replace, shift

}  // namespace terrace
