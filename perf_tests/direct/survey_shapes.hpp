// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes that differ in everything but size, against cliffs: trees, chains, stars, hubs, dense and banded matrices,
// slabs and beams, parts that do not hang together, grids with edges left out, the very small.
#pragma once

#include "direct/direct_shapes.hpp"

namespace terrace::perf {

/// The group `survey`; all are real.
std::vector<DirectShape> survey_shapes();

}  // namespace terrace::perf
