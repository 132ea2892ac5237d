// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the engine that the options force, or, on a host, the one that the analysis finds cheapest.
#pragma once

#include "algorithms/triangular/column_engine.hpp"
#include "algorithms/triangular/host_cost.hpp"
#include "algorithms/triangular/known_schedules.hpp"
#include "algorithms/triangular/sequential_engine.hpp"
#include "algorithms/triangular/task_engine.hpp"

namespace terrace::triangular {

template <class Problem>
using EnginePointer = std::unique_ptr<Engine<typename Problem::Scalar, typename Problem::Space>>;

/// Whether the structure says how long tasks are: on a host, unless the caller does.
template <class Problem>
bool structure_decides(const Problem& problem) {
  return analysis::is_host_space<typename Problem::Space> && problem.options().rows_per_task == 0;
}

template <class Problem, class Lines>
auto line_length(const typename Problem::Space& space, const Problem& problem, const Lines& lines) {
  const bool backward = analysis::runs_backward(problem.options().uplo, problem.options().op);
  const auto find = [&] { return analysis::find_lines(space, lines.pattern(), backward); };
  if (!structure_decides(problem)) return typename Problem::Ordinal(0);
  return problem.known ? problem.known->line_length(find) : find();
}

/// As many rows as the caller asked for; else single rows on a device, and on a host pieces of the lines.
template <class Problem>
auto task_length(const Problem& problem, typename Problem::Ordinal line) {
  using Length = analysis::TaskLength<typename Problem::Ordinal>;
  if (!structure_decides(problem)) return Length{std::max(1, problem.options().rows_per_task), 0};
  if (line == 0) return Length{HostCost::rows_without_lines, 0};
  return Length::pieces_of(line, HostCost::longest_piece_of_line);
}

template <class Problem, class Lines>
auto make_schedule(const typename Problem::Space& space, const Problem& problem, const Lines& lines,
                   const analysis::TaskLength<typename Problem::Ordinal>& length, Algorithm algorithm) {
  const bool backward = analysis::runs_backward(problem.options().uplo, problem.options().op);
  const bool lists_predecessors = length.most > 1 && algorithm == Algorithm::SyncFreeRows;
  const auto make = [&] {
    auto schedule = length.most == 1 ? analysis::schedule_rows(space, lines, backward)
                                     : analysis::schedule_tasks(space, lines, backward, length, lists_predecessors);
    if (problem.known) space.fence("terrace::triangular::make_schedule");
    return schedule;
  };
  return problem.known ? problem.known->schedule(length, lists_predecessors, make) : make();
}

template <class Problem>
EnginePointer<Problem> make_task_engine(const typename Problem::Space& space, const Problem& problem,
                                        Algorithm algorithm, std::string reason) {
  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  const auto length = task_length(problem, line_length(space, problem, lines));
  auto schedule = make_schedule(space, problem, lines, length, algorithm);
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
    case Algorithm::Blocked:
      throw Error(ErrorCode::InvalidOption,
                  std::string("there is no blocked algorithm for the space ") + Problem::Space::name());
    default: return make_task_engine(space, problem, problem.options().algorithm, reason);
  }
}

/// How a host would solve with tasks, and how long it is predicted to take.
template <class Schedule>
struct HostPlan {
  Schedule schedule;
  double time;
};

/// Tasks of several lines when enough of them are independent; else pieces of lines, or rows.
template <class Problem, class Lines>
auto make_host_plan(const typename Problem::Space& space, const Problem& problem, const Lines& lines,
                    const HostCost& cost) {
  using Length = analysis::TaskLength<typename Problem::Ordinal>;
  const auto plan = [&](const Length& length, bool heavy) {
    auto schedule = make_schedule(space, problem, lines, length, Algorithm::LevelScheduled);
    const double time = cost.tasks(schedule.by_level.offsets, heavy);
    return HostPlan<decltype(schedule)>{std::move(schedule), time};
  };
  const auto line = line_length(space, problem, lines);
  if (line > 0)
    if (auto several = plan(Length::whole(line, HostCost::lines_per_task), false); cost.keeps_busy(several.time))
      return several;
  const auto length = task_length(problem, line);
  return plan(length, length.lines > 0 && cost.tasks_are_heavy(length.most));
}

/// Tasks between barriers when they promise to beat one thread, else one thread.
template <class Problem>
EnginePointer<Problem> make_best_host_engine(const typename Problem::Space& space, const Problem& problem) {
  const HostCost cost{space.concurrency(), problem.input.count, static_cast<std::int64_t>(problem.values.extent(0)),
                      static_cast<int>(analysis::online_cores())};
  if (const auto reason = cost.reason_for_one_thread(); !reason.empty())
    return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);

  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  auto plan = make_host_plan(space, problem, lines, cost);
  const auto reason = cost.reason(plan.schedule.row_levels.levels, plan.schedule.length.most, plan.time);
  if (!cost.pays(plan.time)) return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);
  auto engine = std::make_unique<TaskEngine<Problem>>(space, problem, lines, std::move(plan.schedule),
                                                      Algorithm::LevelScheduled, reason);
  engine->watch(1e-9 * cost.one_thread());
  return engine;
}

/// The generic engine factory; backends with engines of their own overload it (backends/dispatch.hpp).
template <class Space, class Problem>
EnginePointer<Problem> make_triangular_engine(const Space& space, const Problem& problem) {
  static_assert(analysis::is_host_space<Space>, "a device backend says in its own folder which engine is best");
  if (problem.options().algorithm != Algorithm::Automatic) return make_forced_engine(space, problem);
  if (problem.options().reuse == Reuse::Once)
    return std::make_unique<SequentialEngine<Problem>>(space, problem, "one solve does not pay for an analysis");
  return make_best_host_engine(space, problem);
}

}  // namespace terrace::triangular
