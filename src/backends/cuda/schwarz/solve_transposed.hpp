// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transposes: U^T y = in r, then L^T x = y, along the stream of L and U from its end to its beginning. A warp for
// each block and right-hand side.
//
// A row of the factor is a column of its transpose: once its unknown is known, its products are subtracted from the
// unknowns of its columns, which all differ, so that the lanes of the warp do not meet and sums have one order.
// Whatever a row of a triangle needs comes before it in the stream; what its transpose needs comes behind it. Rows come
// one after the other; what the next one holds is on its way. Unknowns lie in shared memory as in solve_blocks.hpp.
//
// Time: a row's turn is a round through shared memory, some 100 cycles. A stream of the transposes, which gathers and
// has levels, would take twice the memory.
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

template <class Scalar, class Factor>
class TransposedWalk {
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
  /// Of a row: what all lanes know, and this lane's first entry.
  struct Row {
    Cell cell, column;
    Scalar reciprocal, value;
  };

  __device__ Cell cell_of(int place) const { return solve_.stream.cells[begin_ + place]; }

  __device__ Scalar number(std::int64_t slot) const {
    const auto value = static_cast<Scalar>(solve_.values[slot]);
    if constexpr (triangular::is_complex<Scalar>) return solve_.conjugate ? Kokkos::conj(value) : value;
    else return value;
  }

  /// The chunks of U, then those of L, each from its last one on.
  __device__ void walk() const {
    const StreamPlace* places = solve_.stream.places + 2 * static_cast<std::size_t>(block_);
    StreamPlace at = places[2];
    while (at.chunks > places[0].chunks) {
      const ChunkSize size = solve_.stream.chunks[--at.chunks];
      at.heads -= size.heads();
      at.slots -= size.slots;
      const auto* slices = reinterpret_cast<const SliceHead*>(solve_.stream.heads + at.heads + 1);
      for (int slice = size.slices - 1; slice >= 0; --slice) scatter(slices[slice], at.slots);
    }
  }

  __device__ void scatter(const SliceHead head, std::int64_t chunk) const {
    const std::int64_t start = chunk + head.start();
    int row = head.shape().rows() - 1;
    Row now = fetch(head, start, row);
    for (; row >= 0; --row) {
      const Row next = fetch(head, start, row > 0 ? row - 1 : 0);
      take(head.shape(), start, row, now);
      now = next;
    }
  }

  /// The slot of an entry of a row.
  __device__ static std::int64_t slot_of(const SliceShape& shape, std::int64_t start, int row, int entry) {
    const int lanes = 1 << shape.log2_lanes();
    return start + (entry >> shape.log2_lanes()) * shape.width() + row * lanes + (entry & (lanes - 1));
  }
  __device__ static int entries_of(const SliceShape& shape) { return shape.depth() << shape.log2_lanes(); }

  __device__ Row fetch(const SliceHead& head, std::int64_t start, int row) const {
    const SliceShape shape = head.shape();
    Row of{static_cast<Cell>(head.first() + row), static_cast<Cell>(places_), Scalar(1), Scalar(0)};
    if (shape.has_diagonal()) {
      const std::int64_t slot = start + shape.width() * shape.depth() + row;
      of.cell = solve_.stream.columns[slot];
      of.reciprocal = number(slot);
    }
    if (lane_ < entries_of(shape)) {
      const std::int64_t slot = slot_of(shape, start, row, lane_);
      of.column = solve_.stream.columns[slot];
      of.value = number(slot);
    }
    return of;
  }

  __device__ void take(const SliceShape& shape, std::int64_t start, int row, Row of) const {
    Scalar solved = x_[of.cell];
    if (shape.has_diagonal()) solved *= of.reciprocal;
    for (int entry = lane_; entry < entries_of(shape); entry += warp_size) {
      if (entry >= warp_size) {
        const std::int64_t slot = slot_of(shape, start, row, entry);
        of.column = solve_.stream.columns[slot];
        of.value = number(slot);
      }
      if (of.column < places_) x_[of.column] -= of.value * solved;
    }
    __syncwarp();
    if (shape.has_diagonal() && lane_ == 0) x_[of.cell] = solved;
    __syncwarp();
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
