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
  TerraceMethod(Algorithm algorithm, Format format) {
    options_.algorithm = algorithm;
    options_.format = format;
  }

  void analyze(const MatrixView& L) override {
    n_ = static_cast<std::size_t>(L.n);
    solver_ = std::make_unique<Solver>(space_, typename Solver::row_map_type(L.row_map, n_ + 1),
                                       typename Solver::entries_type(L.entries, L.nnz),
                                       typename Solver::values_type(L.values, L.nnz), options_);
    wait();
  }

  void solve(const double* b, double* x) override {
    using Device = typename Solver::device_type;
    solver_->solve(space_, Kokkos::View<const double*, Device>(b, n_), Kokkos::View<double*, Device>(x, n_));
  }

  void wait() override { space_.fence("terrace::perf::TerraceMethod"); }

  MethodFacts facts() const override {
    const TriangularInfo info = solver_->info();
    return {std::string(to_string(info.algorithm)) + ": " + info.reason, info.bytes_held};
  }

 private:
  using Solver = TriangularSolver<double, int, int, Space>;

  Space space_;
  TriangularOptions options_;
  std::size_t n_ = 0;
  std::unique_ptr<Solver> solver_;
};

/// By columns for the algorithm that works on columns, so that what it holds can be compared with its input.
template <class Space, Algorithm algorithm>
std::unique_ptr<TriangularMethod> make_terrace(int) {
  const bool columns = algorithm == Algorithm::SyncFreeColumns;
  return std::make_unique<TerraceMethod<Space>>(algorithm, columns ? Format::Csc : Format::Csr);
}

}  // namespace terrace::perf
