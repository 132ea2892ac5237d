// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for several vectors, and some of several.
#pragma once

#include <terrace/detail/multi_vector.hpp>

#include "parallel/concurrency.hpp"

namespace terrace::parallel {

template <class Scalar, class Space>
using Columns = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device<Space>>;

/// \throws Error OutOfMemory.
template <class Scalar, class Space>
Columns<Scalar, Space> uninitialized_columns(const Space& space, const char* label, std::size_t rows,
                                             std::size_t columns) {
  return allocated(space, label, rows * columns * sizeof(Scalar), [&] {
    return Columns<Scalar, Space>(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)), rows,
                                  columns);
  });
}

template <class Vectors>
Vectors columns_of(Vectors vectors, std::size_t first, std::size_t count) {
  vectors.data += static_cast<std::ptrdiff_t>(first) * vectors.column_stride;
  vectors.columns = count;
  return vectors;
}

}  // namespace terrace::parallel
