// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of 64 x 64 sums of a product A B^T, by four warps or eight: each has its part of the sums in registers, while
// copies that run ahead bring both factors to shared memory, slice by slice of their columns.
//
// A factor lies in device memory with its rows contiguous or its columns; in shared memory it lies likewise, with
// distances that let a warp read without bank conflicts.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/cuda/bulk_copy.hpp"
#include "backends/cuda/ldlt/warp_tile.hpp"

namespace terrace::cuda::ldlt {

/// Element (i, k) at data[i + k stride], or at data[k + i stride].
enum class Contiguous { Rows, Columns };

template <class Scalar>
struct Factor {
  const Scalar* data;
  std::int64_t stride;
  int rows, columns;  ///< what lies beyond counts as zeros
};

struct ProductShape {
  static constexpr int side = 64, threads = 128, stages = 3;

  /// Thread blocks that a multiprocessor has registers for, where most of the time goes.
  template <class Scalar>
  static constexpr int update_blocks = sizeof(Scalar) <= 8 ? 4 : 2;

  template <class Scalar>
  static constexpr int depth = sizeof(Scalar) <= 8 ? 16 : 8;
  template <class Scalar>
  static __host__ __device__ constexpr int stride(Contiguous which) {
    return (which == Contiguous::Rows ? side : depth<Scalar>) + 4;
  }
  template <class Scalar>
  static __host__ __device__ constexpr int numbers(Contiguous which) {
    return (which == Contiguous::Rows ? depth<Scalar> : side) * stride<Scalar>(which);
  }
  template <class Scalar>
  static __host__ __device__ constexpr std::size_t bytes(Contiguous left, Contiguous right) {
    return stages * (numbers<Scalar>(left) + numbers<Scalar>(right)) * sizeof(Scalar);
  }
};

/// Asynchronous; zeros where there is nothing to copy.
template <class Scalar>
__device__ void copy_number(Scalar* to, const Scalar* from, bool is_there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from),
               "n"(static_cast<int>(sizeof(Scalar))), "r"(is_there ? static_cast<int>(sizeof(Scalar)) : 0)
               : "memory");
}
__device__ inline void close_group_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Open>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
}

/// No factor of its own.
struct Unscaled {
  template <class Scalar>
  __device__ Scalar operator()(const Scalar& value, int) const {
    return value;
  }
};

/// Column k of B times factors[k].
template <class Scalar>
struct ScaledBy {
  const Scalar* factors;
  __device__ Scalar operator()(const Scalar& value, int column) const { return value * factors[column]; }
};

template <class Scalar, Contiguous Left, Contiguous Right, int Threads = ProductShape::threads>
class ProductTile {
  using Shape = ProductShape;
  static constexpr int depth = Shape::depth<Scalar>;
  static constexpr int left_numbers = Shape::numbers<Scalar>(Left), right_numbers = Shape::numbers<Scalar>(Right);
  static constexpr int rows_of_warp = 2, columns_of_warp = 512 / Threads;  // in tiles

 public:
  static constexpr std::size_t bytes = Shape::bytes<Scalar>(Left, Right);

  __device__ explicit ProductTile(char* memory) : memory_(reinterpret_cast<Scalar*>(memory)) {
    for (auto& row : sums_)
      for (auto& tile : row) tile.clear();
  }

  /// Calls visit(row, column, sum) for all sums of the thread, row and column in the tile.
  template <class Visit>
  __device__ void for_each(const Visit& visit) const {
#pragma unroll
    for (int i = 0; i < rows_of_warp; ++i)
#pragma unroll
      for (int j = 0; j < columns_of_warp; ++j)
#pragma unroll
        for (int n = 0; n < 4; ++n)
          visit(first_row() + 16 * i + LaneOfTile::row(n), first_column() + 8 * j + LaneOfTile::column(n),
                sums_[i][j].get(n));
  }

  /// Sums begin with what read(row, column) returns.
  template <class Read>
  __device__ void begin_with(const Read& read) {
#pragma unroll
    for (int i = 0; i < rows_of_warp; ++i)
#pragma unroll
      for (int j = 0; j < columns_of_warp; ++j)
#pragma unroll
        for (int n = 0; n < 4; ++n)
          sums_[i][j].set(n, read(first_row() + 16 * i + LaneOfTile::row(n),
                                  first_column() + 8 * j + LaneOfTile::column(n)));
  }

  /// Adds A B^T over so many columns. All threads call it; what it read may be overwritten afterwards.
  template <class Scale = Unscaled>
  __device__ void add(const Factor<Scalar>& A, const Factor<Scalar>& B, int columns, const Scale& scale = {}) {
    const int slices = (columns + depth - 1) / depth;
    for (int slice = 0; slice < Shape::stages - 1; ++slice) fetch(A, B, slice, slices);
    for (int slice = 0; slice < slices; ++slice) {
      wait_for_copies<Shape::stages - 2>();
      __syncthreads();
      fetch(A, B, slice + Shape::stages - 1, slices);
      multiply(slice, scale);
    }
    wait_for_copies<0>();
    __syncthreads();
  }

 private:
  static __device__ int warp() { return static_cast<int>(threadIdx.x / 32); }
  static __device__ int first_row() { return warp() % 2 * 32; }
  static __device__ int first_column() { return warp() / 2 * 8 * columns_of_warp; }

  __device__ Scalar* left(int slice) const {
    return memory_ + slice % Shape::stages * (left_numbers + right_numbers);
  }

  template <Contiguous Which>
  static __device__ void fetch(Scalar* to, const Factor<Scalar>& from, int first_column) {
    constexpr int stride = Shape::stride<Scalar>(Which);
    constexpr int fast = Which == Contiguous::Rows ? Shape::side : depth, step = Threads / fast;
    constexpr int slow = Which == Contiguous::Rows ? depth : Shape::side;
    const int a = static_cast<int>(threadIdx.x) % fast, first = static_cast<int>(threadIdx.x) / fast;
#pragma unroll
    for (int b = first; b < slow; b += step) {
      const int row = Which == Contiguous::Rows ? a : b;
      const int column = first_column + (Which == Contiguous::Rows ? b : a);
      const bool is_there = row < from.rows && column < from.columns;
      const std::int64_t at = Which == Contiguous::Rows ? row + column * from.stride : column + row * from.stride;
      copy_number(to + a + b * stride, is_there ? from.data + at : from.data, is_there);
    }
  }

  __device__ void fetch(const Factor<Scalar>& A, const Factor<Scalar>& B, int slice, int slices) const {
    if (slice < slices) {
      fetch<Left>(left(slice), A, slice * depth);
      fetch<Right>(left(slice) + left_numbers, B, slice * depth);
    }
    close_group_of_copies();
  }

  template <Contiguous Which>
  static __device__ Scalar element(const Scalar* factor, int row, int column) {
    constexpr int stride = Shape::stride<Scalar>(Which);
    return factor[Which == Contiguous::Rows ? row + column * stride : column + row * stride];
  }

  template <class Scale>
  __device__ void multiply(int slice, const Scale& scale) {
    const Scalar* a = left(slice);
    const Scalar* b = a + left_numbers;
    using Tile = WarpTile<Scalar>;
#pragma unroll
    for (int k = 0; k < depth; k += Tile::depth) {
      typename Tile::Left lefts[rows_of_warp];
      typename Tile::Right rights[columns_of_warp];
#pragma unroll
      for (int i = 0; i < rows_of_warp; ++i)
        lefts[i].load([&](int row, int column) { return element<Left>(a, first_row() + 16 * i + row, k + column); });
#pragma unroll
      for (int j = 0; j < columns_of_warp; ++j)
        rights[j].load([&](int row, int column) {
          return scale(element<Right>(b, first_column() + 8 * j + row, k + column), slice * depth + k + column);
        });
#pragma unroll
      for (int i = 0; i < rows_of_warp; ++i)
#pragma unroll
        for (int j = 0; j < columns_of_warp; ++j) sums_[i][j].add(lefts[i], rights[j]);
    }
  }

  Scalar* memory_;
  WarpTile<Scalar> sums_[rows_of_warp][columns_of_warp];
};

}  // namespace terrace::cuda::ldlt
