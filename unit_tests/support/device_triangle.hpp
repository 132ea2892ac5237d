// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries compressed arrays and vectors between the host and the space under test.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <terrace/triangular_solver.hpp>

#include "reference/substitution.hpp"

namespace terrace::test {

template <class ScalarType, class OffsetType, class SpaceType>
struct Combination {
  using Scalar = ScalarType;
  using Offset = OffsetType;
  using Space = SpaceType;
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  using Solver = TriangularSolver<Scalar, int, Offset, Space>;
};

template <class T, class Device, class Source>
Kokkos::View<T*, Device> to_device(const std::vector<Source>& from) {
  Kokkos::View<T*, Device> view("terrace::test", from.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < from.size(); ++i) host(i) = static_cast<T>(from[i]);
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
std::vector<typename View::non_const_value_type> to_host(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> values(view.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = host(i);
  return values;
}

/// The arrays of a matrix in the memory of the space under test.
template <class T>
struct DeviceArrays {
  Kokkos::View<typename T::Offset*, typename T::Device> row_map;
  Kokkos::View<int*, typename T::Device> entries;
  Kokkos::View<typename T::Scalar*, typename T::Device> values;

  explicit DeviceArrays(const reference::CompressedArrays<typename T::Scalar>& from)
      : row_map(to_device<typename T::Offset, typename T::Device>(from.row_map)),
        entries(to_device<int, typename T::Device>(from.entries)),
        values(to_device<typename T::Scalar, typename T::Device>(from.values)) {}

  typename T::Solver analyze(const TriangularOptions& options) const {
    return typename T::Solver(typename T::Space(), row_map, entries, values, options);
  }
};

/// Several vectors in one layout, filled column by column.
template <class T, class Layout>
Kokkos::View<typename T::Scalar**, Layout, typename T::Device> to_device_columns(
    const std::vector<std::vector<typename T::Scalar>>& columns, std::size_t rows) {
  Kokkos::View<typename T::Scalar**, Layout, typename T::Device> view("terrace::test", rows, columns.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t i = 0; i < rows; ++i) host(i, k) = columns[k][i];
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View>
std::vector<typename View::non_const_value_type> column_to_host(const View& view, std::size_t column) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> values(view.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = host(i, column);
  return values;
}

template <class Scalar>
std::vector<Scalar> random_vector(int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Scalar> values(static_cast<std::size_t>(n));
  for (auto& value : values) value = reference::random_scalar<Scalar>(generator);
  return values;
}

}  // namespace terrace::test
