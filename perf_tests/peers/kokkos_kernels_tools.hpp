// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the textbook's iterations as one writes them with Kokkos Kernels: spmv, dot, axpy, axpby; scalars
// on the host.
#pragma once

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosSparse_spmv.hpp>
#include <cmath>

#include "harness/upload.hpp"

namespace terrace::perf {

/// All but the preconditioner.
template <class Space>
class KokkosKernelsTools {
 public:
  using Vector = Kokkos::View<double*, DeviceOf<Space>>;

  KokkosKernelsTools(const Rows& A, const std::vector<double>& b) : A_(upload_matrix<Space>(A)), b_(upload<Space>(b)) {}

  const Vector& b() const { return b_; }
  std::vector<double> numbers(const Vector& v) const { return download(v); }
  void wait() const { space_.fence("terrace::perf::KokkosKernelsTools"); }

  Vector vector() const { return Vector("v", b_.extent(0)); }
  void clear(const Vector& v) const { Kokkos::deep_copy(space_, v, 0.0); }
  void start(const Vector& r) const { Kokkos::deep_copy(space_, r, b_); }
  void copy(const Vector& v, const Vector& w) const { Kokkos::deep_copy(space_, w, v); }
  double dot(const Vector& v, const Vector& w) const { return KokkosBlas::dot(space_, v, w); }
  void add(double a, const Vector& v, const Vector& w) const { KokkosBlas::axpy(space_, a, v, w); }
  void add_to_scaled(const Vector& v, double a, const Vector& w) const { KokkosBlas::axpby(space_, 1.0, v, a, w); }
  double advance(double a, const Vector& p, const Vector& q, const Vector& x, const Vector& r) const {
    add(a, p, x);
    add(-a, q, r);
    return std::sqrt(dot(r, r));
  }
  void multiply(const Vector& v, const Vector& w) const { KokkosSparse::spmv(space_, "N", 1.0, A_, v, 0.0, w); }

 protected:
  Space space_;
  MatrixOn<Space> A_;
  Vector b_;
};

}  // namespace terrace::perf
