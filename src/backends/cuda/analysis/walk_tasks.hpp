// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of lanes that walk tasks of consecutive rows (row_tasks.hpp) and wait, row by row, for the rows they need.
//
// Which lanes wait. Rows in the order of the matrix wait for their neighbours most of the time, and a hundred thousand
// waiting threads crowd out the one that could go on. With a group for each grid line few groups cover many rows, and
// they advance in a wave.
//
// It ends whatever the scheduler does: tasks are claimed in solution order and each group works off its claims in that
// order, so the first unfinished row is always in somebody's hands and waits for nothing. Rows of one warp may need
// each other: no lane stays in a loop that another lane of its warp would have to end.
//
// What a row needs is fetched in stages, each one turn of the loop before it is used, because a load that has to be
// waited for holds up all groups of the warp: the next task's number, where it begins, where the entries of the row
// after the next lie, the entries of the next.
#pragma once

#include "backends/cuda/analysis/row_tasks.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

/// What the walk itself knows of a row; `Rows` adds what it fetches.
template <class Offset>
struct WalkedRow {
  bool is_row = false;
  bool is_open = false;  // there are entries that this lane waits for
  int row = 0;
  parallel::EntriesLeft<Offset> entries;  // of this lane
};

/// `Rows` says what is done with a row. Its Row is a WalkedRow.
///   fetch(row, lanes)                  asks for the first entries of row.entries; sets is_open
///   look(row, lanes)                   looks at what is waited for; clears is_open when all has come
///   finish(row, log2_lanes, is_done)   called by the whole warp when rows are done; is_done in the lanes of those
/// Whether there are long rows is known when the kernel is compiled: to ask costs a walk along a chain 5 to 8 % of its
/// time.
template <class Offset, class Rows, bool PassesOverLongRows>
class TaskWalk {
  using Row = typename Rows::Row;

 public:
  __device__ TaskWalk(const RowTasks<Offset>& tasks, unsigned* claimed, Rows& rows)
      : tasks_(tasks),
        task_count_(__ldcg(tasks.begins) - 1),
        claims_ahead_(pays_to_claim_ahead()),
        counter_(claimed),
        rows_(rows),
        lanes_(1 << tasks.log2_lanes),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        part_(lane_ % lanes_),
        group_((lanes_ == warp_size ? all_lanes : (1u << lanes_) - 1u) << (lane_ - part_)) {}

  __device__ void walk() {
    do {
      if (now_.is_open) rows_.look(now_, lanes_);
      const bool is_done = (__ballot_sync(all_lanes, now_.is_open) & group_) == 0 && now_.is_row;
      if (__any_sync(all_lanes, is_done)) {
        rows_.finish(now_, tasks_.log2_lanes, is_done);
        if (is_done) now_.is_row = false;
      }
      if (__any_sync(all_lanes, !now_.is_row)) advance();
    } while (__any_sync(all_lanes, is_working()));
  }

 private:
  /// Short tasks that wait for each other would queue up behind tasks that they have nothing to do with.
  __device__ bool pays_to_claim_ahead() const {
    const int groups = tasks_.blocks() * tasks_.groups_per_block();
    return task_count_ > groups && task_count_ < tasks_.pattern.rows / TaskTuning::rows_of_long_task;
  }

  enum class Claim { None, Claimed, Known, NoMore };

  __device__ bool is_working() const {
    return now_.is_row || ahead_.is_row || after_.is_row || place_ < end_place_ || claim_ != Claim::NoMore;
  }

  /// Every stage moves on by one.
  __device__ void advance() {
    if (!now_.is_row && ahead_.is_row) {
      now_ = ahead_;
      ahead_.is_row = false;
    }
    if (!ahead_.is_row && after_.is_row) fetch();
    if (place_ == end_place_ && claim_ == Claim::Known) {
      place_ = task_place_;
      end_place_ = task_end_;
      claim_ = Claim::None;
    }
    if (!after_.is_row && place_ < end_place_) find_entries(place_++);
    claim();
  }

  __device__ void fetch() {
    static_cast<WalkedRow<Offset>&>(ahead_) = after_;
    if constexpr (PassesOverLongRows) ahead_.is_row = after_.entries.left <= static_cast<int>(tasks_.longest_row);
    ahead_.entries.advance(part_);
    rows_.fetch(ahead_, lanes_);
    after_.is_row = false;
    const std::int64_t distance = TaskTuning::entries_ahead * lanes_;
    const std::int64_t far = static_cast<std::int64_t>(ahead_.entries.next) + (tasks_.backward ? -distance : distance);
    if (far >= 0 && far < tasks_.entries) prefetch(tasks_.pattern.entries + far);
  }

  __device__ void find_entries(int place) {
    after_.row = tasks::Positions<int>{tasks_.pattern.rows, tasks_.backward, nullptr}.of(place);
    after_.entries =
        parallel::EntriesLeft<Offset>::of_row(tasks_.pattern.begin(after_.row), tasks_.pattern.end(after_.row));
    after_.is_row = true;
    const int far =
        parallel::wrapped_sum(after_.row, tasks_.backward ? -TaskTuning::rows_ahead : TaskTuning::rows_ahead);
    if (far >= 0 && far < tasks_.pattern.rows) prefetch(tasks_.pattern.row_map + far);
  }

  /// Looks up the task that was claimed in the last turn, and claims for the groups that want one, in one addition for
  /// the whole warp.
  __device__ void claim() {
    const unsigned task = __shfl_sync(all_lanes, claimed_, 0) + rank_;
    if (claim_ == Claim::Claimed) {
      claim_ = task < static_cast<unsigned>(task_count_) ? Claim::Known : Claim::NoMore;
      if (claim_ == Claim::Known) {
        task_place_ = tasks_.first_place[task];
        task_end_ = tasks_.first_place[task + 1];
      }
    }
    const bool is_idle = !now_.is_row && !ahead_.is_row && !after_.is_row;
    const bool wants = claim_ == Claim::None && place_ == end_place_ && (claims_ahead_ || is_idle);
    const unsigned leaders = __ballot_sync(all_lanes, wants && part_ == 0);
    if (leaders == 0) return;
    if (lane_ == 0) claimed_ = atomicAdd(counter_, static_cast<unsigned>(__popc(leaders)));
    rank_ = static_cast<unsigned>(__popc(leaders & ((1u << (lane_ - part_)) - 1u)));
    if (wants) claim_ = Claim::Claimed;
  }

  const RowTasks<Offset>& tasks_;
  int task_count_;
  bool claims_ahead_;
  unsigned* counter_;  // starts at zero
  Rows& rows_;
  int lanes_, lane_, part_;
  unsigned group_;  // the lanes that share the task
  Row now_, ahead_;
  WalkedRow<Offset> after_;
  int place_ = 0, end_place_ = 0;  // the rows of the task that are not yet on their way
  Claim claim_ = Claim::None;      // the one after it
  int task_place_ = 0, task_end_ = 0;
  unsigned claimed_ = 0, rank_ = 0;
};

}  // namespace terrace::cuda
