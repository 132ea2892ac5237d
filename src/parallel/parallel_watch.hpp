// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether several threads of a host are worth waking, judged by how long they took.
//
// What a solve costs can be predicted, but not what else runs on the machine. With another process on one of the cores
// threads wait for each other a time slice at a time, and the parallel way takes ten or a hundred times as long as one
// thread. So the watch keeps an account of what the parallel way gains over one thread, and loses. A gain is a credit
// up to a limit, so that a hiccup now and then changes nothing. When the account is overdrawn, by several pieces of
// work that were too slow, one thread is tried: what it takes replaces the prediction, and if the parallel way was
// slower than that, it is set aside for as long as a multiple of what it has lost. Then it is tried again. Each failure
// doubles the multiple, so that tries cost ever less; success for as long as the next pause would be resets it: between
// two time slices of another process short pieces of work succeed a hundred times. The prediction is also
// replaced, once, when so much work is done that a few pieces by one thread do not matter.
//
// Durations come from outside (watched_work.hpp): what is decided is a matter of numbers alone. A unit is what takes
// one thread about as long each time, such as a right-hand side.
#pragma once

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

namespace terrace::parallel {

class ParallelWatch {
 public:
  // In times of one thread for a unit.
  static constexpr double max_credit = 32.0;
  static constexpr double enough_debt = 4.0;
  static constexpr double max_debt = 64.0;
  static constexpr double work_before_measuring = 512.0;
  static constexpr double longest_wait = 4.0;

  static constexpr int fewest_slow = 2;  // and one after a pause
  static constexpr int tries_of_one_thread = 3;
  static constexpr double first_pause = 4.0;  // in times of what was lost
  static constexpr double longest_pause = 64.0;

  /// `predicted`: seconds that one thread takes for a unit.
  explicit ParallelWatch(double predicted) : one_thread_(predicted) {}

  /// What the next piece of work shall do.
  bool wants_one_thread() const { return state_ == State::OnTrial || state_ == State::SetAside; }

  /// Seconds that a unit of parallel work may take before what is left of it is better done by one thread.
  double patience() const { return longest_wait * one_thread_; }

  bool has_set_aside() const { return state_ == State::SetAside; }

  /// How long work took, in the way that was wanted.
  void took(double units, double seconds) {
    switch (state_) {
      case State::Parallel: took_in_parallel(units, seconds); break;
      case State::OnTrial: took_on_trial(seconds / units); break;
      case State::SetAside: took_alone(units, seconds); break;
    }
  }

  std::string reason() const {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "several threads took %.3g ms where one takes %.3g ms, as on a busy machine; they will be tried again",
        1e3 * parallel_, 1e3 * one_thread_);
    return text;
  }

 private:
  enum class State { Parallel, OnTrial, SetAside };

  void go_parallel() {
    state_ = State::Parallel;
    account_ = units_in_debt_ = seconds_in_debt_ = seconds_since_try_ = 0;
    slow_in_debt_ = 0;
  }

  void took_in_parallel(double units, double seconds) {
    const double gain = units * one_thread_ - seconds;
    account_ = std::clamp(account_ + gain, -max_debt * one_thread_, max_credit * one_thread_);
    seconds_in_parallel_ += seconds;
    seconds_since_try_ += seconds;
    if (account_ >= 0) {
      units_in_debt_ = seconds_in_debt_ = slow_in_debt_ = 0;
      if (account_ == max_credit * one_thread_ && seconds_since_try_ >= next_pause_ * lost_) next_pause_ = first_pause;
    } else {
      units_in_debt_ += units;
      seconds_in_debt_ += seconds;
      slow_in_debt_ += gain < 0 ? 1 : 0;
    }
    const int slow = next_pause_ == first_pause ? fewest_slow : 1;
    if (account_ < -enough_debt * one_thread_ && slow_in_debt_ >= slow)
      try_one_thread(seconds_in_debt_ / units_in_debt_);
    else if (!is_measured_ && account_ >= 0 && seconds_in_parallel_ > work_before_measuring * one_thread_)
      try_one_thread(0);
  }

  /// `parallel`: what it has to beat; nothing is faster than zero, so that it is only measured.
  void try_one_thread(double parallel) {
    state_ = State::OnTrial;
    tries_left_ = tries_of_one_thread;
    parallel_ = parallel;
  }

  /// The middle one of three: the first finds its data in the caches of other cores, and one may have been interrupted.
  void took_on_trial(double seconds) {
    tries_[--tries_left_] = seconds;
    if (tries_left_ > 0) return;
    std::sort(std::begin(tries_), std::end(tries_));
    one_thread_ = tries_[tries_of_one_thread / 2];
    is_measured_ = true;
    if (parallel_ <= one_thread_) return go_parallel();
    state_ = State::SetAside;
    lost_ = std::max(seconds_in_debt_ - units_in_debt_ * one_thread_, enough_debt * one_thread_);
    pause_ = next_pause_ * lost_;
    next_pause_ = std::min(2 * next_pause_, longest_pause);
  }

  void took_alone(double units, double seconds) {
    constexpr double weight = 1.0 / 8, most = 4.0;  // of one sample: it may have been interrupted
    one_thread_ += weight * (std::min(seconds / units, most * one_thread_) - one_thread_);
    pause_ -= seconds;
    if (pause_ <= 0) go_parallel();
  }

  State state_ = State::Parallel;
  double one_thread_;  // seconds for a unit, predicted or measured
  bool is_measured_ = false;
  double parallel_ = 0;                             // seconds for a unit, when one thread was tried last
  double account_ = 0;                              // seconds gained
  double units_in_debt_ = 0, seconds_in_debt_ = 0;  // done since there was none
  int slow_in_debt_ = 0;
  double seconds_in_parallel_ = 0;
  int tries_left_ = 0;
  double tries_[tries_of_one_thread] = {};
  double next_pause_ = first_pause, pause_ = 0;
  double lost_ = 0;               // seconds, when the parallel way was set aside last
  double seconds_since_try_ = 0;  // in parallel
};

}  // namespace terrace::parallel
