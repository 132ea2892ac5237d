// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the textbook's iteration on compressed rows, from TriangularSolver and Kokkos Kernels.
#pragma once

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_mult.hpp>
#include <KokkosSparse_spmv.hpp>
#include <terrace/triangular_solver.hpp>

#include "grids/grid_system.hpp"
#include "harness/upload.hpp"

namespace terrace::perf {

template <class Space>
class CsrTools {
 public:
  using Vector = Kokkos::View<double*, DeviceOf<Space>>;

  explicit CsrTools(const GridSystem& s)
      : A_(upload_matrix<Space>(s.A)),
        b_(upload<Space>(s.b)),
        pivots_(upload<Space>(pivots(s))),
        y_("y", b_.extent(0)),
        forward_(space_, upload_matrix<Space>(s.lower), TriangularOptions{.uplo = Uplo::Lower}),
        backward_(space_, upload_matrix<Space>(s.upper), TriangularOptions{.uplo = Uplo::Upper}) {}

  const Vector& b() const { return b_; }
  std::vector<double> numbers(const Vector& v) const { return download(v); }
  std::string label() const { return std::string(to_string(forward_.info().algorithm)); }
  void wait() const { space_.fence("terrace::perf::CsrTools"); }

  Vector vector() const { return Vector("v", b_.extent(0)); }
  void clear(const Vector& v) const { Kokkos::deep_copy(space_, v, 0.0); }
  void start(const Vector& r) const { Kokkos::deep_copy(space_, r, b_); }
  void copy(const Vector& v, const Vector& w) const { Kokkos::deep_copy(space_, w, v); }
  double dot(const Vector& v, const Vector& w) const { return KokkosBlas::dot(space_, v, w); }
  void add_to_scaled(const Vector& v, double a, const Vector& w) const { KokkosBlas::axpby(space_, 1.0, v, a, w); }
  double advance(double a, const Vector& p, const Vector& q, const Vector& x, const Vector& r) const {
    KokkosBlas::axpy(space_, a, p, x);
    KokkosBlas::axpy(space_, -a, q, r);
    return std::sqrt(dot(r, r));
  }
  void multiply(const Vector& v, const Vector& w) const { KokkosSparse::spmv(space_, "N", 1.0, A_, v, 0.0, w); }
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

  Space space_;
  MatrixOn<Space> A_;
  Vector b_, pivots_, y_;
  Solver forward_, backward_;
};

}  // namespace terrace::perf
