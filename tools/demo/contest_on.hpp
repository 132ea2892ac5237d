// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contest on one execution space, for one scalar type.
#pragma once

#include <optional>
#include <terrace/terrace.hpp>

#include "demo/contest.hpp"
#include "demo/kokkos_kernels_sptrsv.hpp"
#include "demo/repeat.hpp"
#include "support/device_copy.hpp"

namespace terrace::tools {

template <class Scalar, class Offset, class Space>
class ContestOn : public Contest<HostNumberOf<Scalar>> {
 public:
  using Number = HostNumberOf<Scalar>;

  explicit ContestOn(const TriangularSystem<Number>& system)
      : options_{.uplo = Uplo::Lower, .diag = system.diag},
        matrix_(system.triangle),
        b_(upload_vectors<Vectors>("b", system.b, 1)),
        x_("x", b_.extent(0), 1) {}

  std::string space() const override { return Space::name(); }

  int concurrency() const override { return Space().concurrency(); }

  std::vector<int> level_widths() const override {
    const auto sets = level_sets<int, Offset, Space>(Space(), matrix_.row_map, matrix_.entries, options_);
    std::vector<int> widths;
    for (int level = 0; level < sets.levels(); ++level) widths.push_back(sets.width(level));
    return widths;
  }

  Trial<Number> try_terrace(Algorithm algorithm) const override {
    TriangularOptions options = options_;
    options.algorithm = algorithm;
    std::optional<TriangularSolver<Scalar, int, Offset, Space>> solver;
    const auto analyse = [&] { solver.emplace(space_, matrix_.row_map, matrix_.entries, matrix_.values, options); };
    const auto solve = [&] { solver->solve(space_, b_, x_); };
    Trial<Number> trial = time(analyse, solve);
    trial.info = solver->info();
    return trial;
  }

  Trial<Number> try_kokkos_kernels() const override {
    std::optional<KokkosKernelsSptrsv<Scalar, Offset, Space>> solver;
    const auto b = Kokkos::subview(b_, Kokkos::ALL(), 0);
    const auto x = Kokkos::subview(x_, Kokkos::ALL(), 0);
    return time([&] { solver.emplace(matrix_); }, [&] { solver->solve(b, x); });
  }

 private:
  using Device = typename DeviceMatrix<Scalar, Offset, Space>::Device;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device>;

  /// The last solve is the one that is judged; it starts from an x that holds no solution.
  template <class Analyse, class Solve>
  Trial<Number> time(const Analyse& analyse, const Solve& solve) const {
    const auto fenced = [this](const auto& call) {
      return [this, &call] {
        call();
        space_.fence("terrace::tools::contest");
      };
    };
    Trial<Number> trial;
    trial.analysis_s = median_seconds(fenced(analyse));
    trial.solve_s = median_seconds(fenced(solve));
    Kokkos::deep_copy(space_, x_, Scalar(0));
    fenced(solve)();
    trial.x = download_vectors(x_);
    return trial;
  }

  Space space_;
  TriangularOptions options_;
  DeviceMatrix<Scalar, Offset, Space> matrix_;
  Vectors b_;
  Vectors x_;
};

}  // namespace terrace::tools
