// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves with the diagonals of a structured grid, in one scalar type: conjugate gradients for one right-hand side by
// StructuredPcg, everything else by KrylovSolver.
#pragma once

#include <built_types.hpp>
#include <terrace/structured_pcg.hpp>

#include "device/runs.hpp"
#include "solve/iterate.hpp"

namespace terrace::tools {

template <class Scalar, class Space>
class DiagonalsRunOn {
  using View = Kokkos::View<Scalar*, Kokkos::Device<Space, typename Space::memory_space>>;

 public:
  DiagonalsRunOn(const SolveOptions& options, const LinearSystem<double>& system, ProgressLine& progress)
      : options_(options), system_(system), progress_(progress), A_(upload_matrix(space_, *system.diagonals)) {}

  Run<double> run() {
    run_.facts.backend = Space::name();
    run_.facts.threads = space_.concurrency();
    if (options_.solver->method == KrylovMethod::ConjugateGradient && system_.columns == 1) run_structured_pcg();
    else if (options_.preconditioner->exists()) factorize_and_iterate();
    else iterate<Scalar, Space>(space_, options_, A_, {}, system_, progress_, run_);
    return std::move(run_);
  }

 private:
  static StructuredMatrix<Scalar, Space> upload_matrix(const Space& space, const GridProblem& A) {
    return {space, A.grid,
            SymmetricDiagonals<Scalar, Space>{upload<View>("center", A.center), upload<View>("x", A.x),
                                              upload<View>("y", A.y), upload<View>("z", A.z)}};
  }

  void factorize_and_iterate() {
    progress_.stage("factorizing");
    std::optional<StructuredFactor<Scalar, Space>> factor;
    time_phase(space_, "numeric", run_.facts,
               [&] { factor.emplace(space_, A_, structured_options(options_, std::max(1, system_.columns))); });
    run_.facts.factor = factor->info();
    run_.facts.bytes_held = factor->info().bytes_held;
    if (!factor->info().breakdown) iterate<Scalar, Space>(space_, options_, A_, *factor, system_, progress_, run_);
  }

  void run_structured_pcg() {
    progress_.stage("factorizing");
    std::optional<StructuredPcg<Scalar, Space>> pcg;
    time_phase(space_, "numeric", run_.facts, [&] {
      if (options_.preconditioner->exists()) pcg.emplace(space_, A_, structured_options(options_, 1));
      else pcg.emplace(space_, A_, NoPreconditioner());
    });
    if (options_.preconditioner->exists()) run_.facts.factor = pcg->factor_info();
    run_.facts.bytes_held = pcg->bytes_held();
    if (!pcg->factor_info().breakdown) iterate_structured(*pcg);
  }

  void iterate_structured(const StructuredPcg<Scalar, Space>& pcg) {
    progress_.stage("iterating");
    const auto b = upload<View>("b", system_.b);
    const View x("x", b.extent(0));
    StructuredPcgResult result;
    time_phase(space_, "solve", run_.facts, [&] {
      result = pcg.solve(space_, b, x,
                         {.tolerance = *options_.tolerance,
                          .max_iterations = *options_.max_iterations,
                          .check_every = *options_.check_every,
                          .monitor = watch(progress_, *options_.tolerance)});
    });
    run_.facts.krylov.push_back({std::move(static_cast<IterationResult&>(result))});
    run_.facts.restarts = result.restarts;
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    run_.x.assign(host.data(), host.data() + host.extent(0));
  }

  const SolveOptions& options_;
  const LinearSystem<double>& system_;
  ProgressLine& progress_;
  Space space_;
  StructuredMatrix<Scalar, Space> A_;
  Run<double> run_;
};

template <class Scalar>
Run<double> DiagonalsRun<Scalar>::run(const Request& request, const LinearSystem<double>& system,
                                      ProgressLine& progress) {
  Run<double> result;
  choose_space(request.space, [&]<class Space>(Space*) {
    result = DiagonalsRunOn<Scalar, Space>(request.solve, system, progress).run();
  });
  return result;
}

}  // namespace terrace::tools
