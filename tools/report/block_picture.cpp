// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/block_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/plane_picture.hpp"

namespace terrace::tools {
namespace {

/// Part k (red, green, blue) of a hue in [0, 1), from 0 to 1.
double part_of(double hue, int k) {
  const double place = std::fmod(hue * 6 + (k == 0 ? 0 : k == 1 ? 4 : 2), 6.0);
  return std::clamp(std::abs(place - 3) - 1, 0.0, 1.0);
}

/// Numbers that follow each other get hues far apart: multiples of the golden section. Two shades besides, for many
/// blocks.
std::string color(int block, int copies) {
  const double hue = std::fmod(0.618033988749895 * block, 1.0);
  const double light = (block % 2 == 0 ? 0.95 : 0.8) * (copies > 1 ? 0.75 / std::sqrt(copies - 1) : 1.0);
  char text[8];
  int part[3];
  for (int k = 0; k < 3; ++k) part[k] = static_cast<int>(std::lround(255 * light * (0.45 + 0.55 * part_of(hue, k))));
  std::snprintf(text, sizeof text, "#%02x%02x%02x", part[0] & 255, part[1] & 255, part[2] & 255);
  return text;
}

}  // namespace

void write_block_picture(const std::string& path, const Grid& grid, const std::vector<int>& block_of_row,
                         const std::vector<int>& copies_of_row, int k) {
  const PlanePicture picture(grid, k);
  const std::int64_t rows_of_cell = static_cast<std::int64_t>(block_of_row.size()) / grid.cells();
  std::vector<std::string> colors;
  for (const std::int64_t cell : picture.cells()) {
    const auto row = static_cast<std::size_t>(cell * rows_of_cell);
    colors.push_back(color(block_of_row[row], copies_of_row[row]));
  }
  picture.write(path, colors);
}

}  // namespace terrace::tools
