// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers and matrices between the host and the memory of an execution space.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

template <class Space>
using DeviceOf = Kokkos::Device<Space, typename Space::memory_space>;

template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A copy in the memory of `Space`, also where that is the host's.
template <class Space, class T>
Kokkos::View<T*, DeviceOf<Space>> upload(const std::vector<T>& numbers) {
  Kokkos::View<T*, DeviceOf<Space>> view(Kokkos::view_alloc("terrace::perf", Kokkos::WithoutInitializing),
                                         numbers.size());
  Kokkos::deep_copy(view, HostView<const T>(numbers.data(), numbers.size()));
  return view;
}

template <class Space>
using MatrixOn = KokkosSparse::CrsMatrix<double, int, DeviceOf<Space>, void, int>;

template <class Space>
MatrixOn<Space> upload_matrix(const Rows& A) {
  return {"A",
          A.n,
          A.n,
          static_cast<int>(A.nnz()),
          upload<Space>(A.values),
          upload<Space>(A.row_map),
          upload<Space>(A.entries)};
}

/// Of a view of rank 1.
template <class View>
std::vector<double> download(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

}  // namespace terrace::perf
