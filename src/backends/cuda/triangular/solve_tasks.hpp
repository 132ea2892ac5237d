// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution over tasks of consecutive rows (walk_tasks.hpp), on the caller's own arrays and in the order of the
// matrix: what a solve needs in advance is a list of tasks.
//
// Two ways to tell that an unknown is there:
//   ValuesAsFlags  x itself is pending until it is solved (watch.hpp); where x is not b.
//   MarkedRows     a byte for each row, set after x; where x is b.
//
// Deterministic: each lane subtracts its entries in their order, the lanes are summed in theirs, and so are the pieces
// of long rows (row_pieces.hpp).
#pragma once

#include "backends/cuda/analysis/row_pieces.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda::triangular {

/// One right-hand side.
template <class Scalar, class Offset>
struct TaskSystem {
  RowTasks<Offset> tasks;
  const Scalar* values;  // of the rows, entry by entry
  bool unit;
  bool conjugate;
  const Scalar* b;
  Scalar* x;
  std::ptrdiff_t b_stride;
  std::ptrdiff_t x_stride;
  unsigned char* marks;
  TaskCounters<Scalar> counters;
};

template <class Scalar>
struct ValuesAsFlags {
  Scalar* x;
  std::ptrdiff_t stride;

  __device__ void look(int row, Scalar& found) const { watch_if(is_pending(found), x + row * stride, found); }
  __device__ void publish(int row, const Scalar& value) const { cuda::publish(x + row * stride, value); }
};

template <class Scalar>
struct MarkedRows {
  Scalar* x;
  std::ptrdiff_t stride;
  unsigned char* marks;

  __device__ void look(int row, Scalar& found) const {
    if (!is_pending(found) || !is_marked(marks + row)) return;
    watch_if(true, x + row * stride, found);
  }
  __device__ void publish(int row, const Scalar& value) const {
    cuda::publish(x + row * stride, value);
    mark(marks + row);
  }
};

/// The unknowns of one lane's rows.
template <class Scalar, class Offset, class Unknowns>
class SolvedRows {
  static constexpr int at_once = 4;

 public:
  using Partial = Scalar;  // minus the sum over some entries
  struct Row : WalkedRow<Offset> {
    Scalar sum, diagonal;
    int needed[at_once];
    Scalar value[at_once], found[at_once];
  };

  __device__ SolvedRows(const TaskSystem<Scalar, Offset>& system, const Unknowns& unknowns)
      : system_(system), unknowns_(unknowns), leads_((threadIdx.x & ((1u << system.tasks.log2_lanes) - 1u)) == 0) {}

  __device__ void fetch(Row& to, int lanes) const {
    to.sum = leads_ ? system_.b[to.row * system_.b_stride] : Scalar(0);
    to.diagonal = diagonal(to.row);
    fetch_entries(to, lanes);
  }
  __device__ void fetch_piece(Row& to, int lanes) const {
    to.sum = Scalar(0);
    fetch_entries(to, lanes);
  }

  __device__ void look(Row& now, int lanes) const {
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      if (now.needed[w] == newest_row_ && is_pending(now.found[w])) now.found[w] = newest_;
      unknowns_.look(now.needed[w], now.found[w]);
    }
    bool waits = false;
#pragma unroll
    for (int w = 0; w < at_once; ++w) waits = waits || is_pending(now.found[w]);
    if (waits) return;
#pragma unroll
    for (int w = 0; w < at_once; ++w) now.sum -= conjugated(now.value[w], system_.conjugate) * now.found[w];
    now.entries.advance(at_once * lanes);
    fetch_entries(now, lanes);
  }

  __device__ static Scalar none() { return Scalar(0); }
  __device__ static Scalar of(const Row& row) { return row.sum; }
  __device__ static Scalar both(const Scalar& first, const Scalar& second) { return first + second; }
  __device__ static Scalar over_lanes(const Scalar& sum, int log2_lanes) { return sum_over_lanes(sum, log2_lanes); }

  __device__ void finish(Row& now, int log2_lanes, bool is_done) {
    const Scalar sum = over_lanes(now.sum, log2_lanes);
    if (!is_done) return;
    newest_row_ = now.row;
    newest_ = solved(sum, now.diagonal);
    if (leads_) unknowns_.publish(now.row, newest_);
  }
  __device__ void finish_long(const Row& row, const Scalar& sum) const {
    if (threadIdx.x % warp_size != 0) return;
    unknowns_.publish(row.row, solved(system_.b[row.row * system_.b_stride] + sum, diagonal(row.row)));
  }

 private:
  __device__ Scalar diagonal(int row) const {
    return system_.unit ? Scalar(1) : system_.values[system_.tasks.pattern.diagonal_position(row)];
  }
  __device__ Scalar solved(const Scalar& sum, const Scalar& diagonal) const {
    return publishable(sum / conjugated(diagonal, system_.conjugate));
  }

  __device__ void fetch_entries(Row& to, int lanes) const {
    to.is_open = to.entries.any();
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      const bool is_entry = to.entries.has(w * lanes);
      to.needed[w] = is_entry ? system_.tasks.pattern.entries[to.entries.place(w * lanes)] : 0;
      to.value[w] = is_entry ? system_.values[to.entries.place(w * lanes)] : Scalar(0);
      to.found[w] = is_entry ? pending<Scalar>() : Scalar(0);
    }
  }

  const TaskSystem<Scalar, Offset>& system_;
  Unknowns unknowns_;
  bool leads_;
  int newest_row_ = -1;
  Scalar newest_;
};

template <class Scalar, class Offset, bool HasPieces>
__global__ void __launch_bounds__(threads_of_walk(HasPieces)) solve_tasks_kernel(TaskSystem<Scalar, Offset> system) {
  using Unknowns = ValuesAsFlags<Scalar>;
  SolvedRows<Scalar, Offset, Unknowns> rows(system, Unknowns{system.x, system.x_stride});
  walk_tasks_and_pieces<HasPieces>(system.tasks, system.counters, rows);
}

template <class Scalar, class Offset, bool HasPieces>
__global__ void __launch_bounds__(threads_of_walk(HasPieces))
    solve_tasks_in_place_kernel(TaskSystem<Scalar, Offset> system) {
  using Unknowns = MarkedRows<Scalar>;
  SolvedRows<Scalar, Offset, Unknowns> rows(system, Unknowns{system.x, system.x_stride, system.marks});
  walk_tasks_and_pieces<HasPieces>(system.tasks, system.counters, rows);
}

}  // namespace terrace::cuda::triangular
