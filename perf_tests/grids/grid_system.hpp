// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symmetric positive definite system on a grid, on the host, as diagonals and as compressed rows.
#pragma once

#include <string>
#include <vector>

#include "common/harness/case.hpp"
#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// The Laplacian on nx x ny x nz nodes inside a box; M = (D + L) D^-1 (D + L)^T is its IC(0).
struct GridSystem {
  int nx, ny, nz;
  std::vector<double> center, x, y, z;  ///< diagonals: the centre, and the couplings to the next node in each direction
  Rows A;
  Rows lower, upper;            ///< D + L and D + L^T
  std::vector<double> inverse;  ///< 1 / D
  std::vector<double> b;

  int n() const { return nx * ny * nz; }
};

GridSystem make_grid_system(int nx, int ny, int nz);

/// The same with diagonals and b alone.
GridSystem make_grid_diagonals(int nx, int ny, int nz);

/// The extents of a grid.
struct GridShape {
  int nx, ny, nz;
};

/// The system as a problem, with its compressed rows or without. What the plain loops find judges the methods.
class GridProblem final : public Problem {
 public:
  enum class Storage { DiagonalsAndRows, Diagonals };
  GridProblem(const GridShape& shape, Storage storage)
      : system((storage == Storage::Diagonals ? make_grid_diagonals : make_grid_system)(shape.nx, shape.ny, shape.nz)) {
  }

  Counters counters() const override { return {{"n", system.n()}}; }

  /// The largest difference, relative to the largest number; of a solve its true residual.
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& result) override;

  const GridSystem system;

 private:
  std::map<Phase, std::vector<double>> expected_;
};

/// The steps after which an iteration's x is compared.
inline constexpr int checked_steps = 5;

}  // namespace terrace::perf
