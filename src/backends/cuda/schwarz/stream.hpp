// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// L and U of each block as the one kernel of an application reads them: a stream, strictly in order, once.
//
// Cells. The unknowns of a block lie in shared memory, numbered in the order of the levels of L: the rows of a level
// write neighbouring cells and mostly read neighbouring ones, whatever the strides of the matrix; by place, the lanes
// of a warp would meet in the same banks on grids. The cell behind the last one is always zero. 16 bits name a cell.
//
// Steps. A step is what may be solved at once: the rows of a level, or pieces of those of its rows that are too long
// (row_items.hpp). L's steps ascend, then U's; all warps meet between steps. Steps of a single slice that follow each
// other are walked by one warp without such meetings.
//
// Slices. A slice is up to 32 lanes' share of a step: rows of which each is taken by the same number of lanes, 1 to
// 32. Entry k of a row belongs to lane k mod lanes, as the lane's (k / lanes)-th, so that slot (step, lane) lies at
// start + step x rows x lanes + lane; the depth is at most 8. A slot is the cell of a column and a value; rows shorter
// than the slice is deep are filled up with the zero cell. Behind them stands a slot for each row: its cell, and the
// reciprocal of its diagonal. L with a unit diagonal has no such slots: the cells of its slices are consecutive.
//
// Chunks. Whole slices, as many as fit, are a chunk, which a thread copies to shared memory (bulk_copy.hpp) some chunks
// before it is solved with. A chunk stands in three arrays: heads, columns, and values; the first two belong to the
// plan, the last to the engine. Each part begins at a multiple of 16 bytes.
//
// Bytes: 10 for each entry of double precision and 10 for each row of U, 8 for a slice, and little filling.
//
// Sliced ELLPACK by levels is due to Naumov (NVR-2011-001, section 3) and Monakov, Lokhmotov, Avetisyan (HiPEAC 2010).
#pragma once

#include <cstdint>

#include "backends/cuda/schwarz/tuning.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::schwarz {

using Cell = std::uint16_t;

/// So many places, and the zero cell behind them, can be named.
inline constexpr int max_places_of_block = 65535;

/// Rows x lanes, how deep, and whether slots with the diagonal follow.
struct SliceShape {
  static constexpr int deepest = BlockTuning::entries_per_lane;

  KOKKOS_FUNCTION static constexpr unsigned pack(int rows, int log2_lanes, int depth, bool has_diagonal) {
    return static_cast<unsigned>(((rows << log2_lanes) - 1) | log2_lanes << 5 | depth << 8 |
                                 (has_diagonal ? 1 << 12 : 0));
  }
  unsigned bits;
  KOKKOS_FUNCTION int width() const { return static_cast<int>(bits & 31u) + 1; }
  KOKKOS_FUNCTION int log2_lanes() const { return static_cast<int>(bits >> 5 & 7u); }
  KOKKOS_FUNCTION int depth() const { return static_cast<int>(bits >> 8 & 15u); }
  KOKKOS_FUNCTION bool has_diagonal() const { return bits >> 12 & 1u; }
  KOKKOS_FUNCTION int rows() const { return width() >> log2_lanes(); }
  KOKKOS_FUNCTION int slots() const { return width() * depth() + (has_diagonal() ? rows() : 0); }
};

/// A slice within its chunk.
struct alignas(8) SliceHead {
  unsigned place;  // its first slot, and above 16 bits the cell of its first row
  unsigned bits;   // SliceShape

  KOKKOS_FUNCTION static unsigned pack(int start, Cell first) {
    return static_cast<unsigned>(start) | static_cast<unsigned>(first) << 16;
  }
  KOKKOS_FUNCTION int start() const { return static_cast<int>(place & 0xffffu); }
  KOKKOS_FUNCTION int first() const { return static_cast<int>(place >> 16); }
  KOKKOS_FUNCTION SliceShape shape() const { return {bits}; }
};

/// Calls visit(w, slot, is_slot) for `Count` entries of a lane, from its first-th on, of a slice whose slots begin at
/// `start`; a lane without a share has none.
template <int Count, class Visit>
__device__ void for_slots_of_lane(const SliceShape& shape, std::int64_t start, int lane, int first,
                                  const Visit& visit) {
#pragma unroll
  for (int w = 0; w < Count; ++w)
    visit(w, start + (first + w) * shape.width() + lane, lane < shape.width() && first + w < shape.depth());
}

/// At the front of a chunk's heads; a bit for each slice.
struct alignas(16) ChunkHead {
  unsigned meets;   // all warps meet before this slice
  unsigned single;  // it is the only one of its step
  int slices;
  int unused;
};
inline constexpr std::size_t head_bytes = 16;  // in which heads are counted
static_assert(sizeof(ChunkHead) == head_bytes && 2 * sizeof(SliceHead) == head_bytes);

/// What the copying thread has to know of a chunk.
struct ChunkSize {
  std::uint16_t slices, slots;

  KOKKOS_FUNCTION static constexpr int heads_for(int slices) { return 1 + (slices + 1) / 2; }
  KOKKOS_FUNCTION int heads() const { return heads_for(slices); }
};

/// Slots of a chunk are a multiple, so that each of its parts begins at a multiple of 16 bytes.
KOKKOS_INLINE_FUNCTION int whole_slots(int slots) { return (slots + 7) / 8 * 8; }

/// What a triangle of a block takes; and, summed up, where it begins.
struct StreamPlace {
  std::int64_t slots = 0, slices = 0, chunks = 0, heads = 0;
  std::int64_t crowd = 0;  // the sum over slices of how many there are in the same step

  KOKKOS_FUNCTION StreamPlace& operator+=(const StreamPlace& other) {
    slots += other.slots;
    slices += other.slices;
    chunks += other.chunks;
    heads += other.heads;
    crowd += other.crowd;
    return *this;
  }
};

/// A slice as whoever fills the stream sees it.
struct alignas(16) StreamSlice {
  std::int64_t start;  // its first slot in the stream
  int first;           // the position of its first row among the items of its triangle
  unsigned bits;       // SliceShape, and which triangle
  static constexpr unsigned upper = 1u << 31;

  KOKKOS_FUNCTION SliceShape shape() const { return {bits}; }
  KOKKOS_FUNCTION int triangle() const { return bits >> 31; }
};

/// What the plan knows of it, for kernels.
struct StreamStructure {
  const int* block_map;       // where the places of each block begin, and the end
  const StreamPlace* places;  // of L and U of each block in turn, and the end
  const ChunkSize* chunks;
  const uint4* heads;
  const Cell* columns;
  const Cell* cells;  // of each place
};

}  // namespace terrace::cuda::schwarz
