// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Algorithm::LevelScheduled and Algorithm::SyncFreeRows: tasks in level order, with barriers or flags.
//
// One row per task (devices): the rows are copied into level order. Levels on hosts: the rows stay where they are, and
// are packed task by task once that pays (host_triangle.hpp); what waits for flags leaves rows of longer tasks where
// they are. The operations of the
// other orientation, whose rows scatter, walk the levels backwards; a few host threads are faster in sequence than
// with atomics.
//
// Where the algorithm was not asked for, solves are watched: one thread takes over on a machine that is too busy for
// several. It takes the same sums of the same rows, so that what gathers keeps its bits.
#pragma once

#include "algorithms/tasks/task_schedule.hpp"
#include "algorithms/triangular/host_triangle.hpp"
#include "algorithms/triangular/level_lengths.hpp"
#include "algorithms/triangular/reorder_rows.hpp"
#include "algorithms/triangular/solve_by_levels.hpp"
#include "algorithms/triangular/solve_rows_sync_free.hpp"
#include "algorithms/triangular/solve_sequentially.hpp"
#include "algorithms/triangular/stored_triangle.hpp"
#include "parallel/watched_work.hpp"

namespace terrace::triangular {

template <class Problem, class Clock = std::chrono::steady_clock>
class TaskEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Scalar = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset = typename Problem::Offset;
  using Space = typename Problem::Space;
  using Base = Engine<Scalar, Space>;
  using Structure = sparse::Triangle<Ordinal, Offset, Space>;
  using Schedule = tasks::TaskSchedule<Ordinal, Offset, Space>;
  using Triangle = StoredTriangle<Scalar, Ordinal, Offset, Space>;
  using Watched = parallel::WatchedWork<Clock>;

 public:
  TaskEngine(const Space& space, const Problem& problem, const Structure& structure, Schedule schedule,
             Algorithm algorithm, std::string reason)
      : schedule_(std::move(schedule)),
        is_on_host_(parallel::is_host_space<Space> && algorithm == Algorithm::LevelScheduled),
        triangle_(space, is_reordered() ? reordered(space, problem, structure) : structure, problem.values,
                  problem.options()),
        algorithm_(algorithm),
        reason_(std::move(reason)),
        finished_(parallel::zeros<unsigned>(space, "terrace::schedule::finished",
                                            algorithm == Algorithm::SyncFreeRows ? schedule_.tasks() : 0)),
        counter_(parallel::zeros<WorkCounter>(space, "terrace::schedule::counter", 1)),
        chains_(chains_of<Space>(schedule_.by_level.offsets)) {
    if constexpr (rows_have_lanes<Space>)
      if (is_reordered()) share_rows(space, problem.plan.get());
    if constexpr (parallel::is_host_space<Space>)
      if (is_on_host_) rows_ = Rows(space, triangle_, host_tasks(), true);
  }

  /// From now on one thread solves where several are slower. Hosts only.
  void watch(double predicted_seconds_of_one_thread) {
    gathers_ = Watched(predicted_seconds_of_one_thread);
    scatters_ = Watched(predicted_seconds_of_one_thread);
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    if constexpr (parallel::is_host_space<Space>)
      if (is_on_host_ && (triangle_.gathers(op) || scatters_alone(space)))
        return rows_.with_system(space, b, x, op, [&](const auto& system) { enqueue_on_host(space, system, op); });
    triangle_.with_system(b, x, op, [&](const auto& system) { enqueue(space, system, op); });
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
    if constexpr (parallel::is_host_space<Space>)
      if (is_on_host_) rows_.update_values(triangle_);
  }

  void describe(TriangularInfo& info) const override {
    info.algorithm = algorithm_;
    info.reason = reason_;
    info.levels = schedule_.row_levels.levels;
    info.widest_level = schedule_.row_levels.widest;
    info.rows_per_task = schedule_.length.most;
    info.tasks = schedule_.tasks();
    info.task_levels = schedule_.by_level.levels();
    info.kernels = algorithm_ == Algorithm::SyncFreeRows ? 1 : static_cast<std::int64_t>(chains_.size());
    info.entries = triangle_.entries();
    info.bytes_held =
        triangle_.bytes_held() + schedule_.bytes_held() + finished_.span() * sizeof(unsigned) + sizeof(WorkCounter);
    info.bytes_held += longest_rows_.span() * sizeof(Offset);
    if constexpr (parallel::is_host_space<Space>) info.bytes_held += rows_.bytes_held();
    info.copies_matrix = is_on_host_ || triangle_.structure().is_copy;
  }

  void describe_changes(TriangularInfo& info) const override {
    const std::string one_thread = (triangle_.structure().gathers ? gathers_ : scatters_).reason_for_one_thread();
    info.algorithm = one_thread.empty() ? algorithm_ : Algorithm::Sequential;
    info.reason = one_thread.empty() ? reason_ : one_thread;
  }

 private:
  struct NoRows {};
  using Rows = std::conditional_t<parallel::is_host_space<Space>, HostTriangle<Scalar, Ordinal, Offset, Space>, NoRows>;

  bool is_reordered() const { return schedule_.one_row_per_task() && !is_on_host_; }

  HostTasks<Ordinal> host_tasks() const {
    if (schedule_.one_row_per_task())
      return HostTasks<Ordinal>::in_order(schedule_.tasks(), schedule_.by_level.order.data());
    const Ordinal* const first = schedule_.first_position.data();
    return {{first, first + schedule_.tasks() + 1}, nullptr};
  }

  Structure reordered(const Space& space, const Problem& problem, const Structure& structure) const {
    return reorder_rows(space, structure, schedule_.by_level.order, problem.options().diag == Diag::NonUnit);
  }

  /// Gives lanes to long rows, which stand in level order. Waits for the space; not where the plan has their lengths.
  template <class Plan>
  void share_rows(const Space& space, Plan* plan) {
    using Lengths = LevelLengths<Ordinal, Offset, Space>;
    const auto measure = [&] {
      return std::make_shared<const Lengths>(space, triangle_.structure().view(), schedule_.by_level);
    };
    const auto lengths = plan ? plan->level_lengths(measure) : measure();
    chains_ = chains_by_lanes<Space>(schedule_.by_level.offsets, *lengths);
    longest_rows_ = lengths->longest_on_device;
  }

  Tasks<Ordinal, Offset> tasks() const {
    Tasks<Ordinal, Offset> tasks;
    tasks.positions = schedule_.positions();
    tasks.count = schedule_.tasks();
    tasks.order = schedule_.by_level.order.data();
    tasks.reordered = is_reordered();
    if (schedule_.predecessors.entries.data()) {
      tasks.predecessor_map = schedule_.predecessors.row_map.data();
      tasks.predecessors = schedule_.predecessors.entries.data();
    }
    return tasks;
  }

  /// Adding to rows that other threads add to is slower.
  static bool scatters_alone(const Space& space) {
    constexpr int threads_that_pay_for_atomics = 4;
    return space.concurrency() < threads_that_pay_for_atomics;
  }

  template <class System>
  void enqueue_on_host(const Space& space, const System& system, Op op) {
    const bool gather = triangle_.gathers(op);
    if (space.concurrency() == 1 || !gather) return rows_.solve_alone(space, system, gather);
    gathers_.run(system.columns, [&](bool one_thread) {
      if (one_thread) rows_.solve_alone(space, system, true);
      else gather_by_levels(space, system, level_solve(gathers_.patience(system.columns)));
    });
  }

  template <class System>
  void enqueue(const Space& space, const System& system, Op op) {
    const bool gather = triangle_.gathers(op);
    if constexpr (parallel::is_host_space<Space>) {
      if (space.concurrency() == 1 || (!gather && !schedule_.one_row_per_task() && scatters_alone(space)))
        return solve_alone(space, system, op);
      Watched& watched = gather ? gathers_ : scatters_;
      watched.run(system.columns, [&](bool one_thread) {
        if (one_thread) solve_alone(space, system, op);
        else enqueue_tasks(space, system, gather, watched.patience(system.columns));
      });
    } else {
      enqueue_tasks(space, system, gather, {});
    }
  }

  template <class System>
  void enqueue_tasks(const Space& space, const System& system, bool gather, parallel::Patience patience) {
    if (gather && algorithm_ == Algorithm::SyncFreeRows) {
      solve_rows_sync_free(space, system, tasks(), finished_.data(), counter_.data());
    } else {
      solve_by_levels(space, system, level_solve(patience), gather);
    }
  }

  LevelSolve<Ordinal, Offset> level_solve(parallel::Patience patience) const {
    return {
        tasks(), schedule_.by_level.level_offsets.data(), &schedule_.by_level.offsets, &chains_, longest_rows_.data(),
        patience};
  }

  template <class System>
  void solve_alone(const Space& space, const System& system, Op op) const {
    if (schedule_.one_row_per_task()) solve_tasks_alone(space, system, tasks(), triangle_.gathers(op));
    else solve_sequentially(space, system, triangle_.gathers(op), triangle_.runs_backward(op));
  }

  Schedule schedule_;
  bool is_on_host_;  // solved by rows_
  Triangle triangle_;
  Rows rows_;
  Algorithm algorithm_;
  std::string reason_;
  Kokkos::View<unsigned*, parallel::Device<Space>> finished_;
  Kokkos::View<WorkCounter*, parallel::Device<Space>> counter_;
  std::vector<Chain<Ordinal>> chains_;
  Kokkos::View<Offset*, parallel::Device<Space>> longest_rows_;  // of each level, where lanes share rows
  Watched gathers_, scatters_;
};

}  // namespace terrace::triangular
