// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The systems that Schwarz preconditioners are measured on: matrices of grids with a right-hand side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <terrace/grid.hpp>
#include <vector>

#include "harness/flags.hpp"
#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

struct SchwarzSystem {
  Grid grid;
  int unknowns_per_cell = 1;
  Rows A;
  std::vector<double> b;
  double tolerance = 1e-5;  ///< to which GMRES is watched, from x = 0
};

/// Poisson's equation and upstream convection on the grids that Liu et al. (2014) took and on SPE10's, with b = 1; the
/// pressure of SPE10 and a step of its waterflood, with the right-hand sides of their wells.
struct SchwarzShape {
  std::string name;
  bool needs_data = false;      ///< SPE10's permeability
  bool only_by_name = false;  ///< left out of runs that do not ask for it
  std::function<SchwarzSystem(const Flags&)> make;
};

const std::vector<SchwarzShape>& schwarz_shapes();

/// Those that the flags ask for; without names, and without --data, what needs it is left out.
/// \throws UsageError
std::vector<SchwarzShape> chosen_schwarz_shapes(const Flags& flags);

}  // namespace terrace::perf
