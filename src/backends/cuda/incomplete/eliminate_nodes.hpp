// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of the rows of a node (nodes.hpp) together, by their list of products, in turns (eliminate_listed.hpp): a
// step takes the columns K of a node, and a turn 32 words of it at most.
//
//     L_IK = W_K U_KK^-1,    W_j -= L_IK U_Kj  for the products of the step; last, within the node, row by row.
//
// Each number of U and each word that is loaded serves all rows of the node, each entry of W all columns of the step:
// nine products where a row alone makes one. All lanes find L_IK, which is less than handing it on; its columns are
// stored by the lanes that have their words. Each entry is reduced by column after column, as by one thread: same bits.
#pragma once

#include "backends/cuda/incomplete/node_copies.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset, class Word>
class NodeElimination {
  using Memory = NodeMemory<Scalar, Offset, Word>;
  using Stream = ProductStream<NodeCopies<Scalar, Offset, Word>>;
  using Of = Product<Word>;
  using Row = EliminatedRow<Scalar, Offset>;
  using Real = terrace::incomplete::RealOf<Scalar>;
  static constexpr int most = max_rows_of_node;

  /// L_IK; zero in rows and columns that are none.
  using Factors = Scalar[most][most];

  /// The words of a turn, and what this lane holds of them.
  struct Turn {
    unsigned first, words, word;
    int width;  // of the step
    bool begins_step, takes_part, is_column;
    Scalar upper[most];  // zero where there is none
    Scalar inverse;

    __device__ unsigned slot(unsigned number) const { return (first + number) % Memory::values_held; }
    __device__ bool lacks_any() const {
      bool lacks = has_inverse<Scalar> && is_pending(inverse);
#pragma unroll
      for (int t = 0; t < most; ++t) lacks |= is_pending(upper[t]);
      return lacks;
    }
  };

 public:
  __device__ NodeElimination(const RowsSystem<Scalar, Offset>& system, const Memory& memory)
      : system_(system), memory_(memory), lane_(threadIdx.x % warp_size) {}

  /// The row and those behind it, `width` together.
  __device__ void eliminate(const Row& first, int width) const {
    __syncwarp();
    Stream stream(system_, memory_, first.row, NodeCopies<Scalar, Offset, Word>(system_, memory_));
    Real norms[most];
#pragma unroll
    for (int r = 0; r < most; ++r) norms[r] = load(first, r, width);
    commit_copies();
    wait_for_copies<0>();
    __syncwarp();
    stream.start();
    wait_for_copies<0>();
    __syncwarp();
    take_turns(stream);
    wait_for_copies<0>();
    __syncwarp();
    finish(first, width, norms);
  }

 private:
  /// Row `number` of the node; all have the same columns.
  __device__ Row row(const Row& first, int number) const {
    return {first.row + number, first.begin + static_cast<Offset>(number * first.length), first.steps + number,
            first.length, memory_.w(number)};
  }

  /// Row `number` of the node, or zeros; its norm.
  __device__ Real load(const Row& first, int number, int width) const {
    const auto& pattern = system_.elimination.pattern;
    const Row now = row(first, number);
    if (number >= width) {
      for (int k = static_cast<int>(lane_); k < now.length; k += warp_size) now.w[k] = Scalar(0);
      return Real(0);
    }
    return load_row(system_, now, LaneGroup::warp(), [&](int place, int column) {
      if (number > 0 || place >= now.steps) return;
      if (const int columns = system_.products.widths[column]; columns > 0)
        memory_.upper[place] = {pattern.diagonal[column],
                                static_cast<int>(pattern.row_map[column + 1] - pattern.row_map[column]), column,
                                columns};
    });
  }

  __device__ void take_turns(Stream& stream) const {
    const unsigned count = stream.count();
    if (count == 0) return;
    Factors factors = {};
    unsigned place = 0;  // of the step's first column
    Turn turn = look_at(0, 0, count);
    bool waits = __any_sync(all_lanes, turn.lacks_any());
    for (;;) {
      wait_for_copies<Stream::newest_groups>();
      __syncwarp();
      if (turn.begins_step) place = target_of_first(turn);
      Turn next = look_at(turn.first + turn.words, turn.width, count);
      const bool next_waits = __any_sync(all_lanes, next.lacks_any());
      if (waits) wait_for(turn, memory_.upper[place]);
      if (next_waits) look_again(next, memory_.upper[next.begins_step ? target_of_first(next) : place]);
      if (turn.begins_step) find_factors(turn, place, factors);
      subtract(turn, factors);
      if (next.first >= count) return;
      stream.advance(next.first);
      turn = next;
      waits = next_waits;
    }
  }

  /// The turn that begins with a word; `width` of the step before, if it goes on.
  __device__ Turn look_at(unsigned first, int width, unsigned count) const {
    const unsigned number = first + lane_, slot = number % Memory::values_held;
    Turn turn;
    turn.first = first;
    turn.word = memory_.words[number % Memory::words_held];
    const unsigned source = Of::source(turn.word);
    const bool is_word = number < count, is_column = Of::begins(turn.word);
    const unsigned beginnings = __ballot_sync(all_lanes, !is_word | (is_column & (source == 0)));
    const unsigned columns = __ballot_sync(all_lanes, is_word & is_column & (source == lane_));
    const unsigned next = beginnings & ~1u;
    turn.words = next != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(next))) - 1 : warp_size;
    turn.begins_step = (beginnings & 1u) != 0;
    turn.width = turn.begins_step ? __popc(columns) : width;
    turn.takes_part = is_word & (lane_ < turn.words);
    turn.is_column = turn.takes_part & is_column;
#pragma unroll
    for (int t = 0; t < most; ++t) {
      const bool is_upper = turn.takes_part & (t < turn.width) & (!is_column | (static_cast<unsigned>(t) <= source));
      const Scalar found = memory_.values(t)[slot];
      turn.upper[t] = is_upper ? found : Scalar(0);
    }
    const Scalar inverse = memory_.inverses[slot];
    turn.inverse = turn.is_column ? inverse : Scalar(0);
    return turn;
  }

  __device__ static unsigned target_of_first(const Turn& turn) {
    return __shfl_sync(all_lanes, Of::target(turn.word), 0);
  }

  /// Asks again for what has not come.
  __device__ void look_again(Turn& turn, const UpperNode<Offset>& upper) const {
    const unsigned source = Of::source(turn.word);
#pragma unroll
    for (int t = 0; t < most; ++t)
      watch_if(is_pending(turn.upper[t]), system_.elimination.values + upper.entry(t, source), turn.upper[t]);
    if constexpr (has_inverse<Scalar>)
      watch_if(is_pending(turn.inverse), &system_.divisors[upper.row + static_cast<int>(source)].inverse, turn.inverse);
  }

  /// Until everything is there, for which has been asked again.
  __device__ void wait_for(Turn& turn, const UpperNode<Offset>& upper) const {
    while (__any_sync(all_lanes, turn.lacks_any())) look_again(turn, upper);
    if (turn.is_column) {
      const unsigned slot = turn.slot(lane_);
#pragma unroll
      for (int t = 0; t < most; ++t) memory_.values(t)[slot] = turn.upper[t];
      memory_.inverses[slot] = turn.inverse;
    }
    __syncwarp();
  }

  /// L_IK, in all lanes. Without branches, so that the rows' divisions overlap; columns that are none give zeros.
  __device__ void find_factors(const Turn& turn, unsigned place, Factors& factors) const {
    Scalar w[most][most], upper[most][most];
    Divisor<Scalar> divisors[most];
#pragma unroll
    for (int q = 0; q < most; ++q) {
      const unsigned slot = turn.slot(static_cast<unsigned>(q));
#pragma unroll
      for (int t = 0; t <= q; ++t) upper[t][q] = memory_.values(t)[slot];
#pragma unroll
      for (int r = 0; r < most; ++r) w[r][q] = memory_.w(r)[place + static_cast<unsigned>(q)];
      divisors[q].pivot = upper[q][q];
      if constexpr (has_inverse<Scalar>) divisors[q].inverse = memory_.inverses[slot];
    }
    __syncwarp();
    if (!substitute(turn.width, w, upper, divisors, factors, quotient_near_one<Scalar>))
      substitute(turn.width, w, upper, divisors, factors, divide<Scalar>);
  }

  /// factors U_KK = w, column by column; returns whether all numbers are near one.
  template <class Divide>
  __device__ static bool substitute(int width, const Factors& w, const Factors& upper,
                                    const Divisor<Scalar> (&divisors)[most], Factors& factors, const Divide& divide) {
    bool are_near = true;
#pragma unroll
    for (int q = 0; q < most; ++q) {
#pragma unroll
      for (int r = 0; r < most; ++r) {
        Scalar left = w[r][q];
#pragma unroll
        for (int t = 0; t < q; ++t) left = terrace::incomplete::minus_seen_product(left, factors[r][t], upper[t][q]);
        const Scalar factor = divide(left, divisors[q]);
        are_near &= (q >= width) | are_near_one(left, divisors[q]);
        factors[r][q] = q < width ? factor : Scalar(0);
      }
    }
    return are_near;
  }

  /// The products of the turn; and stores the columns of L, whose words these are.
  __device__ void subtract(const Turn& turn, const Factors& factors) const {
    const unsigned target = turn.takes_part ? Of::target(turn.word) : 0u, source = Of::source(turn.word);
    Scalar w[most];
#pragma unroll
    for (int r = 0; r < most; ++r) {
      w[r] = memory_.w(r)[target];
#pragma unroll
      for (int t = 0; t < most; ++t) w[r] = terrace::incomplete::minus_seen_product(w[r], factors[r][t], turn.upper[t]);
      if (!turn.is_column) continue;
#pragma unroll
      for (int t = 0; t < most; ++t)
        if (source == static_cast<unsigned>(t)) w[r] = factors[r][t];
    }
    if (!turn.takes_part) return;
#pragma unroll
    for (int r = 0; r < most; ++r) memory_.w(r)[target] = w[r];
  }

  /// Row by row: publishes U, and takes the row out of those behind it. L follows, which nobody waits for.
  __device__ void finish(const Row& first, int width, const Real (&norms)[most]) const {
    Scalar pivots[most];
#pragma unroll
    for (int number = 0; number < most; ++number) {
      if (number >= width) break;
      const Row now = row(first, number);
      pivots[number] = finish_row(system_, now, LaneGroup::warp(), now.w[now.steps], norms[number], 0);
      if (number + 1 < width) take_out(now, pivots[number], width - number - 1);
    }
#pragma unroll
    for (int number = 0; number < most; ++number)
      if (number < width) store_lower(row(first, number), pivots[number]);
  }

  /// Eliminates a finished row of the node from the `others` behind it.
  __device__ void take_out(const Row& from, const Scalar& pivot, int others) const {
    const bool is_symmetric = system_.elimination.symmetric;
    const Scalar root = is_symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
    Scalar factors[most - 1];
#pragma unroll
    for (int r = 0; r + 1 < most; ++r)
      factors[r] = r < others ? from.w[(r + 1) * system_.capacity + from.steps] / root : Scalar(0);
    __syncwarp();
#pragma unroll 1
    for (int k = from.steps + static_cast<int>(lane_); k < from.length; k += warp_size) {
      const Scalar upper = is_symmetric ? from.w[k] / root : from.w[k];
#pragma unroll
      for (int r = 0; r + 1 < most; ++r) {
        Scalar* const w = from.w + (r + 1) * system_.capacity;
        if (r < others)
          w[k] = k == from.steps ? factors[r] : terrace::incomplete::minus_seen_product(w[k], factors[r], upper);
      }
    }
    __syncwarp();
  }

  __device__ void store_lower(const Row& row, const Scalar& pivot) const {
    const auto& elimination = system_.elimination;
    int is_bad = 0;
#pragma unroll 1
    for (int k = static_cast<int>(lane_); k < row.steps; k += warp_size) {
      elimination.values[row.begin + static_cast<Offset>(k)] = row.w[k];
      is_bad |= elimination.is_not_finite(row.w[k]);
    }
    if (is_bad != 0) elimination.report_not_finite(row.row, pivot);
  }

  const RowsSystem<Scalar, Offset>& system_;
  const Memory& memory_;
  unsigned lane_;
};

}  // namespace terrace::cuda::incomplete
