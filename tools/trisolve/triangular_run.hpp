// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the analysis and the solves of one system on one execution space.
#pragma once

#include <Kokkos_Timer.hpp>
#include <built_types.hpp>
#include <terrace/level_sets.hpp>
#include <terrace/triangular_solver.hpp>

#include "common/median.hpp"
#include "device/runs.hpp"

namespace terrace::tools {

inline bool allows_a_solve(const TriangularInfo& info) {
  return !info.first_singular_row() && !info.first_nonfinite_row;
}

template <class Offset, class Space, class Matrix>
std::vector<int> find_level_widths(const Space& space, const Matrix& matrix, const TriangularOptions& options) {
  const auto sets = level_sets<int, Offset, Space>(space, matrix.row_map, matrix.entries, options);
  std::vector<int> widths;
  for (int level = 0; level < sets.levels(); ++level) widths.push_back(sets.width(level));
  return widths;
}

/// One solve to warm up, then the median of the repetitions, in seconds.
template <class Space, class Solve>
double time_solves(const Space& space, int repetitions, ProgressLine& progress, const Solve& solve) {
  progress.stage("solving");
  solve();
  space.fence("terrace::tools::warm_up");
  std::vector<double> seconds;
  for (int k = 0; k < repetitions; ++k) {
    const Kokkos::Timer timer;
    solve();
    space.fence("terrace::tools::solve");
    seconds.push_back(timer.seconds());
    progress.fraction((k + 1.0) / repetitions);
  }
  return common::median(seconds);
}

template <class Layout, class Scalar, class Offset, class Space, class Number>
void solve_and_time(const TriangularSolver<Scalar, int, Offset, Space>& solver, int repetitions,
                    const TriangularSystem<Number>& system, ProgressLine& progress, Measurement<Number>& result) {
  using Vectors = Kokkos::View<Scalar**, Layout, Kokkos::Device<Space, typename Space::memory_space>>;
  const Space space;
  const auto b = upload_vectors<Vectors>("b", system.b, system.columns);
  const Vectors x("x", b.extent(0), b.extent(1));
  result.solve_s = time_solves(space, repetitions, progress, [&] { solver.solve(space, b, x, system.op); });
  result.x = download_vectors(x);
}

template <class Scalar, class Offset, class Space, class Number>
void run_solver(const TrisolveOptions& request, const TriangularSystem<Number>& system, ProgressLine& progress,
                Measurement<Number>& result) {
  const Space space;
  const bool by_columns = request.solver.format == Format::Csc;
  const DeviceMatrix<Scalar, Offset, Space> matrix(by_columns ? transpose(system.triangle) : system.triangle);
  space.fence("terrace::tools::upload");
  progress.stage("analyzing");
  const Kokkos::Timer timer;
  TriangularOptions options = request.solver;
  options.right_hand_sides = request.right_hand_sides;
  const TriangularSolver<Scalar, int, Offset, Space> solver(space, matrix.row_map, matrix.entries, matrix.values,
                                                            options);
  space.fence("terrace::tools::analysis");
  result.analysis_s = timer.seconds();
  result.info = solver.info();
  result.level_widths = find_level_widths<Offset>(space, matrix, request.solver);
  result.backend = Space::name();
  result.threads = space.concurrency();
  if (!allows_a_solve(result.info)) return;
  if (request.layout == VectorLayout::Left) {
    solve_and_time<Kokkos::LayoutLeft>(solver, request.repetitions, system, progress, result);
  } else {
    solve_and_time<Kokkos::LayoutRight>(solver, request.repetitions, system, progress, result);
  }
}

template <class Scalar>
auto TriangularRun<Scalar>::run(const Request& request, const TriangularSystem<Number>& system, ProgressLine& progress)
    -> Measurement<Number> {
  Measurement<Number> result;
  choose_type(static_cast<BuiltOffsets*>(nullptr), "--offset", request.offset, [&]<class Offset>(Offset*) {
    choose_space(request.space, [&]<class Space>(Space*) {
      run_solver<Scalar, Offset, Space>(request.trisolve, system, progress, result);
    });
  });
  return result;
}

}  // namespace terrace::tools
