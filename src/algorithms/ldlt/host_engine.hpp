// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The multifrontal factorization of a host (Duff and Reid 1983; Liu 1992): subtrees and tiles of large fronts as tasks
// that threads claim (host_schedule.hpp), dense kernels by the system's BLAS (blas.hpp). The bits repeat, for any
// number of threads. Factorizations and solves are watched: one thread takes over on a machine that is too busy for
// several.
#pragma once

#include "algorithms/ldlt/blas_threads.hpp"
#include "algorithms/ldlt/host_factorization.hpp"
#include "algorithms/ldlt/host_solve.hpp"
#include "parallel/loops.hpp"
#include "parallel/online_cores.hpp"
#include "parallel/watched_work.hpp"

namespace terrace::ldlt {

template <class Space>
class HostPlan final : public LdltPlan<Space> {
 public:
  /// For as many threads as the instance has, but no more than there are cores, or work for.
  HostPlan(const Space& space, std::shared_ptr<const SymbolicFronts<Space>> fronts)
      : HostPlan(fronts, HostCut::for_work(std::min(space.concurrency(), online_cores()),
                                           fronts->plan.tree.stored_operations)) {}

  /// One thread with a BLAS that bears no others.
  HostPlan(std::shared_ptr<const SymbolicFronts<Space>> fronts, HostCut cut) : fronts_(std::move(fronts)) {
    if (!blas_bears_threads()) cut.threads = 1;
    schedule_ = schedule_fronts(fronts_->plan, cut);
  }

  const FrontPlan& plan() const { return fronts_->plan; }
  const HostSchedule& schedule() const { return schedule_; }

  std::size_t bytes_held() const override { return schedule_.bytes_held(); }

  std::size_t bytes_of_engine(std::size_t scalar_bytes, int right_hand_sides) const override {
    const auto columns = static_cast<std::size_t>(right_hand_sides),
               threads = static_cast<std::size_t>(schedule_.threads);
    const auto& blocks = schedule_.contributions;
    const std::size_t numbers = plan().panel_numbers() + static_cast<std::size_t>(plan().tree.unknowns()) +
                                blocks.shared + threads * (blocks.stack + HostFactorization<float>::scratch_size) +
                                update_numbers(columns);
    return numbers * scalar_bytes + cells() * sizeof(int);
  }

  std::size_t update_numbers(std::size_t columns) const {
    const auto& updates = schedule_.updates;
    return columns * (updates.shared + static_cast<std::size_t>(schedule_.threads) * updates.stack);
  }

  std::size_t cells() const { return 1 + schedule_.units.size() + schedule_.tiles.back(); }

 private:
  static int online_cores() { return static_cast<int>(parallel::online_cores()); }

  std::shared_ptr<const SymbolicFronts<Space>> fronts_;
  HostSchedule schedule_;
};

/// What one thread takes, in seconds, roughly: the watch replaces it by what it measures.
struct HostTime {
  static constexpr double per_operation = 1.0 / 8e9, per_number = 10e-9, per_number_of_solve = 0.5e-9,
                          per_unknown_of_solve = 10e-9;

  static double of_factorization(const FrontPlan& plan) {
    return per_operation * static_cast<double>(plan.tree.stored_operations) +
           per_number * static_cast<double>(plan.panel_numbers());
  }
  /// Forward or backward, with one right-hand side.
  static double of_solve(const FrontPlan& plan) {
    return per_number_of_solve * static_cast<double>(plan.panel_numbers()) +
           per_unknown_of_solve * static_cast<double>(plan.tree.unknowns());
  }
};

/// y /= d.
template <class Scalar>
struct DivideByPivots {
  Scalar* Y;
  int columns;
  const Scalar* pivots;

  void operator()(int row) const {
    for (int c = 0; c < columns; ++c) Y[std::ptrdiff_t(row) * columns + c] /= pivots[row];
  }
};

template <class Scalar, class Space, class Clock = std::chrono::steady_clock>
class HostEngine final : public LdltEngine<Scalar, Space> {
 public:
  using typename LdltEngine<Scalar, Space>::vectors;

  /// \throws Error OutOfMemory.
  HostEngine(const Space& space, std::shared_ptr<const HostPlan<Space>> plan, int right_hand_sides)
      : plan_(std::move(plan)) {
    const HostSchedule& schedule = plan_->schedule();
    const auto threads = static_cast<std::size_t>(schedule.threads);
    const auto make = [&](const char* label, std::size_t count) {
      return parallel::uninitialized<Scalar>(space, label, count);
    };
    panels_ = make("terrace::ldlt::panels", plan_->plan().panel_numbers());
    pivots_ = make("terrace::ldlt::pivots", static_cast<std::size_t>(plan_->plan().tree.unknowns()));
    shared_ = make("terrace::ldlt::contributions", schedule.contributions.shared);
    stacks_ = make("terrace::ldlt::stacks", threads * schedule.contributions.stack);
    scratch_ = make("terrace::ldlt::scratch", threads * HostFactorization<Scalar>::scratch_size);
    updates_ = make("terrace::ldlt::updates", plan_->update_numbers(static_cast<std::size_t>(right_hand_sides)));
    cells_ = parallel::uninitialized<int>(space, "terrace::ldlt::cells", plan_->cells());
    if (threads == 1) return;
    factorizations_ = Watched(HostTime::of_factorization(plan_->plan()));
    solves_ = Watched(HostTime::of_solve(plan_->plan()));
  }

  void factorize(const Space& space, const Scalar* entries, const PivotRule<Scalar>& pivots) override {
    const HostSchedule& schedule = plan_->schedule();
    const HostFactorization<Scalar> work{&plan_->plan(), &schedule,      progress(),     pivots,
                                         entries,        panels_.data(), pivots_.data(), shared_.data(),
                                         stacks_.data(), scratch_.data()};
    const OneThreadPerBlasCall one_thread;
    factorizations_.run(1, [&](bool alone) {
      run_tasks(space, "terrace::ldlt::factorize_fronts", schedule, schedule.factorize, progress(), work, alone);
    });
  }

  bool solves_by_rows() const override { return true; }

  void solve(const Space& space, const vectors& Y, LdltPart part) override {
    if (Y.rows == 0 || Y.columns == 0) return;
    if (part == LdltPart::Diagonal) return divide(space, Y);
    if (part != LdltPart::Backward) walk(space, Y, true, false);
    if (part != LdltPart::Forward) walk(space, Y, false, part == LdltPart::All);
  }

  std::size_t bytes_held() const override {
    return (panels_.span() + pivots_.span() + shared_.span() + stacks_.span() + scratch_.span() + updates_.span()) *
               sizeof(Scalar) +
           cells_.span() * sizeof(int);
  }

 private:
  using Watched = parallel::WatchedWork<Clock>;

  HostProgress progress() const {
    return {cells_.data(), cells_.data() + 1, cells_.data() + 1 + plan_->schedule().units.size()};
  }

  void divide(const Space& space, const vectors& Y) const {
    const DivideByPivots<Scalar> divide{Y.data, static_cast<int>(Y.columns), pivots_.data()};
    parallel::for_range("terrace::ldlt::divide_by_pivots",
                        Kokkos::RangePolicy<Space>(space, 0, static_cast<int>(Y.rows)), divide);
  }

  void walk(const Space& space, const vectors& Y, bool is_forward, bool divides) {
    const HostSchedule& schedule = plan_->schedule();
    Scalar* const stacks = updates_.data() + schedule.updates.shared * Y.columns;
    const HostSolve<Scalar> work{&plan_->plan(), &schedule,      progress(),
                                 panels_.data(), pivots_.data(), updates_.data(),
                                 stacks,         Y.data,         static_cast<int>(Y.columns),
                                 is_forward,     divides};
    const char* const label = is_forward ? "terrace::ldlt::solve_forward" : "terrace::ldlt::solve_backward";
    const OneThreadPerBlasCall one_thread;
    solves_.run(static_cast<double>(Y.columns), [&](bool alone) {
      run_tasks(space, label, schedule, is_forward ? schedule.forward : schedule.backward, progress(), work, alone);
    });
  }

  template <class T>
  using Array = Kokkos::View<T*, parallel::Device<Space>>;

  std::shared_ptr<const HostPlan<Space>> plan_;
  Array<Scalar> panels_, pivots_, shared_, stacks_, scratch_, updates_;
  Array<int> cells_;
  Watched factorizations_, solves_;
};

}  // namespace terrace::ldlt
