// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows with very many entries (the hubs of a graph), cut into pieces, and the warps that take them.
//
// A group of lanes that walks tasks (walk_tasks.hpp) would be alone with such a row while all others are done. Each
// block has a warp more, where there are such rows, which claims piece after piece in the order of the solution,
// so that the pieces of a row lie in the hands of many warps. A piece ends in a partial result, and whoever
// brings the last one of a row combines all of them: nobody waits for them, and the result does not depend
// on who it was, because they are combined in their order.
//
// It ends for the same reason as the walk, and with it: both claim in the order of the solution, every block has
// groups as well as such a warp, so of all unfinished rows the first is in somebody's hands, or next to be claimed by
// a warp that waits for nothing.
//
// Memory: 12 bytes and a number for each piece.
#pragma once

#include "backends/cuda/analysis/walk_tasks.hpp"

namespace terrace::cuda {

/// What walks count with, and what the pieces leave.
template <class Partial>
struct TaskCounters {
  unsigned* claimed;  // tasks, and pieces; behind them the pieces of a row that have come, at its first
  Partial* partial;   // results, piece by piece

  static std::size_t bytes(int pieces) {
    const auto count = static_cast<std::size_t>(pieces);
    return Arrays::bytes<unsigned>(count + 2) + Arrays::bytes<Partial>(count);
  }
  TaskCounters(Arrays& arrays, int pieces)
      : claimed(arrays.take<unsigned>(static_cast<std::size_t>(pieces) + 2)),
        partial(arrays.take<Partial>(static_cast<std::size_t>(pieces))) {}
  /// Without pieces, unless there are partial results.
  KOKKOS_FUNCTION explicit TaskCounters(unsigned* claimed, Partial* partial = nullptr)
      : claimed(claimed), partial(partial) {}

  /// Enqueued, before each walk.
  void reset(const Kokkos::Cuda& space, int pieces) const {
    const std::size_t count = static_cast<std::size_t>(pieces) + 2;
    check(cudaMemsetAsync(claimed, 0, count * sizeof(unsigned), space.cuda_stream()), "cudaMemsetAsync");
  }
};

/// Writes the pieces of each long row, rows ascending; in a row as its entries stand.
template <class Offset>
struct ListPieces {
  RowTasks<Offset> tasks;
  RowPiece* pieces;
  KOKKOS_FUNCTION void operator()(int row, int& count, bool final) const {
    const int cut_into = tasks.pieces_of(row);
    if (final)
      for (int k = 0; k < cut_into; ++k) pieces[count + k] = {row, count};
    count += cut_into;
  }
};

/// Enqueued. `pieces` has capacity for tasks.piece_count of them.
template <class Offset>
void list_pieces(const Kokkos::Cuda& space, RowTasks<Offset>& tasks, RowPiece* pieces) {
  if (tasks.piece_count == 0) return;
  Kokkos::parallel_scan("terrace::cuda::list_pieces", Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, tasks.pattern.rows),
                        ListPieces<Offset>{tasks, pieces});
  tasks.pieces = pieces;
}

/// `Rows` as in TaskWalk, and
///   Partial                           what is known of a part of a row
///   fetch_piece(row, lanes)           like fetch, for a part of a row
///   of(row)                           the lane's Partial
///   none(), both(first, second)       of no entries; of two neighbouring parts
///   over_lanes(partial, log2_lanes)   of all the lanes' parts
///   finish_long(row, partial)         called by the whole warp with all there is of the row
template <class Offset, class Rows>
class PieceWalk {
  using Row = typename Rows::Row;
  using Partial = typename Rows::Partial;
  static constexpr int log2_lanes = 5;

 public:
  __device__ PieceWalk(const RowTasks<Offset>& tasks, const TaskCounters<Partial>& counters, Rows& rows)
      : tasks_(tasks), counters_(counters), rows_(rows), lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void walk() {
    for (int claim = next(); claim < tasks_.piece_count; claim = next()) {
      const int number = tasks_.backward ? tasks_.piece_count - 1 - claim : claim;
      const RowPiece piece = tasks_.pieces[number];
      Row row = entries_of(piece, number - piece.first);
      rows_.fetch_piece(row, warp_size);
      while (__any_sync(all_lanes, row.is_open))
        if (row.is_open) rows_.look(row, warp_size);
      Partial partial = Rows::over_lanes(Rows::of(row), log2_lanes);
      const int pieces = tasks_.pieces_of(piece.row);
      if (pieces > 1) {
        if (!is_last(number, piece.first, pieces, partial)) continue;
        partial = combined(piece.first, pieces);
      }
      rows_.finish_long(row, partial);
    }
  }

 private:
  __device__ int next() const {
    const unsigned claim = lane_ == 0 ? atomicAdd(counters_.claimed + 1, 1u) : 0u;
    return static_cast<int>(__shfl_sync(all_lanes, claim, 0));
  }

  __device__ Row entries_of(const RowPiece& piece, int place) const {
    Row row;
    row.row = piece.row;
    constexpr auto most = static_cast<Offset>(TaskTuning::entries_per_piece);
    const Offset begin = tasks_.pattern.begin(piece.row) + static_cast<Offset>(place) * most;
    const Offset end = tasks_.pattern.end(piece.row);
    row.entries = parallel::EntriesLeft<Offset>::of_row(begin, end - begin > most ? begin + most : end);
    row.entries.advance(lane_);
    return row;
  }

  /// Leaves the partial result; true in all lanes when the row's others have been left before.
  __device__ bool is_last(int number, int first, int pieces, const Partial& partial) const {
    int others = 0;
    if (lane_ == 0) {
      publish(counters_.partial + number, partial);
      __threadfence();
      others = static_cast<int>(atomicAdd(counters_.claimed + 2 + first, 1u));
    }
    return __shfl_sync(all_lanes, others, 0) + 1 == pieces;
  }

  __device__ Partial combined(int first, int pieces) const {
    __threadfence();
    Partial sum = Rows::none();
    for (int place = lane_; place < pieces; place += warp_size) {
      Partial one = Rows::none();
      watch_if(true, counters_.partial + first + place, one);
      sum = Rows::both(sum, one);
    }
    return Rows::over_lanes(sum, log2_lanes);
  }

  const RowTasks<Offset>& tasks_;
  const TaskCounters<Partial>& counters_;
  Rows& rows_;
  int lane_;
};

/// The block's groups walk tasks, and its last warp takes pieces where there are any.
template <bool HasPieces, class Offset, class Rows>
__device__ void walk_tasks_and_pieces(const RowTasks<Offset>& tasks,
                                      const TaskCounters<typename Rows::Partial>& counters, Rows& rows) {
  if constexpr (HasPieces) {
    if (threadIdx.x >= TaskTuning::block) return PieceWalk<Offset, Rows>(tasks, counters, rows).walk();
  }
  TaskWalk<Offset, Rows, HasPieces>(tasks, counters.claimed, rows).walk();
}

/// Threads of a block of such a kernel.
constexpr int threads_of_walk(bool has_pieces) {
  return has_pieces ? TaskTuning::block_with_pieces : TaskTuning::block;
}

}  // namespace terrace::cuda
