// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generic elimination: a schedule of the rows, under which the drivers of the triangular solves run.
//
// On a host, where the algorithm was not asked for, eliminations are watched: one thread takes over on a machine that
// is too busy for several, as in solves (triangular/task_engine.hpp). Each row is the same work, so the bits are the
// same.
#pragma once

#include <optional>

#include "algorithms/incomplete/eliminate_groups.hpp"
#include "algorithms/incomplete/row_schedule.hpp"
#include "parallel/watched_work.hpp"

namespace terrace::incomplete {

template <class Ordinal, class Offset, class Space>
class RowPlan : public EliminationPlan<Ordinal, Offset, Space> {
 public:
  explicit RowPlan(RowSchedule<Ordinal, Offset, Space> schedule) : schedule_(std::move(schedule)) {}

  const RowSchedule<Ordinal, Offset, Space>& schedule() const { return schedule_; }
  void describe(IluSymbolicInfo& info) const override { schedule_.describe(info); }
  bool is_generic() const override { return true; }

 private:
  RowSchedule<Ordinal, Offset, Space> schedule_;
};

template <class Scalar, class Ordinal, class Offset, class Space, class Clock = std::chrono::steady_clock>
class RowEngine : public EliminationEngine<Scalar, Ordinal, Offset, Space> {
  using Plan = RowPlan<Ordinal, Offset, Space>;

 public:
  RowEngine(const Space& space, std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
    const auto& schedule = plan_->schedule();
    if (schedule.algorithm == Algorithm::SyncFreeRows) make_flags(space);
    if (schedule.one_thread > 0) watched_ = Watched(schedule.one_thread);
  }

  void eliminate(const Space& space, const Elimination<Scalar, Ordinal, Offset, Space>& asked) override {
    const auto& schedule = plan_->schedule();
    auto elimination = asked;
    forget_pivots(space, elimination.pivots.first, elimination.pattern.rows);
    elimination.changes_only_pivots = schedule.only_pivots_change && elimination.relaxation == 0;
    if constexpr (parallel::is_host_space<Space>)
      if (elimination.symmetric && schedule.algorithm == Algorithm::Sequential) point_at_rows(space, elimination);
    switch (algorithm_for(elimination)) {
      case Algorithm::SyncFreeRows:
        if (finished_.extent(0) == 0) make_flags(space);
        triangular::solve_rows_sync_free(space, elimination, schedule.for_kernels(), finished_.data(), counter_.data());
        break;
      case Algorithm::LevelScheduled: eliminate_by_levels(space, elimination); break;
      default: eliminate_alone(space, elimination);
    }
  }

  std::size_t bytes_held() const override {
    return side_by_side_.span() * sizeof(Scalar) + widths_.span() + finished_.span() * sizeof(unsigned) +
           counter_.span() * sizeof(triangular::WorkCounter) +
           (next_upper_.span() + next_mirror_.span()) * sizeof(Offset);
  }

 private:
  using Rows = Elimination<Scalar, Ordinal, Offset, Space>;
  using Watched = parallel::WatchedWork<Clock>;

  void make_flags(const Space& space) {
    finished_ = parallel::zeros<unsigned>(space, "terrace::incomplete::finished", plan_->schedule().tasks.tasks());
    counter_ = parallel::zeros<triangular::WorkCounter>(space, "terrace::incomplete::counter", 1);
  }

  /// Teams do not know what is dropped (eliminate_by_teams.hpp). Rows that one thread takes wait for flags if they can.
  Algorithm algorithm_for(const Rows& elimination) const {
    const auto& schedule = plan_->schedule();
    const bool leaves_teams = schedule.threads_per_row > 1 && elimination.relaxation != 0;
    return leaves_teams && parallel::running_threads_get_on<Space> ? Algorithm::SyncFreeRows : schedule.algorithm;
  }

  void eliminate_by_levels(const Space& space, const Rows& elimination) {
    const auto& schedule = plan_->schedule();
    const auto& levels = schedule.tasks.by_level;
    const triangular::LevelSolve<Ordinal, Offset> walk{
        schedule.for_kernels(), levels.level_offsets.data(), &levels.offsets, &schedule.chains, nullptr,
        watched_.patience(1)};
    if constexpr (!parallel::is_host_space<Space> && !parallel::has_tuned_engines<Space>)
      if (schedule.threads_per_row > 1 && elimination.relaxation == 0)
        return eliminate_by_teams(space, elimination, walk, schedule.threads_per_row);
    watched_.run(1, [&](bool one_thread) {
      if (one_thread) triangular::gather_sequentially(space, elimination, false);
      else triangular::gather_by_levels(space, elimination, walk);
    });
  }

  /// One thread. That of a host takes rows with the same columns together.
  void eliminate_alone(const Space& space, const Elimination<Scalar, Ordinal, Offset, Space>& elimination) {
    if constexpr (parallel::is_host_space<Space>) {
      using Groups = GroupElimination<Scalar, Ordinal, Offset, Space>;
      const bool may_group = elimination.arrays.rows.are_there() && !elimination.changes_only_pivots;
      if (may_group && has_groups(space, elimination.pattern))
        return parallel::run_alone(space, "terrace::incomplete::eliminate_groups",
                                   Groups(elimination, widths_.data(), side_by_side_.data()));
    }
    triangular::gather_sequentially(space, elimination, false);
  }

  /// Found by the first elimination, with the memory for it.
  bool has_groups(const Space& space, const sparse::TriangleView<Ordinal, Offset>& pattern) {
    using Groups = GroupElimination<Scalar, Ordinal, Offset, Space>;
    if (has_groups_) return *has_groups_;
    const auto rows = static_cast<std::size_t>(pattern.rows);
    widths_ = parallel::uninitialized<unsigned char>(space, "terrace::incomplete::group_widths", rows);
    space.fence("terrace::incomplete::find_groups");
    const bool pays = Groups::find_widths(pattern, widths_.data());
    if (pays)
      side_by_side_ = parallel::uninitialized<Scalar>(space, "terrace::incomplete::side_by_side", rows * Groups::most);
    else widths_ = {};
    has_groups_ = pays;
    return pays;
  }

  /// Made by the first elimination. Each leaves next_mirror as it found it.
  void point_at_rows(const Space& space, Elimination<Scalar, Ordinal, Offset, Space>& elimination) {
    const Ordinal rows = elimination.pattern.rows;
    const auto one_for_each = [&](auto& places, const char* label) {
      const bool is_new = places.extent(0) == 0;
      if (is_new) places = parallel::uninitialized<Offset>(space, label, std::size_t(rows));
      return is_new;
    };
    if (elimination.arrays.rows.are_there()) {
      one_for_each(next_upper_, "terrace::incomplete::next_upper");
      elimination.next_upper = next_upper_.data();
    }
    if (!elimination.matrix.source) {
      if (one_for_each(next_mirror_, "terrace::incomplete::next_mirror"))
        parallel::run_alone(space, "terrace::incomplete::first_mirrors", [&](int) {
          for (Ordinal row = 0; row < rows; ++row) next_mirror_(row) = elimination.first_mirror(row);
        });
      elimination.next_mirror = next_mirror_.data();
    }
  }

  std::shared_ptr<const Plan> plan_;
  Kokkos::View<unsigned*, parallel::Device<Space>> finished_;  // flags of rows that wait for one another
  Kokkos::View<triangular::WorkCounter*, parallel::Device<Space>> counter_;
  std::optional<bool> has_groups_;                                // known since the first elimination
  Kokkos::View<unsigned char*, parallel::Device<Space>> widths_;  // of groups of rows with the same columns
  Kokkos::View<Scalar*, parallel::Device<Space>> side_by_side_;   // numbers of rows that are eliminated together
  // Of symmetric matrices, where one thread takes all rows; see Elimination.
  Kokkos::View<Offset*, parallel::Device<Space>> next_upper_, next_mirror_;
  Watched watched_;  // what several threads of a host do level by level
};

template <class Ordinal, class Offset, class Space>
EliminationPlanPointer<Ordinal, Offset, Space> make_elimination_plan(
    const Space& space, const MergedPattern<Ordinal, Offset, Space>& merged, const IluSymbolicOptions& options,
    const TrianglePlanPointer<Ordinal, Offset, Space>& lower, const TrianglePlanPointer<Ordinal, Offset, Space>&) {
  return std::make_shared<RowPlan<Ordinal, Offset, Space>>(
      ScheduleMaker<Ordinal, Offset, Space>(space, merged, options, lower).make());
}

/// `plan` is a RowPlan.
template <class Scalar, class Space, class Ordinal, class Offset>
EliminationEnginePointer<Scalar, Ordinal, Offset, Space> make_elimination_engine(
    const Space& space, const std::shared_ptr<const EliminationPlan<Ordinal, Offset, Space>>& plan) {
  return std::make_unique<RowEngine<Scalar, Ordinal, Offset, Space>>(
      space, std::static_pointer_cast<const RowPlan<Ordinal, Offset, Space>>(plan));
}

}  // namespace terrace::incomplete
