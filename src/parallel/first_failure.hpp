// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What failed first in a kernel of a host that allocates memory: an exception that leaves a parallel region ends the
// program. Workers run under `guard` and stop when something has failed anywhere; afterwards the host throws.
#pragma once

#include <atomic>
#include <exception>
#include <new>
#include <string>
#include <terrace/error.hpp>

namespace terrace::parallel {

class FirstFailure {
 public:
  template <class Body>
  void guard(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      if (!happened_.exchange(true)) what_ = std::current_exception();
    }
  }

  bool happened() const noexcept { return happened_.load(std::memory_order_relaxed); }

  /// After the kernel. \throws Error OutOfMemory where there was no memory for `purpose`; else what was caught.
  void rethrow(const char* purpose) const {
    if (!what_) return;
    try {
      std::rethrow_exception(what_);
    } catch (const std::bad_alloc&) {
      throw Error(ErrorCode::OutOfMemory, std::string("there is not enough memory for ") + purpose);
    }
  }

 private:
  std::atomic<bool> happened_ = false;
  std::exception_ptr what_;
};

}  // namespace terrace::parallel
