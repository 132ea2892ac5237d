// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' level-scheduled triangular solve, with its default algorithm (a kernel per level).
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <Kokkos_Core.hpp>

#include "peers/peers.hpp"

namespace terrace::perf {

template <class Space>
class KokkosKernelsSptrsv final : public TriangularMethod {
 public:
  KokkosKernelsSptrsv() = default;
  KokkosKernelsSptrsv(const KokkosKernelsSptrsv&) = delete;
  KokkosKernelsSptrsv& operator=(const KokkosKernelsSptrsv&) = delete;
  ~KokkosKernelsSptrsv() override { handle_.destroy_sptrsv_handle(); }

  void analyze(const MatrixView& L) override {
    columns_ = L.columns;
    row_map_ = Indices(L.row_map, L.n + 1);
    entries_ = Indices(L.entries, L.nnz);
    values_ = Numbers(L.values, L.nnz);
    handle_.create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1, L.n, !L.is_upper);
    KokkosSparse::Experimental::sptrsv_symbolic(space_, &handle_, row_map_, entries_, values_);
    wait();
  }

  void solve(const Real* b, Real* x) override {
    const std::size_t n = row_map_.extent(0) - 1;
    for (std::size_t first = 0; first < n * static_cast<std::size_t>(columns_); first += n)
      KokkosSparse::Experimental::sptrsv_solve(space_, &handle_, row_map_, entries_, values_, Numbers(b + first, n),
                                               Unknowns(x + first, n));
  }

  void wait() override { space_.fence("terrace::perf::KokkosKernelsSptrsv"); }

 private:
  using Memory = typename Space::memory_space;
  using Device = Kokkos::Device<Space, Memory>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Indices = Kokkos::View<const int*, Device, Unmanaged>;
  using Numbers = Kokkos::View<const Real*, Device, Unmanaged>;
  using Unknowns = Kokkos::View<Real*, Device, Unmanaged>;
  using Handle = ::KokkosKernels::Experimental::KokkosKernelsHandle<int, int, Real, Space, Memory, Memory>;

  Space space_;
  Handle handle_;
  Indices row_map_, entries_;
  Numbers values_;
  int columns_ = 1;
};

template <class Space>
std::unique_ptr<TriangularMethod> make_kokkos_kernels(int) {
  return std::make_unique<KokkosKernelsSptrsv<Space>>();
}

}  // namespace terrace::perf
