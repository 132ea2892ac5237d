// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records, through Kokkos Tools, what happens while it lives: kernels and their instances, fences, allocations.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

namespace terrace::test {

class RecordedEvents {
 public:
  RecordedEvents() {
    clear();
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_begin_parallel_for_callback(record_kernel);
    Tools::set_begin_parallel_reduce_callback(record_kernel);
    Tools::set_begin_parallel_scan_callback(record_kernel);
    Tools::set_begin_fence_callback(record_fence);
    Tools::set_allocate_data_callback(
        [](const Kokkos_Profiling_SpaceHandle, const char*, const void*, const std::uint64_t bytes) {
          if (bytes > 0) ++log().allocations;  // Kokkos tells of none for each team kernel of an instance on a GPU
        });
  }
  ~RecordedEvents() { Kokkos::Tools::Experimental::set_callbacks({}); }
  RecordedEvents(const RecordedEvents&) = delete;
  RecordedEvents& operator=(const RecordedEvents&) = delete;

  int kernels() const { return static_cast<int>(log().kernels.size()); }
  /// Those in whose labels the words occur.
  int kernels_named(const std::string& words) const {
    int count = 0;
    for (const auto& kernel : log().kernels) count += kernel.label.find(words) == std::string::npos ? 0 : 1;
    return count;
  }
  const std::vector<std::string>& fences() const { return log().fences; }
  int allocations() const { return log().allocations; }
  std::vector<std::string> unlabelled() const {
    std::vector<std::string> labels;
    for (const auto& kernel : log().kernels)
      if (kernel.label.rfind("terrace::", 0) != 0) labels.push_back(kernel.label);
    return labels;
  }
  int kernels_elsewhere(std::uint32_t device) const {
    int count = 0;
    for (const auto& kernel : log().kernels) count += kernel.device == device ? 0 : 1;
    return count;
  }

 private:
  struct Kernel {
    std::string label;
    std::uint32_t device;
  };
  struct Log {
    std::vector<Kernel> kernels;
    std::vector<std::string> fences;
    int allocations = 0;
  };
  static Log& log() {
    static Log events;
    return events;
  }
  static void clear() { log() = {}; }
  /// Kokkos fences around its own calls to a tool, and its Threads backend inside every kernel; those are not the
  /// library's.
  static void record_fence(const char* name, const std::uint32_t, std::uint64_t*) {
    const std::string fence = name;
    if (fence.find("Kokkos Profile Tool Fence") != std::string::npos) return;
    if (fence.find("Kokkos::ThreadsInternal::fence") != std::string::npos) return;
    log().fences.push_back(fence);
  }
  static void record_kernel(const char* label, const std::uint32_t device, std::uint64_t*) {
    log().kernels.push_back({label, device});
  }
};

}  // namespace terrace::test
