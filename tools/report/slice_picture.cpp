// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/pictures.hpp"
#include "report/plane_picture.hpp"

namespace terrace::tools {
namespace {

constexpr int shades = 64;

/// From blue over green to yellow, as many maps of this kind do.
std::string color(int shade) {
  constexpr double stops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double place = 4.0 * shade / (shades - 1);
  const int stop = std::min(3, static_cast<int>(place));
  char text[8];
  int part[3];
  for (int k = 0; k < 3; ++k)
    part[k] = static_cast<int>(std::lround(stops[stop][k] + (place - stop) * (stops[stop + 1][k] - stops[stop][k])));
  std::snprintf(text, sizeof text, "#%02x%02x%02x", part[0] & 255, part[1] & 255, part[2] & 255);
  return text;
}

}  // namespace

void write_slice_picture(const std::string& path, const Grid& grid, const std::vector<double>& values, int k) {
  const PlanePicture picture(grid, k);
  double least = HUGE_VAL, largest = -HUGE_VAL;
  for (const std::int64_t cell : picture.cells()) {
    const double value = values[static_cast<std::size_t>(cell)];
    if (std::isfinite(value)) least = std::min(least, value), largest = std::max(largest, value);
  }
  const double range = largest > least ? largest - least : 1.0;
  std::vector<std::string> colors;
  for (const std::int64_t cell : picture.cells()) {
    const double value = values[static_cast<std::size_t>(cell)];
    const bool is_finite = std::isfinite(value);
    colors.push_back(is_finite ? color(static_cast<int>((value - least) / range * (shades - 1))) : "#ff0000");
  }
  picture.write(path, colors);
}

}  // namespace terrace::tools
