// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few facts about a backend that generic code needs, and the memory operations that busy-waiting
// needs: a load that acquires, a store that releases, and additions that many threads make at once.
//
// On the host these are std::atomic_ref, which the thread sanitizer understands; Kokkos::atomic_load on
// the host is a plain load that a compiler may move out of a waiting loop. On a device they are volatile
// accesses and Kokkos's fences.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <type_traits>

#include "backends/runtime.hpp"
#include "parallel/memory_faults.hpp"
#include "parallel/out_of_memory.hpp"
#include "parallel/patient_loops.hpp"
#include "parallel/spaces.hpp"

namespace terrace::parallel {

/// One iteration per row, handed out in pieces: the rows of one half may hold nearly all entries.
template <class Space, class Ordinal>
auto each_row_balanced(const Space& space, Ordinal rows) {
  Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>> policy(space, 0, rows);
  policy.set_chunk_size(1024);
  return policy;
}

/// The host's own memory as a view that does not own it. Where the library needs memory of the host, it takes it from
/// the language: when a Kokkos view of host memory is freed, Kokkos waits for every device, and that fails, and spoils
/// the recording, where another thread records a graph (ADR 19).
template <class T>
auto on_host(T* data, std::size_t count) {
  return Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(data, count);
}

/// make(), which allocates so many bytes; once more where the backend had memory to give back.
/// \throws Error OutOfMemory.
template <class Space, class Make>
auto allocated(const Space& space, const char* label, std::size_t bytes, const Make& make) {
  const typename Runtime<Space>::BesideOthers beside_others;
  MemoryFaults::Allocation fault;
  do {
    try {
      if (fault.strikes()) throw std::bad_alloc();
      return make();
    } catch (const std::exception& failure) {
      if (!is_out_of_memory(failure)) throw;
    }
  } while (fault.is_first_try() && Runtime<Space>::give_back_memory(space));
  throw_out_of_memory(label, bytes, Runtime<Space>::free_memory(space));
}

/// A device view of `count` elements that are about to be written.
template <class T, class Space>
Kokkos::View<T*, Device<Space>> uninitialized(const Space& space, const char* label, std::size_t count) {
  return allocated(space, label, count * sizeof(T), [&] {
    return Kokkos::View<T*, Device<Space>>(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, std::string(label)),
                                           count);
  });
}

/// The value everywhere. Enqueued; see patient_loops.hpp for hosts.
template <class Space, class View>
void fill(const Space& space, const View& view, const typename View::value_type& value) {
  if constexpr (is_host_space<Space>)
    if (view.span_is_contiguous() && PatientLoops::want_one_thread()) {
      std::fill_n(view.data(), view.size(), value);
      return;
    }
  const PatientLoops::Wait<Space> wait;
  Kokkos::deep_copy(space, view, value);
}

/// Of one dimension. Enqueued; see patient_loops.hpp for hosts.
template <class Space, class To, class From>
void copy(const Space& space, const To& to, const From& from) {
  if constexpr (is_host_space<Space>)
    if (PatientLoops::want_one_thread()) {
      std::copy_n(from.data(), from.size(), to.data());
      return;
    }
  const PatientLoops::Wait<Space> wait;
  Kokkos::deep_copy(space, to, from);
}

/// A device view of `count` zeros.
template <class T, class Space>
Kokkos::View<T*, Device<Space>> zeros(const Space& space, const char* label, std::size_t count) {
  if constexpr (is_host_space<Space>)
    if (PatientLoops::want_one_thread()) {
      const auto view = uninitialized<T>(space, label, count);
      fill(space, view, T{});
      return view;
    }
  return allocated(space, label, count * sizeof(T), [&] {
    return Kokkos::View<T*, Device<Space>>(Kokkos::view_alloc(space, std::string(label)), count);
  });
}

template <class T>
KOKKOS_INLINE_FUNCTION T acquire_load(const T& from) {
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(const_cast<T&>(from)).load(std::memory_order_acquire);))
  KOKKOS_IF_ON_DEVICE((const T value = *const_cast<const volatile T*>(&from); Kokkos::memory_fence(); return value;))
}

template <class T>
KOKKOS_INLINE_FUNCTION void release_store(T& to, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(to).store(value, std::memory_order_release);))
  KOKKOS_IF_ON_DEVICE((Kokkos::memory_fence(); *const_cast<volatile T*>(&to) = value;))
}

/// Before a series of release_decrements on a device: one fence serves them all. On a host each releases by itself.
KOKKOS_INLINE_FUNCTION void begin_release() { KOKKOS_IF_ON_DEVICE((Kokkos::memory_fence();)) }

/// Subtracts one, after everything that this thread wrote before begin_release has become visible.
template <class T>
KOKKOS_INLINE_FUNCTION void release_decrement(T& counter) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(counter).fetch_sub(T(1), std::memory_order_acq_rel);))
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_sub(&counter, T(1));))
}

template <class T>
KOKKOS_INLINE_FUNCTION T fetch_add(T& counter, T amount) {
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(counter).fetch_add(amount, std::memory_order_acq_rel);))
  KOKKOS_IF_ON_DEVICE((return Kokkos::atomic_fetch_add(&counter, amount);))
}

template <class T>
KOKKOS_INLINE_FUNCTION T fetch_increment(T& counter) {
  return fetch_add(counter, T(1));
}

/// The value before. What was written before the release_store that it replaces is visible afterwards.
template <class T>
KOKKOS_INLINE_FUNCTION T fetch_exchange(T& cell, T value) {
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(cell).exchange(value, std::memory_order_acq_rel);))
  KOKKOS_IF_ON_DEVICE((return Kokkos::atomic_exchange(&cell, value);))
}

template <class T>
KOKKOS_INLINE_FUNCTION T fetch_decrement(T& counter) {
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(counter).fetch_sub(T(1), std::memory_order_acq_rel);))
  KOKKOS_IF_ON_DEVICE((return Kokkos::atomic_fetch_sub(&counter, T(1));))
}

template <class Real>
KOKKOS_INLINE_FUNCTION void atomic_accumulate(Real& sum, Real term) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<Real>(sum).fetch_add(term, std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_add(&sum, term);))
}

/// The parts of a complex sum are added one by one: no 16-byte atomic is needed, and addition allows it.
template <class Real>
KOKKOS_INLINE_FUNCTION void atomic_accumulate(Kokkos::complex<Real>& sum, Kokkos::complex<Real> term) {
  atomic_accumulate(sum.real(), term.real());
  atomic_accumulate(sum.imag(), term.imag());
}

/// Reads what other threads may be changing, in no order with anything else.
template <class T>
KOKKOS_INLINE_FUNCTION T relaxed_load(const T& from) {
  KOKKOS_IF_ON_HOST((return std::atomic_ref<T>(const_cast<T&>(from)).load(std::memory_order_relaxed);))
  KOKKOS_IF_ON_DEVICE((return *const_cast<const volatile T*>(&from);))
}

template <class Real>
KOKKOS_INLINE_FUNCTION Kokkos::complex<Real> relaxed_load(const Kokkos::complex<Real>& from) {
  const Real* parts = reinterpret_cast<const Real*>(&from);
  return {relaxed_load(parts[0]), relaxed_load(parts[1])};
}

/// Lowers `cell` to `value` if it is above it. Reads first: nearly every caller comes too late.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_lower(T& cell, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T> shared(cell); T seen = shared.load(std::memory_order_relaxed);
                     while (value < seen && !shared.compare_exchange_weak(seen, value)){}))
  KOKKOS_IF_ON_DEVICE((if (value < relaxed_load(cell)) Kokkos::atomic_min(&cell, value);))
}

/// Raises `cell` to `value` if it is below it.
template <class T>
KOKKOS_INLINE_FUNCTION void atomic_raise(T& cell, T value) {
  KOKKOS_IF_ON_HOST((std::atomic_ref<T> shared(cell); T seen = shared.load(std::memory_order_relaxed);
                     while (seen < value && !shared.compare_exchange_weak(seen, value)){}))
  KOKKOS_IF_ON_DEVICE((if (relaxed_load(cell) < value) Kokkos::atomic_max(&cell, value);))
}

/// One turn of a waiting loop. With more threads than cores the thread that is waited for must get to
/// run, so a host thread gives its core away now and then.
KOKKOS_INLINE_FUNCTION void wait_a_little(int& turns) {
  ++turns;
  KOKKOS_IF_ON_HOST((if (turns % 256 == 0) std::this_thread::yield();))
}

}  // namespace terrace::parallel
