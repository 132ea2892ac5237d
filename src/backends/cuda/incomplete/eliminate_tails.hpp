// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of a tail of a very long row (row_tails.hpp). The head of the row computes the entries l_ik of L, and the
// tail subtracts what they bring to its own entries:
//
//     w_j -= l_ik u_kj  for its columns j, for each step k of the row in turn.
//
// Its first and its last column are searched in row k of U, by a lane for each step. What lies between them is searched
// in the tail, or the tail in that where it is far more. A step begins when l_ik and those u_kj are there; a step that
// has no column between the two is passed over.
//
// A head needs the norm of the whole row, and cannot wait for tails, which are claimed later. So the norms of the tails
// are found before the elimination begins.
#pragma once

#include "backends/cuda/incomplete/warp_row.hpp"
#include "sparse/find_column.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset>
class TailElimination {
  static constexpr int at_once = EliminationTuning::entries_of_tail_at_once;
  static constexpr int nowhere = -1;

  /// Entries of row k of U from the tail's first column to its last.
  struct Range {
    Offset first;
    int count;
  };

  /// What a lane knows of a part of a step.
  struct Part {
    int place[at_once];  // in the tail, or nowhere
    Offset at[at_once];  // of the entry of U
    Scalar found[at_once];
  };

 public:
  /// In shared memory for the entries of a tail, and their columns.
  __device__ TailElimination(const RowsSystem<Scalar, Offset>& system, Scalar* w, int* columns)
      : elimination_(system.elimination), w_(w), columns_(columns), lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void eliminate(const RowTail& tail) {
    const auto& pattern = elimination_.pattern;
    const Offset begin = pattern.row_map[tail.row], diagonal = pattern.diagonal[tail.row];
    load(tail.row, begin + static_cast<Offset>(tail.first), pattern.row_map[tail.row + 1]);
    const auto steps = static_cast<unsigned>(diagonal - begin);
#pragma unroll 1
    for (unsigned first = 0; first < steps; first += warp_size) {
      const Offset step = begin + static_cast<Offset>(first);
      Range own{0, 0};
      if (first + static_cast<unsigned>(lane_) < steps)
        own = range_of(pattern.entries[step + static_cast<Offset>(lane_)]);
#pragma unroll 1
      for (unsigned left = __ballot_sync(all_lanes, own.count > 0); left != 0; left &= left - 1) {
        const int from = __ffs(static_cast<int>(left)) - 1;
        const Range range{__shfl_sync(all_lanes, own.first, from), __shfl_sync(all_lanes, own.count, from)};
        subtract(step + static_cast<Offset>(from), range);
      }
    }
    finish(tail.row, diagonal);
  }

 private:
  /// Copies the entries of A from `first` on, as many as a tail has, of a row that ends with `end`.
  __device__ void load(int row, Offset first, Offset end) {
    first_ = first;
    count_ = static_cast<int>(min(end - first, static_cast<Offset>(RowTail::most_entries)));
    __syncwarp();
    for (int k = lane_; k < count_; k += warp_size) {
      const Offset p = first + static_cast<Offset>(k);
      columns_[k] = elimination_.pattern.entries[p];
      w_[k] = elimination_.stored(row, p);
    }
    __syncwarp();
  }

  __device__ Range range_of(int k) const {
    const auto& pattern = elimination_.pattern;
    const Offset last = pattern.row_map[k + 1];
    const Offset begin = sparse::place_of_column(pattern.entries, pattern.diagonal[k] + 1, last, columns_[0]);
    const Offset end = sparse::place_of_column(pattern.entries, begin, last, columns_[count_ - 1] + 1);
    return {begin, static_cast<int>(end - begin)};
  }

  /// The products of the entry of L at a position.
  __device__ void subtract(Offset lower, const Range& range) const {
    const bool searches_range = is_much_longer(range.count, count_);
    const int span = searches_range ? count_ : range.count;
    Scalar factor = pending<Scalar>();
#pragma unroll 1
    for (int first = 0; first < span; first += at_once * warp_size) {
      Part part;
#pragma unroll
      for (int e = 0; e < at_once; ++e) {
        const int index = first + e * warp_size + lane_;
        part.place[e] = nowhere;
        part.at[e] = range.first;
        if (index >= span) continue;
        if (searches_range) search_range(range, index, part.place[e], part.at[e]);
        else search_tail(range.first + static_cast<Offset>(index), part.place[e], part.at[e]);
      }
      wait_for(lower, factor, part);
#pragma unroll
      for (int e = 0; e < at_once; ++e)
        if (part.place[e] != nowhere) {
          Scalar& w = w_[part.place[e]];
          w = terrace::incomplete::minus_seen_product(w, factor, part.found[e]);
        }
    }
    __syncwarp();
  }

  /// Where an entry of the tail stands in row k of U.
  __device__ void search_range(const Range& range, int index, int& place, Offset& at) const {
    const Offset end = range.first + static_cast<Offset>(range.count);
    const Offset position = sparse::find_column(elimination_.pattern.entries, range.first, end, columns_[index]);
    if (position == end) return;
    place = index;
    at = position;
  }

  /// Where an entry of row k of U falls in the tail.
  __device__ void search_tail(Offset position, int& place, Offset& at) const {
    const int found = sparse::find_column(columns_, 0, count_, elimination_.pattern.entries[position]);
    if (found == count_) return;
    place = found;
    at = position;
  }

  /// Until the entry of L is there, and all that falls in the tail.
  __device__ void wait_for(Offset lower, Scalar& factor, Part& part) const {
    const Scalar* const values = elimination_.values;
#pragma unroll
    for (int e = 0; e < at_once; ++e) part.found[e] = part.place[e] == nowhere ? Scalar(0) : pending<Scalar>();
    bool waits;
    do {
      watch_if(is_pending(factor), values + lower, factor);
#pragma unroll
      for (int e = 0; e < at_once; ++e) watch_if(is_pending(part.found[e]), values + part.at[e], part.found[e]);
      waits = is_pending(factor);
#pragma unroll
      for (int e = 0; e < at_once; ++e) waits = waits || is_pending(part.found[e]);
    } while (__any_sync(all_lanes, waits));
  }

  /// Where the row is that of L^T, what it is divided by is waited for.
  __device__ void finish(int row, Offset diagonal) const {
    Scalar root(1);
    if (elimination_.symmetric) {
      root = pending<Scalar>();
      while (__any_sync(all_lanes, is_pending(root))) watch_if(is_pending(root), elimination_.values + diagonal, root);
    }
    int is_bad = 0;
    for (int k = lane_; k < count_; k += warp_size) {
      const Scalar value = elimination_.symmetric ? w_[k] / root : w_[k];
      publish(elimination_.values + first_ + static_cast<Offset>(k), publishable(value));
      is_bad |= elimination_.is_not_finite(value);
    }
    // The head reports a pivot that is not finite; the root of one that is, but not positive, may be none.
    if (is_bad != 0 && terrace::triangular::is_finite(root)) elimination_.report_not_finite(row, root * root);
    __syncwarp();
  }

  const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination_;
  Scalar* w_;
  int* columns_;
  int lane_;
  Offset first_ = 0;
  int count_ = 0;
};

/// The norm of the tails of a row, of which `tail` is the first, in all lanes.
template <class Scalar, class Offset>
__device__ auto norm_of_tails(const RowsSystem<Scalar, Offset>& system, int tail, int count) {
  terrace::incomplete::RealOf<Scalar> norm(0);
  for (int t = static_cast<int>(threadIdx.x) % warp_size; t < count; t += warp_size)
    norm += system.norms_of_tails[tail + t];
  return sum_over_lanes<5>(norm);
}

/// A warp for each tail.
template <class Scalar, class Offset>
__global__ void find_norms_of_tails_kernel(
    const __grid_constant__ terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination,
    const RowTail* tails, int count, terrace::incomplete::RealOf<Scalar>* norms) {
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(count)) return;
  const RowTail tail = tails[number];
  if (tail.is_piece()) return;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Offset first = elimination.pattern.row_map[tail.row] + static_cast<Offset>(tail.first);
  const Offset left = elimination.pattern.row_map[tail.row + 1] - first;
  terrace::incomplete::RealOf<Scalar> norm(0);
  for (int k = lane; k < RowTail::most_entries && static_cast<Offset>(k) < left; k += warp_size)
    norm += terrace::incomplete::magnitude(elimination.stored(tail.row, first + static_cast<Offset>(k)));
  norm = sum_over_lanes<5>(norm);
  if (lane == 0) norms[number] = norm;
}

/// Enqueued.
template <class Scalar, class Offset>
void find_norms_of_tails(const Space& space,
                         const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination,
                         const RowTail* tails, int count, terrace::incomplete::RealOf<Scalar>* norms) {
  constexpr std::size_t threads = 128, tails_per_block = threads / warp_size;
  launch(space, "terrace::cuda::find_norms_of_tails", find_norms_of_tails_kernel<Scalar, Offset>,
         blocks_of(count, tails_per_block), threads, elimination, tails, count, norms);
}

}  // namespace terrace::cuda::incomplete
