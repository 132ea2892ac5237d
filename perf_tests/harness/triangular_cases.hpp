// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the triangular solve: every matrix with every method, its analysis and its solve.
#pragma once

#include <vector>

#include "harness/session.hpp"

namespace terrace::perf {

/// Registers the cases with Google Benchmark, matrix by matrix, as
/// triangular_solve/SPACE/MATRIX/METHOD/analysis and .../solve. The time of a record is the mean of its
/// iterations, each timed by itself up to the end of the work; the counters median_s and min_s are to be
/// preferred. The methods take turns on a matrix (measure_in_turns.hpp), and a record hands on what was measured:
/// Google Benchmark's --benchmark_filter leaves out records, --algorithms and --peers leave out work. A wrong solution
/// makes the record an error.
///
/// Counters: n, nnz, levels, rows_per_level, median_s, min_s; bytes_held and held_ratio (to the bytes of the
/// triangle) where the method tells; of a solve also backward_error, bytes (what must be moved at least) and
/// GB_per_s. The label says what the method chose.
void register_triangular_cases(Session& session, const std::vector<MatrixEntry>& matrices);

}  // namespace terrace::perf
