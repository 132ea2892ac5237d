// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets one of the allocations that Kokkos makes fail, through a callback of Kokkos Tools that throws.
#pragma once

#include <Kokkos_Core.hpp>
#include <new>

extern "C" void __lsan_ignore_object(const void*) __attribute__((weak));

namespace terrace::test {

class FailingAllocation {
 public:
  /// The first to fail is number 0 from now on. None fails after it.
  explicit FailingAllocation(int number) {
    remaining() = number;
    Kokkos::Tools::Experimental::set_allocate_data_callback(count);
  }
  ~FailingAllocation() { Kokkos::Tools::Experimental::set_callbacks({}); }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  static bool has_happened() { return remaining() < 0; }

 private:
  static int& remaining() {
    static int count = 0;
    return count;
  }
  /// Kokkos has the memory already, and loses it when this throws.
  static void count(const Kokkos_Profiling_SpaceHandle, const char*, const void* memory, const std::uint64_t) {
    if (remaining() < 0 || remaining()-- > 0) return;
    if (__lsan_ignore_object) __lsan_ignore_object(memory);
    throw std::bad_alloc();
  }
};

}  // namespace terrace::test
