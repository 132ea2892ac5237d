// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangular solve of Kokkos Kernels, the peer that every Kokkos code already has.
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <Kokkos_Core.hpp>

#include "support/device_copy.hpp"

namespace terrace::tools {

/// Level sets with one team per row. It knows no unit diagonal: the ones must be stored.
template <class Scalar, class Offset, class Space>
class KokkosKernelsSptrsv {
 public:
  using Matrix = DeviceMatrix<Scalar, Offset, Space>;
  using Vector = Kokkos::View<Scalar*, typename Matrix::Device>;

  explicit KokkosKernelsSptrsv(const Matrix& matrix) : matrix_(matrix) {
    handle_.create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1,
                                 static_cast<int>(matrix.row_map.extent(0)) - 1, true);
    KokkosSparse::Experimental::sptrsv_symbolic(&handle_, matrix_.row_map, matrix_.entries, matrix_.values);
  }
  ~KokkosKernelsSptrsv() { handle_.destroy_sptrsv_handle(); }
  KokkosKernelsSptrsv(const KokkosKernelsSptrsv&) = delete;
  KokkosKernelsSptrsv& operator=(const KokkosKernelsSptrsv&) = delete;

  void solve(const Vector& b, const Vector& x) {
    KokkosSparse::Experimental::sptrsv_solve(&handle_, matrix_.row_map, matrix_.entries, matrix_.values, b, x);
  }

 private:
  using MemorySpace = typename Space::memory_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, int, Scalar, Space, MemorySpace, MemorySpace>;
  Matrix matrix_;
  Handle handle_;
};

}  // namespace terrace::tools
