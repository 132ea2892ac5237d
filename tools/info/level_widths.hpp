// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level sets of a triangle of a matrix on the host.
#pragma once

#include <terrace/matrix_market.hpp>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace::tools {

/// The number of rows in each level of the triangle of a square matrix. Needs a Kokkos session.
std::vector<int> find_level_widths(const MatrixMarketMatrix& matrix, Uplo uplo);

}  // namespace terrace::tools
