// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the stream: items of a triangle by block, step, lanes, and depth; and from the order of L the cells.
//
// A tag says all of that but the block. A step is a level and the number of a piece in its row. In a step come first
// the items that most lanes share, and of these the deepest, so that slices are filled with rows of nearly one length.
#pragma once

#include <limits>

#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/schwarz/row_items.hpp"

namespace terrace::cuda::schwarz {

/// What the host has to know of the two triangles: L, U. Zero before.
struct TriangleFacts {
  int deepest[2];     // level
  int pieces[2];      // but for last ones
  int max_pieces[2];  // of a row
};

template <class Offset>
struct FindFacts {
  sparse::TriangleView<int, Offset> pattern[2];
  const int* level[2];
  TriangleFacts* facts;
};

/// Each warp adds what it found.
template <class Offset>
__global__ void find_facts_kernel(FindFacts<Offset> find) {
  int deepest[2] = {0, 0}, pieces[2] = {0, 0}, most[2] = {0, 0};
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t place = number_of_thread(); place < static_cast<std::size_t>(find.pattern[0].rows);
       place += threads) {
    const auto row = static_cast<int>(place);
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      const int cut_into = pieces_of(find.pattern[t].end(row) - find.pattern[t].begin(row));
      deepest[t] = max(deepest[t], find.level[t][row]);
      pieces[t] += cut_into - 1;
      most[t] = max(most[t], cut_into);
    }
  }
#pragma unroll
  for (int t = 0; t < 2; ++t) {
    const int of_warp[] = {__reduce_max_sync(all_lanes, deepest[t]), __reduce_add_sync(all_lanes, pieces[t]),
                           __reduce_max_sync(all_lanes, most[t])};
    if (threadIdx.x % warp_size != 0) continue;
    atomicMax(&find.facts->deepest[t], of_warp[0]);
    if (of_warp[1] > 0) atomicAdd(&find.facts->pieces[t], of_warp[1]);
    atomicMax(&find.facts->max_pieces[t], of_warp[2]);
  }
}

struct Tag {
  static constexpr int shape_bits = 7;

  unsigned bits;
  KOKKOS_FUNCTION static unsigned pack(unsigned step, int log2_lanes, int depth) {
    return step << shape_bits | static_cast<unsigned>(5 - log2_lanes) << 4 |
           static_cast<unsigned>(SliceShape::deepest - depth);
  }
  KOKKOS_FUNCTION unsigned step() const { return bits >> shape_bits; }
  KOKKOS_FUNCTION unsigned group() const { return bits >> 4; }  // items that may share a slice
  KOKKOS_FUNCTION int log2_lanes() const { return 5 - static_cast<int>(bits >> 4 & 7u); }
  KOKKOS_FUNCTION int depth() const { return SliceShape::deepest - static_cast<int>(bits & 15u); }
};

template <class Offset>
struct TagItems {
  RowItems<Offset> items;
  const int* level;    // of each row
  int max_pieces = 1;  // of a row

  KOKKOS_FUNCTION unsigned operator()(int number) const {
    const auto item = items.of(number);
    const unsigned step =
        static_cast<unsigned>(level[item.row]) * static_cast<unsigned>(max_pieces) + static_cast<unsigned>(item.piece);
    return Tag::pack(step, item.log2_lanes(), item.depth());
  }
};

/// The key of an item: block_weight times its block, and its tag if that counts.
template <class Offset>
struct KeyItems {
  TagItems<Offset> tag;
  terrace::schwarz::BlockOf<int> block_of;
  const int* from;  // the items in the order that is kept where keys are equal; `known` of them, then as numbered
  int known;
  unsigned block_weight;
  bool tags_count;
  unsigned* keys;
  int* values;

  KOKKOS_FUNCTION void operator()(int place) const {
    const int number = place < known ? from[place] : place;
    keys[place] =
        block_weight * static_cast<unsigned>(block_of[tag.items.of(number).row]) + (tags_count ? tag(number) : 0u);
    values[place] = number;
  }
};

template <class Offset>
struct KeepOrder {
  TagItems<Offset> tag;
  const int* sorted;
  int* items;
  unsigned* tags;
  KOKKOS_FUNCTION void operator()(int position) const {
    items[position] = sorted[position];
    tags[position] = tag(sorted[position]);
  }
};

/// Over the positions of L.
struct NumberCells {
  const int* items;
  int rows;
  terrace::schwarz::BlockOf<int> block_of;
  Cell* cells;   // of each place
  int* by_cell;  // the places, block after block
  KOKKOS_FUNCTION void operator()(int position, int& before, bool final) const {
    const int row = items[position];
    if (row >= rows) return;
    if (final) {
      cells[row] = static_cast<Cell>(before - block_of.block_map[block_of[row]]);
      by_cell[before] = row;
    }
    ++before;
  }
};

/// The arrays that sorting needs; those of a second sort are those of the first.
class ItemSort {
 public:
  static std::size_t bytes(int most) {
    return 4 * Arrays::bytes<int>(static_cast<std::size_t>(most)) + Arrays::bytes<char>(sort_by_key_bytes(most));
  }

  ItemSort(const Kokkos::Cuda& space, Arrays& scratch, int most) : space_(space), bytes_(sort_by_key_bytes(most)) {
    const auto count = static_cast<std::size_t>(most);
    for (auto& keys : keys_) keys = scratch.take<unsigned>(count);
    for (auto& values : values_) values = scratch.take<int>(count);
    scratch_ = scratch.take<char>(bytes_);
  }

  /// The items by block and tag, from the order `from` of `known` of them. `steps` tags the steps of a block. Enqueued.
  template <class Offset>
  const int* sort(const TagItems<Offset>& tag, const terrace::schwarz::BlockOf<int>& block_of, unsigned steps,
                  const int* from, int known) {
    const std::uint64_t range = static_cast<std::uint64_t>(steps) << Tag::shape_bits;
    const std::uint64_t keys = range * static_cast<std::uint64_t>(block_of.blocks);
    const auto sorted = [&](const int* before, int count, unsigned block_weight, bool tags_count, std::uint64_t most) {
      return sort_once(KeyItems<Offset>{tag, block_of, before, count, block_weight, tags_count, keys_[0], values_[0]},
                       most);
    };
    if (keys <= std::uint64_t(1) << 32) return sorted(from, known, static_cast<unsigned>(range), true, keys);
    const int* by_tag = sorted(from, known, 0, true, range);
    if (by_tag != values_[1]) std::swap(values_[0], values_[1]);
    return sorted(by_tag, tag.items.count(), 1, false, static_cast<std::uint64_t>(block_of.blocks));
  }

 private:
  template <class Offset>
  const int* sort_once(const KeyItems<Offset>& keys, std::uint64_t most) {
    const int count = keys.tag.items.count();
    Kokkos::parallel_for("terrace::cuda::schwarz::key_items", Kokkos::RangePolicy<Kokkos::Cuda>(space_, 0, count),
                         keys);
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch_, bytes_, keys_[0], keys_[1], values_[0],
                                      values_[1], count, std::bit_width(most - 1));
    return values_[in_other ? 1 : 0];
  }

  Kokkos::Cuda space_;
  std::size_t bytes_;
  unsigned* keys_[2];
  int* values_[2];
  char* scratch_;
};

}  // namespace terrace::cuda::schwarz
