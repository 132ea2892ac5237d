// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings what the products of a row need into shared memory, ahead of their turn: their words, the entries of U, and
// for each step the divisor. Copies are made block by block, 32 products at a time, whatever steps they belong to;
// nobody waits for one before its turn comes, and one that was made too early holds "pending".
//
// Before each turn the blocks up to `low_water` products behind its first are on their way, and a turn takes 32
// products at most: so the products of the next turn belong to older groups of copies than the newest.
#pragma once

#include "backends/cuda/incomplete/async_copy.hpp"
#include "backends/cuda/incomplete/products.hpp"
#include "backends/cuda/incomplete/warp_row.hpp"

namespace terrace::cuda::incomplete {

/// An array at the beginning of the memory, which is what lies behind it from then on.
template <class T>
__device__ T* take_shared(unsigned char*& memory, int count) {
  T* array = reinterpret_cast<T*>(memory);
  memory += static_cast<std::size_t>(count) * sizeof(T);
  return array;
}

/// The lanes of the warp up to this one.
__device__ inline unsigned lanes_until_here() { return all_lanes >> (warp_size - 1 - threadIdx.x % warp_size); }

/// The shared memory of one warp, for so many entries and steps, multiples of 16. Where a row without a list is
/// searched the entries' columns stand in place of the divisors.
template <class Scalar, class Offset, class Word>
struct RowMemory {
  using WordType = Word;
  static constexpr unsigned words_held = 1024, values_held = 256;

  Divisor<Scalar>* divisors;  // by step
  Scalar* values;             // of U, by product modulo values_held
  Scalar* w;                  // the row
  UpperRow<Offset>* upper;    // by step
  Word* words;                // by product modulo words_held

  KOKKOS_FUNCTION static std::size_t bytes(int entries, int steps) {
    return static_cast<std::size_t>(divisors_held(entries, steps)) * sizeof(Divisor<Scalar>) +
           static_cast<std::size_t>(steps) * sizeof(UpperRow<Offset>) +
           (static_cast<std::size_t>(entries) + values_held) * sizeof(Scalar) + words_held * sizeof(Word);
  }
  __device__ RowMemory(unsigned char* memory, int entries, int steps) {
    divisors = take_shared<Divisor<Scalar>>(memory, divisors_held(entries, steps));
    values = take_shared<Scalar>(memory, values_held);
    w = take_shared<Scalar>(memory, entries);
    upper = take_shared<UpperRow<Offset>>(memory, steps);
    words = take_shared<Word>(memory, words_held);
  }

  __device__ Divisor<Scalar>& divisor(int step) const { return divisors[step]; }
  __device__ const UpperRow<Offset>& upper_row(int step) const { return upper[step]; }

 private:
  KOKKOS_FUNCTION static int divisors_held(int entries, int steps) {
    const int of_columns = entries / static_cast<int>(sizeof(Divisor<Scalar>) / sizeof(int));
    return steps > of_columns ? steps : of_columns;
  }
};

/// That of a warp with a long row, which itself lies in device memory: what belongs to the steps under way.
template <class Scalar, class Offset>
struct LongRowMemory {
  using WordType = std::uint32_t;
  static constexpr unsigned words_held = 1024, values_held = 256, most_steps_held = 256, few_steps_held = 32;

  UpperRow<Offset>* upper;    // by step modulo most_steps_held
  Scalar* values;             // of U, by product modulo values_held
  WordType* words;            // by product modulo words_held
  Divisor<Scalar>* divisors;  // by step modulo most_steps_held

  /// Where no row has more than a few steps the divisors of others leave room for more warps, which gain where rows
  /// wait for little, and lose elsewhere.
  static std::size_t bytes(int max_steps) {
    const unsigned divisors_held = max_steps <= static_cast<int>(few_steps_held) ? few_steps_held : most_steps_held;
    return most_steps_held * sizeof(UpperRow<Offset>) + values_held * sizeof(Scalar) + words_held * sizeof(WordType) +
           divisors_held * sizeof(Divisor<Scalar>);
  }
  /// What may be cut short comes last: all addresses are one and constants.
  explicit __device__ LongRowMemory(unsigned char* memory) {
    upper = take_shared<UpperRow<Offset>>(memory, most_steps_held);
    values = take_shared<Scalar>(memory, values_held);
    words = take_shared<WordType>(memory, words_held);
    divisors = take_shared<Divisor<Scalar>>(memory, most_steps_held);
  }

  __device__ Divisor<Scalar>& divisor(int step) const {
    return divisors[static_cast<unsigned>(step) % most_steps_held];
  }
  __device__ UpperRow<Offset>& upper_row(int step) const {
    return upper[static_cast<unsigned>(step) % most_steps_held];
  }
};

/// `Copies` says what a product needs (RowCopies, LongRowCopies, NodeCopies):
///   Memory, System             the warp's, and the kernel's argument
///   copy(product, is_product)  asks for what this lane's product of the next block needs; called by the whole warp
template <class Copies>
class ProductStream {
  using Memory = typename Copies::Memory;
  using System = typename Copies::System;
  using Word = typename Memory::WordType;
  static constexpr unsigned low_water = EliminationTuning::products_ahead, per_copy = 16 / sizeof(Word),
                            words_per_fetch = per_copy * warp_size,
                            fetches_ahead = Memory::words_held / words_per_fetch / 2;
  static_assert(low_water + 3 * warp_size <= Memory::values_held && low_water >= 3 * warp_size);

 public:
  /// Products, and so steps, whose copies may have been asked for.
  static constexpr unsigned most_ahead = low_water + 2 * warp_size;

  /// Groups of copies that may be under way when the products of the next turn are looked at.
  static constexpr int newest_groups = 1;

  /// The words of the row's first products are on their way; `skipped` stand before them in its list.
  __device__ ProductStream(const System& system, const Memory& memory, int row, const Copies& copies,
                           std::int64_t skipped = 0)
      : copies_(copies),
        to_(memory.words),
        words_(static_cast<const Word*>(system.products.words) + system.products.first[row] + skipped),
        count_(static_cast<unsigned>(system.products.count[row])),
        lane_(threadIdx.x % warp_size) {
#pragma unroll
    for (unsigned k = 0; k < fetches_ahead; ++k) fetch_words();
  }

  __device__ unsigned count() const { return count_; }

  /// Once the words and the row's steps are there.
  __device__ void start() {
#pragma unroll 1
    while (issued_ < count_ && issued_ < most_ahead) copy_block();
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
    copy_async_if(at < count_, reinterpret_cast<int4*>(to_ + at % Memory::words_held),
                  reinterpret_cast<const int4*>(words_ + at));
    ++fetched_;
  }

  __device__ void copy_block() {
    copies_.copy(issued_ + lane_, issued_ + lane_ < count_);
    issued_ += warp_size;
    if (issued_ / words_per_fetch + fetches_ahead > fetched_) fetch_words();
  }

  Copies copies_;
  Word* to_;
  const Word* words_;
  unsigned count_, lane_;
  unsigned fetched_ = 0, issued_ = 0;
};

/// For a row: the entry of U, and at the beginning of a step the divisor.
template <class Scalar, class Offset, class MemoryType, class Of>
class RowCopies {
 public:
  using Memory = MemoryType;
  using System = RowsSystem<Scalar, Offset>;

  __device__ RowCopies(const System& system, const Memory& memory) : system_(system), memory_(memory) {}

  __device__ void copy(unsigned product, bool is_product) {
    const unsigned word = memory_.words[product % Memory::words_held];
    const bool begins = is_product & Of::begins(word);
    const unsigned beginnings = __ballot_sync(all_lanes, begins);
    const int step = is_product ? last_step_ + __popc(beginnings & lanes_until_here()) : 0;
    const UpperRow<Offset> upper = memory_.upper_row(step);
    copy_async_if(is_product, memory_.values + product % Memory::values_held,
                  system_.elimination.values + (upper.pivot + static_cast<Offset>(Of::source(word))));
    copy_async_if(begins, &memory_.divisor(step), system_.divisors + upper.row);
    last_step_ += __popc(beginnings);
  }

  /// Of which copies have been made.
  __device__ int last_step() const { return last_step_; }

 private:
  const System& system_;
  const Memory& memory_;
  int last_step_ = -1;
};

/// The same for a long row, and where the rows of U of its next steps begin. What a block of products needs of them was
/// asked for two blocks before, or with the row's first words.
template <class Scalar, class Offset>
class LongRowCopies {
 public:
  using Memory = LongRowMemory<Scalar, Offset>;
  using System = RowsSystem<Scalar, Offset>;

  __device__ LongRowCopies(const System& system, const Memory& memory, const UpperRow<Offset>* upper, int steps)
      : copies_(system, memory), memory_(memory), upper_(upper), steps_(steps) {
    static_assert(first_fetches * warp_size >= ProductStream<LongRowCopies>::most_ahead + steps_ahead);
    static_assert(ProductStream<LongRowCopies>::most_ahead + steps_ahead + warp_size <= Memory::most_steps_held);
#pragma unroll 1
    for (int k = 0; k < first_fetches; ++k) fetch_steps();
  }

  __device__ void copy(unsigned product, bool is_product) {
    copies_.copy(product, is_product);
    if (copies_.last_step() + steps_ahead > fetched_) fetch_steps();
  }

 private:
  static constexpr int steps_ahead = 2 * warp_size, first_fetches = 7;

  __device__ void fetch_steps() {
    const int step = fetched_ + static_cast<int>(threadIdx.x) % warp_size;
    copy_async_if(step < steps_, &memory_.upper_row(step), upper_ + step);
    fetched_ += warp_size;
  }

  RowCopies<Scalar, Offset, Memory, LongProduct> copies_;
  const Memory& memory_;
  const UpperRow<Offset>* upper_;
  int steps_, fetched_ = 0;
};

}  // namespace terrace::cuda::incomplete
