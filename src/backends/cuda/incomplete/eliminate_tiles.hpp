// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination by tiles (tiles.hpp) without barriers between them: blocks claim tiles in an order in which none comes
// before one that it needs, and wait for the flags of finished tiles. With m = min(I, J), tile (I, J) is
//
//     W = A_IJ - sum over k < m of L_Ik U_kJ,    then    L_mm U_mm = W,    L_Im = W U_mm^-1,    U_mJ = L_mm^-1 W,
//
// where what is not in the pattern is neither used nor stored: the incomplete factorization, and not that of the tiles.
// Each entry is reduced by column after column in ascending order, as by one thread, and divided by the same operation:
// the factor has the same bits (of complex numbers nearly: the compiler contracts their products as it likes).
//
// Four lanes share a line of a tile, each with eight of its numbers in registers. In products a line is a row, and a
// lane has two neighbouring columns of every eight, so that what lanes read together from shared memory lies in
// different banks or is the same. At the end of a tile lanes have every fourth number, and the numbers move up behind
// every fourth step, so that the same few instructions serve all steps: 32 copies of them would not fit in the caches.
// There a line is a row of L or of the diagonal tile, or a column of U, and the triangular solves with L and U are the
// same code.
//
// Cost: a band of half-bandwidth b and n rows takes n / 32 steps, one after the other, each a factorization, a
// triangular solve and a product of tiles of 32, instead of n rows.
#pragma once

#include "backends/cuda/incomplete/divisor.hpp"
#include "backends/cuda/incomplete/reset_rows.hpp"
#include "backends/cuda/incomplete/tiles.hpp"
#include "backends/cuda/lanes.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset>
struct TilesSystem {
  terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination;
  TiledPattern<Offset> tiles;
  terrace::incomplete::RealOf<Scalar>* norms;  // of the rows of A
  Scalar* pivots;                              // by row
  unsigned char* finished;                     // by tile; zero before
  unsigned* claimed;                           // zero before
};

/// Of a block: two tiles, and what is known of them.
template <class Scalar>
struct TileMemory {
  /// Rows begin 16 bytes apart from each other in the banks. Behind the right tile there is memory that is read, and
  /// never used.
  static constexpr int stride = tile_width + 2;

  alignas(16) unsigned char left_numbers[tile_width * stride * sizeof(Scalar)];
  alignas(16) unsigned char right_numbers[(tile_width * stride + tile_width) * sizeof(Scalar)];
  alignas(16) unsigned char divisor_numbers[tile_width * sizeof(Divisor<Scalar>)];
  unsigned left_masks[tile_width], right_masks[tile_width], own_masks[tile_width];
  unsigned claimed;

  __device__ Scalar* left() { return reinterpret_cast<Scalar*>(left_numbers); }
  __device__ Scalar* right() { return reinterpret_cast<Scalar*>(right_numbers); }
  __device__ Divisor<Scalar>* divisors() { return reinterpret_cast<Divisor<Scalar>*>(divisor_numbers); }
};

template <class Scalar, class Offset>
class TileElimination {
  using Memory = TileMemory<Scalar>;
  using Real = terrace::incomplete::RealOf<Scalar>;
  static constexpr int stride = Memory::stride;
  static constexpr int lanes_of_line = 4, numbers = tile_width / lanes_of_line;  // a line is a row, or a column

  /// Of this thread.
  using Numbers = Scalar[numbers];

  struct alignas(sizeof(Scalar) < 16 ? 2 * sizeof(Scalar) : 16) Pair {
    Scalar number[2];
  };

  /// Where a tile lies: below the diagonal tile of its step, or to the right of it.
  enum class Side { Lower, Upper };

 public:
  static constexpr int threads = tile_width * lanes_of_line;

  __device__ TileElimination(const TilesSystem<Scalar, Offset>& system, Memory& memory)
      : system_(system),
        tiles_(system.tiles),
        memory_(memory),
        line_(static_cast<int>(threadIdx.x) / lanes_of_line),
        part_(static_cast<int>(threadIdx.x) % lanes_of_line) {}

  /// By all threads of the block.
  __device__ void eliminate(int tile) const {
    const int row = tiles_.rows[tile], column = tiles_.columns[tile], step = min(row, column);
    load_own(tile, row, row == column);
    __syncthreads();
    Numbers w;
    read_rows(w);
    __syncthreads();
    for_products(row, column, step, [&](int left, int right) { subtract(left, right, w); });
    write_rows(w);
    __syncthreads();
    if (row == column) finish_diagonal(row);
    else finish_beside(row > column ? Side::Lower : Side::Upper, step);
    __syncthreads();
    store_own(tile);
    __syncthreads();
    if (threadIdx.x == 0) mark(system_.finished + tile);
  }

 private:
  /// Where number `at` of this thread stands in its row while products are subtracted.
  __device__ int column_of(int at) const { return 8 * (at / 2) + 2 * part_ + at % 2; }

  __device__ static bool has(unsigned mask, int place) { return ((mask >> place) & 1u) != 0; }

  // Tiles in shared memory.

  /// Calls visit(row of the tile, its mask, position, is an entry) for the whole tile, a warp for each row.
  template <class Visit>
  __device__ void for_entries(int tile, const Visit& visit) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
    constexpr int warps = threads / warp_size;
#pragma unroll
    for (int first = 0; first < tile_width; first += warps) {
      const int row = first + warp;
      const TileRow<Offset> found = tiles_.tile_rows[static_cast<std::size_t>(tile) * tile_width + row];
      const unsigned below = (1u << lane) - 1;
      visit(row, lane, found.mask, found.first + static_cast<Offset>(__popc(found.mask & below)));
    }
  }

  __device__ void load_own(int tile, int group, bool is_diagonal) const {
    const auto& elimination = system_.elimination;
    const int first_row = tiles_.group_map[group];
    for_entries(tile, [&](int row, int column, unsigned mask, Offset position) {
      Scalar value(0);
      if (has(mask, column)) value = elimination.stored(first_row + row, position);
      if (is_diagonal && row == column) value = value * elimination.diagonal_factor;
      memory_.left()[row * stride + column] = value;
      if (column == 0) memory_.own_masks[row] = mask;
    });
  }

  /// A finished tile.
  template <bool Transposed>
  __device__ void load(int tile, Scalar* to, unsigned* masks) const {
    for_entries(tile, [&](int row, int column, unsigned mask, Offset position) {
      Scalar value(0);
      watch_if(has(mask, column), system_.elimination.values + position, value);
      to[Transposed ? column * stride + row : row * stride + column] = value;
      if (column == 0) masks[row] = mask;
    });
  }

  __device__ void store_own(int tile) const {
    for_entries(tile, [&](int row, int column, unsigned mask, Offset position) {
      if (has(mask, column)) system_.elimination.values[position] = memory_.left()[row * stride + column];
    });
  }

  __device__ void read_rows(Numbers& w) const {
#pragma unroll
    for (int at = 0; at < numbers; ++at) w[at] = memory_.left()[line_ * stride + column_of(at)];
  }
  __device__ void write_rows(const Numbers& w) const {
#pragma unroll
    for (int at = 0; at < numbers; ++at) memory_.left()[line_ * stride + column_of(at)] = w[at];
  }

  /// The number at a place of this thread's line, in shared memory.
  __device__ Scalar* own(Side side, int place) const {
    return memory_.left() + (side == Side::Upper ? place * stride + line_ : line_ * stride + place);
  }

  // Products.

  /// Until both are finished, for all threads.
  __device__ void wait_for(int tile, int other) const {
    if (threadIdx.x < 2)
      while (!is_marked(system_.finished + (threadIdx.x == 0 ? tile : other))) continue;
    __syncthreads();
  }

  /// Calls body(tile (row, k), tile (k, column)) for k < step in ascending order. The lanes of each warp look for the
  /// second ones together, before anything is waited for.
  template <class Body>
  __device__ void for_products(int row, int column, int step, const Body& body) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size, end = tiles_.tile_map[row + 1];
    for (int first = tiles_.tile_map[row]; first < end; first += warp_size) {
      const int k = first + lane < end ? tiles_.columns[first + lane] : step;
      int other = -1;
      if (k < step) {
        const int last = tiles_.tile_map[k + 1];
        const int found = sparse::find_column(tiles_.columns, tiles_.diagonal[k] + 1, last, column);
        if (found != last) other = found;
      }
      for (unsigned left = __ballot_sync(all_lanes, other >= 0); left != 0; left &= left - 1) {
        const int from = __ffs(static_cast<int>(left)) - 1;
        body(first + from, __shfl_sync(all_lanes, other, from));
      }
      if (__any_sync(all_lanes, k >= step)) return;
    }
  }

  __device__ void subtract(int left, int right, Numbers& w) const {
    wait_for(left, right);
    load<false>(left, memory_.left(), memory_.left_masks);
    load<false>(right, memory_.right(), memory_.right_masks);
    __syncthreads();
    if ((tiles_.is_full[left] & tiles_.is_full[right]) != 0) subtract_product<true>(w);
    else subtract_product<false>(w);
    __syncthreads();
  }

  template <bool IsFull>
  __device__ void subtract_product(Numbers& w) const {
    const unsigned mask = memory_.left_masks[line_];
    const Scalar* const row = memory_.left() + line_ * stride;
#pragma unroll 4
    for (int k = 0; k < tile_width; k += 2) {
      const Pair factors = *reinterpret_cast<const Pair*>(row + k);
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (IsFull || has(mask, k + e)) subtract_row<IsFull>(factors.number[e], k + e, w);
    }
  }

  /// w_j -= factor u_kj, with row k of the right tile.
  template <bool IsFull>
  __device__ void subtract_row(const Scalar& factor, int k, Numbers& w) const {
    const Scalar* const upper = memory_.right() + k * stride + 2 * part_;
    const unsigned mask = IsFull ? all_lanes : memory_.right_masks[k];
#pragma unroll
    for (int at = 0; at < numbers; at += 2) {
      const Pair pair = *reinterpret_cast<const Pair*>(upper + 4 * at);
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const Scalar left = terrace::incomplete::minus_seen_product(w[at + e], factor, pair.number[e]);
        if (has(mask, column_of(at + e))) w[at + e] = left;
      }
    }
  }

  // The end of a tile: step k takes place k of all lines.

  /// Number `at` stands at place part + 4 at of its line.
  __device__ void read_line(Side side, Numbers& w) const {
#pragma unroll
    for (int at = 0; at < numbers; ++at) w[at] = *own(side, part_ + lanes_of_line * at);
  }

  /// The number at place k in all lanes of the line, once all before were moved up.
  __device__ Scalar number_of_step(int k, const Numbers& w) const {
    return of_lane(w[0], static_cast<int>(threadIdx.x) % warp_size - part_ + k % lanes_of_line);
  }

  /// Behind step k.
  __device__ static void move_up(int k, Numbers& w) {
    if (k % lanes_of_line != lanes_of_line - 1) return;
#pragma unroll
    for (int at = 0; at + 1 < numbers; ++at) w[at] = w[at + 1];
  }

  /// Where number 0 of this thread stands at step k.
  __device__ int first_place(int k) const { return k / lanes_of_line * lanes_of_line + part_; }

  /// Of this thread's numbers those behind place k that `mask` has: bit 4 at of number `at`.
  __device__ unsigned numbers_behind(int k, unsigned mask) const { return (mask & ~1u << k) >> first_place(k); }
  __device__ static bool has_number(unsigned behind, int at) { return has(behind, lanes_of_line * at); }

  /// w -= product(a) for the numbers a of line k of the right tile. All are read, also behind the end of the line, and
  /// all products are found, so that nothing waits for a branch.
  template <class Product>
  __device__ void subtract_line(int k, unsigned behind, Numbers& w, const Product& product) const {
    const Scalar* const from = memory_.right() + k * stride + first_place(k);
    Scalar other[numbers];
#pragma unroll
    for (int at = 0; at < numbers; ++at) other[at] = from[lanes_of_line * at];
#pragma unroll
    for (int at = 0; at < numbers; ++at) {
      const Scalar left = w[at] - product(other[at]);
      if (has_number(behind, at)) w[at] = left;
    }
  }

  /// Row by row, which a barrier makes known to those behind it. The rows go to the right tile as they are finished.
  __device__ void finish_diagonal(int group) const {
    const int width = tiles_.width(group), row = tiles_.group_map[group] + line_;
    const Real norm = line_ < width ? system_.norms[row] : Real(0);
    const unsigned mask = memory_.own_masks[line_];
    Numbers w;
    read_line(Side::Lower, w);
#pragma unroll 1
    for (int k = 0; k < width; ++k) {
      const bool has_place = part_ == k % lanes_of_line;
      if (line_ == k && has_place) w[0] = settle(row, w[0], norm);
      const Scalar number = number_of_step(k, w);
      if (line_ == k) publish_row(number, k, mask, w);
      __syncthreads();
      const bool takes_part = line_ > k && has(mask, k);
      const Scalar factor = divide(number, memory_.divisors()[k]);
      if (takes_part && has_place) *own(Side::Lower, k) = factor;
      const unsigned behind = takes_part ? numbers_behind(k, memory_.own_masks[k]) : 0;
      subtract_line(k, behind, w, [&](const Scalar& upper) { return factor * upper; });
      move_up(k, w);
    }
  }

  /// The pivot, or its root, by one thread.
  __device__ Scalar settle(int row, const Scalar& reduced, Real norm) const {
    const Scalar pivot = system_.elimination.pivots.settle(row, reduced, norm);
    system_.pivots[row] = pivot;
    return system_.elimination.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
  }

  /// Row k is finished, from its diagonal on: into both tiles, behind the diagonal divided by the root.
  __device__ void publish_row(const Scalar& diagonal, int k, unsigned mask, Numbers& w) const {
    const Divisor<Scalar> divisor = divisor_of(diagonal);
    if (part_ == 0) {
      memory_.divisors()[k] = divisor;
      *own(Side::Lower, k) = diagonal;
    }
    if (system_.elimination.symmetric)
#pragma unroll
      for (int at = 0; at < numbers; ++at) w[at] = divide(w[at], divisor);
    const unsigned behind = numbers_behind(k, mask);
#pragma unroll
    for (int at = 0; at < numbers; ++at) {
      const int place = first_place(k) + lanes_of_line * at;
      if (has_number(behind, at)) *own(Side::Lower, place) = memory_.right()[k * stride + place] = w[at];
    }
  }

  /// Waits for the diagonal tile of the step.
  __device__ void finish_beside(Side side, int step) const {
    const int diagonal = tiles_.diagonal[step], width = tiles_.width(step);
    wait_for(diagonal, diagonal);
    if (side == Side::Lower) load<false>(diagonal, memory_.right(), memory_.right_masks);
    else load<true>(diagonal, memory_.right(), memory_.right_masks);
    __syncthreads();
    if (threadIdx.x < static_cast<unsigned>(width))
      memory_.divisors()[threadIdx.x] = divisor_of(memory_.right()[threadIdx.x * (stride + 1)]);
    __syncthreads();
    if (side == Side::Lower) substitute(side, width, memory_.own_masks[line_], memory_.right_masks);
    else substitute(side, width, column_of_masks(memory_.own_masks), nullptr);
  }

  __device__ static Divisor<Scalar> divisor_of(const Scalar& pivot) {
    Divisor<Scalar> divisor;
    divisor.pivot = pivot;
    if constexpr (has_inverse<Scalar>) divisor.inverse = Scalar(1) / pivot;
    return divisor;
  }

  /// Which rows have the column of this thread's line.
  __device__ unsigned column_of_masks(const unsigned* masks) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size, first = line_ - lane / lanes_of_line;
    const unsigned row = masks[lane];
    unsigned found = 0;
    for (int other = 0; other < warp_size / lanes_of_line; ++other) {
      const unsigned column = __ballot_sync(all_lanes, has(row, first + other));
      if (first + other == line_) found = column;
    }
    return found;
  }

  /// Lower: a row of W U^-1, with U in the right tile. Upper: a column of L^-1 W, with L^T there, divided by the roots
  /// where the factorization is symmetric. `mask`: what this line has; `rows`: what rows of U have, or none for L^T.
  __device__ void substitute(Side side, int width, unsigned mask, const unsigned* rows) const {
    const bool divides = side == Side::Lower || system_.elimination.symmetric;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const unsigned mask_of_lane = rows ? rows[lane] : mask_of_transposed_row(lane);
    Numbers w;
    read_line(side, w);
#pragma unroll 1
    for (int k = 0; k < width; ++k) {
      Scalar number = number_of_step(k, w);
      const unsigned others = __shfl_sync(all_lanes, mask_of_lane, k);
      if (divides) number = divide(number, memory_.divisors()[k]);
      if (has(mask, k) && part_ == k % lanes_of_line) *own(side, k) = number;
      const unsigned behind = has(mask, k) ? numbers_behind(k, others) : 0;
      subtract_line(k, behind, w,
                    [&](const Scalar& other) { return side == Side::Lower ? number * other : other * number; });
      move_up(k, w);
    }
  }

  /// Which rows of the diagonal tile have column `column`, one for each lane.
  __device__ unsigned mask_of_transposed_row(int column) const {
    unsigned mask = 0;
    for (int row = 0; row < tile_width; ++row) mask |= (memory_.right_masks[row] >> column & 1u) << row;
    return mask;
  }

  const TilesSystem<Scalar, Offset>& system_;
  const TiledPattern<Offset>& tiles_;
  Memory& memory_;
  int line_, part_;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(TileElimination<Scalar, Offset>::threads)
    eliminate_tiles_kernel(const __grid_constant__ TilesSystem<Scalar, Offset> system) {
  __shared__ TileMemory<Scalar> memory;
  const TileElimination<Scalar, Offset> elimination(system, memory);
  for (;;) {
    if (threadIdx.x == 0) memory.claimed = atomicAdd(system.claimed, 1u);
    __syncthreads();
    const unsigned number = memory.claimed;
    if (number >= static_cast<unsigned>(system.tiles.tiles)) return;
    elimination.eliminate(system.tiles.order[number]);
  }
}

/// Norms of the rows of A, a warp for each; flags and counters are reset.
template <class Scalar, class Offset>
__global__ void prepare_tiles_kernel(const __grid_constant__ TilesSystem<Scalar, Offset> system) {
  const auto& elimination = system.elimination;
  const std::size_t thread = number_of_thread(), threads = gridDim.x * static_cast<std::size_t>(blockDim.x);
  forget_pivots(elimination, thread);
  if (thread == 0) *system.claimed = 0;
  for (std::size_t tile = thread; tile < static_cast<std::size_t>(system.tiles.tiles); tile += threads)
    system.finished[tile] = 0;
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(elimination.pattern.rows)) return;
  const auto row = static_cast<int>(number);
  terrace::incomplete::RealOf<Scalar> norm(0);
  for (Offset p = elimination.pattern.row_map[row] + static_cast<Offset>(threadIdx.x % warp_size);
       p < elimination.pattern.row_map[row + 1]; p += warp_size)
    norm += terrace::incomplete::magnitude(elimination.stored(row, p));
  norm = sum_over_lanes<5>(norm);
  if (threadIdx.x % warp_size == 0) system.norms[row] = norm;
}

/// A warp for each row.
template <class Scalar, class Offset>
__global__ void check_rows_kernel(const __grid_constant__ TilesSystem<Scalar, Offset> system) {
  const auto& elimination = system.elimination;
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(elimination.pattern.rows)) return;
  const auto row = static_cast<int>(number);
  const Scalar pivot = system.pivots[row];
  int is_bad = elimination.is_not_finite(pivot);
  for (Offset p = elimination.pattern.row_map[row] + static_cast<Offset>(threadIdx.x % warp_size);
       p < elimination.pattern.row_map[row + 1]; p += warp_size)
    is_bad |= elimination.is_not_finite(elimination.values[p]);
  if (is_bad != 0) elimination.report_not_finite(row, pivot);
}

/// Enqueued. What is relaxed is not in it.
template <class Scalar, class Offset>
void eliminate_tiles(const Space& space, const TilesSystem<Scalar, Offset>& system, int blocks) {
  constexpr unsigned threads = 128, rows_of_block = threads / warp_size;
  const std::size_t blocks_of_rows = blocks_of(system.elimination.pattern.rows, rows_of_block);
  launch(space, "terrace::cuda::prepare_tiles", prepare_tiles_kernel<Scalar, Offset>, blocks_of_rows, threads, system);
  launch(space, "terrace::cuda::eliminate_tiles", eliminate_tiles_kernel<Scalar, Offset>,
         static_cast<std::size_t>(blocks), TileElimination<Scalar, Offset>::threads, system);
  launch(space, "terrace::cuda::check_rows", check_rows_kernel<Scalar, Offset>, blocks_of_rows, threads, system);
}

}  // namespace terrace::cuda::incomplete
