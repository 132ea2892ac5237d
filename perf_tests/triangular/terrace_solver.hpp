// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace's triangular solver, and that of Kokkos Kernels, as methods.
#pragma once

#include <terrace/triangular_solver.hpp>

#include "common/kokkos_kernels_sptrsv.hpp"
#include "triangular/problem_on.hpp"

namespace terrace::perf {

template <class Space>
class TerraceSolver final : public Method {
  using Solver = TriangularSolver<Real, int, int, Space>;
  using Device = typename Solver::device_type;

 public:
  TerraceSolver(TriangularProblem& problem, const TriangularOptions& options)
      : problem_(problem),
        options_(options),
        system_(problem.view(Place::Space,
                             options.format == Format::Csc ? Input::CompressedColumns : Input::CompressedRows)) {
    options_.right_hand_sides = system_.columns;
    options_.uplo = system_.is_upper ? Uplo::Upper : Uplo::Lower;
  }

  void prepare(Phase phase) override {
    phase == Phase::Analysis ? solver_.reset() : problem_.forget_solution(Place::Space);
  }

  void run(Phase phase, int) override {
    const auto n = static_cast<std::size_t>(system_.n), columns = static_cast<std::size_t>(system_.columns);
    if (phase == Phase::Analysis)
      solver_ = std::make_unique<Solver>(space_, typename Solver::row_map_type(system_.row_map, n + 1),
                                         typename Solver::entries_type(system_.entries, system_.nnz),
                                         typename Solver::values_type(system_.values, system_.nnz), options_);
    else if (system_.layout == Layout::Left) solve<Kokkos::LayoutLeft>(n, columns);
    else solve<Kokkos::LayoutRight>(n, columns);
  }

  void wait() override { space_.fence("terrace::perf::TerraceSolver"); }

  std::vector<double> result(Phase phase) override {
    return phase == Phase::Solve ? problem_.solution(Place::Space) : std::vector<double>();
  }

  Facts facts() const override {
    const TriangularInfo info = solver_->info();
    return {std::string(to_string(info.algorithm)) + ": " + info.reason, static_cast<double>(info.bytes_held)};
  }

 private:
  template <class KokkosLayout>
  void solve(std::size_t n, std::size_t columns) {
    solver_->solve(space_, Kokkos::View<const Real**, KokkosLayout, Device>(system_.b, n, columns),
                   Kokkos::View<Real**, KokkosLayout, Device>(system_.x, n, columns));
  }

  Space space_;
  TriangularProblem& problem_;
  TriangularOptions options_;
  SystemView system_;
  std::unique_ptr<Solver> solver_;
};

template <class Space>
class KokkosKernels final : public Method {
  template <class T>
  using View = Kokkos::View<T*, DeviceOf<Space>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Solver = common::KokkosKernelsSptrsv<View<const int>, View<const int>, View<const Real>, Space>;

 public:
  explicit KokkosKernels(TriangularProblem& problem)
      : problem_(problem), system_(problem.view(Place::Space, Input::CompressedRows)) {}

  void prepare(Phase phase) override {
    phase == Phase::Analysis ? solver_.reset() : problem_.forget_solution(Place::Space);
  }

  void run(Phase phase, int) override {
    const auto n = static_cast<std::size_t>(system_.n), columns = static_cast<std::size_t>(system_.columns);
    if (phase == Phase::Analysis)
      solver_.emplace(space_, View<const int>(system_.row_map, n + 1), View<const int>(system_.entries, system_.nnz),
                      View<const Real>(system_.values, system_.nnz), !system_.is_upper);
    else
      for (std::size_t first = 0; first < n * columns; first += n)
        solver_->solve(View<const Real>(system_.b + first, n), View<Real>(system_.x + first, n));
  }

  void wait() override { space_.fence("terrace::perf::KokkosKernels"); }

  std::vector<double> result(Phase phase) override {
    return phase == Phase::Solve ? problem_.solution(Place::Space) : std::vector<double>();
  }

 private:
  Space space_;
  TriangularProblem& problem_;
  SystemView system_;
  std::optional<Solver> solver_;
};

}  // namespace terrace::perf
