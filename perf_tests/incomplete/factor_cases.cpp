// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "incomplete/factor_cases.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <stdexcept>

namespace terrace::perf {
namespace {

double seconds_of(const auto& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Record {
  std::string name;
  std::vector<double> seconds;
  std::string error;
};

void register_record(const Record& record, const FullMatrix& A) {
  const auto run = [record, n = A.n, nnz = A.nnz()](benchmark::State& state) {
    if (!record.error.empty()) return state.SkipWithError(record.error.c_str());
    auto samples = record.seconds;
    auto sample = samples.begin();
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(*sample++);
    std::sort(samples.begin(), samples.end());
    state.counters["n"] = n;
    state.counters["nnz"] = static_cast<double>(nnz);
    state.counters["median_s"] = samples[samples.size() / 2];
    state.counters["min_s"] = samples.front();
  };
  benchmark::RegisterBenchmark(record.name.c_str(), run)
      ->UseManualTime()
      ->Iterations(
          std::max<benchmark::IterationCount>(1, static_cast<benchmark::IterationCount>(record.seconds.size())))
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond);
}

/// A method on the matrix; the first exception is its last turn.
template <class Method>
struct Player {
  std::unique_ptr<Method> method;
  std::string algorithm;
  Record first, second;

  void take(const auto& turn) {
    if (!method) return;
    try {
      turn();
    } catch (const std::exception& error) {
      first.error = second.error = error.what();
      method.reset();
    }
  }
};

void check(const std::vector<double>& found, const std::vector<double>& expected) {
  if (found.empty()) return;
  if (found.size() != expected.size())
    throw std::runtime_error("the factor has another pattern than the serial loop's");
  for (std::size_t k = 0; k < found.size(); ++k)
    if (!(std::abs(found[k] - expected[k]) <= 1e-10 * (1 + std::abs(expected[k]))))
      throw std::runtime_error("the factor differs from the serial loop's");
}

class FactorContest {
 public:
  FactorContest(const FactorSpace& space, const std::string& name, const FullMatrix& A) {
    for (const auto& entry : space.factors) {
      const std::string record = "incomplete/" + space.name + "/" + name + "/" + entry.name;
      players_.push_back({nullptr, entry.algorithm, {record + "/symbolic", {}, {}}, {record + "/numeric", {}, {}}});
      auto& player = players_.back();
      try {
        player.method = entry.make(A);
      } catch (const std::exception& error) {
        player.first.error = player.second.error = error.what();
      }
    }
  }

  /// The first numeric phase of each symbolic one warms up and is not counted.
  void play(int repetitions) {
    for (int repetition = 0; repetition < (repetitions + 2) / 3; ++repetition)
      for (auto& player : players_)
        player.take([&] { player.first.seconds.push_back(seconds_of([&] { player.method->symbolic(); })); });
    for (auto& player : players_) player.take([&] { player.method->numeric(); });
    std::map<std::string, std::vector<double>> expected;
    for (auto& player : players_)
      player.take([&] {
        check(player.method->merged(), expected.try_emplace(player.algorithm, player.method->merged()).first->second);
      });
    for (int repetition = 0; repetition < repetitions; ++repetition)
      for (auto& player : players_) {
        player.take([&] { player.method->numeric(); });
        player.take([&] { player.second.seconds.push_back(seconds_of([&] { player.method->numeric(); })); });
      }
  }

  int report(const FullMatrix& A) const {
    int failures = 0;
    for (const auto& player : players_) {
      register_record(player.first, A);
      register_record(player.second, A);
      failures += player.first.error.starts_with("the factor") ? 1 : 0;
    }
    return failures;
  }

 private:
  std::vector<Player<FactorMethod>> players_;
};

/// The residual after a few iterations, which must be near what the first method with this algorithm found; then the
/// time of an iteration: the difference between twenty and five, so that start and end do not count. Not more: these
/// matrices are easy, and numbers too small for a double are slow.
void race_iteration(IterationMethod& method, double& expected, int repetitions, std::vector<double>& seconds) {
  constexpr int few = 5, many = 20;
  const double residual = method.iterate(few);
  if (expected == 0) expected = residual;
  if (!(std::abs(residual - expected) <= 1e-6 * expected))
    throw std::runtime_error("the residual differs from the serial loop's");
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    method.iterate(few);
    const double short_run = seconds_of([&] { method.iterate(few); });
    method.iterate(few);
    const double long_run = seconds_of([&] { method.iterate(many); });
    seconds.push_back(std::max(0.0, long_run - short_run) / (many - few));
  }
}

int race_iterations(const FactorSpace& space, const std::string& name, const FullMatrix& A, int repetitions) {
  std::map<std::string, double> residuals;  // by algorithm
  int failures = 0;
  for (const auto& entry : space.iterations) {
    Record record{"incomplete/" + space.name + "/" + name + "/" + entry.name + "/iteration", {}, {}};
    try {
      race_iteration(*entry.make(A), residuals[entry.algorithm], repetitions, record.seconds);
    } catch (const std::exception& error) {
      record.error = error.what();
      ++failures;
    }
    register_record(record, A);
  }
  return failures;
}

}  // namespace

int measure_and_register(const FactorSpace& space, const MatrixEntry& matrix, int repetitions) {
  const FullMatrix A = symmetric_matrix(matrix.make());
  int failures = 0;
  {
    FactorContest contest(space, matrix.name, A);
    contest.play(repetitions);
    failures += contest.report(A);
  }
  return failures + race_iterations(space, matrix.name, A, (repetitions + 1) / 2);
}

}  // namespace terrace::perf
