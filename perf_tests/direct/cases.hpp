// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the direct factorizations: every matrix with every method.
#pragma once

#include "direct/direct_problem.hpp"
#include "direct/direct_shapes.hpp"

namespace terrace::perf {

/// What a factor has, by the library; so that a source without Kokkos can ask for it.
struct CountFactor {
  std::function<FactorCounts(const SymmetricRows<Real>&)> of_real;
  std::function<FactorCounts(const SymmetricRows<Complex>&)> of_complex;
};

/// direct/SPACE/MATRIX for what the flags ask for. Of the peers UMFPACK, which takes minutes for large solids, is
/// measured at full size only where --peers names it. An analysis and a first factorization are repeated a third as
/// often as the others. A solve follows one that is not timed.
std::vector<Case> direct_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& algorithms,
                               const std::vector<Entry>& peers, const CountFactor& count);

}  // namespace terrace::perf
