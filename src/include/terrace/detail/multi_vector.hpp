// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How vectors cross the interface: a pointer, two extents, two strides. Any rank-1 or rank-2 view that
// the execution space can reach converts to it, so the library needs one instantiation for all layouts.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>

namespace terrace::detail {

/// True for a view of `Scalar` (or of const Scalar) of rank 1 or 2 that `ExecutionSpace` can reach.
template <class View, class Scalar, class ExecutionSpace>
concept VectorsFor = Kokkos::is_view_v<View> &&(View::rank() == 1 || View::rank() == 2) &&
                     std::is_same_v<typename View::non_const_value_type, std::remove_const_t<Scalar>> &&
                     (std::is_const_v<Scalar> || !std::is_const_v<typename View::value_type>)&&bool(
                         Kokkos::SpaceAccessibility<ExecutionSpace, typename View::memory_space>::accessible);

/// `columns` vectors of length `rows`: element (i, k) lies at data[i * row_stride + k * column_stride].
template <class Scalar, class ExecutionSpace>
struct MultiVector {
  Scalar* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 1;
  std::ptrdiff_t row_stride = 1;
  std::ptrdiff_t column_stride = 0;

  MultiVector() = default;
  template <class View>
  requires VectorsFor<View, Scalar, ExecutionSpace> MultiVector(const View& view)
      : data(view.data()), rows(view.extent(0)), row_stride(view.stride(0)) {
    if constexpr (View::rank() == 2) {
      columns = view.extent(1);
      column_stride = view.stride(1);
    }
  }

  /// What may be written may be read.
  template <class Writable>
  requires std::is_const_v<Scalar> && std::is_same_v<Writable, std::remove_const_t<Scalar>> MultiVector(
      const MultiVector<Writable, ExecutionSpace>& from)
      : data(from.data),
        rows(from.rows),
        columns(from.columns),
        row_stride(from.row_stride),
        column_stride(from.column_stride) {}

  KOKKOS_FUNCTION Scalar& operator()(std::ptrdiff_t row, std::ptrdiff_t column) const {
    return data[row * row_stride + column * column_stride];
  }

  bool operator==(const MultiVector&) const = default;
};

}  // namespace terrace::detail
