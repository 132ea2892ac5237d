// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A full matrix in the memory of an execution space.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include "incomplete/full_matrix.hpp"

namespace terrace::perf {

template <class Space>
using MatrixOn = KokkosSparse::CrsMatrix<double, int, Kokkos::Device<Space, typename Space::memory_space>, void, int>;

template <class View, class T>
View upload(const std::vector<T>& from) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(from.data(),
                                                                                                from.size());
  View view(Kokkos::view_alloc("terrace::perf::matrix", Kokkos::WithoutInitializing), from.size());
  Kokkos::deep_copy(view, host);
  return view;
}

template <class Space>
MatrixOn<Space> upload_matrix(const FullMatrix& A) {
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  return MatrixOn<Space>("A", A.n, A.n, static_cast<int>(A.nnz()), upload<Kokkos::View<double*, Device>>(A.values),
                         upload<Kokkos::View<int*, Device>>(A.row_map), upload<Kokkos::View<int*, Device>>(A.entries));
}

template <class View>
std::vector<double> download(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<double>(host.data(), host.data() + host.extent(0));
}

}  // namespace terrace::perf
