// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the engine that the options force, or, on a host, the one that the analysis finds cheapest.
#pragma once

#include "algorithms/triangular/column_engine.hpp"
#include "algorithms/triangular/host_cost.hpp"
#include "algorithms/triangular/sequential_engine.hpp"
#include "algorithms/triangular/task_engine.hpp"

namespace terrace::triangular {

template <class Problem>
using EnginePointer = std::unique_ptr<Engine<typename Problem::Scalar, typename Problem::Space>>;

/// Tasks of as many rows as the caller asked for; else single rows on a device, and on a host what the structure
/// suggests.
template <class Problem, class Lines>
auto task_length(const typename Problem::Space& space, const Problem& problem, const Lines& lines) {
  using Ordinal = typename Problem::Ordinal;
  const auto& options = problem.options();
  if (options.rows_per_task > 0 || !analysis::is_host_space<typename Problem::Space>)
    return analysis::TaskLength<Ordinal>{std::max(1, options.rows_per_task), false};
  return analysis::choose_task_length(space, lines.pattern(), analysis::runs_backward(options.uplo, options.op),
                                      Ordinal(HostCost::longest_piece_of_line), Ordinal(HostCost::rows_without_lines));
}

template <class Problem, class Lines>
auto make_schedule(const typename Problem::Space& space, const Problem& problem, const Lines& lines,
                   const analysis::TaskLength<typename Problem::Ordinal>& length, Algorithm algorithm) {
  const bool backward = analysis::runs_backward(problem.options().uplo, problem.options().op);
  if (length.most == 1) return analysis::schedule_rows(space, lines, backward);
  return analysis::schedule_tasks(space, lines, backward, length, algorithm == Algorithm::SyncFreeRows);
}

template <class Problem>
EnginePointer<Problem> make_task_engine(const typename Problem::Space& space, const Problem& problem,
                                        Algorithm algorithm, std::string reason) {
  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  auto schedule = make_schedule(space, problem, lines, task_length(space, problem, lines), algorithm);
  return std::make_unique<TaskEngine<Problem>>(space, problem, lines, std::move(schedule), algorithm,
                                               std::move(reason));
}

/// The engine of a forced algorithm.
template <class Problem>
EnginePointer<Problem> make_forced_engine(const typename Problem::Space& space, const Problem& problem) {
  const std::string reason = "the caller asked for it";
  switch (problem.options().algorithm) {
    case Algorithm::Sequential: return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);
    case Algorithm::SyncFreeColumns: return std::make_unique<ColumnEngine<Problem>>(space, problem, reason);
    default: return make_task_engine(space, problem, problem.options().algorithm, reason);
  }
}

/// Tasks in level order when they promise to beat one thread, else one thread. Light tasks share barriers, heavy ones
/// are claimed.
template <class Problem>
EnginePointer<Problem> make_best_host_engine(const typename Problem::Space& space, const Problem& problem) {
  const HostCost cost{space.concurrency(), problem.input.count, static_cast<std::int64_t>(problem.values.extent(0))};
  if (const auto reason = cost.reason_for_one_thread(); !reason.empty())
    return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);

  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  const auto length = task_length(space, problem, lines);
  const auto algorithm =
      length.follows_lines && cost.tasks_are_heavy(length.most) ? Algorithm::SyncFreeRows : Algorithm::LevelScheduled;
  auto schedule = make_schedule(space, problem, lines, length, algorithm);
  const double time = cost.tasks(schedule.by_level.offsets, algorithm == Algorithm::SyncFreeRows);
  const auto reason = cost.reason(schedule.row_levels.levels, length.most, time);
  if (!cost.pays(time)) return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);
  return std::make_unique<TaskEngine<Problem>>(space, problem, lines, std::move(schedule), algorithm, reason);
}

/// The generic engine factory; backends with engines of their own overload it (backends/dispatch.hpp).
template <class Space, class Problem>
EnginePointer<Problem> make_triangular_engine(const Space& space, const Problem& problem) {
  static_assert(analysis::is_host_space<Space>, "a device backend says in its own folder which engine is best");
  if (problem.options().algorithm != Algorithm::Automatic) return make_forced_engine(space, problem);
  return make_best_host_engine(space, problem);
}

}  // namespace terrace::triangular
