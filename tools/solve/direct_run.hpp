// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorizes a symmetric matrix L D L^T, solves with it, and refines, in one scalar type.
#pragma once

#include <algorithm>
#include <built_types.hpp>
#include <terrace/ldlt.hpp>

#include "device/runs.hpp"
#include "solve/iterate.hpp"

namespace terrace::tools {

template <class Scalar, class Offset, class Space>
class DirectRunOn {
  using Number = HostNumberOf<Scalar>;
  using Symbolic = LdltSymbolic<int, Offset, Space>;
  using Factor = LdltFactor<Scalar, int, Offset, Space>;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::Device<Space, typename Space::memory_space>>;
  static constexpr double operations_of_reals = std::is_floating_point_v<Scalar> ? 1 : 4;  ///< in one of Scalar's

 public:
  DirectRunOn(const SolveOptions& options, const LinearSystem<Number>& system, ProgressLine& progress)
      : options_(options), system_(system), progress_(progress), arrays_(system.matrix) {}

  Run<Number> run() {
    run_.facts.backend = Space::name();
    run_.facts.threads = space_.concurrency();
    LdltFacts facts;
    const Symbolic symbolic = analyze(facts);
    progress_.stage("factorizing");
    std::optional<Factor> factor;
    time("numeric", facts.symbolic.operations,
         [&] { factor.emplace(space_, symbolic, arrays_.values, ldlt_factor_options(options_)); });
    facts.numeric = factor->info();
    run_.facts.bytes_held = facts.symbolic.bytes_held + factor->bytes_held();
    if (facts.numeric.succeeded()) solve(*factor, facts);
    run_.facts.factor = std::move(facts);
    return std::move(run_);
  }

 private:
  /// Two phases: the order of elimination, and the rest.
  Symbolic analyze(LdltFacts& facts) {
    progress_.stage("analyzing");
    const Symbolic symbolic(space_, arrays_.row_map, arrays_.entries,
                            ldlt_symbolic_options(options_, std::max(1, system_.columns)));
    facts.symbolic = symbolic.info();
    run_.facts.phases.push_back({"ordering", facts.symbolic.ordering_seconds});
    run_.facts.phases.push_back({"symbolic", facts.symbolic.seconds - facts.symbolic.ordering_seconds});
    if (!options_.direct.drawing.empty()) run_.fronts = symbolic.fronts();
    return symbolic;
  }

  void solve(const Factor& factor, LdltFacts& facts) {
    progress_.stage("solving");
    const auto b = upload_vectors<Vectors>("b", system_.b, static_cast<std::size_t>(system_.columns));
    const Vectors x("x", b.extent(0), b.extent(1));
    time("solve", solve_operations(facts.symbolic, b.extent(1)), [&] { factor.solve(space_, b, x); });
    progress_.stage("refining");
    time("refine", 0, [&] { facts.refined = factor.refine(space_, b, x, refinement_options(options_)).columns; });
    run_.facts.phases.back().operations =
        operations_of_reals * refine_operations(facts, static_cast<std::int64_t>(system_.matrix.entries.size()));
    run_.x = download_vectors(x);
  }

  template <class Work>
  void time(const std::string& phase, double operations, const Work& work) {
    time_phase(space_, phase, run_.facts, work);
    run_.facts.phases.back().operations = operations_of_reals * operations;
  }

  const SolveOptions& options_;
  const LinearSystem<Number>& system_;
  ProgressLine& progress_;
  Space space_;
  DeviceMatrix<Scalar, Offset, Space> arrays_;
  Run<Number> run_;
};

template <class Scalar>
auto DirectRun<Scalar>::run(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress)
    -> Run<Number> {
  Run<Number> result;
  choose_type(static_cast<BuiltOffsets*>(nullptr), "--offset", request.offset, [&]<class Offset>(Offset*) {
    choose_space(request.space, [&]<class Space>(Space*) {
      result = DirectRunOn<Scalar, Offset, Space>(request.solve, system, progress).run();
    });
  });
  return result;
}

}  // namespace terrace::tools
