// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times several methods on one system in turns: one repetition of each, then the next repetition of each. Where the
// machine slows down or speeds up meanwhile it does so for all of them, and their ratios stay.
#pragma once

#include <string>
#include <vector>

#include "harness/measured_space.hpp"
#include "harness/system.hpp"

namespace terrace::perf {

struct Repetitions {
  int analyses;
  int solves;
};

/// What came out for one method. All times are in seconds, one for each repetition.
struct Measurement {
  std::vector<double> analysis;  ///< empty when the method has none
  std::vector<double> solve;
  double backward_error = 0.0;  ///< of the last solve
  MethodFacts facts;
  std::string error;  ///< why the method was given up; else empty
};

/// Every method is warmed up before it is timed, and each timed solve follows an untimed one: it finds the caches as
/// an iteration that solves again and again would, not as the method before it left them. The solution is checked
/// before and after the timed solves, from a vector that held no solution; a wrong one gives the method up. All methods
/// hold their analysed matrix at the same time.
std::vector<Measurement> measure_in_turns(System& system, const std::vector<MethodEntry>& methods, int threads,
                                          const Repetitions& repetitions);

}  // namespace terrace::perf
