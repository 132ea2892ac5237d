// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a triangle: what its solvers share, whatever their values (ADR 17).
//
// The elimination of rows and substitution with L wait for the same rows, and all factors with one pattern for the
// same, so a pattern that several engines work on has a plan for each triangle. The engine that needs a schedule first
// makes it and leaves it here. Schedules are views, never written again: an engine that takes one holds it too.
//
// A backend with structures of its own derives its plan from this one and overloads make_triangle_plan
// (backends/triangular.hpp); its engines know that every plan of their space is of that class.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "algorithms/tasks/task_schedule.hpp"
#include "algorithms/triangular/engine.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset, class Space>
struct LevelLengths;  // level_lengths.hpp

template <class Ordinal, class Offset, class Space>
class TrianglePlan {
 public:
  using Schedule = tasks::TaskSchedule<Ordinal, Offset, Space>;
  using Length = tasks::TaskLength<Ordinal>;

  TrianglePlan() = default;
  virtual ~TrianglePlan() = default;
  TrianglePlan(const TrianglePlan&) = delete;
  TrianglePlan& operator=(const TrianglePlan&) = delete;

  /// Rows of the lines of a grid; see tasks::find_lines.
  template <class Find>
  Ordinal line_length(const Find& find) {
    const std::scoped_lock lock(mutex_);
    if (!line_length_) line_length_ = find();
    return *line_length_;
  }

  /// Of the levels of single rows. `make` waits for its space.
  template <class Make>
  std::shared_ptr<const LevelLengths<Ordinal, Offset, Space>> level_lengths(const Make& make) {
    const std::scoped_lock lock(mutex_);
    if (!level_lengths_) level_lengths_ = make();
    return level_lengths_;
  }

  /// `make` waits for its space, so that every instance may use what it made.
  template <class Make>
  Schedule schedule(const Length& length, bool lists_predecessors, const Make& make) {
    const std::scoped_lock lock(mutex_);
    for (const auto& known : schedules_)
      if (known.length.most == length.most && known.length.lines == length.lines &&
          known.lists_predecessors == lists_predecessors)
        return known.schedule;
    schedules_.push_back({length, lists_predecessors, make()});
    return schedules_.back().schedule;
  }

 private:
  struct CachedSchedule {
    Length length;
    bool lists_predecessors;
    Schedule schedule;
  };
  std::mutex mutex_;
  std::optional<Ordinal> line_length_;
  std::shared_ptr<const LevelLengths<Ordinal, Offset, Space>> level_lengths_;
  std::vector<CachedSchedule> schedules_;
};

template <class Ordinal, class Offset, class Space>
std::shared_ptr<TrianglePlan<Ordinal, Offset, Space>> make_triangle_plan(const Space&) {
  return std::make_shared<TrianglePlan<Ordinal, Offset, Space>>();
}

/// A plan of the triangle for one solver, begun before the host knows what the check of the structure has found, by
/// kernels that do nothing unless it is what `unchecked` expects; none where a backend has no such kernels, which
/// overload this (backends/triangular.hpp).
template <class Ordinal, class Offset, class Space>
std::shared_ptr<TrianglePlan<Ordinal, Offset, Space>> plan_ahead(
    const Space&, const sparse::CheckedInput<Ordinal, Offset, Space>& /*unchecked*/) {
  return nullptr;
}

/// A checked triangle and its plan, for any number of solvers with values of their own; TriangularSolver has a
/// constructor for it.
template <class Ordinal, class Offset, class Space>
struct SharedTriangle {
  sparse::CheckedInput<Ordinal, Offset, Space> input;  // without cells, which are scratch of one solver
  std::shared_ptr<TrianglePlan<Ordinal, Offset, Space>> plan;
};

}  // namespace terrace::triangular
