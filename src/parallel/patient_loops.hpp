// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The many short loops of an analysis or a factorization on a host: shared by the threads of the instance as long as
// they come.
//
// Where the cores do other work, too, each loop of Kokkos ends when its last thread has come, which takes a time slice
// of the scheduler, and an analysis has dozens of loops. So a public function says how much work its loops have, and
// once they have taken longer than one thread is predicted to take for all of them, the calling thread takes the rest
// alone. Where threads come nothing changes, however many there are: then the loops are done before. Little work has
// one thread from its beginning.
//
// Loops that ask are those of loops.hpp, parallel::fill and parallel::copy. What takes long for an entry does not.
#pragma once

#include <chrono>
#include <cstddef>

#include "parallel/spaces.hpp"

namespace terrace::parallel {

/// Of the calling thread, while it lives; one inside another adds its work to that of the outermost.
class PatientLoops {
 public:
  struct Seconds {
    double value;
  };

  /// A dozen loops, or a few more, over so many entries of a matrix.
  explicit PatientLoops(std::size_t entries) : PatientLoops(seconds_for(entries)) {}

  /// Several threads are waited for as long as that.
  explicit PatientLoops(Seconds patience) : is_outermost_(current_ == nullptr) {
    if (is_outermost_) current_ = this;
    current_->left_ += patience.value;
  }
  PatientLoops(const PatientLoops&) = delete;
  PatientLoops& operator=(const PatientLoops&) = delete;
  ~PatientLoops() {
    if (is_outermost_) current_ = nullptr;
  }

  /// There will be as many loops over so many entries more.
  static void expect(std::size_t entries) {
    if (current_ != nullptr) current_->left_ += seconds_for(entries).value;
  }

  /// Whether the calling thread takes its loops over ranges of a host alone.
  static bool want_one_thread() { return current_ != nullptr && !(current_->left_ > 0); }

  /// What several threads of a host do while it lives is waited for; on a device nothing is.
  template <class Space>
  class Wait {
    using Clock = std::chrono::steady_clock;

   public:
    Wait() {
      if constexpr (is_host_space<Space>) begin_ = Clock::now();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
      if constexpr (is_host_space<Space>)
        if (current_ != nullptr) current_->left_ -= std::chrono::duration<double>(Clock::now() - begin_).count();
    }

   private:
    Clock::time_point begin_;
  };

 private:
  /// With fewer the loops are over before other threads are awake. One thread takes 10 to 40 ns for an entry in a
  /// symbolic phase, and less in a numeric one.
  static Seconds seconds_for(std::size_t entries) {
    constexpr std::size_t entries_of_one_thread = 32'768;
    constexpr double seconds_of_entry = 40e-9;
    return {entries > entries_of_one_thread ? seconds_of_entry * static_cast<double>(entries) : 0.0};
  }

  static inline thread_local PatientLoops* current_ = nullptr;

  bool is_outermost_;
  double left_ = 0;  ///< of the outermost: seconds to wait
};

}  // namespace terrace::parallel
