// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' level-scheduled triangular solve with its default algorithm (a kernel per level): the peer that every
// Kokkos code already has.
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <Kokkos_Core.hpp>

namespace terrace::common {

/// Reads the arrays, which it keeps no copy of. It knows no unit diagonal: the ones must be stored.
template <class RowMap, class Entries, class Values, class Space>
class KokkosKernelsSptrsv {
 public:
  /// The symbolic phase, enqueued.
  KokkosKernelsSptrsv(const Space& space, const RowMap& row_map, const Entries& entries, const Values& values,
                      bool is_lower)
      : space_(space), row_map_(row_map), entries_(entries), values_(values) {
    handle_.create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1,
                                 static_cast<int>(row_map.extent(0)) - 1, is_lower);
    KokkosSparse::Experimental::sptrsv_symbolic(space_, &handle_, row_map_, entries_, values_);
  }
  KokkosKernelsSptrsv(const KokkosKernelsSptrsv&) = delete;
  KokkosKernelsSptrsv& operator=(const KokkosKernelsSptrsv&) = delete;
  ~KokkosKernelsSptrsv() { handle_.destroy_sptrsv_handle(); }

  /// Rank 1; enqueued.
  template <class B, class X>
  void solve(const B& b, const X& x) {
    KokkosSparse::Experimental::sptrsv_solve(space_, &handle_, row_map_, entries_, values_, b, x);
  }

 private:
  using Memory = typename Space::memory_space;
  using Handle =
      ::KokkosKernels::Experimental::KokkosKernelsHandle<typename RowMap::non_const_value_type, int,
                                                         typename Values::non_const_value_type, Space, Memory, Memory>;

  Space space_;
  Handle handle_;
  RowMap row_map_;
  Entries entries_;
  Values values_;
};

}  // namespace terrace::common
