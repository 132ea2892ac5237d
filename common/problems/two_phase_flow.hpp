// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Oil and water in a porous medium: the equations of one implicit step of time, and their derivatives.
//
// The unknowns of a cell are its pressure p (psi) and its saturation of water S (S_w; S_o = 1 - S). For each phase a,
// in cubic feet a day,
//
//     F_a = V phi ((1 + c (p - p0)) S_a - S0_a) / dt + sum T k_a(S_up) (p - p_n) / mu_a - sum of what wells bring
//
// with p0, S0 at the beginning of the step; one sum over the neighbors n, the other over the wells of the cell. T is
// the transmissibility of a face, and its mobility k_a / mu_a is that of the cell from which the fluid comes
// ("upstream"). Neither gravity nor capillary pressure. A well brings water where its pressure is higher, through the
// mobility of both fluids together, and takes each fluid by its own mobility where it is lower. The equations, their
// linearization and the wells are those of K. Aziz and A. Settari, Petroleum Reservoir Simulation, 1979.
#pragma once

#include <array>

#include "common/problems/spe10.hpp"

namespace terrace::common {

/// Cubic feet a day through a cube of one foot of one millidarcy, one psi over it, of a fluid of one centipoise: from
/// 9.869233e-16 m^2, 6894.757 Pa, 1e-3 Pa s, 0.3048 m and 86,400 s it is 6.328e-3, which are 1.127e-3 barrels.
inline constexpr double darcy_constant = 9.869233e-16 * 6894.757 / 1e-3 / (0.3048 * 0.3048) * 86400;

/// Christie and Blunt (2001), but for porosity, which varies there.
inline constexpr double residual_saturation = 0.2;    ///< of each fluid
inline constexpr double water_viscosity = 0.3;        ///< centipoise
inline constexpr double oil_viscosity = 3.0;          ///< centipoise
inline constexpr double porosity = 0.2;               ///< phi, at the beginning of the step
inline constexpr double rock_compressibility = 1e-6;  ///< c, per psi

enum Phase { Oil, Water };

/// Relative permeability over viscosity, and its derivative with respect to S_w: quadratic between the residual
/// saturations, constant beyond.
struct Mobility {
  double value, slope;
};
Mobility find_mobility(Phase phase, double water_saturation);

/// p and S_w, cell by cell.
struct FlowState {
  std::vector<double> pressure, saturation;
};

/// What a step of time is made with.
struct TwoPhaseFlow {
  Grid grid;
  std::vector<double> x, y, z;     ///< T, to the next cell: cubic feet a day of one centipoise and psi
  std::vector<Perforation> wells;  ///< with such indices, and pressures in psi, in ascending order of cells
  double volume = 1;               ///< V, of a cell: cubic feet
  double step = 1;                 ///< dt, days
};

/// Derivatives of F_o and F_w (rows) with respect to p and S_w (columns).
using Block = std::array<std::array<double, 2>, 2>;

/// The equations of one cell.
struct CellEquations {
  std::array<double, 2> residual{};    ///< F_o, F_w
  int columns = 0;                     ///< cells that they depend on, in ascending order
  int own = 0;                         ///< which of them is the cell itself
  std::array<std::size_t, 7> cells{};  ///< of the columns
  std::array<Block, 7> blocks{};       ///< of the columns
};

CellEquations assemble_cell(const TwoPhaseFlow& flow, const FlowState& beginning, const FlowState& end,
                            const GridCell& at);

}  // namespace terrace::common
