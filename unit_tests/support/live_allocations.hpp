// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many of Kokkos's allocations live, by Kokkos Tools, while one of these does.
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>

namespace terrace::test {

class LiveAllocations {
 public:
  LiveAllocations() {
    count() = 0;
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_allocate_data_callback(
        [](const Kokkos_Profiling_SpaceHandle, const char*, const void*, const std::uint64_t) { ++count(); });
    Tools::set_deallocate_data_callback(
        [](const Kokkos_Profiling_SpaceHandle, const char*, const void*, const std::uint64_t) { --count(); });
  }
  ~LiveAllocations() { Kokkos::Tools::Experimental::set_callbacks({}); }
  LiveAllocations(const LiveAllocations&) = delete;
  LiveAllocations& operator=(const LiveAllocations&) = delete;

  /// Since the construction; less than zero when older ones went.
  long live() const { return count(); }

 private:
  static std::atomic<long>& count() {
    static std::atomic<long> number = 0;
    return number;
  }
};

}  // namespace terrace::test
