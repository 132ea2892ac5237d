// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every numeric factorization does about its pivots beside eliminating: checks the options, chooses the threshold,
// and starts again with a shifted diagonal (Manteuffel 1980).
#pragma once

#include <cmath>
#include <string>
#include <terrace/error.hpp>
#include <terrace/ilu_info.hpp>

#include "algorithms/incomplete/pivots.hpp"

namespace terrace::incomplete {

inline void check_pivot_options(const PivotOptions& options) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::InvalidOption, what); };
  if (!(options.threshold >= 0 && options.threshold < 1)) fail("the pivots' threshold must be at least 0 and below 1");
  if (!(options.first_shift > 0) || !std::isfinite(options.first_shift)) fail("first_shift must be positive");
  if (options.max_attempts < 1) fail("max_attempts must be at least 1");
}

/// A replaced pivot shall not blow up its row, so its threshold is larger.
template <class Scalar, class Ordinal>
PivotRule<Scalar, Ordinal> pivot_rule(const PivotOptions& options, Factorization factorization, Ordinal* diagnostics) {
  using Real = RealOf<Scalar>;
  const bool replace = options.policy == PivotPolicy::Replace;
  const bool hermitian = factorization == Factorization::HermitianCholesky;
  const bool positive = hermitian || (factorization == Factorization::Cholesky && !triangular::is_complex<Scalar>);
  const Real unit = Kokkos::Experimental::epsilon_v<Real>;
  const Real threshold = options.threshold > 0 ? static_cast<Real>(options.threshold)
                         : replace             ? Kokkos::sqrt(unit)
                                               : unit;
  return {threshold, positive, replace, diagnostics};
}

/// `eliminate(shift)`, and where the options ask for it again with larger and larger shifts, until `read_diagnostics`
/// leaves an info that has succeeded. Values that are not finite stay so whatever is added.
template <class Eliminate, class ReadDiagnostics>
void eliminate_with_shifts(const PivotOptions& options, IluInfo& info, const Eliminate& eliminate,
                           const ReadDiagnostics& read_diagnostics) {
  info.shift = 0;
  info.attempts = 1;
  eliminate(0.0);
  if (options.policy != PivotPolicy::Shift) return;
  for (read_diagnostics(); !info.succeeded() && info.attempts < options.max_attempts; read_diagnostics()) {
    info.shift = info.shift > 0 ? 2 * info.shift : options.first_shift;
    ++info.attempts;
    eliminate(info.shift);
  }
}

}  // namespace terrace::incomplete
