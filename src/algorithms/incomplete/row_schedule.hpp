// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which order the rows of a factorization are computed, and how they wait for one another.
//
// The choice is that of the triangular solves (triangular/make_engine.hpp), with the work of the elimination in place
// of the entries: on a host tasks of consecutive rows between barriers where they promise to beat one thread; on a
// device single rows in level order that wait for flags, or, where threads may not wait for each other, level by level,
// and where rows are long by teams level by level.
#pragma once

#include "algorithms/incomplete/eliminate_by_teams.hpp"
#include "algorithms/incomplete/elimination_engine.hpp"
#include "algorithms/incomplete/row_changes.hpp"
#include "algorithms/triangular/make_engine.hpp"
#include "parallel/loops.hpp"
#include "sparse/find_column.hpp"

namespace terrace::incomplete {

template <class Ordinal, class Offset, class Space>
struct RowSchedule {
  Algorithm algorithm = Algorithm::Sequential;
  std::string reason;
  tasks::TaskSchedule<Ordinal, Offset, Space> tasks;  // empty when one thread takes all rows
  std::vector<triangular::Chain<Ordinal>> chains;
  std::int64_t operations = 0;
  double one_thread = 0;    // seconds that it is predicted to take, where the machine may be too busy for several
  int threads_per_row = 1;  // more where teams take the rows (eliminate_by_teams.hpp)
  bool only_pivots_change = false;  // found out where several threads of a host do it; for one it takes too long

  void describe(IluSymbolicInfo& info) const {
    info.algorithm = algorithm;
    info.reason = reason;
    info.levels = tasks.row_levels.levels;
    info.operations = operations;
    info.bytes_held += tasks.bytes_held();
  }

  /// As the drivers see it; the rows stay where they are.
  triangular::Tasks<Ordinal, Offset> for_kernels() const {
    triangular::Tasks<Ordinal, Offset> kernel_tasks;
    kernel_tasks.positions = tasks.positions();
    kernel_tasks.count = tasks.tasks();
    kernel_tasks.order = tasks.by_level.order.data();
    if (tasks.predecessors.entries.data()) {
      kernel_tasks.predecessor_map = tasks.predecessors.row_map.data();
      kernel_tasks.predecessors = tasks.predecessors.entries.data();
    }
    return kernel_tasks;
  }
};

/// The products l_ik u_kj that row i looks at.
template <class Ordinal, class Offset>
struct CountOperations {
  sparse::TriangleView<Ordinal, Offset> pattern;
  /// Of one entry of L.
  KOKKOS_FUNCTION std::int64_t of(Offset p) const {
    const Ordinal k = pattern.entries[p];
    return static_cast<std::int64_t>(pattern.row_map[k + 1] - pattern.diagonal[k] - 1);
  }
  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& sum) const {
    for (Offset p = pattern.begin(row); p < pattern.end(row); ++p) {
      const std::int64_t walked = of(p), left = static_cast<std::int64_t>(pattern.row_map[row + 1] - p);
      sum += sparse::are_far_more(walked, left) ? left : walked;
    }
  }
};

/// The same of a symmetric pattern, where row k of U is looked at as often as it has entries: rows of L need not be
/// read. It holds where no row is longer than sparse::never_far_more.
template <class Ordinal, class Offset>
struct CountSymmetricOperations {
  sparse::TriangleView<Ordinal, Offset> pattern;
  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& sum, std::int64_t& longest) const {
    const auto length = static_cast<std::int64_t>(pattern.row_map[row + 1] - pattern.diagonal[row] - 1);
    sum += length * length;
    if (length > longest) longest = length;
  }
};

template <class Ordinal, class Offset, class Space>
std::int64_t count_operations(const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged,
                              bool is_symmetric) {
  std::int64_t operations = 0;
  if (is_symmetric) {
    std::int64_t longest = 0;
    parallel::reduce_range(
        "terrace::incomplete::count_symmetric_operations", Kokkos::RangePolicy<Space>(space, 0, merged.count),
        CountSymmetricOperations<Ordinal, Offset>{merged.view()}, operations, Kokkos::Max<std::int64_t>(longest));
    if (longest <= sparse::never_far_more) return operations;
  }
  parallel::reduce_range("terrace::incomplete::count_operations", Kokkos::RangePolicy<Space>(space, 0, merged.count),
                         CountOperations<Ordinal, Offset>{merged.view()}, operations);
  return operations;
}

template <class Ordinal, class Offset, class Space>
class ScheduleMaker {
  using Schedule = RowSchedule<Ordinal, Offset, Space>;
  using Merged = MergedPattern<Ordinal, Offset, Space>;

 public:
  ScheduleMaker(const Space& space, const Merged& merged, const IluSymbolicOptions& options,
                const TrianglePlanPointer<Ordinal, Offset, Space>& lower)
      : space_(space),
        merged_(merged),
        algorithm_(options.algorithm),
        is_symmetric_(is_symmetric(options.factorization)),
        scheduler_(space, merged, false, options.rows_per_task, lower) {}

  Schedule make() const {
    const std::int64_t operations = count_operations(space_, merged_, is_symmetric_);
    Schedule schedule = choose(operations);
    schedule.operations = operations;
    if constexpr (parallel::is_host_space<Space>)
      schedule.only_pivots_change = space_.concurrency() > 1 && only_pivots_change(space_, merged_);
    return schedule;
  }

 private:
  Schedule choose(std::int64_t operations) const {
    if (algorithm_ == Algorithm::Sequential) return {algorithm_, "the caller asked for it", {}, {}};
    if (algorithm_ != Algorithm::Automatic)
      return finish(scheduler_.make(algorithm_), algorithm_, "the caller asked for it");
    if constexpr (parallel::is_host_space<Space>) return best_on_host(operations);
    else return best_on_device(operations);
  }

  /// A backend with an engine of its own comes here for what that one does not take.
  Schedule best_on_device(std::int64_t operations) const {
    const auto entries = static_cast<std::int64_t>(merged_.entries.extent(0));
    Schedule schedule;
    if constexpr (parallel::running_threads_get_on<Space>)
      schedule = finish(scheduler_.make(Algorithm::SyncFreeRows), Algorithm::SyncFreeRows,
                        "rows that wait for flags need no kernel per level");
    else
      schedule = finish(scheduler_.make(Algorithm::LevelScheduled), Algorithm::LevelScheduled,
                        "level scheduling suits every device");
    if (parallel::has_tuned_engines<Space> || !schedule.tasks.one_row_per_task() ||
        !TeamTuning::pays(merged_.count, entries, operations))
      return schedule;
    schedule.algorithm = Algorithm::LevelScheduled;
    schedule.threads_per_row = TeamTuning::threads(merged_.count, entries);
    schedule.reason = "rows are long enough for " + std::to_string(schedule.threads_per_row) + " threads each";
    return schedule;
  }

  Schedule best_on_host(std::int64_t operations) const {
    const auto entries = static_cast<std::int64_t>(merged_.entries.extent(0));
    const triangular::HostCost cost{space_.concurrency(), merged_.count, 2 * (entries + operations),
                                    static_cast<int>(parallel::online_cores())};
    if (auto reason = cost.reason_for_one_thread(); !reason.empty())
      return {Algorithm::Sequential, std::move(reason), {}, {}};
    auto plan = scheduler_.plan_on_host(cost);
    auto reason = cost.reason(plan.schedule.row_levels.levels, plan.schedule.length.most, plan.time);
    if (!cost.pays(plan.time)) return {Algorithm::Sequential, std::move(reason), {}, {}};
    auto schedule = finish(std::move(plan.schedule), Algorithm::LevelScheduled, std::move(reason));
    schedule.one_thread = 1e-9 * cost.one_thread();
    return schedule;
  }

  Schedule finish(tasks::TaskSchedule<Ordinal, Offset, Space> tasks, Algorithm algorithm, std::string reason) const {
    Schedule schedule{algorithm, std::move(reason), std::move(tasks), {}};
    schedule.chains = triangular::chains_of<Space>(schedule.tasks.by_level.offsets);
    return schedule;
  }

  Space space_;
  Merged merged_;
  Algorithm algorithm_;
  bool is_symmetric_;
  triangular::TaskScheduler<Ordinal, Offset, Space> scheduler_;
};

}  // namespace terrace::incomplete
