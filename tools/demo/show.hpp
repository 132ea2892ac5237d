// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the demo shows: the system, its levels, a table for each execution space (the two yardsticks, then Terrace's
// algorithms), and what all tables showed, in words.
#pragma once

#include <limits>

#include "demo/contest.hpp"
#include "report/pictures.hpp"
#include "report/terminal.hpp"

namespace terrace::tools {

inline constexpr double max_backward_error = 1e-10;

/// What a row of the table shows. NaN and 0 stand for what does not exist or is not known.
struct ContestRow {
  std::string name;
  double analysis_s = std::numeric_limits<double>::quiet_NaN();
  double solve_s = std::numeric_limits<double>::quiet_NaN();
  double backward_error = std::numeric_limits<double>::quiet_NaN();
  std::int64_t levels = 0;
  std::string algorithm = {}, reason = {};  ///< what Terrace chose, and why

  bool is_wrong() const { return !(backward_error <= max_backward_error); }
};

struct ContestResult {
  std::string backend;  ///< "OpenMP with 2 threads"
  ContestRow kokkos_kernels;
  std::vector<ContestRow> terrace;  ///< the automatic choice last
};

/// levels: those of the rows, for a method that does not know them.
ContestRow measure_method(const perf::Entry& entry, perf::Problem& problem, std::int64_t levels);

/// The bytes that a solve cannot avoid: the triangle and b read once, x written once.
template <class Number>
double bytes_of_solve(const TriangularSystem<Number>& system);

/// Runs every method, and prints its row as soon as it is known. `bytes` as of bytes_of_solve, `rows` of the triangle.
ContestResult run_contest(const Contest& contest, perf::Problem& problem, double bytes, int rows,
                          const ContestRow& loop, const LevelStatistics& levels, const Terminal& terminal);

/// All of it. Returns whether every solution was right.
template <class Number>
bool show(const DemoSystem& demo, const TriangularSystem<Number>& system, const Terminal& terminal);

}  // namespace terrace::tools
