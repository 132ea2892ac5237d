// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of the 7-point finite-difference Laplacian on a cube.
#pragma once

#include "support/host_triangle.hpp"

namespace terrace::tools {

/// Its lower triangle: 6 on the diagonal, -1 for each neighbour that comes before, x fastest.
HostTriangle<double> poisson_lower_triangle(int size);

}  // namespace terrace::tools
