// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the incomplete factorizations and of the iterations with them: every matrix with every method.
#pragma once

#include "harness/flags.hpp"
#include "incomplete/factor_problem.hpp"

namespace terrace::perf {

/// incomplete/SPACE/MATRIX for the matrices and methods that the flags ask for; the serial loops stay as long as there
/// is a method that they judge. The first numeric phase after a symbolic one is not counted; an iteration takes the
/// difference between twenty steps and five, so that start and end do not count. Not more: these matrices are easy, and
/// numbers too small for a double are slow.
std::vector<Case> incomplete_cases(const Flags& flags, const std::string& space, std::vector<Entry> methods);

}  // namespace terrace::perf
