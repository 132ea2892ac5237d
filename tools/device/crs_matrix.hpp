// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays on the device as the matrix of Kokkos Kernels, which shares them.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>

#include "device/device_copy.hpp"

namespace terrace::tools {

template <class Scalar, class Offset, class Space>
auto to_crs_matrix(const DeviceMatrix<Scalar, Offset, Space>& arrays, int rows) {
  using Device = typename DeviceMatrix<Scalar, Offset, Space>::Device;
  return KokkosSparse::CrsMatrix<Scalar, int, Device, void, Offset>(
      "A", rows, rows, static_cast<Offset>(arrays.entries.extent(0)), arrays.values, arrays.row_map, arrays.entries);
}

}  // namespace terrace::tools
