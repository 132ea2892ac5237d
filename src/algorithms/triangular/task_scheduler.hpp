// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of tasks for rows that list what they wait for: substitution with a triangle, and an elimination, whose
// rows wait for the rows that substitution with L waits for.
//
// Schedules that the plan of a triangle has (triangle_plan.hpp) are taken from there, and left there for others.
#pragma once

#include "algorithms/triangular/host_cost.hpp"
#include "algorithms/triangular/triangle_plan.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset, class Space>
class TaskScheduler {
 public:
  using Triangle = sparse::Triangle<Ordinal, Offset, Space>;
  using Schedule = tasks::TaskSchedule<Ordinal, Offset, Space>;
  using Length = tasks::TaskLength<Ordinal>;
  using Plan = TrianglePlan<Ordinal, Offset, Space>;

  /// How a host would work by tasks, and how long that is predicted to take.
  struct HostPlan {
    Schedule schedule;
    double time;
  };

  /// `rows_per_task` as in TriangularOptions. `plan` may be null.
  TaskScheduler(const Space& space, const Triangle& triangle, bool backward, int rows_per_task,
                std::shared_ptr<Plan> plan)
      : space_(space),
        triangle_(triangle),
        backward_(backward),
        rows_per_task_(rows_per_task),
        plan_(std::move(plan)) {}

  /// The schedule that the caller asks for.
  Schedule make(Algorithm algorithm) const { return make(length(line_length()), algorithm); }

  /// Tasks of several lines when enough of them are independent; else pieces of lines, or rows.
  HostPlan plan_on_host(const HostCost& cost) const {
    const Ordinal line = line_length();
    if (line > 0)
      if (auto several = plan(cost, Length::whole(line, HostCost::lines_per_task), false);
          cost.keeps_busy(several.time))
        return several;
    const Length pieces = length(line);
    return plan(cost, pieces, pieces.lines > 0 && cost.tasks_are_heavy(pieces.most));
  }

 private:
  /// Whether the structure says how long tasks are: on a host, unless the caller does.
  bool structure_decides() const { return parallel::is_host_space<Space> && rows_per_task_ == 0; }

  Ordinal line_length() const {
    if (!structure_decides()) return 0;
    const auto find = [&] { return tasks::find_lines(space_, triangle_.view(), backward_); };
    return plan_ ? plan_->line_length(find) : find();
  }

  /// As many rows as the caller asked for; else single rows on a device, and on a host pieces of the lines.
  Length length(Ordinal line) const {
    if (!structure_decides()) return Length{std::max(1, rows_per_task_), 0};
    if (line == 0) return Length{HostCost::rows_without_lines, 0};
    return Length::pieces_of(line, HostCost::longest_piece_of_line);
  }

  Schedule make(const Length& length, Algorithm algorithm) const {
    const bool lists_predecessors = length.most > 1 && algorithm == Algorithm::SyncFreeRows;
    const auto make_new = [&] {
      auto schedule = length.most == 1
                          ? tasks::schedule_rows(space_, triangle_, backward_)
                          : tasks::schedule_tasks(space_, triangle_, backward_, length, lists_predecessors);
      if (plan_) space_.fence("terrace::triangular::make_schedule");
      return schedule;
    };
    return plan_ ? plan_->schedule(length, lists_predecessors, make_new) : make_new();
  }

  HostPlan plan(const HostCost& cost, const Length& length, bool heavy) const {
    auto schedule = make(length, Algorithm::LevelScheduled);
    const double time = cost.tasks(schedule.by_level.offsets, heavy);
    return {std::move(schedule), time};
  }

  Space space_;
  Triangle triangle_;
  bool backward_;
  int rows_per_task_;
  std::shared_ptr<Plan> plan_;
};

}  // namespace terrace::triangular
