// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From rows in order to slices: where groups of equal keys begin, how many slices each has, how long they are, where
// their slots lie. Nothing here waits for a number: kernels run over as many slices as there could be.
#pragma once

#include "backends/cuda/triangular/sort_keys.hpp"

namespace terrace::cuda::triangular {

/// Positions with the same key, up to where those of the next key begin.
struct Group {
  int first_position, first_slice;
};

/// Where the items of each key begin; on the way the order is kept, and its inverse. Over all positions and their end.
struct FindGroups {
  const unsigned* keys;     // by position
  const int* sorted_items;  // by position
  int* item_at;             // likewise
  int* position;            // of each item
  Group* groups;            // of each key, and the end
  int positions;
  unsigned key_count;

  KOKKOS_FUNCTION void operator()(int place) const {
    const bool is_end = place == positions;
    if (!is_end) {
      item_at[place] = sorted_items[place];
      position[sorted_items[place]] = place;
    }
    const unsigned last = is_end ? key_count : keys[place];
    for (unsigned key = place == 0 ? 0 : keys[place - 1] + 1; key <= last; ++key) groups[key].first_position = place;
  }
};

/// That positions of a key make. Of some keys there are none.
KOKKOS_INLINE_FUNCTION int slices_of(int key, int positions) {
  if (positions == 0) return 0;
  const int rows_per_slice = 32 >> log2_lanes_of_key(static_cast<unsigned>(key));
  return (positions + rows_per_slice - 1) / rows_per_slice;
}

/// The slices of each group; and the steps, which the host will read unless there are row blocks: two for each level,
/// pieces and rows, and the end.
struct CountSlices {
  Group* groups;
  Group* steps;
  int key_count;

  KOKKOS_FUNCTION void operator()(int key, int& slices, bool final) const {
    if (final) keep(key, {groups[key].first_position, slices});
    if (key < key_count) slices += slices_of(key, groups[key + 1].first_position - groups[key].first_position);
  }

  KOKKOS_FUNCTION void keep(int key, const Group& group) const {
    const int kind = key % classes_per_level;
    groups[key] = group;
    if (steps && kind <= class_of_pieces + 1) steps[key / classes_per_level * 2 + kind] = group;
  }
};

/// The rows and the depth of each slice; where its slots begin comes later.
template <class Offset>
struct ShapeSlices {
  Items<Offset> items;
  const int* item_at;   // by position
  const Group* groups;  // of each key, and the end
  int key_count;
  Slice* slices;
  int slice_count;  // or more: the end of the groups knows

  __device__ int slices_in_all() const { return groups[key_count].first_slice; }
};

/// The last of so many numbers of which `is_at_most` is true, which it is of the first.
template <class IsAtMost>
__device__ int last_at_most(int count, const IsAtMost& is_at_most) {
  int low = 0, high = count;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (is_at_most(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/// By a warp.
template <class Offset>
__device__ void shape_slice(const ShapeSlices<Offset>& shape, int slice, int key) {
  const int lane = threadIdx.x % warp_size;
  const Group* group = shape.groups + key;
  const int log2_lanes = log2_lanes_of_key(static_cast<unsigned>(key)), most = warp_size >> log2_lanes;
  const int first = group->first_position + (slice - group->first_slice) * most;
  const int rows = min(group[1].first_position - first, most);
  const int length = lane < rows ? shape.items.of(shape.item_at[first + lane]).count : 0;
  const int longest = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(length)));
  if (lane == 0)
    shape.slices[slice] = {0, first, Slice::pack(rows, log2_lanes, (longest + (1 << log2_lanes) - 1) >> log2_lanes)};
}

template <class Offset>
__global__ void shape_slices_kernel(ShapeSlices<Offset> shape) {
  const int slices = shape.slices_in_all(), slice = ShareOfRow::of_warp(number_of_warp(), 1, slices).row;
  if (slice >= slices) return;
  // The last key whose slices begin at or before this one: keys without any come first among equals.
  const int key = last_at_most(shape.key_count, [&](int of) { return shape.groups[of].first_slice <= slice; });
  shape_slice(shape, slice, key);
}

/// What each row block begins and ends with. The place behind the last one is left for the number of slots, which fills
/// half of it.
struct FindRowBlocks {
  const Group* groups;
  int keys_per_row_block;
  int count;
  RowBlock* row_blocks;

  KOKKOS_FUNCTION void operator()(int row_block) const {
    if (row_block == count) row_blocks[row_block].first_position = row_blocks[row_block].end_position = 0;
    else row_blocks[row_block] = of(row_block);
  }

  KOKKOS_FUNCTION RowBlock of(int row_block) const {
    const Group &first = groups[row_block * keys_per_row_block], &end = groups[(row_block + 1) * keys_per_row_block];
    return {static_cast<unsigned>(first.first_slice), static_cast<unsigned>(end.first_slice), first.first_position,
            end.first_position};
  }
};

struct PlaceSlices {
  Slice* slices;
  const int* slice_count;
  std::int64_t* all_slots;

  KOKKOS_FUNCTION void operator()(int slice, std::int64_t& slots, bool final) const {
    if (slice >= *slice_count) return;
    if (final) slices[slice].start = slots;
    slots += static_cast<std::int64_t>(slices[slice].width()) * slices[slice].depth();
    if (final && slice + 1 == *slice_count) *all_slots = slots;
  }
};

}  // namespace terrace::cuda::triangular
