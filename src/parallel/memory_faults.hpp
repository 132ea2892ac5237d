// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations that fail on purpose, so that tests can go through all of them. Code that allocates for the library asks
// here first; without a test that costs the look at one number.
#pragma once

#include <atomic>
#include <cstdint>

namespace terrace::parallel {

class MemoryFaults {
 public:
  /// How a chosen allocation fails: whatever is tried, or at its first try, as when memory has not been given back yet.
  enum class Mode { Always, FirstTry };

  /// After so many allocations one fails; the ones behind it succeed.
  static void arm(std::int64_t allocations_before, Mode mode = Mode::Always) {
    state().mode = mode;
    state().allocations_before = allocations_before;
  }
  static void disarm() { state().allocations_before = -1; }

  /// False once the chosen allocation has failed, or where none was chosen.
  static bool is_armed() { return state().allocations_before >= 0; }

  /// One allocation, with its tries.
  class Allocation {
   public:
    Allocation() : is_chosen_(is_armed() && state().allocations_before-- == 0) {}
    /// At each try.
    bool strikes() { return tries_++, is_chosen_ && (tries_ == 1 || state().mode == Mode::Always); }
    bool is_first_try() const { return tries_ == 1; }

   private:
    bool is_chosen_;
    int tries_ = 0;
  };

 private:
  struct State {
    std::atomic<std::int64_t> allocations_before = -1;
    std::atomic<Mode> mode = Mode::Always;
  };
  static State& state();
};

}  // namespace terrace::parallel
