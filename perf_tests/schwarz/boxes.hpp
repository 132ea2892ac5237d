// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many boxes each direction of a grid is divided into.
#pragma once

#include <terrace/grid.hpp>

namespace terrace::perf {

/// The numbers of boxes whose product is `blocks` and whose walls separate the fewest pairs of cells: nearly cubic ones.
/// \throws LeftOut where no such numbers fit the grid
Grid choose_boxes(const Grid& grid, int blocks);

}  // namespace terrace::perf
