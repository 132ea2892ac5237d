// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of single precision, for factors that are kept in it (FactorPrecision::Single).
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace::parallel {

template <class Scalar>
struct SinglePrecision {
  using type = float;
};
template <class Real>
struct SinglePrecision<Kokkos::complex<Real>> {
  using type = Kokkos::complex<float>;
};

/// float, or complex<float> for complex numbers.
template <class Scalar>
using SingleOf = typename SinglePrecision<Scalar>::type;

}  // namespace terrace::parallel
