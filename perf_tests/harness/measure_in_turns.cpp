// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/measure_in_turns.hpp"

#include <chrono>
#include <exception>
#include <stdexcept>

#include "harness/backward_error.hpp"

namespace terrace::perf {
namespace {

double seconds_of(const auto& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A method on the system, with what was measured of it so far.
class Player {
 public:
  using Turn = void (Player::*)();

  Player(System& system, const MethodEntry& entry, int threads, double tolerated_error)
      : system_(system), entry_(entry), threads_(threads), tolerated_error_(tolerated_error) {}

  // The first failure is the last turn.
  void take(Turn turn) {
    if (!measurement_.error.empty()) return;
    try {
      (this->*turn)();
    } catch (const std::exception& failure) {
      measurement_.error = failure.what();
      method_.reset();
    }
  }

  // By an object that has not seen the matrix; the one before is gone.
  void analyze() {
    method_.reset();
    method_ = entry_.make(threads_);
    last_seconds_ = seconds_of([&] {
      method_->analyze(views().matrix);
      method_->wait();
    });
  }

  void time_analysis() {
    if (!entry_.has_analysis) return;
    analyze();
    measurement_.analysis.push_back(last_seconds_);
  }

  void check() {
    system_.forget_solution(entry_.place);
    solve();
    const double error =
        backward_error(system_.matrix(), system_.is_upper(), system_.right_hand_side(), system_.solution(entry_.place));
    if (!(error <= tolerated_error_))
      throw std::runtime_error("wrong solution: backward error " + std::to_string(error));
    measurement_.backward_error = error;
    measurement_.facts = method_->facts();
  }

  void time_solve() {
    solve();
    measurement_.solve.push_back(seconds_of([&] { solve(); }));
  }

  const Measurement& measurement() const { return measurement_; }

 private:
  SystemViews views() { return system_.views(entry_.place, entry_.input); }

  void solve() {
    const SystemViews at = views();
    method_->solve(at.b, at.x);
    method_->wait();
  }

  System& system_;
  const MethodEntry& entry_;
  int threads_;
  double tolerated_error_;
  std::unique_ptr<TriangularMethod> method_;  // reads the arrays of system_
  double last_seconds_ = 0.0;
  Measurement measurement_;
};

void play(std::vector<Player>& players, int rounds, Player::Turn turn) {
  for (int round = 0; round < rounds; ++round)
    for (Player& player : players) player.take(turn);
}

}  // namespace

std::vector<Measurement> measure_in_turns(System& system, const std::vector<MethodEntry>& methods, int threads,
                                          const Repetitions& repetitions) {
  const double tolerated_error = tolerated_backward_error(system.matrix(), system.is_upper());
  std::vector<Player> players;
  players.reserve(methods.size());
  for (const MethodEntry& method : methods) players.emplace_back(system, method, threads, tolerated_error);

  play(players, 1, &Player::analyze);
  play(players, repetitions.analyses, &Player::time_analysis);
  play(players, 1, &Player::check);
  play(players, repetitions.solves, &Player::time_solve);
  play(players, 1, &Player::check);

  std::vector<Measurement> measurements;
  measurements.reserve(players.size());
  for (const Player& player : players) measurements.push_back(player.measurement());
  return measurements;
}

}  // namespace terrace::perf
