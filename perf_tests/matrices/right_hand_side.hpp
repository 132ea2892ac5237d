// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vectors that the benchmarks solve for.
#pragma once

#include <vector>

#include "common/random.hpp"
#include "matrices/real.hpp"

namespace terrace::perf {

/// Seeded numbers between -1 and 1.
inline std::vector<Real> make_right_hand_side(std::size_t n) {
  common::Random random(2);
  std::vector<Real> b(n);
  for (Real& number : b) number = static_cast<Real>(2.0 * random.uniform() - 1.0);
  return b;
}

}  // namespace terrace::perf
