// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of a triangle's structure: whoever needs a schedule first makes it, and leaves it for the others
// (ADR 17).
//
// The elimination of rows and substitution with L wait for the same rows, and all factors with one pattern for the
// same. So a pattern that several engines work on has one of these for each triangle. Schedules are views, never
// written again: who takes one holds it too.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "algorithms/analysis/task_schedule.hpp"
#include "algorithms/triangular/engine.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset, class Space>
class KnownSchedules {
 public:
  using Schedule = analysis::TaskSchedule<Ordinal, Offset, Space>;
  using Length = analysis::TaskLength<Ordinal>;

  /// Rows of the lines of a grid; see analysis::find_lines.
  template <class Find>
  Ordinal line_length(const Find& find) {
    const std::scoped_lock lock(mutex_);
    if (!line_length_) line_length_ = find();
    return *line_length_;
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
  struct Known {
    Length length;
    bool lists_predecessors;
    Schedule schedule;
  };
  std::mutex mutex_;
  std::optional<Ordinal> line_length_;
  std::vector<Known> schedules_;
};

/// The schedules alone, where a backend has nothing else.
template <class Ordinal, class Offset, class Space>
class KnownStructures : public KnownSchedules<Ordinal, Offset, Space> {};

/// A checked triangle for any number of solvers with values of their own; TriangularSolver has a constructor for it.
template <class Ordinal, class Offset, class Space>
struct SharedTriangle {
  analysis::CheckedInput<Ordinal, Offset, Space> input;  // without cells, which are scratch of one solver
  std::shared_ptr<KnownStructures<Ordinal, Offset, Space>> known =
      std::make_shared<KnownStructures<Ordinal, Offset, Space>>();
};

}  // namespace terrace::triangular
