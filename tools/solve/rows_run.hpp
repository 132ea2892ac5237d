// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorizes a matrix in compressed rows and iterates with it, in one scalar type.
#pragma once

#include <built_types.hpp>
#include <terrace/crs_operator.hpp>
#include <terrace/ilu.hpp>
#include <terrace/ilut.hpp>

#include "device/crs_matrix.hpp"
#include "device/runs.hpp"
#include "solve/iterate.hpp"

namespace terrace::tools {

template <class Scalar, class Offset, class Space>
class RowsRunOn {
  using Number = HostNumberOf<Scalar>;

 public:
  RowsRunOn(const SolveOptions& options, const LinearSystem<Number>& system, ProgressLine& progress)
      : options_(options), system_(system), progress_(progress), arrays_(system.matrix) {}

  Run<Number> run() {
    run_.facts.backend = Space::name();
    run_.facts.threads = space_.concurrency();
    const Preconditioner& preconditioner = *options_.preconditioner;
    if (preconditioner.level_of_fill() != nullptr) factorize_by_levels();
    else if (preconditioner.thresholds() != nullptr) factorize_by_thresholds();
    else iterate_with({});
    return std::move(run_);
  }

 private:
  void factorize_by_levels() {
    progress_.stage("finding the pattern of the factors");
    std::optional<IluSymbolic<int, Offset, Space>> symbolic;
    time_phase(space_, "symbolic", run_.facts,
               [&] { symbolic.emplace(space_, arrays_.row_map, arrays_.entries, symbolic_options(options_)); });
    progress_.stage("factorizing");
    std::optional<IluFactor<Scalar, int, Offset, Space>> factor;
    time_phase(space_, "numeric", run_.facts,
               [&] { factor.emplace(space_, *symbolic, arrays_.values, factor_options(options_, columns())); });
    run_.facts.factor = IluFacts{symbolic->info(), factor->info()};
    run_.facts.bytes_held = symbolic->info().bytes_held + factor->info().bytes_held;
    if (factor->info().succeeded()) iterate_with(*factor);
  }

  void factorize_by_thresholds() {
    progress_.stage("factorizing");
    std::optional<IlutFactor<Scalar, int, Offset, Space>> factor;
    time_phase(space_, "numeric", run_.facts, [&] {
      factor.emplace(space_, arrays_.row_map, arrays_.entries, arrays_.values, threshold_options(options_, columns()));
    });
    run_.facts.factor = factor->info();
    run_.facts.bytes_held = factor->info().bytes_held;
    if (factor->info().succeeded()) iterate_with(*factor);
  }

  void iterate_with(const LinearOperator<Scalar, Space>& M) {
    const CrsOperator A(space_, to_crs_matrix(arrays_, system_.matrix.n));
    iterate<Scalar, Space>(space_, options_, A, M, system_, progress_, run_);
  }

  int columns() const { return std::max(1, system_.columns); }

  const SolveOptions& options_;
  const LinearSystem<Number>& system_;
  ProgressLine& progress_;
  Space space_;
  DeviceMatrix<Scalar, Offset, Space> arrays_;
  Run<Number> run_;
};

template <class Scalar>
auto RowsRun<Scalar>::run(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress)
    -> Run<Number> {
  Run<Number> result;
  choose_type(static_cast<BuiltOffsets*>(nullptr), "--offset", request.offset, [&]<class Offset>(Offset*) {
    choose_space(request.space, [&]<class Space>(Space*) {
      result = RowsRunOn<Scalar, Offset, Space>(request.solve, system, progress).run();
    });
  });
  return result;
}

}  // namespace terrace::tools
