// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve_grid/solve_grid.hpp"

#include "command_line/parse.hpp"
#include "solve_grid/slice_picture.hpp"
#include "support/format.hpp"

namespace terrace::tools {
namespace {

std::string explain_failure(const GridSolution& solution, double tolerance) {
  if (solution.factor.breakdown)
    return "the factorization broke down at cell " + to_string(*solution.factor.breakdown) + " after " +
           std::to_string(solution.factor.attempts) + " attempts";
  return std::string("not solved: ") + to_string(solution.result.reason) + " after " +
         grouped(solution.result.iterations) + " iterations, with a true residual of " +
         scientific(solution.result.true_residual) + ", above " + scientific(tolerance);
}

void draw(const GridRequest& request, const GridProblem& problem, const GridSolution& solution) {
  const int plane = request.slice < 0 ? problem.grid.nz / 2 : request.slice;
  if (plane >= problem.grid.nz)
    throw UsageError("--slice " + std::to_string(plane) + ": the grid has " + std::to_string(problem.grid.nz) +
                     " planes, counted from 0");
  write_slice_picture(request.picture, problem.grid, solution.x, plane);
}

}  // namespace

GridReport solve_grid(const GridRequest& request, ProgressLine& progress) {
  const GridProblem problem = make_problem(request, progress);
  GridReport report{request, problem.grid, problem.description, solve_problem(request, problem, progress), {}};
  if (!report.solution.result.converged() || !(report.solution.result.true_residual <= request.tolerance))
    report.failure = explain_failure(report.solution, request.tolerance);
  if (!request.picture.empty()) draw(request, problem, report.solution);
  return report;
}

}  // namespace terrace::tools
