// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the methods of a case in turns: one sample of each, then the next sample of each. Where the machine slows down
// or speeds up meanwhile it does so for all of them, and their ratios stay.
#pragma once

#include "common/harness/case.hpp"

namespace terrace::perf {

/// What came out for one method.
struct Measurement {
  std::map<Phase, std::vector<double>> seconds;  ///< a step's, one for each sample
  std::map<Phase, double> errors;                ///< of the last result that was checked
  Facts facts;
  std::string failure;  ///< why the method was given up; else empty
  bool is_left_out = false;
};

/// Phase after phase. A method is made before the first of its phases, and gone after the last one; all methods of a
/// phase are there at the same time. A result is checked before the samples (unless the phase is not warmed up) and
/// after them; a wrong one gives the method up.
std::vector<Measurement> measure_in_turns(const Case& measured, Problem& problem);

}  // namespace terrace::perf
