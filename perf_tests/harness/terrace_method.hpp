// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace's triangular solver behind the interface of the peers.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/triangular_solver.hpp>

#include "peers/triangular_method.hpp"

namespace terrace::perf {

template <class Space>
class TerraceMethod final : public TriangularMethod {
 public:
  explicit TerraceMethod(const TriangularOptions& options) : options_(options) {}

  void analyze(const MatrixView& L) override {
    n_ = static_cast<std::size_t>(L.n);
    options_.right_hand_sides = L.columns;
    options_.uplo = L.is_upper ? Uplo::Upper : Uplo::Lower;
    solver_ = std::make_unique<Solver>(space_, typename Solver::row_map_type(L.row_map, n_ + 1),
                                       typename Solver::entries_type(L.entries, L.nnz),
                                       typename Solver::values_type(L.values, L.nnz), options_);
    wait();
  }

  void solve(const Real* b, Real* x) override {
    using Device = typename Solver::device_type;
    const auto columns = static_cast<std::size_t>(options_.right_hand_sides);
    solver_->solve(space_, Kokkos::View<const Real**, Kokkos::LayoutLeft, Device>(b, n_, columns),
                   Kokkos::View<Real**, Kokkos::LayoutLeft, Device>(x, n_, columns));
  }

  void wait() override { space_.fence("terrace::perf::TerraceMethod"); }

  MethodFacts facts() const override {
    const TriangularInfo info = solver_->info();
    return {std::string(to_string(info.algorithm)) + ": " + info.reason, info.bytes_held};
  }

 private:
  using Solver = TriangularSolver<Real, int, int, Space>;

  Space space_;
  TriangularOptions options_;
  std::size_t n_ = 0;
  std::unique_ptr<Solver> solver_;
};

/// By columns for the algorithm that works on columns, so that what it holds can be compared with its input.
template <class Space, Algorithm algorithm>
std::unique_ptr<TriangularMethod> make_terrace(int) {
  const bool columns = algorithm == Algorithm::SyncFreeColumns;
  return std::make_unique<TerraceMethod<Space>>(
      TriangularOptions{.format = columns ? Format::Csc : Format::Csr, .algorithm = algorithm});
}

/// What an analysis for one solve chooses.
template <class Space>
std::unique_ptr<TriangularMethod> make_terrace_once(int) {
  return std::make_unique<TerraceMethod<Space>>(TriangularOptions{.reuse = Reuse::Once, .check_structure = false});
}

}  // namespace terrace::perf
