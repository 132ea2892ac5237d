// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/harness/measure.hpp"

#include <algorithm>
#include <chrono>

namespace terrace::perf {
namespace {

// A method on the problem, with what was measured of it so far.
class MeasuredMethod {
 public:
  using Turn = void (MeasuredMethod::*)(const Timing&);

  MeasuredMethod(const Entry& entry, Problem& problem) : entry_(entry), problem_(problem) {}

  // The first failure is the last turn.
  void take(Turn turn, const Timing& timing) {
    if (!entry_.has(timing.phase) || !measurement_.failure.empty()) return;
    try {
      (this->*turn)(timing);
    } catch (const LeftOut& reason) {
      give_up(reason.what());
      measurement_.is_left_out = true;
    } catch (const std::exception& failure) {
      give_up(failure.what());
    }
  }

  void make(const Timing&) {
    if (!method_) method_ = entry_.make(problem_);
    runs_ = 0;
  }

  void warm_up(const Timing& timing) {
    if (!timing.is_warmed_up) return;
    run_untimed(timing, timing.checked_steps);
    check(timing);
  }

  void take_sample(const Timing& timing) {
    const double before = timing.fewer_steps > 0 ? seconds_of(timing, timing.fewer_steps) : 0.0;
    const double seconds = std::max(0.0, seconds_of(timing, timing.steps) - before);
    measurement_.seconds[timing.phase].push_back(seconds / (timing.steps - timing.fewer_steps));
  }

  // A run that others came before may owe them its result.
  void finish(const Timing& timing) {
    if (timing.steps_before > 0 || timing.steps != timing.checked_steps) run_untimed(timing, timing.checked_steps);
    check(timing);
    if (timing.phase != entry_.phases.back()) return;
    measurement_.facts = method_->facts();
    method_.reset();
  }

  const Measurement& measurement() const { return measurement_; }

 private:
  void give_up(const char* reason) {
    measurement_.failure = reason;
    method_.reset();
  }

  void run_untimed(const Timing& timing, int steps) {
    method_->prepare(timing.phase);
    method_->run(timing.phase, steps);
    method_->wait();
  }

  void check(const Timing& timing) {
    const std::vector<double> result = method_->result(timing.phase);
    if (!result.empty()) measurement_.errors[timing.phase] = problem_.check(entry_.algorithm, timing.phase, result);
  }

  // Of one run, from an idle device to an idle device.
  double seconds_of(const Timing& timing, int steps) {
    if (runs_ == 0) {
      runs_ = 1;
      if (timing.least_seconds > 0) runs_ += static_cast<int>(timing.least_seconds / time(timing, steps, 1));
    }
    return time(timing, steps, runs_);
  }

  double time(const Timing& timing, int steps, int runs) {
    method_->prepare(timing.phase);
    if (timing.steps_before > 0) method_->run(timing.phase, timing.steps_before);
    method_->wait();
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < runs; ++k) method_->run(timing.phase, steps);
    method_->wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / runs;
  }

  const Entry& entry_;
  Problem& problem_;
  std::unique_ptr<Method> method_;
  int runs_ = 0;  // in a sample; 0: not known yet
  Measurement measurement_;
};

}  // namespace

bool Entry::has(Phase phase) const { return std::find(phases.begin(), phases.end(), phase) != phases.end(); }

std::vector<Measurement> measure_in_turns(const Case& measured, Problem& problem) {
  std::vector<MeasuredMethod> methods;
  methods.reserve(measured.methods.size());
  for (const Entry& entry : measured.methods) methods.emplace_back(entry, problem);
  for (const Timing& timing : measured.phases) {
    const auto everybody = [&](MeasuredMethod::Turn turn) {
      for (MeasuredMethod& method : methods) method.take(turn, timing);
    };
    everybody(&MeasuredMethod::make);
    everybody(&MeasuredMethod::warm_up);
    for (int repetition = 0; repetition < timing.repetitions; ++repetition) everybody(&MeasuredMethod::take_sample);
    everybody(&MeasuredMethod::finish);
  }
  std::vector<Measurement> measurements;
  measurements.reserve(methods.size());
  for (const MeasuredMethod& method : methods) measurements.push_back(method.measurement());
  return measurements;
}

}  // namespace terrace::perf
