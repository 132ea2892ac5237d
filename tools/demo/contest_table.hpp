// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One execution space's table: the two yardsticks, then Terrace's algorithms.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "demo/contest.hpp"
#include "support/level_picture.hpp"
#include "support/terminal.hpp"

namespace terrace::tools {

inline constexpr double most_backward_error = 1e-10;

/// What a row of the table shows. NaN and 0 stand for what does not exist or is not known.
struct ContestRow {
  std::string name;
  double analysis_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();
  double backward_error = std::numeric_limits<double>::quiet_NaN();
  std::int64_t levels = 0;

  bool is_wrong() const { return !(backward_error <= most_backward_error); }
};

struct ContestResult {
  std::string backend;  ///< "OpenMP with 2 threads"
  ContestRow kokkos_kernels;
  std::vector<ContestRow> terrace;  ///< the forced algorithms
  ContestRow automatic;
  Algorithm chosen = Algorithm::Automatic;  ///< by Automatic
  std::string reason;
};

/// Runs every way of solving and prints its row as soon as it is known.
template <class Number>
ContestResult run_contest(const Contest<Number>& contest, const TriangularSystem<Number>& system,
                          const ContestRow& loop, const LevelStatistics& levels, const Terminal& terminal);

}  // namespace terrace::tools
