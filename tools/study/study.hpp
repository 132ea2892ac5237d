// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace schwarz`: the same system solved with several numbers of blocks and overlaps, to choose from. Each
// combination is a run of `terrace solve`.
#pragma once

#include "solve/solve.hpp"

namespace terrace::tools {

struct StudyReport {
  SolveReport system;                  ///< the choices and sizes that all combinations share; no run
  std::vector<SolveReport> rows;       ///< one for each combination; without a factor where there was no memory for it
  std::optional<std::size_t> best;     ///< the row with the least time in all, of those that have a solution
  std::optional<std::size_t> fastest;  ///< the one with the shortest solve alone
  SchwarzMap map;                      ///< of the best, when its picture is wanted
  std::string failure;                 ///< empty, or why no combination has a solution
};

/// \throws UsageError for what does not go together; Error for wrong input.
StudyReport study(const Request& request, ProgressLine& progress);

/// Of a row, and NaN or nothing where it was not solved.
double set_up_seconds(const RunFacts& run);  ///< everything between the partition and the solve
double total_seconds(const RunFacts& run);   ///< with the partition
double seconds_a_step(const RunFacts& run);
std::optional<int> steps_of(const RunFacts& run);

/// How many times a method that restarts after so many steps began; nothing for the others.
std::optional<int> cycles_of(const SolveReport& report);

void print_study_text(const StudyReport& report);
void print_study_json(const StudyReport& report);

}  // namespace terrace::tools
