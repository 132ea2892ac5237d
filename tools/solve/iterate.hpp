// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runs share: a stopwatch of phases, and the Krylov iteration with any matrix and any preconditioner.
#pragma once

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cmath>
#include <terrace/krylov_solver.hpp>

#include "device/device_copy.hpp"
#include "report/format.hpp"
#include "solve/solve.hpp"

namespace terrace::tools {

/// Does `work` on the space and notes how long it took as a phase.
template <class Space, class Work>
void time_phase(const Space& space, const std::string& name, RunFacts& facts, const Work& work) {
  const Kokkos::Timer timer;
  work();
  space.fence("terrace::tools::phase");
  facts.phases.push_back({name, timer.seconds()});
}

/// Shows the residual, and how far its logarithm has come.
inline std::function<void(int, double)> watch(ProgressLine& progress, double tolerance) {
  return [&progress, tolerance](int iterations, double residual) {
    progress.stage("iteration " + grouped(iterations) + ", residual " + scientific(residual));
    if (residual > 0 && residual < 1 && tolerance > 0)
      progress.fraction(std::min(1.0, std::log(residual) / std::log(tolerance)));
  };
}

template <class Scalar, class Space>
void iterate(const Space& space, const SolveOptions& options, const LinearOperator<Scalar, Space>& A,
             const LinearOperator<Scalar, Space>& M, const LinearSystem<HostNumberOf<Scalar>>& system,
             ProgressLine& progress, Run<HostNumberOf<Scalar>>& run) {
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::Device<Space, typename Space::memory_space>>;
  const auto b = upload_vectors<Vectors>("b", system.b, static_cast<std::size_t>(system.columns));
  const Vectors x("x", b.extent(0), b.extent(1));
  progress.stage("iterating");
  KrylovOptions krylov = krylov_options(options);
  krylov.monitor = watch(progress, krylov.tolerance);
  KrylovSolver<Scalar, Space> solver(space, b.extent(0), krylov);
  time_phase(space, "solve", run.facts, [&] { run.facts.krylov = solver.solve(space, A, b, x, M); });
  run.x = download_vectors(x);
}

}  // namespace terrace::tools
