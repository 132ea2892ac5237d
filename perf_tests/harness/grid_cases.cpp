// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/grid_cases.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

namespace terrace::perf {
namespace {

constexpr int iterations_measured = 50, iterations_checked = 5;
constexpr double least_sample = 2e-3;  // seconds: a device is waited for once in a sample
constexpr GridOperation operations[] = {GridOperation::Factorize, GridOperation::Apply, GridOperation::ApplyEight,
                                        GridOperation::Multiply, GridOperation::Iterate};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

/// The largest difference, relative to the largest number; NaN where something is not finite.
double difference(const std::vector<double>& found, const std::vector<double>& expected) {
  if (found.size() != expected.size()) return std::nan("");
  double largest = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - expected[i]);
    if (!std::isfinite(error)) return std::nan("");  // which a maximum would forget
    largest = std::max(largest, error);
    scale = std::max(scale, std::abs(expected[i]));
  }
  return largest / scale;
}

/// Seconds by operation and method, and what the methods say of themselves.
struct GridMeasurement {
  std::map<GridOperation, std::map<std::string, std::vector<double>>> samples;
  std::map<std::string, std::string> labels;
};

using Expectations = std::map<GridOperation, std::vector<double>>;

Expectations expectations_of(const GridSystem& system) {
  return {{GridOperation::Apply, apply_reference(system)},
          {GridOperation::ApplyEight, apply_reference(system)},
          {GridOperation::Multiply, multiply_reference(system)},
          {GridOperation::Iterate, iterate_reference(system, iterations_checked)}};
}

/// Each method's result is checked against the loops before a time is taken.
void check(GridMethod& method, const std::string& name, const Expectations& expected) {
  for (const auto& [operation, numbers] : expected) {
    if (!method.has(operation)) continue;
    method.run(operation, iterations_checked);
    method.wait();
    const double error = difference(method.result(operation), numbers);
    if (!(error <= 1e-9))
      throw std::runtime_error(name + " is wrong by " + std::to_string(error) + " in " + to_string(operation));
  }
}

/// Seconds that one of `count` runs takes.
double time_runs(GridMethod& method, GridOperation operation, int count) {
  method.wait();
  const double start = seconds_now();
  for (int k = 0; k < count; ++k) method.run(operation, iterations_measured);
  method.wait();
  return (seconds_now() - start) / count;
}

GridMeasurement measure(const GridSession& session, const GridShape& shape) {
  const GridSystem system = make_grid_system(shape.nx, shape.ny, shape.nz);
  std::vector<std::pair<std::string, std::unique_ptr<GridMethod>>> methods;
  GridMeasurement measured;
  const Expectations expected = expectations_of(system);
  for (const GridMethodEntry& entry : session.space.methods) {
    const auto& chosen = session.methods;
    if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), entry.name) == chosen.end()) continue;
    methods.emplace_back(entry.name, entry.make());
    methods.back().second->set_up(system);
    check(*methods.back().second, entry.name, expected);
    measured.labels[entry.name] = methods.back().second->label();
  }
  for (const GridOperation operation : operations) {
    std::map<std::string, int> runs;
    for (const auto& [name, method] : methods)
      if (method->has(operation)) runs[name] = 1 + static_cast<int>(least_sample / time_runs(*method, operation, 1));
    for (int repetition = 0; repetition < session.repetitions; ++repetition)
      for (const auto& [name, method] : methods) {
        if (!method->has(operation)) continue;
        const double seconds = time_runs(*method, operation, runs.at(name));
        measured.samples[operation][name].push_back(operation == GridOperation::Iterate ? seconds / iterations_measured
                                                                                        : seconds);
      }
  }
  return measured;
}

/// The measurement of the shape at hand.
const GridMeasurement& measured_on(const GridSession& session, const GridShape& shape) {
  static GridShape current{0, 0, 0};
  static GridMeasurement measurement;
  if (current.nx != shape.nx || current.ny != shape.ny || current.nz != shape.nz) {
    measurement = measure(session, shape);
    current = shape;
  }
  return measurement;
}

void register_case(GridSession& session, const std::string& name, int iterations,
                   const std::function<void(benchmark::State&)>& body) {
  const auto run = [&session, body](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      ++session.failures;
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Iterations(iterations)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond);
}

std::string name_of(const GridShape& shape) {
  return std::to_string(shape.nx) + "x" + std::to_string(shape.ny) +
         (shape.nz > 1 ? "x" + std::to_string(shape.nz) : "");
}

void report_operation(benchmark::State& state, const GridSession& session, const GridShape& shape,
                      GridOperation operation, const std::string& method) {
  const GridMeasurement& measured = measured_on(session, shape);
  const auto& samples = measured.samples.at(operation).at(method);
  auto sample = samples.begin();
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(*sample++);
  state.counters["n"] = double(shape.nx) * shape.ny * shape.nz;
  state.counters["median_s"] = median(samples);
  state.counters["min_s"] = *std::min_element(samples.begin(), samples.end());
  state.SetLabel(measured.labels.at(method));
}

void report_solve(benchmark::State& state, const GridSession& session, const GridShape& shape, double relaxation) {
  const GridSystem system = make_grid_diagonals(shape.nx, shape.ny, shape.nz);
  const GridSpace::Solution solution = session.space.solve(system, relaxation);
  if (!(solution.true_residual <= 1e-8)) throw std::runtime_error("not solved");
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(solution.seconds);
  state.counters["n"] = system.n();
  state.counters["iterations"] = solution.iterations;
  state.counters["true_residual"] = solution.true_residual;
  state.counters["bytes_per_cell"] = solution.bytes / system.n();
}

bool is_chosen(const GridSession& session, const std::string& method) {
  return session.methods.empty() ||
         std::find(session.methods.begin(), session.methods.end(), method) != session.methods.end();
}

}  // namespace

void register_grid_cases(GridSession& session, const std::vector<GridShape>& shapes,
                         const std::vector<GridShape>& solves) {
  const std::string prefix = "structured_grid/" + session.space.name + "/";
  for (const GridShape& shape : shapes)
    for (const GridMethodEntry& entry : session.space.methods)
      for (const GridOperation operation : operations)
        if (is_chosen(session, entry.name) && entry.make()->has(operation))
          register_case(session, prefix + name_of(shape) + "/" + entry.name + "/" + to_string(operation),
                        session.repetitions, [&session, shape, operation, name = entry.name](benchmark::State& state) {
                          report_operation(state, session, shape, operation, name);
                        });
  for (const GridShape& shape : solves)
    for (const double relaxation : {0.0, 1.0})
      register_case(
          session, prefix + name_of(shape) + (relaxation == 0.0 ? "/ic0" : "/mic") + "/solve", 1,
          [&session, shape, relaxation](benchmark::State& state) { report_solve(state, session, shape, relaxation); });
}

}  // namespace terrace::perf
