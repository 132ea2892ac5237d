// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the products of a node need in shared memory, and the copies that bring it (product_stream.hpp): for each word
// the entries of U of all rows of node k, and for the words that name the node's columns the inverse pivots too.
#pragma once

#include "backends/cuda/incomplete/product_stream.hpp"

namespace terrace::cuda::incomplete {

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
    return pivot + static_cast<Offset>(static_cast<unsigned>(t) * static_cast<unsigned>(length)) +
           static_cast<Offset>(source);
  }
};

/// The shared memory of one warp. `capacity` is a multiple of 16.
template <class Scalar, class Offset, class Word>
struct NodeMemory {
  using WordType = Word;
  static constexpr unsigned words_held = 1024, values_held = 256;
  static constexpr int rows = max_rows_of_node;
  using Upper = UpperNode<Offset>;

  Upper* upper;      // by the place of a node's first column
  Word* words;       // by product modulo words_held
  Scalar* inverses;  // of pivots, by product modulo values_held

  /// Row `r` of the node.
  __device__ Scalar* w(int r) const { return w_ + r * capacity_; }
  /// Entries of row `t` of U, by product modulo values_held.
  __device__ Scalar* values(int t) const { return inverses + (t + 1) * static_cast<int>(values_held); }

  KOKKOS_FUNCTION static std::size_t bytes(int capacity) {
    return static_cast<std::size_t>(capacity) * (rows * sizeof(Scalar) + sizeof(Upper)) +
           values_held * (rows + 1) * sizeof(Scalar) + words_held * sizeof(Word);
  }
  __device__ NodeMemory(unsigned char* memory, int capacity) : capacity_(capacity) {
    w_ = take_shared<Scalar>(memory, rows * capacity);
    inverses = take_shared<Scalar>(memory, (rows + 1) * static_cast<int>(values_held));
    words = take_shared<Word>(memory, words_held);
    upper = take_shared<Upper>(memory, capacity);
  }

 private:
  Scalar* w_;
  int capacity_;
};

template <class Scalar, class Offset, class Word>
class NodeCopies {
 public:
  using Memory = NodeMemory<Scalar, Offset, Word>;
  using System = RowsSystem<Scalar, Offset>;

  __device__ NodeCopies(const System& system, const Memory& memory) : system_(system), memory_(memory) {}

  __device__ void copy(unsigned product, bool is_product) {
    using Of = Product<Word>;
    const unsigned word = memory_.words[product % Memory::words_held], source = Of::source(word),
                   slot = product % Memory::values_held;
    const bool is_column = is_product & Of::begins(word);
    const unsigned beginnings = __ballot_sync(all_lanes, is_column & (source == 0)) & lanes_until_here();
    const int beginning = beginnings ? warp_size - 1 - __clz(static_cast<int>(beginnings)) : 0;
    const unsigned found = __shfl_sync(all_lanes, Of::target(word), beginning);
    const unsigned place = beginnings ? found : last_place_;  // of the step's first column
    const auto upper = memory_.upper[is_product ? place : 0];
#pragma unroll
    for (int t = 0; t < Memory::rows; ++t)
      copy_async_if(is_product & (t < upper.width) & (!is_column | (static_cast<unsigned>(t) <= source)),
                    memory_.values(t) + slot, system_.elimination.values + upper.entry(t, source));
    if constexpr (has_inverse<Scalar>)
      copy_async_if(is_column, memory_.inverses + slot,
                    &system_.divisors[upper.row + static_cast<int>(source)].inverse);
    last_place_ = __shfl_sync(all_lanes, place, warp_size - 1);
  }

 private:
  const System& system_;
  const Memory& memory_;
  unsigned last_place_ = 0;
};

}  // namespace terrace::cuda::incomplete
