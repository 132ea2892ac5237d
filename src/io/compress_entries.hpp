// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the entries of a Matrix Market file into compressed rows.
#pragma once

#include <terrace/matrix_market.hpp>

#include "triplets.hpp"

namespace terrace::io {

/// Fills everything but the header of `matrix`, which says the size and the symmetry.
void compress_entries(Triplets triplets, MatrixMarketMatrix& matrix);

}  // namespace terrace::io
