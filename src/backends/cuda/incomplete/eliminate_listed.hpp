// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of a row by its list of products (products.hpp), in turns: a turn takes the products of one step, a lane
// each, and 32 at most; a step of more products takes several turns.
//
//     l_ik = w_k / u_kk,    w_j -= l_ik u_kj  for the products of the step.
//
// What bounds it is the chain from one turn to the next: w_k from shared memory, a division, the product, and back. So
// whatever does not depend on it is done meanwhile: the numbers of the next turn are looked at (product_stream.hpp),
// and whether one of them is pending is known when the turn begins. Conditions are combined with & and |, because a
// branch would keep the compiler from mixing the two.
//
// A long row lies in device memory, which for one warp is the first-level cache, a few cycles farther than shared
// memory. What stands behind its diagonal may be cut off (row_tails.hpp).
#pragma once

#include "backends/cuda/incomplete/product_stream.hpp"

namespace terrace::cuda::incomplete {

/// `IsLong`: the rows are; words have 32 bits.
template <class Scalar, class Offset, class Word, bool IsLong = false>
class ListedElimination {
  using Memory = std::conditional_t<IsLong, LongRowMemory<Scalar, Offset>, RowMemory<Scalar, Offset, Word>>;
  using Of = std::conditional_t<IsLong, LongProduct, Product<Word>>;
  using Copies =
      std::conditional_t<IsLong, LongRowCopies<Scalar, Offset>, RowCopies<Scalar, Offset, Memory, Product<Word>>>;
  using Stream = ProductStream<Copies>;
  using Row = EliminatedRow<Scalar, Offset>;
  using Real = terrace::incomplete::RealOf<Scalar>;

  /// The products of a turn, and what this lane holds of them.
  struct Turn {
    unsigned first, products;
    int step;
    bool begins_step, takes_part;
    unsigned word;
    Scalar entry;
    Divisor<Scalar> divisor;

    __device__ bool lacks_entry() const { return takes_part & is_pending(entry); }
    __device__ bool lacks_divisor() const { return begins_step & is_pending(divisor); }
  };

 public:
  __device__ ListedElimination(const RowsSystem<Scalar, Offset>& system, const Memory& memory)
      : system_(system), memory_(memory), lane_(threadIdx.x % warp_size) {}

  __device__ void eliminate(Row row) const {
    static_assert(!IsLong);
    row.w = memory_.w;
    const auto& pattern = system_.elimination.pattern;
    __syncwarp();
    Stream stream(system_, memory_, row.row, Copies(system_, memory_));
    const auto norm = load_row(system_, row, LaneGroup::warp(), [&](int place, int column) {
      if (place < row.steps) memory_.upper[place] = {pattern.diagonal[column], column};
    });
    eliminate(row, stream, norm);
  }

  /// A long row, or the head of one; the norm is that of its tails.
  __device__ void eliminate(Row row, Real norm_of_tails) const {
    static_assert(IsLong);
    row.w = system_.scratch + row.begin;
    const auto* const list = static_cast<const Word*>(system_.products.words) + system_.products.first[row.row];
    __syncwarp();
    Stream stream(system_, memory_, row.row,
                  Copies(system_, memory_, reinterpret_cast<const UpperRow<Offset>*>(list), row.steps),
                  ProductLists::words_of_steps<Offset>(row.steps));
    const auto norm = load_row(system_, row, LaneGroup::warp(), [](int, int) {});
    eliminate(row, stream, norm + norm_of_tails);
  }

 private:
  __device__ void eliminate(const Row& row, Stream& stream, Real norm) const {
    commit_copies();
    wait_for_copies<0>();
    __syncwarp();
    stream.start();
    wait_for_copies<0>();
    __syncwarp();
    const int is_bad = take_turns(row, stream);
    wait_for_copies<0>();
    __syncwarp();
    finish_row(system_, row, LaneGroup::warp(), row.w[row.steps], norm, is_bad);
  }

  /// Returns whether an entry of L is not finite.
  __device__ int take_turns(const Row& row, Stream& stream) const {
    const unsigned count = stream.count();
    if (count == 0) return 0;
    Turn turn = look_at(0, 0, count);
    bool waits = __any_sync(all_lanes, turn.lacks_entry() | turn.lacks_divisor());
    Scalar factor(0);
    Scalar* lower = system_.elimination.values + row.begin;
    int is_bad = 0;
    for (;;) {
      if (waits) wait_for(turn, count);
      wait_for_copies<Stream::newest_groups>();
      __syncwarp();
      Scalar* const target = row.w + (turn.takes_part ? Of::target(turn.word) : 0u);
      const Scalar pending_factor = row.w[turn.step], before = *target;
      const Turn next = look_at(turn.first + turn.products, turn.step + 1, count);
      const Scalar quotient = divide(pending_factor, turn.divisor);
      waits = __any_sync(all_lanes, next.lacks_entry() | next.lacks_divisor());
      factor = turn.begins_step ? quotient : factor;
      const Scalar after = terrace::incomplete::minus_seen_product(before, factor, turn.entry);
      if (turn.takes_part) *target = after;
      if (turn.begins_step & (lane_ == 0)) store_lower(lower, factor);
      lower += turn.begins_step;
      is_bad |= system_.elimination.is_not_finite(factor);
      if (next.first >= count) return is_bad;
      stream.advance(next.first);
      const Divisor<Scalar> divisor = next.begins_step ? next.divisor : turn.divisor;
      turn = next;
      turn.divisor = divisor;
    }
  }

  /// Nobody waits for an entry of L but the tails of a long row.
  __device__ static void store_lower(Scalar* at, const Scalar& factor) {
    if constexpr (IsLong) publish(at, publishable(factor));
    else *at = factor;
  }

  /// The turn that begins with a product; `step` if it begins a step.
  __device__ Turn look_at(unsigned first, int step, unsigned count) const {
    const unsigned product = first + lane_;
    Turn turn;
    turn.first = first;
    turn.word = memory_.words[product % Memory::words_held];
    turn.entry = memory_.values[product % Memory::values_held];
    turn.divisor = memory_.divisor(step);
    const unsigned beginnings = __ballot_sync(all_lanes, Of::begins(turn.word) | (product >= count));
    const unsigned next = beginnings & ~1u;
    turn.products = next != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(next))) - 1 : warp_size;
    turn.begins_step = (beginnings & 1u) != 0;
    turn.step = turn.begins_step ? step : step - 1;
    turn.takes_part = (lane_ < turn.products) & (Of::target(turn.word) != 0);
    return turn;
  }

  /// Until everything is there. What was copied of the step's later turns was copied too early, too: they are looked at
  /// together, and left where they would have been copied to.
  __device__ void wait_for(Turn& turn, unsigned count) const {
    const UpperRow<Offset> upper = memory_.upper_row(turn.step);
    const Scalar* const row_of_step = system_.elimination.values + upper.pivot;
    const auto look = [&] {
      watch_if(turn.lacks_entry(), row_of_step + Of::source(turn.word), turn.entry);
      watch_if(turn.lacks_divisor(), system_.divisors + upper.row, turn.divisor);
      return __any_sync(all_lanes, turn.lacks_entry() | turn.lacks_divisor());
    };
    unsigned product = turn.first + turn.products;
    if (product >= count || Of::begins(memory_.words[product % Memory::words_held])) {
      while (look()) continue;
      return;
    }
    constexpr int turns = EliminationTuning::turns_of_wait;
    Scalar later[turns];
    const Scalar* from[turns];
    Scalar* to[turns];
    bool is_of_step = true;
#pragma unroll
    for (int t = 0; t < turns; ++t, product += warp_size) {
      const unsigned own = product + lane_, word = memory_.words[own % Memory::words_held];
      const unsigned ends = __ballot_sync(all_lanes, !is_of_step | Of::begins(word) | (own >= count));
      is_of_step = (ends & lanes_until_here()) == 0;
      from[t] = row_of_step + Of::source(word);
      to[t] = memory_.values + own % Memory::values_held;
      later[t] = is_of_step ? pending<Scalar>() : Scalar(0);
      if (!is_of_step) to[t] = nullptr;
      is_of_step = ends == 0;
    }
    bool waits;
    do {
#pragma unroll
      for (int t = 0; t < turns; ++t) watch_if(is_pending(later[t]), from[t], later[t]);
      waits = look();
    } while (waits);
#pragma unroll
    for (int t = 0; t < turns; ++t)
      if (to[t]) *to[t] = later[t];
    __syncwarp();
  }

  const RowsSystem<Scalar, Offset>& system_;
  const Memory& memory_;
  unsigned lane_;
};

}  // namespace terrace::cuda::incomplete
