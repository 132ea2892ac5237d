// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The textbook's iterations with Kokkos Kernels' operations, and its triangular solves of an ILU(0) that a serial loop
// made: of a symmetric matrix L U is L L^T with other scaling, and the loop costs the same.
#pragma once

#include "peers/iteration_method.hpp"
#include "peers/kokkos_kernels_factor.hpp"
#include "peers/kokkos_kernels_tools.hpp"
#include "peers/serial_ilu0.hpp"

namespace terrace::perf {

template <class Space>
class KokkosKernelsIluTools : public KokkosKernelsTools<Space> {
  using Tools = KokkosKernelsTools<Space>;

 public:
  using typename Tools::Vector;

  explicit KokkosKernelsIluTools(const Rows& A)
      : Tools(A, std::vector<double>(static_cast<std::size_t>(A.n), 1.0)), solves_(factorize(A)) {
    solves_.analyze(this->space_);
  }

  void precondition(const Vector& v, const Vector& w) { solves_.solve(v, w); }

 private:
  static KokkosKernelsFactor<Space> factorize(const Rows& A) {
    SerialIlu0 ilu(A);
    ilu.factorize();
    return KokkosKernelsFactor<Space>(ilu.factor());
  }

  KokkosKernelsFactor<Space> solves_;
};

template <class Space>
Entry kokkos_kernels_iteration(Phase phase) {
  return iteration_entry(phase == Phase::BiCGStab ? "bicgstab_kokkos_kernels" : "pcg_kokkos_kernels", phase,
                         make_iteration<KokkosKernelsIluTools<Space>>(phase));
}

}  // namespace terrace::perf
