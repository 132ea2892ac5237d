// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends the program, with a message, when a draw takes too long: a solve that waits for ever would say nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace terrace::fuzz {

class Watchdog {
 public:
  explicit Watchdog(std::chrono::seconds most) : most_(most), thread_([this] { watch(); }) {}
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
    text_ = text;
    begin_ = std::chrono::steady_clock::now();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [this] { return has_ended_; })) {
      if (std::chrono::steady_clock::now() - begin_ < most_) continue;
      std::fprintf(stderr, "FAILED: no end after %lld s: %s\n", static_cast<long long>(most_.count()), text_.c_str());
      std::fflush(stderr);
      std::_Exit(1);
    }
  }

  const std::chrono::seconds most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  std::string text_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace terrace::fuzz
