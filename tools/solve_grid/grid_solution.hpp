// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one solve on a grid brings back to the host.
#pragma once

#include <terrace/structured_options.hpp>
#include <terrace/structured_pcg_result.hpp>
#include <vector>

#include "solve_grid/grid_problem.hpp"

namespace terrace::tools {

struct GridSolution {
  StructuredFactorInfo factor;
  StructuredPcgResult result;
  std::vector<double> x;
  std::string backend;
  int threads = 0;
  double setup_s = 0.0;  ///< checks, factorization, allocation
  std::size_t bytes_held = 0;
};

/// Solves the problem in request.precision on request.space, from zero.
/// \throws Error as StructuredPcg does, and InvalidOption for what this build does not contain.
GridSolution solve_problem(const GridRequest& request, const GridProblem& problem, ProgressLine& progress);

/// The same for one scalar type. CMake writes a source for each real one that the library was built for.
template <class Scalar>
GridSolution solve_problem_in(const GridRequest& request, const GridProblem& problem, ProgressLine& progress);

}  // namespace terrace::tools
