// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices that are factorized: the symmetric ones that the lower triangles of the matrix source belong to.
#pragma once

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// L + L^T off the diagonal, and a diagonal that outweighs each row, so that the matrix is positive definite.
Rows symmetric_matrix(const LowerTriangle& L);

}  // namespace terrace::perf
