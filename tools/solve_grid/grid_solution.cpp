// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the scalar type.
#include "solve_grid/grid_solution.hpp"

#include "support/choose_type.hpp"

namespace terrace::tools {

GridSolution solve_problem(const GridRequest& request, const GridProblem& problem, ProgressLine& progress) {
  GridSolution solution;
  choose_type(static_cast<BuiltScalars*>(nullptr), "precision", request.precision, [&]<class Scalar>(Scalar*) {
    if constexpr (std::is_floating_point_v<Scalar>) solution = solve_problem_in<Scalar>(request, problem, progress);
  });
  return solution;
}

}  // namespace terrace::tools
