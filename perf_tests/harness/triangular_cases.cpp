// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triangular_cases.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace terrace::perf {
namespace {

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : 0.5 * (samples[half - 1] + samples[half]);
}

// What analysis and solve report alike. Returns the median.
double report(benchmark::State& state, const MatrixFacts& matrix, const MethodFacts& method,
              const std::vector<double>& samples) {
  auto sample = samples.begin();
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(*sample++);
  const double seconds = median(samples);
  state.counters["n"] = matrix.n;
  state.counters["nnz"] = static_cast<double>(matrix.nnz);
  state.counters["right_hand_sides"] = matrix.columns;
  state.counters["levels"] = matrix.levels.levels;
  state.counters["rows_per_level"] = double(matrix.n) / std::max(1, matrix.levels.levels);
  state.counters["median_s"] = seconds;
  state.counters["min_s"] = *std::min_element(samples.begin(), samples.end());
  if (method.bytes_held) {
    state.counters["bytes_held"] = static_cast<double>(*method.bytes_held);
    state.counters["held_ratio"] = static_cast<double>(*method.bytes_held) / matrix.bytes;
  }
  state.SetLabel(method.label);
  return seconds;
}

void report_analysis(benchmark::State& state, const MatrixFacts& matrix, const Measurement& measured) {
  report(state, matrix, measured.facts, measured.analysis);
}

void report_solve(benchmark::State& state, const MatrixFacts& matrix, const Measurement& measured) {
  const double seconds = report(state, matrix, measured.facts, measured.solve);
  const double bytes = matrix.bytes + 2.0 * sizeof(Real) * matrix.n * matrix.columns;
  state.counters["backward_error"] = measured.backward_error;
  state.counters["bytes"] = bytes;
  state.counters["GB_per_s"] = 1e-9 * bytes / seconds;
}

using Report = void (*)(benchmark::State&, const MatrixFacts&, const Measurement&);

void register_case(const std::string& name, Session& session, const MatrixEntry& matrix, std::size_t method,
                   Report report_part, int repetitions) {
  const auto run = [&session, matrix, method, report_part](benchmark::State& state) {
    try {
      session.use(matrix);
      const Measurement& measured = session.measured(method);
      if (!measured.error.empty()) throw std::runtime_error(measured.error);
      report_part(state, session.facts(), measured);
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
      ->Repetitions(1)  // whatever the command line says: a second one would report the same measurement
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_triangular_cases(Session& session, const std::vector<MatrixEntry>& matrices) {
  for (const MatrixEntry& matrix : matrices)
    for (std::size_t method = 0; method < session.methods().size(); ++method) {
      const MethodEntry& entry = session.methods()[method];
      const std::string name = "triangular_solve/" + session.space().name + "/" + matrix.name + "/" + entry.name;
      const Repetitions& repetitions = session.repetitions();
      if (entry.has_analysis)
        register_case(name + "/analysis", session, matrix, method, report_analysis, repetitions.analyses);
      register_case(name + "/solve", session, matrix, method, report_solve, repetitions.solves);
    }
}

}  // namespace terrace::perf
