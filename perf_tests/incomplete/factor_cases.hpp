// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the incomplete factorizations: every matrix with every method, in turns.
#pragma once

#include "harness/matrix_entry.hpp"
#include "incomplete/factor_method.hpp"

namespace terrace::perf {

/// Measures the methods on the matrix, one repetition of each after the other, and registers what came out with Google
/// Benchmark, as incomplete/SPACE/MATRIX/METHOD/symbolic, .../numeric and .../iteration. A factor that differs from the
/// serial loop's makes the record an error. Counters: n, nnz, median_s, min_s. Returns the number of failures.
int measure_and_register(const FactorSpace& space, const MatrixEntry& matrix, int repetitions);

}  // namespace terrace::perf
