// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plane of a grid as an SVG file: a color for each cell, y points up.
#pragma once

#include <string>
#include <terrace/grid.hpp>
#include <vector>

namespace terrace::tools {

/// Of more than 400 cells along an edge every second, third, ... is kept.
class PlanePicture {
 public:
  PlanePicture(const Grid& grid, int k);

  /// The cells that are kept, x fastest.
  const std::vector<std::int64_t>& cells() const { return cells_; }

  /// One color, such as "#ff0000", for each of them. \throws Error InvalidFile when the file cannot be written.
  void write(const std::string& path, const std::vector<std::string>& colors) const;

 private:
  Grid grid_;
  int k_, nx_, ny_;
  std::vector<std::int64_t> cells_;
};

}  // namespace terrace::tools
