// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are their own flags: what one thread publishes and others watch for.
//
// A cell is "pending" while all its bits are one; of a double the upper half tells. Those are NaNs which no arithmetic
// produces; a caller's NaN of such a pattern is published as the ordinary one. Because the number is the message, no
// fence stands between data and flag: relaxed accesses of one aligned word suffice, which neither tear nor go stale
// (they meet in L2). Both parts of a complex number are words of their own, and it is there when both are.
#pragma once

#include <Kokkos_Complex.hpp>
#include <cstddef>

namespace terrace::cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// Counted through the grid, in 64 bits: a grid with a warp for each row has more threads than 32 count.
__device__ inline std::size_t number_of_thread() {
  return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ inline std::size_t number_of_warp() { return number_of_thread() / warp_size; }

/// Looks at the cell again if `wanted`; a predicated load, where a branch would cost more than the load.
__device__ inline void watch_if(bool wanted, const int* cell, int& value) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.relaxed.gpu.global.b32 %0, [%2]; }"
               : "+r"(value)
               : "r"(static_cast<int>(wanted)), "l"(cell));
}

__device__ inline void watch_if(bool wanted, const float* cell, float& value) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.relaxed.gpu.global.f32 %0, [%2]; }"
               : "+f"(value)
               : "r"(static_cast<int>(wanted)), "l"(cell));
}

__device__ inline void watch_if(bool wanted, const double* cell, double& value) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.relaxed.gpu.global.f64 %0, [%2]; }"
               : "+d"(value)
               : "r"(static_cast<int>(wanted)), "l"(cell));
}

template <class Real>
__device__ void watch_if(bool wanted, const Kokkos::complex<Real>* cell, Kokkos::complex<Real>& value) {
  const Real* parts = reinterpret_cast<const Real*>(cell);
  watch_if(wanted, parts, value.real());
  watch_if(wanted, parts + 1, value.imag());
}

/// Asks for the memory around the address to be brought into L2; nobody waits for it.
__device__ inline void prefetch(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }

__device__ inline void publish(int* cell, int value) {
  asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(cell), "r"(value));
}

__device__ inline void publish(float* cell, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(cell), "f"(value));
}

__device__ inline void publish(double* cell, double value) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(cell), "d"(value));
}

template <class Real>
__device__ void publish(Kokkos::complex<Real>* cell, const Kokkos::complex<Real>& value) {
  Real* parts = reinterpret_cast<Real*>(cell);
  publish(parts, value.real());
  publish(parts + 1, value.imag());
}

/// The same within a thread block, at an address in shared memory.
__device__ inline void look_shared(unsigned cell, float& value) {
  asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value) : "r"(cell));
}
__device__ inline void look_shared(unsigned cell, double& value) {
  asm volatile("ld.volatile.shared.f64 %0, [%1];" : "=d"(value) : "r"(cell));
}
template <class Real>
__device__ void look_shared(unsigned cell, Kokkos::complex<Real>& value) {
  look_shared(cell, value.real());
  look_shared(cell + static_cast<unsigned>(sizeof(Real)), value.imag());
}

__device__ inline void publish_shared_if(bool wanted, unsigned cell, float value) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.volatile.shared.f32 [%1], %2; }" ::"r"(static_cast<int>(wanted)),
      "r"(cell), "f"(value));
}
__device__ inline void publish_shared_if(bool wanted, unsigned cell, double value) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.volatile.shared.f64 [%1], %2; }" ::"r"(static_cast<int>(wanted)),
      "r"(cell), "d"(value));
}
template <class Real>
__device__ void publish_shared_if(bool wanted, unsigned cell, const Kokkos::complex<Real>& value) {
  publish_shared_if(wanted, cell, value.real());
  publish_shared_if(wanted, cell + static_cast<unsigned>(sizeof(Real)), value.imag());
}

/// As publish, if `wanted`; without a branch.
__device__ inline void publish_if(bool wanted, float* cell, float value) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.relaxed.gpu.global.f32 [%1], %2; }" ::"r"(static_cast<int>(wanted)),
      "l"(cell), "f"(value));
}
__device__ inline void publish_if(bool wanted, double* cell, double value) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.relaxed.gpu.global.f64 [%1], %2; }" ::"r"(static_cast<int>(wanted)),
      "l"(cell), "d"(value));
}
template <class Real>
__device__ void publish_if(bool wanted, Kokkos::complex<Real>* cell, const Kokkos::complex<Real>& value) {
  Real* parts = reinterpret_cast<Real*>(cell);
  publish_if(wanted, parts, value.real());
  publish_if(wanted, parts + 1, value.imag());
}

/// A word that is its own flag, and one for what its owner wrote before: a thread that finds it sees that too.
__device__ inline void publish_release(unsigned long long* cell, unsigned long long value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(cell), "l"(value) : "memory");
}
__device__ inline unsigned long long look_acquire(const unsigned long long* cell) {
  unsigned long long value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(cell) : "memory");
  return value;
}

/// A byte that says that what its owner published before it is there for whoever finds it set.
__device__ inline void mark(unsigned char* cell) {
  __threadfence();
  *const_cast<volatile unsigned char*>(cell) = 1;
}
__device__ inline bool is_marked(const unsigned char* cell) {
  const bool is_set = *const_cast<const volatile unsigned char*>(cell) != 0;
  __threadfence();
  return is_set;
}

__device__ inline bool is_pending(float value) { return __float_as_int(value) == -1; }
__device__ inline bool is_pending(double value) { return __double2hiint(value) == -1; }

template <class Real>
__device__ bool is_pending(const Kokkos::complex<Real>& value) {
  return is_pending(value.real()) || is_pending(value.imag());
}

template <class Scalar>
__device__ Scalar pending() {
  Scalar value;
  memset(&value, 0xff, sizeof(value));
  return value;
}

/// The value of the cell, once it is published.
template <class Scalar>
__device__ Scalar await_published(const Scalar* cell) {
  Scalar found = pending<Scalar>();
  do watch_if(is_pending(found), cell, found);
  while (is_pending(found));
  return found;
}

/// The value itself, or the ordinary NaN in place of the one that means "pending".
__device__ inline float publishable(float value) { return is_pending(value) ? __int_as_float(0x7fffffff) : value; }
__device__ inline double publishable(double value) {
  return is_pending(value) ? __longlong_as_double(0x7fffffffffffffffLL) : value;
}

template <class Real>
__device__ Kokkos::complex<Real> publishable(const Kokkos::complex<Real>& value) {
  return {publishable(value.real()), publishable(value.imag())};
}

}  // namespace terrace::cuda
