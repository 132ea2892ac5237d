// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From items in order to slices and chunks (stream.hpp). A warp goes through the items of one triangle of a block, 32
// at a time; what a slice is shows at its last item. It goes twice: to count, and to write when the host has made
// memory. O(items) work; the longest block takes longest.
#pragma once

#include "backends/cuda/schwarz/order_items.hpp"

namespace terrace::cuda::schwarz {

/// A triangle of all blocks: its items by position, block after block.
template <class Offset>
struct OrderedTriangle {
  RowItems<Offset> of;
  const int* items = nullptr;
  const unsigned* tags = nullptr;
  bool has_diagonal = true;
  bool is_unit = false;  // the diagonal is one, whatever is stored there
};

template <class Offset>
struct CutChunks {
  OrderedTriangle<Offset> triangles[2];  // L, U
  const int* block_map;
  int blocks;
  int slots_per_chunk;
  const Cell* cells;
  StreamPlace* places;  // counted, or read when there is something to write to
  StreamSlice* slices = nullptr;
  ChunkSize* chunks = nullptr;
  uint4* heads = nullptr;
};

template <class Offset, bool Writes>
class ChunkCutter {
 public:
  __device__ ChunkCutter(const CutChunks<Offset>& cut, int number)
      : cut_(cut), triangle_(cut.triangles[number % 2]), lane_(static_cast<int>(threadIdx.x) % warp_size) {
    const int block = number / 2;
    const int begin = cut.block_map[block], end = cut.block_map[block + 1];
    first_ = begin + triangle_.of.pieces_before(begin);
    end_ = end + triangle_.of.pieces_before(end);
    upper_ = number % 2 ? StreamSlice::upper : 0u;
    if (Writes) place_ = cut.places[number];
  }

  __device__ StreamPlace walk() {
    for (int base = first_; base < end_; base += warp_size) take(base);
    if (open_.slices > 0) close();
    place_.crowd += of_step_ * of_step_;
    return place_;
  }

 private:
  struct Slice {
    int first, slots;  // the position of its first item
    unsigned bits;     // SliceShape
    bool begins_step, is_single;
  };

  __device__ Tag tag(int position) const { return {position < end_ ? triangle_.tags[position] : ~0u}; }

  /// The slice that ends at this lane's position, if one does; called by the whole warp.
  __device__ bool ends_slice(int base, Slice& slice) {
    const int position = base + lane_;
    const bool is_item = position < end_;
    const Tag mine = tag(position), next = tag(position + 1);
    unsigned before = __shfl_up_sync(all_lanes, mine.bits, 1);
    if (lane_ == 0) before = last_tag_;
    const bool begins_group = is_item && (position == first_ || Tag{before}.group() != mine.group());
    const unsigned begins = __ballot_sync(all_lanes, begins_group) & ((2u << lane_) - 1u);
    const int group_first = begins ? base + 31 - __clz(static_cast<int>(begins)) : group_first_;
    last_tag_ = __shfl_sync(all_lanes, mine.bits, 31);
    group_first_ = __shfl_sync(all_lanes, group_first, 31);
    if (!is_item) return false;
    const int most = warp_size >> mine.log2_lanes(), place = (position - group_first) & (most - 1);
    if (place < most - 1 && next.group() == mine.group()) return false;
    slice.first = position - place;
    const SliceShape shape{SliceShape::pack(place + 1, mine.log2_lanes(), Tag{triangle_.tags[slice.first]}.depth(),
                                            triangle_.has_diagonal)};
    slice.bits = shape.bits;
    slice.slots = shape.slots();
    slice.begins_step = slice.first == first_ || Tag{triangle_.tags[slice.first - 1]}.step() != mine.step();
    slice.is_single = slice.begins_step && next.step() != mine.step();
    return true;
  }

  __device__ void take(int base) {
    Slice mine{0, 0, 0, false, false};
    const bool ends = ends_slice(base, mine);
    for (unsigned left = __ballot_sync(all_lanes, ends); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const int slots = __shfl_sync(all_lanes, mine.slots, from);
      const bool begins_step = __shfl_sync(all_lanes, mine.begins_step, from),
                 is_single = __shfl_sync(all_lanes, mine.is_single, from);
      if (open_slots_ + slots > cut_.slots_per_chunk || open_.slices == BlockTuning::slices_per_chunk) close();
      if (Writes && lane_ == from) write(mine);
      const unsigned bit = 1u << open_.slices;
      if (begins_step && !(is_single && last_is_single_)) open_.meets |= bit;
      if (is_single) open_.single |= bit;
      ++open_.slices;
      open_slots_ += slots;
      ++place_.slices;
      last_is_single_ = is_single;
      count_crowd(begins_step);
    }
  }

  __device__ void count_crowd(bool begins_step) {
    if (begins_step) {
      place_.crowd += of_step_ * of_step_;
      of_step_ = 0;
    }
    ++of_step_;
  }

  __device__ void write(const Slice& slice) const {
    const int row = triangle_.of.of(triangle_.items[slice.first]).row;
    auto* heads = reinterpret_cast<SliceHead*>(cut_.heads + place_.heads + 1);
    heads[open_.slices] = {SliceHead::pack(open_slots_, cut_.cells[row]), slice.bits};
    cut_.slices[place_.slices] = {place_.slots + open_slots_, slice.first, slice.bits | upper_};
  }

  __device__ void close() {
    const int slots = whole_slots(open_slots_);
    if (Writes && lane_ == 0) {
      *reinterpret_cast<ChunkHead*>(cut_.heads + place_.heads) = open_;
      cut_.chunks[place_.chunks] = {static_cast<std::uint16_t>(open_.slices), static_cast<std::uint16_t>(slots)};
    }
    ++place_.chunks;
    place_.heads += ChunkSize::heads_for(open_.slices);
    place_.slots += slots;
    open_ = {0, 0, 0, 0};
    open_slots_ = 0;
  }

  const CutChunks<Offset>& cut_;
  const OrderedTriangle<Offset>& triangle_;
  int lane_, first_, end_;
  unsigned upper_;
  unsigned last_tag_ = 0;
  int group_first_ = 0;
  StreamPlace place_;
  ChunkHead open_{0, 0, 0, 0};  // the chunk that slices go to
  int open_slots_ = 0;
  bool last_is_single_ = false;
  std::int64_t of_step_ = 0;  // slices of the step so far
};

/// A warp for each triangle of a block.
template <class Offset, bool Writes>
__global__ void cut_chunks_kernel(const __grid_constant__ CutChunks<Offset> cut) {
  const std::size_t number = number_of_warp();
  if (number >= 2 * static_cast<std::size_t>(cut.blocks)) return;
  const StreamPlace taken = ChunkCutter<Offset, Writes>(cut, static_cast<int>(number)).walk();
  if (!Writes && threadIdx.x % warp_size == 0) cut.places[number] = taken;
}

/// Over the triangles and their end: what each takes becomes where it begins.
struct PlaceTriangles {
  StreamPlace* places;
  int count;
  KOKKOS_FUNCTION void operator()(int triangle, StreamPlace& sum, bool final) const {
    const StreamPlace taken = triangle < count ? places[triangle] : StreamPlace();
    if (final) places[triangle] = sum;
    sum += taken;
  }
};

}  // namespace terrace::cuda::schwarz
