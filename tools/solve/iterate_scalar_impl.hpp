// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorizes and iterates with one scalar type, and times both.
#pragma once

#include <Kokkos_Timer.hpp>
#include <cmath>
#include <terrace/terrace.hpp>

#include "solve/iterate_scalar.hpp"
#include "support/choose_type.hpp"
#include "support/format.hpp"

namespace terrace::tools {

/// Shows the residual, and how far its logarithm has come.
inline KrylovOptions watched(KrylovOptions options, ProgressLine& progress) {
  options.monitor = [&progress, tolerance = options.tolerance](int iterations, double residual) {
    progress.stage("iteration " + grouped(iterations) + ", residual " + scientific(residual));
    if (residual > 0 && residual < 1 && tolerance > 0)
      progress.fraction(std::min(1.0, std::log(residual) / std::log(tolerance)));
  };
  return options;
}

template <class Scalar, class Offset, class Space>
class IterationRun {
  using Number = HostNumberOf<Scalar>;
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, Offset>;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device>;
  using Factor = IluFactor<Scalar, int, Offset, Space>;
  using ThresholdFactor = IlutFactor<Scalar, int, Offset, Space>;

 public:
  IterationRun(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress)
      : request_(request), system_(system), progress_(progress), arrays_(system) {}

  Iteration<Number> run() {
    result_.backend = Space::name();
    result_.threads = space_.concurrency();
    if (!request_.solve.preconditioned) {
      solve({});
      return result_;
    }
    if (request_.solve.thresholds) solve_with(factorize_by_thresholds());
    else solve_with(factorize());
    return result_;
  }

 private:
  Factor factorize() {
    progress_.stage("finding the pattern of the factors");
    const Kokkos::Timer symbolic_timer;
    const IluSymbolic<int, Offset, Space> symbolic(space_, arrays_.row_map, arrays_.entries, request_.solve.pattern);
    space_.fence("terrace::tools::symbolic");
    result_.symbolic_s = symbolic_timer.seconds();
    result_.symbolic = symbolic.info();
    progress_.stage("factorizing");
    const Kokkos::Timer numeric_timer;
    IluFactorOptions options = request_.solve.factor;
    options.right_hand_sides = std::max(1, system_.columns);
    Factor factor(space_, symbolic, arrays_.values, options);
    space_.fence("terrace::tools::numeric");
    result_.numeric_s = numeric_timer.seconds();
    return factor;
  }

  ThresholdFactor factorize_by_thresholds() {
    progress_.stage("factorizing");
    const Kokkos::Timer timer;
    IlutOptions options = threshold_options(request_.solve);
    options.right_hand_sides = std::max(1, system_.columns);
    ThresholdFactor factor(space_, arrays_.row_map, arrays_.entries, arrays_.values, options);
    result_.numeric_s = timer.seconds();
    const IlutInfo& info = factor.info();
    result_.dropped_entries = info.dropped_entries;
    result_.symbolic.rows = info.rows;
    result_.symbolic.matrix_entries = info.matrix_entries;
    result_.symbolic.factor_entries = info.factor_entries;
    result_.symbolic.algorithm = Algorithm::SyncFreeRows;
    result_.symbolic.reason = "rows wait for those that they turn out to need";
    return factor;
  }

  template <class AnyFactor>
  void solve_with(const AnyFactor& factor) {
    result_.factor = factor.info();
    if (result_.factor.succeeded()) solve(factor);
  }

  void solve(const LinearOperator<Scalar, Space>& M) {
    const std::size_t rows = arrays_.row_map.extent(0) - 1;
    const CrsOperator A(Matrix("A", static_cast<int>(rows), static_cast<int>(rows),
                               static_cast<Offset>(arrays_.entries.extent(0)), arrays_.values, arrays_.row_map,
                               arrays_.entries));
    const auto columns = static_cast<std::size_t>(system_.columns);
    const auto b = upload_vectors<Vectors>("b", system_.b, columns);
    const Vectors x("x", rows, columns);
    progress_.stage("iterating");
    KrylovSolver<Scalar, Space> solver(space_, rows, watched(request_.solve.krylov, progress_));
    const Kokkos::Timer timer;
    result_.krylov = solver.solve(space_, A, b, x, M);
    result_.solve_s = timer.seconds();
    result_.x = download_vectors(x);
  }

  const Request& request_;
  const LinearSystem<Number>& system_;
  ProgressLine& progress_;
  Space space_;
  DeviceMatrix<Scalar, Offset, Space> arrays_;
  Iteration<Number> result_;
};

template <class Scalar>
Iteration<HostNumberOf<Scalar>> iterate_scalar(const Request& request, const LinearSystem<HostNumberOf<Scalar>>& system,
                                               ProgressLine& progress) {
  Iteration<HostNumberOf<Scalar>> result;
  const std::string space(request.space.empty() ? name_of<Kokkos::DefaultExecutionSpace> : request.space);
  choose_type(static_cast<BuiltOffsets*>(nullptr), "offset", request.offset, [&]<class Offset>(Offset*) {
    choose_type(static_cast<BuiltSpaces*>(nullptr), "space", space, [&]<class Space>(Space*) {
      result = IterationRun<Scalar, Offset, Space>(request, system, progress).run();
    });
  });
  return result;
}

}  // namespace terrace::tools
