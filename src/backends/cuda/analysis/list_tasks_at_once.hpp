// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks of a small triangle, and the pieces of its long rows, listed by the kernel that walks them: each share of
// the places of the solution order is looked at, and listed when it is known how many begin in the others. A scan, a
// wait for what it found, and another scan would each take longer to launch than to run.
#pragma once

#include "backends/cuda/analysis/row_pieces.hpp"
#include "backends/cuda/block_scan.hpp"
#include "backends/cuda/shared_steps.hpp"
#include "sparse/check_structure.hpp"

namespace terrace::cuda {

template <class Offset>
struct ListTasks {
  RowTasks<Offset> tasks;
  unsigned char* flags;  // of places
  int* first_place;      // as in RowTasks
  int* begins;
  unsigned long long* of_share;  // what begins in each share of the places
  unsigned* steps;               // of SharedSteps; zero before
  RowPiece* pieces;              // where there may be any
  unsigned* claimed;             // as in TaskCounters; becomes zero
  int* unknown;                  // a number of each row that becomes -1; or null
  const int* cells = nullptr;    // of sparse::CheckStructure, where the host does not yet know what they say

  /// The same for all threads.
  __device__ bool may_begin() const {
    using Diagnostics = sparse::StructureDiagnostics;
    if (!cells) return true;
    bool is_as_expected = true;
    for (int kind = 0; kind < Diagnostics::Cells; ++kind)
      is_as_expected = is_as_expected & (kind == Diagnostics::StoredDiagonal || cells[kind] == 0);
    return is_as_expected;
  }
};

/// Pieces that there can be.
template <class Offset>
std::size_t most_pieces(const RowTasks<Offset>& tasks) {
  const auto entries = static_cast<std::size_t>(tasks.entries);
  return entries / TaskTuning::entries_per_piece + entries / static_cast<std::size_t>(tasks.longest_row) + 1;
}

/// Tasks and pieces, in the lower and the upper half of a number.
struct TasksAndPieces {
  using Number = unsigned long long;
  __device__ static Number of(bool begins, int pieces) {
    return (begins ? 1u : 0u) | static_cast<Number>(static_cast<unsigned>(pieces)) << 32;
  }
  __device__ static int tasks(Number both) { return static_cast<int>(both & 0xffffffffu); }
  __device__ static int pieces(Number both) { return static_cast<int>(both >> 32); }
};

/// Of the row at a place of the solution order, or of none at its end.
template <bool HasPieces, class Offset>
__device__ int pieces_at(const RowTasks<Offset>& tasks, int place) {
  return HasPieces && place < tasks.pattern.rows ? tasks.pieces_of(tasks.row_of(place)) : 0;
}

/// Of a row that has so many, behind so many others.
template <class Offset>
__device__ void list_pieces_of(const ListTasks<Offset>& list, const RowTasks<Offset>& tasks, int place, int pieces,
                               int before) {
  const int first = tasks.backward ? tasks.piece_count - before - pieces : before;
  for (int k = first; k < first + pieces; ++k) {
    list.pieces[k] = {tasks.row_of(place), first};
    list.claimed[2 + k] = 0;
  }
}

/// How many begin in a share of the places; where they begin is marked.
template <bool HasPieces, class Offset>
__device__ void mark_tasks(const ListTasks<Offset>& list, int share) {
  using Both = TasksAndPieces;
  constexpr int of_thread = TaskTuning::places_at_once;
  const RowTasks<Offset>& tasks = list.tasks;
  const int rows = tasks.pattern.rows, thread = static_cast<int>(threadIdx.x);
  const PartOfShare part(share, rows + 1);
  const int end = part.first + part.count, tile = of_thread * static_cast<int>(blockDim.x);
  Both::Number own = 0, all;
  for (int from = part.first + of_thread * thread; from < end; from += tile) {
    bool begins[of_thread];
#pragma unroll
    for (int k = 0; k < of_thread; ++k) begins[k] = from + k < end && tasks.begins_at(from + k);
#pragma unroll
    for (int k = 0; k < of_thread; ++k) {
      if (from + k >= end) break;
      list.flags[from + k] = begins[k];
      if (list.unknown && from + k < rows) list.unknown[from + k] = -1;
      own += Both::of(begins[k], pieces_at<HasPieces>(tasks, from + k));
    }
  }
  sum_before(own, all);
  if (thread == 0) list.of_share[share] = all;
}

/// Those of a share, of which `tasks` knows how many pieces there are in all.
template <bool HasPieces, class Offset>
__device__ void list_marked_tasks(const ListTasks<Offset>& list, const RowTasks<Offset>& tasks, int share) {
  using Both = TasksAndPieces;
  constexpr int of_thread = TaskTuning::places_at_once;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const PartOfShare part(share, tasks.pattern.rows + 1);
  const int end = part.first + part.count;
  Both::Number of_others = 0, next, here;
  for (int other = thread; other < share; other += threads) of_others += list.of_share[other];
  sum_before(of_others, next);
  for (int tile = part.first; tile < end; tile += of_thread * threads) {
    const int from = tile + of_thread * thread;
    bool begins[of_thread];
    int pieces[of_thread];
    Both::Number own = 0;
#pragma unroll
    for (int k = 0; k < of_thread; ++k) {
      begins[k] = from + k < end && list.flags[from + k] != 0;
      pieces[k] = from + k < end ? pieces_at<HasPieces>(tasks, from + k) : 0;
      own += Both::of(begins[k], pieces[k]);
    }
    Both::Number before = next + sum_before(own, here);
#pragma unroll
    for (int k = 0; k < of_thread; ++k) {
      if (begins[k]) list.first_place[Both::tasks(before)] = from + k;
      if (HasPieces && pieces[k] > 0) list_pieces_of(list, tasks, from + k, pieces[k], Both::pieces(before));
      before += Both::of(begins[k], pieces[k]);
    }
    next += here;
  }
}

/// By all threads of the grid. They are all there when it returns, which is the tasks with their pieces.
template <bool HasPieces, class Offset>
__device__ RowTasks<Offset> list_tasks_at_once(const ListTasks<Offset>& list) {
  using Both = TasksAndPieces;
  SharedSteps steps(list.steps);
  steps.share([&](int share) { mark_tasks<HasPieces>(list, share); });
  Both::Number own = 0, all;
  for (int share = static_cast<int>(threadIdx.x); share < static_cast<int>(gridDim.x);
       share += static_cast<int>(blockDim.x))
    own += list.of_share[share];
  sum_before(own, all);
  RowTasks<Offset> tasks = list.tasks;
  tasks.tasks = Both::tasks(all) - 1;
  tasks.piece_count = Both::pieces(all);
  tasks.pieces = list.pieces;
  steps.share([&](int share) {
    list_marked_tasks<HasPieces>(list, tasks, share);
    if (share != 0) return;
    if (threadIdx.x < 2) list.claimed[threadIdx.x] = 0;
    if (threadIdx.x == 0) *list.begins = Both::tasks(all);
  });
  return tasks;
}

/// For `tasks` that are not listed; `pieces` and `claimed` are null where there are no long rows. Enqueues what has to
/// be zero.
template <class Offset>
ListTasks<Offset> tasks_to_list(const Kokkos::Cuda& space, const RowTasks<Offset>& tasks, const TaskScratch& scratch,
                                RowPiece* pieces, unsigned* claimed, int* unknown) {
  set_bytes(space, scratch.steps, 0, SharedSteps::counters(steps_that_list_tasks) * sizeof(unsigned));
  return {tasks,
          scratch.flags,
          scratch.first_place,
          scratch.found,
          scratch.of_share,
          scratch.steps,
          pieces,
          claimed ? claimed : scratch.claimed(),
          unknown};
}

template <class Offset>
__global__ void __launch_bounds__(TaskTuning::block)
    list_tasks_kernel(const __grid_constant__ ListTasks<Offset> list, int* begins_for_host) {
  list_tasks_at_once<false>(list);
  if (number_of_thread() == 0) *begins_for_host = *list.begins;
}

/// As list_tasks and count_tasks, of a small triangle without long rows. Waits for the number of tasks.
template <class Offset>
RowTasks<Offset> list_tasks_at_once(const Kokkos::Cuda& space, const sparse::TriangleView<int, Offset>& pattern,
                                    bool backward, std::size_t entries, const TaskScratch& scratch) {
  auto tasks = unlisted_tasks(pattern, backward, entries, scratch);
  const NumbersForHost<int> for_host(scratch.found + 1, 1);
  launch(space, "terrace::cuda::list_tasks", list_tasks_kernel<Offset>, static_cast<std::size_t>(tasks.blocks()),
         TaskTuning::block, tasks_to_list(space, tasks, scratch, nullptr, nullptr, nullptr), for_host.to());
  int begins = 0;
  for_host.read(space, &begins);
  tasks.tasks = begins - 1;
  return tasks;
}

}  // namespace terrace::cuda
