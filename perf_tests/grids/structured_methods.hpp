// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terrace on diagonals: the parts of MIC-PCG, and whole solves.
#pragma once

#include <terrace/terrace.hpp>

#include "grids/grid_system.hpp"
#include "harness/upload.hpp"

namespace terrace::perf {

template <class Space>
StructuredMatrix<double, Space> structured_matrix(const Space& space, const GridSystem& s) {
  return {space, Grid{s.nx, s.ny, s.nz},
          SymmetricDiagonals<double, Space>{upload<Space>(s.center), upload<Space>(s.x), upload<Space>(s.y),
                                            upload<Space>(s.z)}};
}

template <class Space>
class StructuredMethod final : public Method {
  using Numbers = Kokkos::View<double*, DeviceOf<Space>>;
  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, DeviceOf<Space>>;

 public:
  explicit StructuredMethod(const GridProblem& problem)
      : b_(upload<Space>(problem.system.b)),
        out_("out", b_.extent(0)),
        A_(structured_matrix(space_, problem.system)),
        M_(space_, A_),
        pcg_(space_, A_, StructuredFactorOptions{}) {}

  /// What eight columns need is made when they are first asked for.
  void prepare(Phase phase) override {
    if (phase != Phase::ApplyEight || eight_) return;
    eight_.emplace(Eight{StructuredFactor<double, Space>(space_, A_, {.right_hand_sides = columns}),
                         Columns("b", b_.extent(0), columns), Columns("out", b_.extent(0), columns)});
    for (int k = 0; k < columns; ++k) Kokkos::deep_copy(Kokkos::subview(eight_->b, Kokkos::ALL, k), b_);
  }

  void run(Phase phase, int steps) override {
    if (phase == Phase::Numeric) return M_.refactorize(space_);
    if (phase == Phase::Apply) return M_.solve(space_, b_, out_);
    if (phase == Phase::ApplyEight) return eight_->M.solve(space_, eight_->b, eight_->out);
    if (phase == Phase::Multiply) return A_.multiply(space_, b_, out_);
    Kokkos::deep_copy(space_, out_, 0.0);
    pcg_.solve(space_, b_, out_, {.tolerance = 1e-100, .max_iterations = steps, .check_every = steps});
  }

  void wait() override { space_.fence("terrace::perf::StructuredMethod"); }

  /// Of eight columns the last.
  std::vector<double> result(Phase phase) override {
    if (phase == Phase::Numeric) return {};
    return phase == Phase::ApplyEight ? download(Kokkos::subview(eight_->out, Kokkos::ALL, columns - 1))
                                      : download(out_);
  }

  Facts facts() const override { return {to_string(M_.info().algorithm) + (": " + M_.info().reason)}; }

 private:
  static constexpr int columns = 8;
  struct Eight {
    StructuredFactor<double, Space> M;
    Columns b, out;
  };

  Space space_;
  Numbers b_, out_;
  StructuredMatrix<double, Space> A_;
  StructuredFactor<double, Space> M_;
  StructuredPcg<double, Space> pcg_;
  std::optional<Eight> eight_;
};

/// Conjugate gradients to 1e-8 with IC(0) (relaxation 0) or MIC(0) (1).
template <class Space>
class StructuredSolve final : public Method {
 public:
  StructuredSolve(const GridProblem& problem, double relaxation)
      : A_(structured_matrix(space_, problem.system)),
        pcg_(space_, A_, StructuredFactorOptions{.relaxation = relaxation}),
        b_(upload<Space>(problem.system.b)),
        x_("x", b_.extent(0)) {}

  void prepare(Phase) override { Kokkos::deep_copy(x_, 0.0); }
  void run(Phase, int) override { found_ = pcg_.solve(space_, b_, x_, {.tolerance = 1e-8}); }
  std::vector<double> result(Phase) override { return {found_.true_residual}; }

  Facts facts() const override {
    return {.label = "",
            .counters = {{"iterations", found_.iterations},
                         {"bytes_per_cell", double(pcg_.bytes_held()) / double(b_.extent(0))}}};
  }

 private:
  Space space_;
  StructuredMatrix<double, Space> A_;
  StructuredPcg<double, Space> pcg_;
  Kokkos::View<double*, DeviceOf<Space>> b_, x_;
  StructuredPcgResult found_;
};

}  // namespace terrace::perf
