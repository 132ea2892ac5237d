// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear system of a reservoir simulator: oil and water, fully implicit, linearized once.
#pragma once

#include "common/problems/rows_problem.hpp"
#include "common/problems/solve_diagonals.hpp"
#include "common/problems/two_phase_flow.hpp"

namespace terrace::common {

/// The first Newton step of a day of a waterflood between the wells of a five-spot, which hold 6,000 and 0 psi. It
/// begins at a pressure p of one fluid between these wells, and at a saturation that falls from the well in the middle:
/// S_w = 0.2 + 0.6 min(1, max(0.02, 1.5 (p - 0.3) / 0.7)) (0.9 + 0.1 u), p in 0 ... 1, with seeded u in 0 ... 1.
///
/// Two rows and two columns for each cell: before scaling oil and water by p (psi) and S_w, and then multiplied by the
/// inverse of the cell's own block of 2 x 2, as alternate-block factorization does (Bank et al., BIT 29(4), 1989).
/// b is the residual, -F. Each block of 2 x 2 is stored whole: what the saturation downstream does not change are
/// zeros. \throws Error OutOfMemory: more unknowns than an int counts; NotPositive: no pressure is found.
RowsProblem make_reservoir(const Grid& grid, const Conductivity& permeability, const WatchResidual& watch = {});

/// What it is linearized at: where the step begins, and what flows.
struct ReservoirStep {
  TwoPhaseFlow flow;
  FlowState state;
};
ReservoirStep begin_reservoir_step(const Grid& grid, const Conductivity& permeability, const WatchResidual& watch = {});

/// The equations of all cells, not scaled: the derivatives of F and b = -F.
RowsProblem linearize(const TwoPhaseFlow& flow, const FlowState& beginning, const FlowState& end);

/// Multiplies the rows of each cell, and of b, by the inverse of the cell's block on the diagonal, which is the
/// identity then. The problem has two unknowns for each cell and whole blocks.
void scale_by_diagonal_blocks(RowsProblem& problem);

/// How closely the pressure is solved for: of p in 0 ... 1 some 1e-3 are left on SPE10's permeability, on average 1e-4.
inline constexpr double reservoir_pressure_tolerance = 1e-6;

}  // namespace terrace::common
