// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product that rounds by itself: no compiler may make one operation of it and of the sum that it goes into. How that
// is said is a fact of the backend.
#pragma once

#include <Kokkos_Core.hpp>

namespace terrace::parallel {

#if defined(KOKKOS_ENABLE_CUDA)
/// CUDA C++ Programming Guide, "Intrinsic Functions": these are never merged into fused operations.
__device__ inline double rounded_product_on_device(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float rounded_product_on_device(float a, float b) { return __fmul_rn(a, b); }
#else
/// Elsewhere compilers may contract it: hosts and devices are not known to agree.
template <class Real>
KOKKOS_FUNCTION Real rounded_product_on_device(Real a, Real b) {
  return a * b;
}
#endif

/// A host's compiler contracts where its processor has such an operation; not what has been through a register.
template <class Real>
Real rounded_product_on_host(Real a, Real b) {
  Real product = a * b;
#if defined(__GNUC__) && defined(__x86_64__)
  asm("" : "+x"(product));
#elif defined(__GNUC__) && defined(__aarch64__)
  asm("" : "+w"(product));
#endif
  return product;
}

}  // namespace terrace::parallel
