// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One application in one kernel: a thread block for each block of the matrix.
//
//   x = in r;   x_i -= l_i x, level after level;   x_i = (x_i - u_i x) / d_i, level after level;   z = out x.
//
// The unknowns stay in shared memory from the first line to the last, and L and U come through a ring of chunks
// (ring.hpp) that one warp keeps full while the others solve. So a level takes the latency of shared memory and of a
// meeting of warps, device memory is read at its own pace ahead of it, and each number of it once. Nothing waits for
// another thread block.
//
// Several right-hand sides lie side by side in each cell; others are other thread blocks', which run next to each other
// and share what L2 holds of the stream.
//
// Time: the larger of bytes over bandwidth and, for each level, a look at the slice, at its columns, at the unknowns,
// the products, and the meeting: some 200 cycles.
#pragma once

#include "algorithms/schwarz/engine.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/schwarz/ring.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda::schwarz {

/// What a cell holds.
template <class Scalar, int Columns>
struct alignas(sizeof(Scalar) * Columns < 16 ? sizeof(Scalar) * Columns : 16) Unknowns {
  Scalar of[Columns];
};

template <class Scalar, class Factor>
struct BlockSolve {
  StreamStructure stream;
  const Factor* values;
  detail::MultiVector<const Scalar, Kokkos::Cuda> R;
  detail::MultiVector<Scalar, Kokkos::Cuda> Z;
  terrace::schwarz::Transfer<Scalar, int> transfer;
  std::ptrdiff_t first_column;
  unsigned groups;  // of columns; those of a block are neighbours
  SharedShape shape;
  bool conjugate = false;  // solve with the conjugates of L and U
};

template <class Scalar, class Factor, int Columns>
class BlockWalk {
  using Cells = Unknowns<Scalar, Columns>;

 public:
  __device__ BlockWalk(const BlockSolve<Scalar, Factor>& solve, int block, std::ptrdiff_t column, Cells* x)
      : solve_(solve),
        begin_(solve.stream.block_map[block]),
        places_(solve.stream.block_map[block + 1] - begin_),
        column_(column),
        x_(x),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        warp_(static_cast<int>(threadIdx.x) / warp_size),
        warps_(static_cast<int>(blockDim.x) / warp_size - 1) {}

  __device__ void read() const {
    if (threadIdx.x == 0) x_[places_] = Cells{};
    for_places([&](int place, int row) {
      Cells cell{};
#pragma unroll
      for (int k = 0; k < Columns; ++k)
        if (is_column(k)) cell.of[k] = outside(solve_.transfer.read(solve_.R, place, row, column_ + k));
      return cell;
    });
  }

  __device__ void walk(Ring<Factor>& ring, std::int64_t chunks) {
#pragma unroll 1
    for (; chunks > 0; --chunks) {
      solve_chunk(ring.wait());
      ring.leave();
    }
  }

  __device__ void write() const {
    meet();
    constexpr int at_once = BlockTuning::places_at_once(sizeof(Cells));
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x); first < places_; first += at_once * threads()) {
      int row[at_once];
      Cell cell[at_once];
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        const int place = first + w * threads();
        if (place < places_) look_up(place, row[w], cell[w]);
      }
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        const int place = first + w * threads();
        if (place >= places_) continue;
        const Cells solved = x_[cell[w]];
#pragma unroll
        for (int k = 0; k < Columns; ++k)
          if (is_column(k)) solve_.transfer.write(solve_.Z, begin_ + place, row[w], column_ + k, outside(solved.of[k]));
      }
    }
  }

 private:
  /// With the conjugates of L and U, cells hold the conjugates of the unknowns. Weights are real.
  __device__ Scalar outside(const Scalar& number) const { return triangular::conjugated(number, solve_.conjugate); }
  __device__ int threads() const { return warps_ * warp_size; }
  __device__ bool is_column(int k) const {
    return Columns == 1 || column_ + k < static_cast<std::ptrdiff_t>(solve_.R.columns);
  }
  __device__ void look_up(int place, int& row, Cell& cell) const {
    row = solve_.transfer.row[begin_ + place];
    cell = solve_.stream.cells[begin_ + place];
  }

  /// The warps that solve; what they have written is there for all of them.
  __device__ void meet() const { asm volatile("bar.sync 1, %0;" ::"r"(threads()) : "memory"); }

  /// Puts number(place, row) into the cells, several on their way at once.
  template <class Number>
  __device__ void for_places(const Number& number) const {
    constexpr int at_once = BlockTuning::places_at_once(sizeof(Cells));
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x); first < places_; first += at_once * threads()) {
      int row[at_once];
      Cell cell[at_once];
      Cells found[at_once];
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        const int place = first + w * threads();
        if (place < places_) look_up(place, row[w], cell[w]);
      }
#pragma unroll
      for (int w = 0; w < at_once; ++w) {
        const int place = first + w * threads();
        if (place < places_) found[w] = number(begin_ + place, row[w]);
      }
#pragma unroll
      for (int w = 0; w < at_once; ++w)
        if (first + w * threads() < places_) x_[cell[w]] = found[w];
    }
  }

  /// From meeting to meeting.
  __device__ void solve_chunk(const Chunk<Factor>& chunk) {
    const ChunkHead head = *chunk.head;
#pragma unroll 1
    for (int begin = 0; begin < head.slices;) {
      const unsigned meets_behind = head.meets & ~((2u << begin) - 1u);
      const int end = meets_behind ? __ffs(static_cast<int>(meets_behind)) - 1 : head.slices;
      if (head.meets >> begin & 1u) {
        meet();
        next_warp_ = 0;
      }
      solve_slices(chunk, begin, end, head.single >> begin & 1u);
      begin = end;
    }
  }

  /// Slices of one step go to the warps in turn, and those of the next chunk on from there. Slices that each are a step
  /// are one warp's.
  __device__ void solve_slices(const Chunk<Factor>& chunk, int begin, int end, bool are_steps) {
    int mine = warp_ - next_warp_;
    if (mine < 0) mine += warps_;
    if (are_steps) mine = warp_ == 0 ? 0 : end;
    const int stride = are_steps ? 1 : warps_;
#pragma unroll 1
    for (int slice = begin + mine; slice < end; slice += stride) {
      solve_slice(chunk, chunk.slices[slice]);
      __syncwarp();
    }
    next_warp_ += end - begin;
    while (next_warp_ >= warps_) next_warp_ -= warps_;
  }

  /// Lanes without a share look at the entries that the first one looks at.
  __device__ void solve_slice(const Chunk<Factor>& chunk, const SliceHead head) const {
    const SliceShape shape = head.shape();
    const int width = shape.width(), log2_lanes = shape.log2_lanes();
    const bool works = lane_ < width;
    const int lane = works ? lane_ : 0, row = lane >> log2_lanes;
    const bool leads = works && (lane & ((1 << log2_lanes) - 1)) == 0;
    int cell = head.first() + row;
    Scalar reciprocal(1);
    if (shape.has_diagonal()) {
      const int slot = head.start() + width * shape.depth() + row;
      cell = chunk.columns[slot];
      reciprocal = static_cast<Scalar>(chunk.values[slot]);
    }
    Cells solved{}, sum{};
    if (leads) solved = x_[cell];
    add_products(chunk.columns + head.start() + lane, chunk.values + head.start() + lane, width, shape.depth(), sum);
#pragma unroll
    for (int k = 0; k < Columns; ++k) {
      solved.of[k] -= sum_over_lanes(sum.of[k], log2_lanes);
      if (shape.has_diagonal()) solved.of[k] *= reciprocal;
    }
    if (leads) x_[cell] = solved;
  }

  /// Of the lane's entries, `width` slots apart; as many at once as registers suffice for.
  __device__ void add_products(const Cell* columns, const Factor* values, int width, int depth, Cells& sum) const {
    constexpr int at_once = sizeof(Cells) <= 16 ? 4 : 2;
#pragma unroll 1
    for (; depth >= at_once; depth -= at_once, columns += at_once * width, values += at_once * width)
      add_some<at_once>(columns, values, width, sum);
    if constexpr (at_once > 2) {
      if (depth == 3) return add_some<3>(columns, values, width, sum);
      if (depth == 2) return add_some<2>(columns, values, width, sum);
    }
    if (depth == 1) add_some<1>(columns, values, width, sum);
  }

  template <int Count>
  __device__ void add_some(const Cell* columns, const Factor* values, int width, Cells& sum) const {
    Cell column[Count];
    Factor value[Count];
    Cells x[Count];
#pragma unroll
    for (int w = 0; w < Count; ++w) {
      column[w] = columns[w * width];
      value[w] = values[w * width];
    }
#pragma unroll
    for (int w = 0; w < Count; ++w) x[w] = x_[column[w]];
#pragma unroll
    for (int w = 0; w < Count; ++w)
#pragma unroll
      for (int k = 0; k < Columns; ++k) sum.of[k] += static_cast<Scalar>(value[w]) * x[w].of[k];
  }

  const BlockSolve<Scalar, Factor>& solve_;
  int begin_, places_;
  std::ptrdiff_t column_;
  Cells* x_;
  int lane_, warp_, warps_;
  int next_warp_ = 0;
};

/// The last warp copies, the others solve.
template <class Scalar, class Factor, int Columns>
__global__ void __maxnreg__(BlockTuning::registers(sizeof(Unknowns<Scalar, Columns>)))
    solve_blocks_kernel(const __grid_constant__ BlockSolve<Scalar, Factor> solve) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto block = static_cast<int>(blockIdx.x / solve.groups);
  const std::ptrdiff_t column = solve.first_column + Columns * static_cast<std::ptrdiff_t>(blockIdx.x % solve.groups);
  const auto copying_warp = blockDim.x / warp_size - 1;
  Ring<Factor> ring(memory, solve.shape);
  if (threadIdx.x == 0) ring.make(static_cast<int>(copying_warp));
  __syncthreads();
  const StreamPlace begin = solve.stream.places[2 * static_cast<std::size_t>(block)];
  const std::int64_t end_chunk = solve.stream.places[2 * static_cast<std::size_t>(block) + 2].chunks;
  if (begin.chunks == end_chunk) return;
  if (threadIdx.x / warp_size == copying_warp) {
    if (threadIdx.x % warp_size == 0) ring.copy(solve.stream, solve.values, begin, end_chunk);
    return;
  }
  BlockWalk<Scalar, Factor, Columns> walk(
      solve, block, column, reinterpret_cast<Unknowns<Scalar, Columns>*>(memory + solve.shape.begin_of_unknowns()));
  walk.read();
  walk.walk(ring, end_chunk - begin.chunks);
  walk.write();
}

/// Shared memory of a thread block.
template <class Scalar, int Columns>
std::size_t bytes_to_solve(const SharedShape& shape, int largest_block) {
  return static_cast<std::size_t>(shape.begin_of_unknowns()) +
         (static_cast<std::size_t>(largest_block) + 1) * sizeof(Unknowns<Scalar, Columns>);
}

}  // namespace terrace::cuda::schwarz
