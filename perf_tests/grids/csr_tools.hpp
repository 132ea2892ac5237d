// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the textbook's iteration on compressed rows, from TriangularSolver and Kokkos Kernels.
#pragma once

#include <KokkosBlas1_mult.hpp>
#include <terrace/triangular_solver.hpp>

#include "grids/grid_system.hpp"
#include "peers/kokkos_kernels_tools.hpp"

namespace terrace::perf {

template <class Space>
class CsrTools : public KokkosKernelsTools<Space> {
  using Tools = KokkosKernelsTools<Space>;
  using Tools::space_;

 public:
  using typename Tools::Vector;

  explicit CsrTools(const GridSystem& s)
      : Tools(s.A, s.b),
        pivots_(upload<Space>(pivots(s))),
        y_("y", s.b.size()),
        forward_(space_, upload_matrix<Space>(s.lower), TriangularOptions{.uplo = Uplo::Lower}),
        backward_(space_, upload_matrix<Space>(s.upper), TriangularOptions{.uplo = Uplo::Upper}) {}

  std::string label() const { return std::string(to_string(forward_.info().algorithm)); }

  void precondition(const Vector& v, const Vector& w) {
    forward_.solve(space_, v, y_);
    KokkosBlas::mult(space_, 0.0, y_, 1.0, pivots_, y_);
    backward_.solve(space_, y_, w);
  }

 private:
  using Solver = TriangularSolver<double, int, int, Space>;

  static std::vector<double> pivots(const GridSystem& s) {
    std::vector<double> pivots;
    for (const double inverse : s.inverse) pivots.push_back(1 / inverse);
    return pivots;
  }

  Vector pivots_, y_;
  Solver forward_, backward_;
};

}  // namespace terrace::perf
