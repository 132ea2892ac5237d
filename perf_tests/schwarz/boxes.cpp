// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schwarz/boxes.hpp"

#include <optional>

#include "common/harness/method.hpp"

namespace terrace::perf {
namespace {

std::int64_t cut(const Grid& grid, const Grid& boxes) {
  return std::int64_t(boxes.nx - 1) * grid.ny * grid.nz + std::int64_t(boxes.ny - 1) * grid.nx * grid.nz +
         std::int64_t(boxes.nz - 1) * grid.nx * grid.ny;
}

}  // namespace

Grid choose_boxes(const Grid& grid, int blocks) {
  std::optional<Grid> best;
  for (int x = 1; x <= grid.nx && x <= blocks; ++x) {
    if (blocks % x != 0) continue;
    for (int y = 1; y <= grid.ny && y <= blocks / x; ++y) {
      const Grid boxes{x, y, blocks / x / y};
      if (boxes.cells() != blocks || boxes.nz > grid.nz) continue;
      if (!best || cut(grid, boxes) < cut(grid, *best)) best = boxes;
    }
  }
  if (!best) throw LeftOut("no " + std::to_string(blocks) + " boxes divide the grid");
  return *best;
}

}  // namespace terrace::perf
