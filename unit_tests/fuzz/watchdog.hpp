// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which draw it was when the program ends before the draw does: by a signal, as after an exception in a
// destructor, or because a draw takes too long, and then ends it. A solve that waits for ever would say nothing.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace terrace::fuzz {

class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds most) : most_(most), thread_([this] { watch(); }) {
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      if (const auto before = std::signal(signal, tell); before != SIG_DFL) std::signal(signal, before);  // sanitizers
  }
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From now on this is what is going on.
  void begin(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const std::size_t length = std::min(text.size(), sizeof(last_) - 2);
    std::memcpy(last_, text.data(), length);
    last_[length] = '\n';
    last_[length + 1] = 0;
    begin_ = std::chrono::steady_clock::now();
  }

 private:
  /// Nothing that a handler may not call.
  static void tell(int signal) {
    static constexpr char what[] = "FAILED: the program ends: ";
    std::signal(signal, SIG_DFL);
    [[maybe_unused]] auto written = write(STDERR_FILENO, what, sizeof(what) - 1);
    written = write(STDERR_FILENO, last_, std::strlen(last_));
    std::raise(signal);
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return has_ended_; })) {
      if (std::chrono::steady_clock::now() - begin_ < most_) continue;
      std::fprintf(stderr, "FAILED: no end after %lld s: %s", static_cast<long long>(most_.count()), last_);
      std::fflush(stderr);
      std::_Exit(1);
    }
  }

  static inline char last_[512] = "no draw has begun\n";  // what is going on, where a handler may read it

  const std::chrono::seconds most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace terrace::fuzz
