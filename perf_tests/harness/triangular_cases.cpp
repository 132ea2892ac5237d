// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triangular_cases.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "harness/backward_error.hpp"

namespace terrace::perf {
namespace {

double seconds_of(const auto& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : 0.5 * (samples[half - 1] + samples[half]);
}

// What analysis and solve report alike. Returns the median.
double report(benchmark::State& state, const Session& session, System& system, const MethodFacts& facts,
              const std::vector<double>& samples) {
  const double n = system.matrix().n, seconds = median(samples);
  state.counters["n"] = n;
  state.counters["nnz"] = static_cast<double>(system.matrix().nnz());
  state.counters["levels"] = session.levels().levels;
  state.counters["rows_per_level"] = n / std::max(1, session.levels().levels);
  state.counters["median_s"] = seconds;
  state.counters["min_s"] = *std::min_element(samples.begin(), samples.end());
  if (facts.bytes_held) {
    state.counters["bytes_held"] = static_cast<double>(*facts.bytes_held);
    state.counters["held_ratio"] = static_cast<double>(*facts.bytes_held) / session.matrix_bytes();
  }
  state.SetLabel(facts.label);
  return seconds;
}

void measure_analysis(benchmark::State& state, Session& session, const MethodEntry& entry) {
  const MatrixView L = session.system().views(entry.place, entry.input).matrix;
  session.start(entry).analyze(L);  // warm-up
  std::vector<double> samples;
  TriangularMethod* method = nullptr;
  for ([[maybe_unused]] auto _ : state) {
    method = &session.start(entry);
    samples.push_back(seconds_of([&] {
      method->analyze(L);
      method->wait();
    }));
    state.SetIterationTime(samples.back());
  }
  session.mark_analyzed();
  report(state, session, session.system(), method->facts(), samples);
}

// The backward error of what lies in x now; throws when it is too large.
double checked_error(Session& session, Place place) {
  System& system = session.system();
  const double error = backward_error(system.matrix(), system.right_hand_side(), system.solution(place));
  if (!(error <= session.tolerated_error()))
    throw std::runtime_error("wrong solution: backward error " + std::to_string(error));
  return error;
}

void measure_solve(benchmark::State& state, Session& session, const MethodEntry& entry) {
  TriangularMethod& method = session.analyzed(entry);
  System& system = session.system();
  const SystemViews views = system.views(entry.place, entry.input);
  const auto solve = [&] {
    method.solve(views.b, views.x);
    method.wait();
  };
  system.forget_solution(entry.place);
  solve();  // warm-up
  checked_error(session, entry.place);
  solve();
  std::vector<double> samples;
  for ([[maybe_unused]] auto _ : state) {
    samples.push_back(seconds_of(solve));
    state.SetIterationTime(samples.back());
  }
  state.counters["backward_error"] = checked_error(session, entry.place);
  const double seconds = report(state, session, system, method.facts(), samples);
  const double bytes = session.matrix_bytes() + 2.0 * sizeof(double) * system.matrix().n;
  state.counters["bytes"] = bytes;
  state.counters["GB_per_s"] = 1e-9 * bytes / seconds;
}

using Measure = void (*)(benchmark::State&, Session&, const MethodEntry&);

void register_case(const std::string& name, Session& session, const MatrixEntry& matrix, const MethodEntry& method,
                   Measure measure, int repetitions) {
  const auto run = [&session, matrix, method, measure](benchmark::State& state) {
    try {
      session.use(matrix);
      measure(state, session, method);
    } catch (const UnusableMatrix& error) {
      state.SkipWithError(error.what());
    } catch (const std::exception& error) {
      session.count_failure();
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(repetitions)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_triangular_cases(Session& session, const std::vector<MatrixEntry>& matrices,
                               const std::vector<MethodEntry>& methods, int repetitions) {
  const int analyses = std::max(1, repetitions / 3);
  for (const MatrixEntry& matrix : matrices)
    for (const MethodEntry& method : methods) {
      const std::string name = "triangular_solve/" + session.space().name + "/" + matrix.name + "/" + method.name;
      if (method.has_analysis) register_case(name + "/analysis", session, matrix, method, measure_analysis, analyses);
      register_case(name + "/solve", session, matrix, method, measure_solve, repetitions);
    }
}

}  // namespace terrace::perf
