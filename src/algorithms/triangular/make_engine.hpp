// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the engine that the options force, or, on a host, the one that the analysis finds cheapest.
#pragma once

#include <cmath>

#include "algorithms/triangular/column_engine.hpp"
#include "algorithms/triangular/host_cost.hpp"
#include "algorithms/triangular/row_levels.hpp"
#include "algorithms/triangular/sequential_engine.hpp"
#include "algorithms/triangular/task_engine.hpp"

namespace terrace::triangular {

template <class Problem>
using EnginePointer = std::unique_ptr<Engine<typename Problem::Scalar, typename Problem::Space>>;

/// The smallest power of two that is at least the rows per task that were asked for.
inline int shift_of(int rows_per_task) {
  int shift = 0;
  while ((1 << shift) < rows_per_task) ++shift;
  return shift;
}

template <class Problem>
EnginePointer<Problem> make_task_engine(const typename Problem::Space& space, const Problem& problem,
                                        Algorithm algorithm, int shift, std::string reason) {
  const bool backward = analysis::runs_backward(problem.options().uplo, problem.options().op);
  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  auto schedule = analysis::make_task_schedule(space, lines, backward, shift);
  RowLevels levels{schedule.by_level.levels(), schedule.widest_level()};
  if (shift > 0) levels = row_levels(space, lines, backward);
  return std::make_unique<TaskEngine<Problem>>(space, problem, lines, std::move(schedule), algorithm, levels,
                                               std::move(reason));
}

/// The engine of a forced algorithm.
template <class Problem>
EnginePointer<Problem> make_forced_engine(const typename Problem::Space& space, const Problem& problem) {
  const auto& options = problem.options();
  const int rows = options.rows_per_task > 0                             ? options.rows_per_task
                   : analysis::is_host_space<typename Problem::Space> ? HostCost::usual_rows_per_task
                                                                         : 1;
  const std::string reason = "the caller asked for it";
  switch (options.algorithm) {
    case Algorithm::Sequential: return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);
    case Algorithm::SyncFreeColumns: return std::make_unique<ColumnEngine<Problem>>(space, problem, reason);
    default: return make_task_engine(space, problem, options.algorithm, shift_of(rows), reason);
  }
}

/// Tries task sizes until one promises to beat one thread; keeps the best.
template <class Problem>
EnginePointer<Problem> make_best_host_engine(const typename Problem::Space& space, const Problem& problem) {
  const HostCost cost{space.concurrency(), problem.input.count, static_cast<std::int64_t>(problem.values.extent(0))};
  if (const auto reason = cost.reason_for_one_thread(); !reason.empty())
    return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);

  const auto& options = problem.options();
  const bool backward = analysis::runs_backward(options.uplo, options.op);
  const auto lines = make_lines(space, problem.input, analysis::Orientation::Gather);
  const auto rows = row_levels(space, lines, backward);
  decltype(analysis::make_task_schedule(space, lines, backward, 0)) best;
  double best_time = cost.one_thread();
  for (const int rows_per_task : cost.task_sizes(options.rows_per_task)) {
    auto schedule = analysis::make_task_schedule(space, lines, backward, shift_of(rows_per_task));
    const double time = cost.tasks(schedule.by_level.offsets);
    if (time < best_time) {
      best_time = time;
      best = std::move(schedule);
    }
    if (best_time < cost.good_enough()) break;
  }
  const auto reason = cost.reason(rows.levels, best.rows_per_task(), best_time);
  if (best.tasks() == 0) return std::make_unique<SequentialEngine<Problem>>(space, problem, reason);
  return std::make_unique<TaskEngine<Problem>>(space, problem, lines, std::move(best), HostCost::parallel_algorithm, rows,
                                               reason);
}

/// The generic engine factory; backends with engines of their own overload it (backends/dispatch.hpp).
template <class Space, class Problem>
EnginePointer<Problem> make_triangular_engine(const Space& space, const Problem& problem) {
  static_assert(analysis::is_host_space<Space>, "a device backend says in its own folder which engine is best");
  if (problem.options().algorithm != Algorithm::Automatic) return make_forced_engine(space, problem);
  return make_best_host_engine(space, problem);
}

}  // namespace terrace::triangular
