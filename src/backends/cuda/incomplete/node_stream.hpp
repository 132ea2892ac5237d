// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings what the products of a node need into shared memory, ahead of their turn (product_stream.hpp, whose blocks of
// 32 and whose order of copies these are): for each word the entries of U of all rows of node k, and for the words that
// name the node's columns the inverse pivots too.
#pragma once

#include "backends/cuda/incomplete/async_copy.hpp"
#include "backends/cuda/incomplete/warp_row.hpp"

namespace terrace::cuda {

/// The rows of node k of U.
template <class Offset>
struct UpperNode {
  Offset pivot;  // of its first row
  int length;    // of each row, from the left end
  int row;
  int width;

  /// Where row `t` has the entry that stands `source` places behind the pivot of the first row. The rows follow each
  /// other, and have the same columns.
  __device__ Offset entry(int t, unsigned source) const {
    return pivot + static_cast<Offset>(t * length) + static_cast<Offset>(source);
  }
};

/// The shared memory of one warp. `room` is a multiple of 16.
template <class Scalar, class Offset, class Word>
struct NodeMemory {
  static constexpr unsigned words_held = 1024, values_held = 256;
  static constexpr int rows = most_rows_of_node;
  using Upper = UpperNode<Offset>;

  Upper* upper;      // by the place of a node's first column
  Word* words;       // by product modulo words_held
  Scalar* inverses;  // of pivots, by product modulo values_held

  /// Row `r` of the node.
  __device__ Scalar* w(int r) const { return w_ + r * room_; }
  /// Entries of row `t` of U, by product modulo values_held.
  __device__ Scalar* values(int t) const { return inverses + (t + 1) * static_cast<int>(values_held); }

  KOKKOS_FUNCTION static std::size_t bytes(int room) {
    return static_cast<std::size_t>(room) * (rows * sizeof(Scalar) + sizeof(Upper)) +
           values_held * (rows + 1) * sizeof(Scalar) + words_held * sizeof(Word);
  }
  __device__ NodeMemory(unsigned char* memory, int room) : room_(room) {
    w_ = take<Scalar>(memory, rows * room);
    inverses = take<Scalar>(memory, (rows + 1) * static_cast<int>(values_held));
    words = take<Word>(memory, words_held);
    upper = take<Upper>(memory, room);
  }

 private:
  template <class T>
  __device__ static T* take(unsigned char*& memory, int count) {
    T* array = reinterpret_cast<T*>(memory);
    memory += static_cast<std::size_t>(count) * sizeof(T);
    return array;
  }

  Scalar* w_;
  int room_;
};

template <class Scalar, class Offset, class Word>
class NodeStream {
  using Memory = NodeMemory<Scalar, Offset, Word>;
  using Of = Product<Word>;
  static constexpr unsigned low_water = EliminationTuning::products_ahead, per_copy = 16 / sizeof(Word),
                            words_per_fetch = per_copy * warp_size,
                            fetches_ahead = Memory::words_held / words_per_fetch / 2;
  static_assert(low_water + 3 * warp_size <= Memory::values_held && low_water >= 3 * warp_size);

 public:
  /// Groups of copies that may be under way when the products of the next turn are looked at.
  static constexpr int newest_groups = 1;

  /// The words of the node's first products are on their way.
  __device__ NodeStream(const RowsSystem<Scalar, Offset>& system, const Memory& memory, int row)
      : system_(system),
        memory_(memory),
        words_(static_cast<const Word*>(system.products.words) + system.products.first[row]),
        count_(static_cast<unsigned>(system.products.count[row])),
        lane_(threadIdx.x % warp_size) {
#pragma unroll
    for (unsigned k = 0; k < fetches_ahead; ++k) fetch_words();
  }

  __device__ unsigned count() const { return count_; }

  /// Once the words and the nodes of U are there.
  __device__ void start() {
#pragma unroll 1
    while (issued_ < count_ && issued_ < low_water + 2 * warp_size) copy_block();
    commit_copies();
  }

  /// Before the turn that begins with product `next`; a group of copies, which may be empty.
  __device__ void advance(unsigned next) {
    if (issued_ <= next + low_water && issued_ < count_) copy_block();
    commit_copies();
  }

 private:
  __device__ void fetch_words() {
    const unsigned at = (fetched_ * warp_size + lane_) * per_copy;
    copy_async_if(at < count_, reinterpret_cast<int4*>(memory_.words + at % Memory::words_held),
                  reinterpret_cast<const int4*>(words_ + at));
    ++fetched_;
  }

  __device__ void copy_block() {
    const unsigned product = issued_ + lane_, slot = product % Memory::values_held,
                   word = memory_.words[product % Memory::words_held], source = Of::source(word);
    const bool is_product = product < count_, is_column = is_product & Of::begins(word);
    const unsigned beginnings = __ballot_sync(all_lanes, is_column & (source == 0));
    const unsigned until_here = beginnings & (all_lanes >> (warp_size - 1 - lane_));
    const unsigned place = __shfl_sync(all_lanes, Of::target(word), until_here ? warp_size - 1 - __clz(until_here) : 0);
    const auto upper = memory_.upper[!is_product ? 0 : until_here ? place : last_place_];
#pragma unroll
    for (int t = 0; t < Memory::rows; ++t)
      copy_async_if(is_product & (t < upper.width) & (!is_column | (static_cast<unsigned>(t) <= source)),
                    memory_.values(t) + slot, system_.elimination.values + upper.entry(t, source));
    if constexpr (has_inverse<Scalar>)
      copy_async_if(is_column, memory_.inverses + slot,
                    &system_.divisors[upper.row + static_cast<int>(source)].inverse);
    last_place_ = __shfl_sync(all_lanes, until_here ? place : last_place_, warp_size - 1);
    issued_ += warp_size;
    if (issued_ / words_per_fetch + fetches_ahead > fetched_) fetch_words();
  }

  const RowsSystem<Scalar, Offset>& system_;
  const Memory& memory_;
  const Word* words_;
  unsigned count_, lane_;
  unsigned fetched_ = 0, issued_ = 0, last_place_ = 0;
};

}  // namespace terrace::cuda
