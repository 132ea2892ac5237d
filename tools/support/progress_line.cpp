// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/progress_line.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace terrace::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds patience{2000};
constexpr std::chrono::milliseconds refresh{200};
constexpr const char* clear_line = "\r\033[K";

}  // namespace

struct ProgressLine::Drawing {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::string stage;
  double fraction = -1;
  Clock::time_point begin = Clock::now();
  std::jthread thread{[this](const std::stop_token& stop) { draw_until(stop); }};  // last: it uses the others

  void draw_until(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    bool drawn = false;
    auto next = begin + patience;
    while (!wake.wait_until(lock, stop, next, [&stop] { return stop.stop_requested(); })) {
      draw();
      drawn = true;
      next = Clock::now() + refresh;
    }
    if (drawn) std::fputs(clear_line, stderr);
  }

  void draw() const {
    char done[16] = "";
    if (fraction >= 0) std::snprintf(done, sizeof(done), " %.0f %%", fraction * 100);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
    const std::string line = clear_line + ("terrace: " + stage) + done + ", " + std::to_string(seconds) + " s";
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }
};

ProgressLine::ProgressLine() {
  if (isatty(STDERR_FILENO) != 0) drawing_ = std::make_unique<Drawing>();
}

ProgressLine::~ProgressLine() = default;

void ProgressLine::stage(const std::string& name) {
  if (!drawing_) return;
  const std::lock_guard lock(drawing_->mutex);
  drawing_->stage = name;
  drawing_->fraction = -1;
}

void ProgressLine::fraction(double done) {
  if (!drawing_) return;
  const std::lock_guard lock(drawing_->mutex);
  drawing_->fraction = done;
}

}  // namespace terrace::tools
