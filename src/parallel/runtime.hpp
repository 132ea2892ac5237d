// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library asks of a backend beside running kernels: memory, the failures of its runtime, and a moment that can
// be waited for. This is what Kokkos gives on every space; a backend that knows more specializes it
// (backends/runtime.hpp), and may add PooledMemory, which memory.hpp takes, and sort_keys (sort_keys.hpp).
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "parallel/spaces.hpp"

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
  static std::string free_memory(const Space&) {
    return std::string(is_host_space<Space> ? "the host" : Space::name()) + " has less than that";
  }

  /// Whether the backend's runtime has failed rather than the caller's code. Forgets the failure.
  static bool has_failed(const Space&, const std::exception&) { return false; }
};

/// The moment when all is done that had been enqueued on an instance; the caller may destroy the instance.
template <class Space>
class Moment {
 public:
  /// Kokkos counts who uses an instance of a host.
  void mark(const Space& space) {
    is_marked_ = true;
    if constexpr (is_host_space<Space>) space_ = space;
  }

  /// On a device for all that runs there: an instance may have been made from a queue that its owner has destroyed.
  void wait(const char* label) const {
    if constexpr (is_host_space<Space>) {
      if (space_) space_->fence(label);
    } else if (is_marked_) {
      Kokkos::fence(label);
    }
  }

 private:
  bool is_marked_ = false;
  std::optional<Space> space_;
};

}  // namespace terrace::parallel
