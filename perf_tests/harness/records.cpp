// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/records.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "common/median.hpp"

namespace terrace::perf {
namespace {

/// Seconds that the phase takes at least.
double bound(const Limit& limit, const Rates& rates) {
  return std::max({limit.bytes / rates.bytes_per_second, limit.hops * rates.seconds_per_hop,
                   limit.operations / rates.operations_per_second}) +
         limit.bytes_after / rates.bytes_per_second;
}

void add_limit(Counters& counters, const Limit& limit, const std::optional<Rates>& rates) {
  const double seconds = counters.at("median_s"), bytes = limit.bytes + limit.bytes_after;
  if (limit.bytes > 0.0) {
    counters["bytes"] = bytes;
    counters["GB_per_s"] = 1e-9 * bytes / seconds;
  }
  if (limit.operations > 0.0) {
    counters["operations"] = limit.operations;
    counters["TFLOP_per_s"] = 1e-12 * limit.operations / seconds;
  }
  if (!rates || (limit.bytes == 0.0 && limit.operations == 0.0)) return;
  counters["limit_s"] = bound(limit, *rates);
  counters["fraction_of_limit"] = bound(limit, *rates) / seconds;
}

void add_facts(Counters& counters, const Facts& facts, double bytes_of_matrix) {
  counters.insert(facts.counters.begin(), facts.counters.end());
  if (!facts.bytes_held) return;
  counters["bytes_held"] = *facts.bytes_held;
  if (bytes_of_matrix > 0.0) counters["held_ratio"] = *facts.bytes_held / bytes_of_matrix;
}

}  // namespace

std::optional<Rates> known_rates(const std::string& processor) {
  // Copies; one hop through L2; products of matrices in double by cuBLAS with an inner dimension of 512.
  if (processor.find("H200") != std::string::npos) return Rates{4e12, 0.2e-6, 53e12};
  return {};
}

Records::Records(std::vector<Case> cases, std::optional<Rates> rates)
    : cases_(std::move(cases)), rates_(rates), at_hand_(cases_.size()) {}

void Records::use(std::size_t number) {
  if (at_hand_ == number) return;
  at_hand_ = cases_.size();
  const auto problem = cases_[number].open();
  problem_ = {problem->counters(), problem->bytes(), {}};
  for (const Timing& timing : cases_[number].phases) problem_.limits[timing.phase] = problem->limit(timing.phase);
  measurements_ = measure_in_turns(cases_[number], *problem);
  at_hand_ = number;
}

void Records::register_all() {
  for (std::size_t number = 0; number < cases_.size(); ++number)
    for (std::size_t method = 0; method < cases_[number].methods.size(); ++method)
      for (const Timing& timing : cases_[number].phases)
        if (cases_[number].methods[method].has(timing.phase)) register_record(number, method, timing);
}

void Records::register_record(std::size_t number, std::size_t method, const Timing& timing) {
  const auto run = [this, number, method, &timing](benchmark::State& state) {
    try {
      use(number);
      report(state, measurements_[method], timing);
    } catch (const LeftOut& reason) {
      state.SkipWithError(reason.what());
    } catch (const std::exception& failure) {
      ++failures_;
      state.SkipWithError(failure.what());
    }
  };
  const std::string name = cases_[number].name + "/" + cases_[number].methods[method].name + "/" + timing.name;
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(timing.repetitions)
      ->Repetitions(1)  // whatever the command line says: a second one would report the same measurement
      ->Unit(benchmark::kMillisecond);
}

void Records::report(benchmark::State& state, const Measurement& measured, const Timing& timing) const {
  if (measured.is_left_out) throw LeftOut(measured.failure);
  if (!measured.failure.empty()) throw std::runtime_error(measured.failure);
  const std::vector<double>& seconds = measured.seconds.at(timing.phase);
  auto sample = seconds.begin();
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(*sample++);
  Counters counters = problem_.counters;
  counters["median_s"] = common::median(seconds);
  counters["min_s"] = *std::min_element(seconds.begin(), seconds.end());
  add_facts(counters, measured.facts, problem_.bytes);
  add_limit(counters, problem_.limits.at(timing.phase), rates_);
  if (!timing.error_name.empty()) counters[timing.error_name] = measured.errors.at(timing.phase);
  for (const auto& [name, value] : counters) state.counters[name] = value;
  state.SetLabel(measured.facts.label);
}

}  // namespace terrace::perf
