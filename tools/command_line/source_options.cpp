// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that name a problem on a grid, for all commands that take one.
#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "command_line/request.hpp"

namespace terrace::tools {
namespace {

constexpr double largest_wind = 1e6;

Grid to_grid(const std::vector<int>& extents) {
  if (extents.size() < 2 || extents.size() > 3) throw UsageError("--grid: takes NX,NY or NX,NY,NZ");
  return {extents[0], extents[1], extents.size() == 3 ? extents[2] : 1};
}

}  // namespace

void add_grid_options(Arguments& command, MatrixSource& source) {
  command.add_integers(
      "--grid", "NX,NY[,NZ]", [&source](const std::vector<int>& extents) { source.grid = to_grid(extents); },
      "a problem on a structured grid of so many cells along x, y and z");
  command.add_name(
      "--problem", problem_names, "", [&source](const std::string& name) { source.problem = name; },
      "on the grid; default: poisson; spe10 and reservoir need TERRACE_DATA and have their own grid");
  command.add_real(
      "--wind", 0.0, largest_wind, "", [&source](double wind) { source.wind = wind; },
      "of --problem convection: the Peclet number of a cell at the sides; default: 0.5");
  command.add_word(
      "--diagonals", "FILE", [&source](const std::string& file) { source.diagonals = file; },
      "on the grid: float64 numbers, plain or gzipped; center, x, y, z (when NZ > 1), and b or not");
}

}  // namespace terrace::tools
