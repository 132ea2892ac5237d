// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carries the host's arrays into views of any scalar, offset and layout, and back.
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

namespace terrace::tools {

/// The host's number for a device scalar: double, or std::complex<double>.
template <class Scalar>
struct HostNumber {
  using type = double;
};
template <class Real>
struct HostNumber<Kokkos::complex<Real>> {
  using type = std::complex<double>;
};
template <class Scalar>
using HostNumberOf = typename HostNumber<Scalar>::type;

template <class Target, class Source>
Target convert(const Source& source) {
  if constexpr (std::is_arithmetic_v<Source>) {
    return static_cast<Target>(source);
  } else {
    using Real = typename Target::value_type;
    return Target(static_cast<Real>(source.real()), static_cast<Real>(source.imag()));
  }
}

/// `columns` vectors, one after the other in `source`, as a rank-2 view.
template <class View, class Source>
View upload_vectors(const std::string& label, const std::vector<Source>& source, std::size_t columns) {
  const std::size_t rows = source.size() / columns;
  View view(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), rows, columns);
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t k = 0; k < columns; ++k) {
    for (std::size_t i = 0; i < rows; ++i) {
      host(i, k) = convert<typename View::non_const_value_type>(source[k * rows + i]);
    }
  }
  Kokkos::deep_copy(view, host);
  return view;
}

template <class View, class Source>
View upload(const std::string& label, const std::vector<Source>& source) {
  View view(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), source.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < source.size(); ++i) host(i) = convert<typename View::non_const_value_type>(source[i]);
  Kokkos::deep_copy(view, host);
  return view;
}

/// The columns of a rank-2 view, one after the other.
template <class View>
std::vector<HostNumberOf<typename View::non_const_value_type>> download_vectors(const View& view) {
  using Number = HostNumberOf<typename View::non_const_value_type>;
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<Number> result;
  result.reserve(view.size());
  for (std::size_t k = 0; k < view.extent(1); ++k) {
    for (std::size_t i = 0; i < view.extent(0); ++i) result.push_back(convert<Number>(host(i, k)));
  }
  return result;
}

/// A compressed matrix on the device of `Space`.
template <class Scalar, class Offset, class Space>
struct DeviceMatrix {
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  Kokkos::View<Offset*, Device> row_map;
  Kokkos::View<int*, Device> entries;
  Kokkos::View<Scalar*, Device> values;

  template <class Triangle>
  explicit DeviceMatrix(const Triangle& triangle)
      : row_map(upload<Kokkos::View<Offset*, Device>>("row_map", triangle.row_map)),
        entries(upload<Kokkos::View<int*, Device>>("entries", triangle.entries)),
        values(upload<Kokkos::View<Scalar*, Device>>("values", triangle.values)) {}
};

}  // namespace terrace::tools
