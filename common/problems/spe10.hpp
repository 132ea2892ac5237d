// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reservoir of SPE's tenth comparative solution project, model 2 (Christie and Blunt, SPE Reservoir Evaluation &
// Engineering 4(4), 2001): 60 x 220 x 85 cells of 20 x 10 x 2 feet, a well through all layers at the center and one in
// each corner.
#pragma once

#include "common/problems/grid_problem.hpp"

namespace terrace::common {

inline constexpr Grid spe10_grid{60, 220, 85};

/// In millidarcy. Reads spe10_kx and spe10_kz, as .f32.gz or .f32, from `folder`; along y it is that along x.
/// \throws Error InvalidFile.
Conductivity read_spe10_permeability(const std::string& folder);

/// A cell that a well is open to: `index` times the difference of the pressures flows through a fluid of mobility one.
struct Perforation {
  std::size_t cell = 0;
  double index = 0;     ///< permeability times length
  double pressure = 0;  ///< that the well holds
};

/// The wells of a five-spot, vertical and through all layers, in ascending order of cells: the one at the center holds
/// pressure 1, those in the corners 0. The index is Peaceman's (SPE Journal 18(3), 1978), with a radius of half a foot.
std::vector<Perforation> five_spot(const Grid& grid, const Conductivity& permeability);

/// The pressure of one fluid of mobility one between these wells.
GridProblem make_pressure_problem(const Grid& grid, const Conductivity& permeability);

}  // namespace terrace::common
