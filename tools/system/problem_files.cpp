// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems on grids that come from files of plain numbers.
#include <zlib.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <terrace/error.hpp>

#include "system/grid_problem.hpp"

namespace terrace::tools {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in the file");

/// Little-endian numbers, plain or gzipped. \throws Error InvalidFile.
template <class Number>
std::vector<Number> read_numbers(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw Error(ErrorCode::InvalidFile, path + " cannot be opened");
  constexpr unsigned numbers_at_once = 1u << 20;
  std::vector<Number> numbers;
  while (true) {
    const std::size_t before = numbers.size();
    numbers.resize(before + numbers_at_once);
    const int bytes = gzread(file.get(), numbers.data() + before, numbers_at_once * sizeof(Number));
    int error = Z_OK;
    gzerror(file.get(), &error);
    if (bytes < 0 || error != Z_OK || static_cast<std::size_t>(bytes) % sizeof(Number) != 0)
      throw Error(ErrorCode::InvalidFile, path + " is damaged or ends in the middle of a number");
    numbers.resize(before + static_cast<std::size_t>(bytes) / sizeof(Number));
    if (numbers.size() == before) return numbers;
  }
}

std::vector<double> read_permeability(const std::string& folder, const std::string& name) {
  const auto path = std::filesystem::path(folder) / (name + ".f32");
  const auto numbers = read_numbers<float>(std::filesystem::exists(path) ? path.string() : path.string() + ".gz");
  if (static_cast<std::int64_t>(numbers.size()) != spe10_grid.cells())
    throw Error(ErrorCode::InvalidFile, path.string() + " has " + std::to_string(numbers.size()) + " numbers; " +
                                            to_string(spe10_grid) + " cells need " +
                                            std::to_string(spe10_grid.cells()));
  return {numbers.begin(), numbers.end()};
}

/// Holds the pressure of a vertical well in all layers (Peaceman, SPE Journal 18(3), 1978).
void add_well(GridProblem& problem, const Conductivity& k, int i, int j, double pressure) {
  constexpr double radius = 0.5;
  const double equivalent_radius = 0.14 * std::hypot(k.size[0], k.size[1]);
  for (int layer = 0; layer < spe10_grid.nz; ++layer) {
    const auto c = static_cast<std::size_t>(spe10_grid.index({i, j, layer}));
    const double index = 2 * std::numbers::pi * k.x[c] * k.size[2] / std::log(equivalent_radius / radius);
    problem.center[c] += index;
    problem.b[c] += index * pressure;
  }
}

/// What a periodic grid has between its first and its last cells lies outside of ours.
void check_boundaries(const GridProblem& problem) {
  const Grid& grid = problem.grid;
  for (std::int64_t c = 0; c < grid.cells(); ++c) {
    const GridCell at = grid.cell(c);
    const auto place = static_cast<std::size_t>(c);
    const char* const direction = at.i + 1 == grid.nx && problem.x[place] != 0   ? "+x"
                                  : at.j + 1 == grid.ny && problem.y[place] != 0 ? "+y"
                                  : at.k + 1 == grid.nz && problem.z[place] != 0 ? "+z"
                                                                                 : nullptr;
    if (direction == nullptr) continue;
    throw Error(ErrorCode::CrossesBoundary,
                problem.description + ": cell " + to_string(at) + " of the " + to_string(grid) +
                    " grid has a coefficient for its neighbor in " + direction +
                    ", which lies outside; it must be zero (periodic grids are not supported)",
                c);
  }
}

}  // namespace

GridProblem make_spe10(const std::string& folder, ProgressLine& progress) {
  progress.stage("reading the permeability");
  Conductivity k{read_permeability(folder, "spe10_kx"), {}, read_permeability(folder, "spe10_kz"), {20, 10, 2}};
  k.y = k.x;
  GridProblem problem = assemble_fluxes(spe10_grid, k);
  problem.description = "spe10";
  add_well(problem, k, spe10_grid.nx / 2, spe10_grid.ny / 2, 1.0);
  for (const int i : {0, spe10_grid.nx - 1})
    for (const int j : {0, spe10_grid.ny - 1}) add_well(problem, k, i, j, 0.0);
  return problem;
}

GridProblem read_diagonals(const std::string& path, const Grid& grid) {
  const auto numbers = read_numbers<double>(path);
  const auto n = static_cast<std::size_t>(grid.cells());
  const std::size_t diagonals = grid.nz > 1 ? 4 : 3;
  if (numbers.size() != diagonals * n && numbers.size() != (diagonals + 1) * n)
    throw Error(ErrorCode::InvalidFile, path + " has " + std::to_string(numbers.size()) + " numbers; " +
                                            std::to_string(diagonals) + " diagonals of the " + to_string(grid) +
                                            " grid have " + std::to_string(diagonals * n) + ", with b " +
                                            std::to_string((diagonals + 1) * n));
  const auto part = [&](std::size_t place) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(place * n);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(n));
  };
  const bool has_b = numbers.size() > diagonals * n;
  GridProblem problem{grid,
                      path,
                      part(0),
                      part(1),
                      part(2),
                      grid.nz > 1 ? part(3) : std::vector<double>(n, 0.0),
                      has_b ? part(diagonals) : std::vector<double>(n, 1.0)};
  check_boundaries(problem);
  return problem;
}

}  // namespace terrace::tools
