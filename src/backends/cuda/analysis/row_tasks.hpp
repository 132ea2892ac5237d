// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a triangle, in their own order, cut into tasks: runs of rows that each need the row before them, as on a
// grid line. The lanes that walk a task hand the newest result on in a register. Rows that are too long for that are
// passed over, and come in pieces (row_pieces.hpp).
#pragma once

#include "algorithms/tasks/cut_tasks.hpp"
#include "backends/cuda/analysis/list_flagged.hpp"
#include "backends/cuda/analysis/tuning.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/shared_steps.hpp"
#include "backends/cuda/watch.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda {

/// A part of a long row.
struct RowPiece {
  int row;
  int first;  // the number of the row's first piece
};

/// The tasks as the kernels see them.
template <class Offset>
struct RowTasks {
  sparse::TriangleView<int, Offset> pattern;
  bool backward;
  std::int64_t entries;
  int log2_lanes;                    // that share a task
  Offset longest_row;                // that they walk where pieces are counted
  const int* first_place;            // of each task in the solution order, and the end
  const int* begins;                 // tasks and the end, as the device has counted them
  int tasks;                         // or more, before they have been counted
  const RowPiece* pieces = nullptr;  // of long rows, ascending
  int piece_count = 0;

  KOKKOS_FUNCTION int pieces_of(int row) const {
    constexpr auto most = static_cast<Offset>(TaskTuning::entries_per_piece);
    const Offset length = pattern.end(row) - pattern.begin(row);
    return length > longest_row ? static_cast<int>(parallel::divide_up(length, most)) : 0;
  }

  KOKKOS_FUNCTION int row_of(int place) const {
    return tasks::Positions<int>{pattern.rows, backward, nullptr}.of(place);
  }

  /// Whether a task begins at a place of the solution order, or the end. Rows are sorted, so the nearest needed row
  /// stands at an end.
  KOKKOS_FUNCTION bool begins_at(int place) const {
    if (place == 0 || place == pattern.rows) return true;
    const int row = row_of(place), before = row_of(place - 1);
    const Offset begin = pattern.begin(row), end = pattern.end(row);
    if (begin >= end || pattern.entries[backward ? begin : end - 1] != before) return true;
    const auto most = static_cast<Offset>(TaskTuning::entries_per_lane) << log2_lanes;  // no task has many more
    return begin / most != pattern.begin(before) / most;
  }

  KOKKOS_FUNCTION int groups_per_block() const { return TaskTuning::block >> log2_lanes; }
  /// Of the walk: more groups than tasks would find nothing to do.
  KOKKOS_FUNCTION int blocks_for(int some_tasks) const {
    return Kokkos::min(parallel::divide_up(some_tasks, groups_per_block()),
                       TaskTuning::max_threads / TaskTuning::block);
  }
  KOKKOS_FUNCTION int blocks() const { return blocks_for(tasks); }
};

/// Flags the places of the solution order where tasks begin, and the end. Counts the pieces of long rows on the way.
template <class Offset>
struct FlagTasks {
  RowTasks<Offset> tasks;
  unsigned char* begins;
  int* piece_count;  // zero before
  int* unknown;      // a number of each row that becomes -1; or null

  KOKKOS_FUNCTION void operator()(int place) const {
    begins[place] = tasks.begins_at(place);
    if (place == tasks.pattern.rows) return;
    if (unknown) unknown[place] = -1;
    const int pieces = tasks.pieces_of(tasks.row_of(place));
    if (pieces > 0) Kokkos::atomic_add(piece_count, pieces);
  }
};

/// See list_tasks_at_once.hpp.
inline constexpr int steps_that_list_tasks = 2;

/// What list_tasks works with.
class TaskScratch {
 public:
  static std::size_t bytes(int rows) {
    const auto places = static_cast<std::size_t>(rows) + 1;
    return Arrays::bytes<int>(counts + places) + Arrays::bytes<unsigned char>(places) +
           Arrays::bytes<unsigned long long>(most_shares) + Arrays::bytes<unsigned>(counters);
  }

  TaskScratch(Arrays& arrays, int rows)
      : found(arrays.take<int>(counts + static_cast<std::size_t>(rows) + 1)),
        first_place(found + counts),
        flags(arrays.take<unsigned char>(static_cast<std::size_t>(rows) + 1)),
        of_share(arrays.take<unsigned long long>(most_shares)),
        steps(arrays.take<unsigned>(counters)) {}

  /// Tasks, pieces of long rows, and what a walk without pieces counts with; the places stand behind them.
  static constexpr std::size_t counts = 4;
  static constexpr std::size_t most_shares = TaskTuning::max_threads / TaskTuning::block,
                               counters = SharedSteps::counters(steps_that_list_tasks);
  unsigned* claimed() const { return reinterpret_cast<unsigned*>(found + 2); }
  int* found;
  int* first_place;
  unsigned char* flags;
  unsigned long long* of_share;  // what those who list tasks together have found
  unsigned* steps;               // that they have taken
};

/// The tasks before they are listed; how many they are the device will know.
template <class Offset>
RowTasks<Offset> unlisted_tasks(const sparse::TriangleView<int, Offset>& pattern, bool backward, std::size_t entries,
                                const TaskScratch& scratch) {
  const int log2_lanes =
      log2_lanes_for(entries, TaskTuning::entries_per_lane_of_row * static_cast<std::size_t>(pattern.rows));
  return {pattern,
          backward,
          static_cast<std::int64_t>(entries),
          log2_lanes,
          static_cast<Offset>(TaskTuning::longest_row_per_lane) << log2_lanes,
          scratch.first_place,
          scratch.found,
          pattern.rows};
}

/// The tasks, whose list stays in the scratch memory. Enqueued; how many they are the device knows, and as long as the
/// host does not, all rows are walked. A number of each row is made -1 on the way, where somebody wants that.
template <class Offset>
RowTasks<Offset> list_tasks(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern, bool backward,
                            std::size_t entries, const TaskScratch& scratch, int* unknown = nullptr) {
  const auto tasks = unlisted_tasks(pattern, backward, entries, scratch);
  check(cudaMemsetAsync(scratch.found + 1, 0, (TaskScratch::counts - 1) * sizeof(int), space.cuda_stream()),
        "cudaMemsetAsync");
  Kokkos::parallel_for("terrace::cuda::flag_tasks", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, pattern.rows + 1),
                       FlagTasks<Offset>{tasks, scratch.flags, scratch.found + 1, unknown});
  const std::size_t bytes = list_flagged_bytes(pattern.rows + 1);
  JoinedScratch select(space, "terrace::cuda::list_tasks", bytes);
  list_flagged(space.cuda_stream(), select.take<char>(bytes), bytes, scratch.flags, pattern.rows + 1,
               scratch.first_place, scratch.found);
  return tasks;
}

/// The number of tasks, and of the pieces that list_pieces will list. Waits for both.
template <class Offset>
void count_tasks(const Kokkos::Cuda& space, RowTasks<Offset>& tasks) {
  const auto [begins, pieces] = read_numbers<2>(space, tasks.begins);
  tasks.tasks = begins - 1;
  tasks.piece_count = pieces;
}

}  // namespace terrace::cuda
