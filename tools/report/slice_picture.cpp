// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <terrace/error.hpp>

#include "report/pictures.hpp"

namespace terrace::tools {
namespace {

constexpr int max_cells = 400;
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

/// The plane, thinned out, as shades; -1 is a value that is not finite.
struct Shades {
  int nx, ny;
  std::vector<int> shade;
  int at(int i, int j) const {
    return shade[static_cast<std::size_t>(j) * static_cast<std::size_t>(nx) + static_cast<std::size_t>(i)];
  }
};

Shades shade_plane(const Grid& grid, const std::vector<double>& values, int k) {
  const int step = (std::max(grid.nx, grid.ny) + max_cells - 1) / max_cells;
  Shades plane{(grid.nx + step - 1) / step, (grid.ny + step - 1) / step, {}};
  std::vector<double> kept;
  for (int j = 0; j < grid.ny; j += step)
    for (int i = 0; i < grid.nx; i += step) kept.push_back(values[static_cast<std::size_t>(grid.index({i, j, k}))]);
  double least = HUGE_VAL, largest = -HUGE_VAL;
  for (const double value : kept)
    if (std::isfinite(value)) least = std::min(least, value), largest = std::max(largest, value);
  const double range = largest > least ? largest - least : 1.0;
  for (const double value : kept)
    plane.shade.push_back(std::isfinite(value) ? static_cast<int>((value - least) / range * (shades - 1)) : -1);
  return plane;
}

}  // namespace

void write_slice_picture(const std::string& path, const Grid& grid, const std::vector<double>& values, int k) {
  const Shades plane = shade_plane(grid, values, k);
  std::ofstream file(path);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << plane.nx << " " << plane.ny << "\" width=\""
       << 2 * plane.nx << "\" shape-rendering=\"crispEdges\">\n<title>plane " << k << " of " << to_string(grid)
       << "</title>\n";
  for (int j = 0; j < plane.ny; ++j)
    for (int i = 0, next = 0; i < plane.nx; i = next) {
      while (next < plane.nx && plane.at(next, j) == plane.at(i, j)) ++next;
      file << "<rect x=\"" << i << "\" y=\"" << plane.ny - 1 - j << "\" width=\"" << next - i
           << "\" height=\"1\" fill=\"" << (plane.at(i, j) < 0 ? "#ff0000" : color(plane.at(i, j))) << "\"/>\n";
    }
  file << "</svg>\n";
  file.close();
  if (!file) throw Error(ErrorCode::InvalidFile, path + " cannot be written");
}

}  // namespace terrace::tools
