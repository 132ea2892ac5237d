// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// While it lives, one of the library's kernels throws where it would be launched: what a caller sees when a backend
// fails in the middle of an operation.
#pragma once

#include <Kokkos_Core.hpp>
#include <stdexcept>
#include <string>

namespace terrace::test {

class FailingKernel {
 public:
  struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  /// The kernel of that number, counted from 0.
  explicit FailingKernel(int number) {
    left() = number;
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_begin_parallel_for_callback(begin);
    Tools::set_begin_parallel_reduce_callback(begin);
    Tools::set_begin_parallel_scan_callback(begin);
  }
  ~FailingKernel() { Kokkos::Tools::Experimental::set_callbacks({}); }
  FailingKernel(const FailingKernel&) = delete;
  FailingKernel& operator=(const FailingKernel&) = delete;

 private:
  static int& left() {
    static int kernels = 0;
    return kernels;
  }
  static void begin(const char* label, const std::uint32_t, std::uint64_t*) {
    const std::string name = label;
    if (name.rfind("terrace::", 0) == 0 && left()-- == 0) throw Failure(name);
  }
};

}  // namespace terrace::test
