// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library asks of a backend beside running kernels: memory, the failures of its runtime, and a moment that can
// be waited for. This is the host's version; a backend specializes it (backends/runtime.hpp).
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace terrace::parallel {

template <class Space>
struct Runtime {
  /// While it lives, nothing that another thread does forbids this one to allocate, to free or to wait.
  struct BesideOthers {
    BesideOthers() {}  // not trivial, so that nobody calls it unused
  };

  /// Gives back memory that the backend keeps for later. True when another try is worth it.
  static bool give_back_memory(const Space&) { return false; }

  /// A sentence for an error message.
  static std::string free_memory(const Space&) { return "the host has less than that"; }

  /// Whether the backend's runtime has failed rather than the caller's code. Forgets the failure.
  static bool has_failed(const Space&, const std::exception&) { return false; }
};

/// The moment when all is done that had been enqueued on an instance; the caller may destroy the instance.
template <class Space>
class Moment {
 public:
  void mark(const Space& space) { space_ = space; }  // Kokkos counts who uses an instance of a host
  void wait(const char* label) const {
    if (space_) space_->fence(label);
  }

 private:
  std::optional<Space> space_;
};

}  // namespace terrace::parallel
