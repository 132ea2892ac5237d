// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the engine that the options force, or the one that suits the space: on a host the one that the analysis finds
// cheapest, on a device level scheduling, which waits for nothing but the ends of kernels and the barriers of one team.
#pragma once

#include "algorithms/triangular/column_engine.hpp"
#include "algorithms/triangular/hec_engine.hpp"
#include "algorithms/triangular/one_thread_engine.hpp"
#include "algorithms/triangular/sequential_engine.hpp"
#include "algorithms/triangular/task_engine.hpp"
#include "algorithms/triangular/task_scheduler.hpp"

namespace terrace::triangular {

template <class Problem>
using EnginePointer = std::unique_ptr<Engine<typename Problem::Scalar, typename Problem::Space>>;

/// For the rows of `triangle`, which gather.
template <class Problem, class Triangle>
auto scheduler_of(const typename Problem::Space& space, const Problem& problem, const Triangle& triangle) {
  const TriangularOptions& options = problem.options();
  return TaskScheduler<typename Problem::Ordinal, typename Problem::Offset, typename Problem::Space>(
      space, triangle, sparse::runs_backward(options.uplo, options.op), options.rows_per_task, problem.plan);
}

template <class Problem>
EnginePointer<Problem> make_task_engine(const typename Problem::Space& space, const Problem& problem,
                                        Algorithm algorithm, std::string reason) {
  const auto triangle = make_triangle(space, problem.input, sparse::Orientation::Gather);
  return std::make_unique<TaskEngine<Problem>>(
      space, problem, triangle, scheduler_of(space, problem, triangle).make(algorithm), algorithm, std::move(reason));
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

/// Tasks between barriers when they promise to beat one thread, else one thread.
template <class Problem>
EnginePointer<Problem> make_best_host_engine(const typename Problem::Space& space, const Problem& problem) {
  const HostCost cost{space.concurrency(), problem.input.count, static_cast<std::int64_t>(problem.values.extent(0)),
                      static_cast<int>(parallel::online_cores())};
  if (const auto reason = cost.reason_for_one_thread(); !reason.empty())
    return std::make_unique<OneThreadEngine<Problem>>(space, problem, reason);

  const auto triangle = make_triangle(space, problem.input, sparse::Orientation::Gather);
  auto plan = scheduler_of(space, problem, triangle).plan_on_host(cost);
  const auto reason = cost.reason(plan.schedule.row_levels.levels, plan.schedule.length.most, plan.time);
  if (!cost.pays(plan.time)) return std::make_unique<OneThreadEngine<Problem>>(space, problem, reason);
  auto engine = std::make_unique<TaskEngine<Problem>>(space, problem, triangle, std::move(plan.schedule),
                                                      Algorithm::LevelScheduled, reason);
  engine->watch(1e-9 * cost.one_thread());
  return engine;
}

/// The generic engine factory; backends with engines of their own overload it (backends/triangular.hpp).
template <class Space, class Problem>
EnginePointer<Problem> make_triangular_engine(const Space& space, const Problem& problem) {
  if (problem.options().storage == Storage::Hec) return std::make_unique<HecEngine<Problem>>(space, problem);
  if (problem.options().algorithm != Algorithm::Automatic) return make_forced_engine(space, problem);
  if constexpr (!parallel::is_host_space<Space>)
    return make_task_engine(space, problem, Algorithm::LevelScheduled, "level scheduling suits every device");
  else if (problem.options().reuse == Reuse::Once)
    return std::make_unique<SequentialEngine<Problem>>(space, problem, "one solve does not pay for an analysis");
  else return make_best_host_engine(space, problem);
}

}  // namespace terrace::triangular
