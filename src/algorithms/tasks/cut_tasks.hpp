// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the rows, in solution order, into tasks: runs of consecutive rows that one thread solves.
//
// Where a matrix has lines (the x-lines of a grid), most rows need the row before them, and those that do not begin a
// line. Tasks end where lines end. They are pieces that divide each line evenly, so that a task meets few others (tasks
// that straddle the middle of lines tie neighbours together and double the number of levels); or they hold a few whole
// lines, which is more to read in one go, where a third dimension leaves enough tasks. Without lines all tasks are
// equally long.
#pragma once

#include <limits>

#include "parallel/copy_to_host.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/loops.hpp"
#include "parallel/run_alone.hpp"
#include "sparse/triangle.hpp"

namespace terrace::tasks {

/// Position p is the p-th row in solution order.
template <class Ordinal>
struct Positions {
  Ordinal rows = 0;
  bool backward = false;
  const Ordinal* first = nullptr;  // where each task begins; null when each row is a task

  KOKKOS_FUNCTION Ordinal of(Ordinal row_or_position) const {
    return backward ? rows - 1 - row_or_position : row_or_position;
  }
  KOKKOS_FUNCTION Ordinal first_position(Ordinal task) const { return first ? first[task] : task; }
  KOKKOS_FUNCTION Ordinal end_position(Ordinal task) const { return first ? first[task + 1] : task + 1; }
};

/// How many rows tasks may have, and how many lines; zero lines: tasks do not look at them.
template <class Ordinal>
struct TaskLength {
  Ordinal most = 1;
  Ordinal lines = 0;

  static TaskLength pieces_of(Ordinal line, Ordinal longest) {
    return {parallel::divide_up(line, parallel::divide_up(line, longest)), 1};
  }
  static TaskLength whole(Ordinal line, Ordinal lines) {
    constexpr Ordinal max_rows = std::numeric_limits<Ordinal>::max();
    return {line > max_rows / lines ? max_rows : line * lines, lines};
  }
};

/// Sorted rows: the row before, in solution order, is the nearest to the diagonal.
template <class Ordinal, class Offset>
struct BeginsLine {
  sparse::TriangleView<Ordinal, Offset> rows;
  bool backward;

  KOKKOS_FUNCTION bool at(Ordinal position) const {
    const Ordinal row = backward ? rows.rows - 1 - position : position;
    const Offset begin = rows.begin(row), end = rows.end(row);
    if (begin == end) return true;
    return backward ? rows.entries[begin] != row + 1 : rows.entries[end - 1] != row - 1;
  }
  KOKKOS_FUNCTION void operator()(Ordinal position, Ordinal& lines) const { lines += at(position) ? 1 : 0; }
};

/// The average length of the lines; zero where the rows follow none.
template <class Ordinal, class Offset, class Space>
Ordinal find_lines(const Space& space, const sparse::TriangleView<Ordinal, Offset>& rows, bool backward) {
  constexpr Ordinal shortest_line = 16;
  Ordinal lines = 0;
  parallel::reduce_range("terrace::tasks::count_lines", Kokkos::RangePolicy<Space>(space, 0, rows.rows),
                         BeginsLine<Ordinal, Offset>{rows, backward}, lines);
  const Ordinal line = parallel::divide_up(rows.rows, lines);
  return line < shortest_line ? 0 : line;
}

/// One thread walks the positions; where tasks are equally long that is all it has to say.
template <class Ordinal, class Offset>
struct CutTasks {
  BeginsLine<Ordinal, Offset> line;
  TaskLength<Ordinal> length;
  Ordinal* first;
  Ordinal* tasks;

  KOKKOS_FUNCTION void operator()(int) const {
    const Ordinal rows = line.rows.rows;
    Ordinal count = 0, lines = 0;
    for (Ordinal position = 0; position < rows; ++position) {
      if (length.lines > 0 && line.at(position)) ++lines;
      if (count > 0 && position - first[count - 1] < length.most && lines <= length.lines) continue;
      first[count++] = position;
      lines = length.lines > 0 ? 1 : 0;
    }
    first[count] = rows;
    *tasks = count;
  }
};

/// Where each task begins, and the number of rows at the end.
template <class Ordinal, class Offset, class Space>
Kokkos::View<Ordinal*, parallel::Device<Space>> cut_tasks(const Space& space,
                                                          const sparse::TriangleView<Ordinal, Offset>& rows,
                                                          bool backward, const TaskLength<Ordinal>& length) {
  const std::size_t most = length.lines > 0 ? static_cast<std::size_t>(rows.rows)
                                            : static_cast<std::size_t>((rows.rows - 1) / length.most + 1);
  const char* const label = "terrace::schedule::first_position";
  const parallel::Scratch<Ordinal, Space> first(space, label, most + 1);
  const parallel::Scratch<Ordinal, Space> tasks(space, "terrace::tasks::tasks", 1);
  parallel::run_alone(space, "terrace::tasks::cut_tasks",
                      CutTasks<Ordinal, Offset>{{rows, backward}, length, first.data(), tasks.data()});
  const auto count = static_cast<std::size_t>(parallel::read_on_host<Ordinal>(space, tasks.data()));
  const auto kept = parallel::uninitialized<Ordinal>(space, label, count + 1);
  parallel::copy(space, kept, Kokkos::subview(first.view(), std::pair(std::size_t(0), count + 1)));
  return kept;
}

}  // namespace terrace::tasks
