// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transposes: U^T y = in r, then L^T x = y, along the stream of L and U from its end to its beginning. A warp for
// each block and right-hand side.
//
// A row of the factor is a column of its transpose: once its unknown is known, its products are subtracted from the
// unknowns of its columns. Whatever a row of a triangle needs comes before it in the stream; what its transpose needs
// comes behind it. The rows of a slice, which do not need each other, are taken together, entry after entry; lanes that
// meet in a column take turns, so that sums have one order. What the next slice holds is on its way.
//
// Time: for each entry of a slice's lanes a round through shared memory, some 100 cycles. A stream of the transposes,
// which gathers and which all warps can walk, takes as much memory again, and is made on request (PairedBlockEngine).
#pragma once

#include "backends/cuda/schwarz/plan.hpp"
#include "backends/cuda/schwarz/solve_blocks.hpp"

namespace terrace::cuda::schwarz {

template <class Scalar, class Factor>
struct TransposedSolve {
  StreamStructure stream;
  const Factor* values;
  bool conjugate;
  detail::MultiVector<const Scalar, Kokkos::Cuda> R;
  detail::MultiVector<Scalar, Kokkos::Cuda> Z;
  terrace::schwarz::Transfer<Scalar, int> transfer;
  std::ptrdiff_t first_column;
  unsigned columns;
};

/// The slices of a block from the last one to the first.
class SlicesBackward {
 public:
  __device__ SlicesBackward(const StreamStructure& stream, int block)
      : stream_(stream),
        first_(stream.places[2 * static_cast<std::size_t>(block)]),
        at_(stream.places[2 * static_cast<std::size_t>(block) + 2]) {
    step();
  }

  __device__ bool is_there() const { return slice_ >= 0; }
  __device__ SliceHead head() const {
    return reinterpret_cast<const SliceHead*>(stream_.heads + at_.heads + 1)[slice_];
  }
  __device__ std::int64_t chunk() const { return at_.slots; }  ///< where its slots begin

  __device__ void step() {
    if (--slice_ >= 0 || at_.chunks == first_.chunks) return;
    const ChunkSize size = stream_.chunks[--at_.chunks];
    at_.heads -= size.heads();
    at_.slots -= size.slots;
    slice_ = size.slices - 1;
  }

 private:
  const StreamStructure& stream_;
  StreamPlace first_, at_;
  int slice_ = 0;
};

template <class Scalar, class Factor>
class TransposedWalk {
  static constexpr int at_once = 4;  // entries of a lane that are on their way together

 public:
  __device__ TransposedWalk(const TransposedSolve<Scalar, Factor>& solve, int block, std::ptrdiff_t column, Scalar* x)
      : solve_(solve),
        block_(block),
        begin_(solve.stream.block_map[block]),
        places_(solve.stream.block_map[block + 1] - begin_),
        column_(column),
        x_(x),
        lane_(static_cast<int>(threadIdx.x)) {}

  __device__ void solve() const {
    for (int place = lane_; place < places_; place += warp_size)
      x_[cell_of(place)] = solve_.transfer.read(solve_.R, begin_ + place, column_);
    __syncwarp();
    walk();
    for (int place = lane_; place < places_; place += warp_size)
      solve_.transfer.write(solve_.Z, begin_ + place, column_, x_[cell_of(place)]);
  }

 private:
  struct Entries {
    Cell column[at_once];
    Scalar value[at_once];
  };

  /// A slice as a lane sees it: its row, and the first of its entries. Lanes without a share have the first lane's row,
  /// and no entries.
  struct Slice {
    SliceShape shape;
    std::int64_t start;
    int cell;
    Scalar reciprocal;
    Entries entries;
  };

  __device__ Cell cell_of(int place) const { return solve_.stream.cells[begin_ + place]; }

  __device__ Scalar number(std::int64_t slot) const {
    const auto value = static_cast<Scalar>(solve_.values[slot]);
    if constexpr (terrace::triangular::is_complex<Scalar>) return solve_.conjugate ? Kokkos::conj(value) : value;
    else return value;
  }

  __device__ void walk() const {
    SlicesBackward slices(solve_.stream, block_);
    if (!slices.is_there()) return;
    Slice now = fetch(slices);
    while (true) {
      slices.step();
      const bool goes_on = slices.is_there();
      Slice next;
      if (goes_on) next = fetch(slices);
      take(now);
      if (!goes_on) return;
      now = next;
    }
  }

  __device__ Slice fetch(const SlicesBackward& slices) const {
    const SliceHead head = slices.head();
    const SliceShape shape = head.shape();
    const int row = lane_ < shape.width() ? lane_ >> shape.log2_lanes() : 0;
    Slice slice{shape, slices.chunk() + head.start(), head.first() + row, Scalar(1), {}};
    if (shape.has_diagonal()) {
      const std::int64_t slot = slice.start + shape.width() * shape.depth() + row;
      slice.cell = solve_.stream.columns[slot];
      slice.reciprocal = number(slot);
    }
    slice.entries = load(shape, slice.start, 0);
    return slice;
  }

  __device__ Entries load(const SliceShape& shape, std::int64_t start, int first) const {
    Entries entries;
    for_slots_of_lane<at_once>(shape, start, lane_, first, [&](int w, std::int64_t slot, bool is_slot) {
      entries.column[w] = is_slot ? solve_.stream.columns[slot] : static_cast<Cell>(places_);
      entries.value[w] = is_slot ? number(slot) : Scalar(0);
    });
    return entries;
  }

  __device__ void take(Slice& slice) const {
    const SliceShape shape = slice.shape;
    Scalar solved = x_[slice.cell];
    if (shape.has_diagonal()) solved *= slice.reciprocal;
    for (int first = 0; first < shape.depth(); first += at_once) {
      if (first > 0) slice.entries = load(shape, slice.start, first);
#pragma unroll
      for (int w = 0; w < at_once; ++w)
        if (first + w < shape.depth()) subtract(slice.entries.column[w], slice.entries.value[w] * solved);
    }
    const bool leads = lane_ < shape.width() && (lane_ & ((1 << shape.log2_lanes()) - 1)) == 0;
    __syncwarp();
    if (shape.has_diagonal() && leads) x_[slice.cell] = solved;
    __syncwarp();
  }

  /// By the whole warp; what fills slices up has the column behind the last one.
  __device__ void subtract(Cell column, const Scalar& product) const {
    const unsigned before = (1u << lane_) - 1u;
    const int turn = __popc(__match_any_sync(all_lanes, static_cast<unsigned>(column)) & before);
    const bool counts = column < places_;
    const int turns = __reduce_max_sync(all_lanes, counts ? turn + 1 : 0);
    for (int now = 0; now < turns; ++now) {
      if (counts && turn == now) x_[column] -= product;
      __syncwarp();
    }
  }

  const TransposedSolve<Scalar, Factor>& solve_;
  int block_, begin_, places_;
  std::ptrdiff_t column_;
  Scalar* x_;
  int lane_;
};

template <class Scalar, class Factor>
__global__ void __launch_bounds__(warp_size)
    solve_transposed_kernel(const __grid_constant__ TransposedSolve<Scalar, Factor> solve) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto block = static_cast<int>(blockIdx.x / solve.columns);
  const std::ptrdiff_t column = solve.first_column + static_cast<std::ptrdiff_t>(blockIdx.x % solve.columns);
  TransposedWalk<Scalar, Factor>(solve, block, column, reinterpret_cast<Scalar*>(memory)).solve();
}

}  // namespace terrace::cuda::schwarz
