// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a square matrix with its transpose.
#pragma once

#include "info/info_report.hpp"

namespace terrace::tools {

/// Looks for the mirror image of every entry by bisection: O(entries log(row length)), no transpose.
SymmetryFacts find_symmetry(const MatrixMarketMatrix& matrix);

}  // namespace terrace::tools
