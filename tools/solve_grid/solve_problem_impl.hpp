// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves a problem in one scalar type, on the execution space that was asked for.
#pragma once

#include <Kokkos_Timer.hpp>
#include <cmath>
#include <terrace/structured_pcg.hpp>

#include "solve_grid/grid_solution.hpp"
#include "support/choose_type.hpp"
#include "support/device_copy.hpp"

namespace terrace::tools {

template <class Scalar, class Space>
StructuredMatrix<Scalar, Space> upload_matrix(const GridProblem& problem) {
  using View = Kokkos::View<Scalar*, Kokkos::Device<Space, typename Space::memory_space>>;
  return {Space(), problem.grid,
          SymmetricDiagonals<Scalar, Space>{upload<View>("center", problem.center), upload<View>("x", problem.x),
                                            upload<View>("y", problem.y), upload<View>("z", problem.z)}};
}

/// The fraction of the way from a residual of 1 to the tolerance, on a logarithmic scale.
inline double progress_of(double residual, double tolerance) {
  return std::clamp(std::log(residual) / std::log(tolerance), 0.0, 1.0);
}

template <class Scalar, class Space>
GridSolution solve_on(const GridRequest& request, const GridProblem& problem, ProgressLine& progress) {
  using View = Kokkos::View<Scalar*, Kokkos::Device<Space, typename Space::memory_space>>;
  using Pcg = StructuredPcg<Scalar, Space>;
  const Space space;
  progress.stage("factorizing");
  const auto A = upload_matrix<Scalar, Space>(problem);
  const auto b = upload<View>("b", problem.b);
  const Kokkos::Timer timer;
  const Pcg pcg = request.has_preconditioner ? Pcg(space, A, StructuredFactorOptions{.relaxation = request.relaxation})
                                             : Pcg(space, A, NoPreconditioner());
  GridSolution solution;
  solution.setup_s = timer.seconds();
  solution.factor = pcg.factor_info();
  solution.bytes_held = pcg.bytes_held();
  solution.backend = Space::name();
  solution.threads = space.concurrency();
  progress.stage("iterating");
  const View x("x", b.extent(0));
  const auto show = [&](int, double residual) { progress.fraction(progress_of(residual, request.tolerance)); };
  solution.result = pcg.solve(space, b, x,
                              {.tolerance = request.tolerance,
                               .max_iterations = request.max_iterations,
                               .check_every = request.check_every,
                               .on_check = show});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  solution.x.assign(host.data(), host.data() + host.extent(0));
  return solution;
}

template <class Scalar>
GridSolution solve_problem_in(const GridRequest& request, const GridProblem& problem, ProgressLine& progress) {
  GridSolution solution;
  const std::string space(request.space.empty() ? name_of<Kokkos::DefaultExecutionSpace> : request.space);
  choose_type(static_cast<BuiltSpaces*>(nullptr), "space", space,
              [&]<class Space>(Space*) { solution = solve_on<Scalar, Space>(request, problem, progress); });
  return solution;
}

}  // namespace terrace::tools
