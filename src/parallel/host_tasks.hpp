// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two pieces of host work at the same time, each of which may split again: a recursion as tasks of OpenMP where the
// compiler has it (its threads are bound as the program asked for), and otherwise as threads of C++ while some are
// left.
//
// What is computed must not depend on who computes it. An exception in either piece is thrown once both have ended.
#pragma once

#include <atomic>
#include <exception>
#ifndef _OPENMP
#include <future>
#endif

namespace terrace::parallel {

class HostTasks {
 public:
  explicit HostTasks(int threads) : threads_(threads), spare_(threads - 1) {}

  /// Runs the first piece, and all that it splits into.
  template <class Work>
  void run(const Work& work) {
    std::exception_ptr error;
#ifdef _OPENMP
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
#pragma omp single
#endif
    guard(error, work);
    if (error) std::rethrow_exception(error);
  }

  /// Inside run: both pieces.
  template <class First, class Second>
  void both(const First& first, const Second& second) {
    std::exception_ptr first_error, second_error;
#ifdef _OPENMP
#pragma omp task if (threads_ > 1) default(shared)
    guard(first_error, first);
    guard(second_error, second);
#pragma omp taskwait
#else
    if (spare_.fetch_sub(1) > 0) {
      const auto other = std::async(std::launch::async, [&] { guard(first_error, first); });
      guard(second_error, second);
      other.wait();
    } else {
      guard(first_error, first);
      guard(second_error, second);
    }
    spare_.fetch_add(1);
#endif
    if (first_error) std::rethrow_exception(first_error);
    if (second_error) std::rethrow_exception(second_error);
  }

  /// Inside run: work(begin) to work(end - 1).
  template <class Work>
  void each(int begin, int end, const Work& work) {
    if (end - begin == 1) return work(begin);
    if (end <= begin) return;
    const int middle = begin + (end - begin) / 2;
    both([&] { each(begin, middle, work); }, [&] { each(middle, end, work); });
  }

 private:
  template <class Work>
  static void guard(std::exception_ptr& error, const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  }

  int threads_;
  std::atomic<int> spare_;
};

}  // namespace terrace::parallel
