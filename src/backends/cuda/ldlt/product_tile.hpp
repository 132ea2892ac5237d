// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of 64 x 64 or 128 x 64 sums of a product A B^T, by four warps or eight: each has its part in registers, while
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

  template <class Scalar>
  static constexpr int depth = sizeof(Scalar) <= 8 ? 16 : 8;
  template <class Scalar>
  static __host__ __device__ constexpr int stride(Contiguous which, int rows) {
    return (which == Contiguous::Rows ? rows : depth<Scalar>) + 4;
  }
  template <class Scalar>
  static __host__ __device__ constexpr int numbers(Contiguous which, int rows) {
    return (which == Contiguous::Rows ? depth<Scalar> : rows) * stride<Scalar>(which, rows);
  }
  template <class Scalar>
  static __host__ __device__ constexpr std::size_t bytes(Contiguous left, Contiguous right, int left_rows = side) {
    return stages * (numbers<Scalar>(left, left_rows) + numbers<Scalar>(right, side)) * sizeof(Scalar);
  }
};

/// Asynchronous; zeros where there is nothing to copy.
template <class Scalar>
__device__ void copy_number(unsigned to, const Scalar* from, bool is_there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from),
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

template <class Scalar, Contiguous Left, Contiguous Right, int Threads = ProductShape::threads,
          int Rows = ProductShape::side>
class ProductTile {
  using Shape = ProductShape;
  static constexpr int depth = Shape::depth<Scalar>;
  static constexpr int left_numbers = Shape::numbers<Scalar>(Left, Rows);
  static constexpr int right_numbers = Shape::numbers<Scalar>(Right, Shape::side);
  static constexpr int rows_of_warp = Rows / 32, columns_of_warp = 512 / Threads;  // in tiles

 public:
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
    Copies<Left, Rows> lefts(A, memory_);
    Copies<Right, Shape::side> rights(B, memory_ + left_numbers);
    int fetched = 0, into = 0, from = 0;
    const auto fetch = [&] {
      if (fetched++ < slices) {
        lefts.fetch(into * buffer_bytes);
        rights.fetch(into * buffer_bytes);
      }
      close_group_of_copies();
      into = into + 1 == Shape::stages ? 0 : into + 1;
    };
    for (int stage = 0; stage < Shape::stages - 1; ++stage) fetch();
    for (int slice = 0; slice < slices; ++slice) {
      wait_for_copies<Shape::stages - 2>();
      __syncthreads();
      fetch();
      multiply(memory_ + from * buffer_numbers, slice * depth, scale);
      from = from + 1 == Shape::stages ? 0 : from + 1;
    }
    wait_for_copies<0>();
    __syncthreads();
  }

 private:
  static __device__ int warp() { return static_cast<int>(threadIdx.x / 32); }
  static __device__ int first_row() { return warp() % 2 * (Rows / 2); }
  static __device__ int first_column() { return warp() / 2 * 8 * columns_of_warp; }

  static constexpr int buffer_numbers = left_numbers + right_numbers;
  static constexpr unsigned buffer_bytes = buffer_numbers * sizeof(Scalar);

  /// What a thread copies of the slices of a factor: numbers at equal distances, so that an address costs an addition.
  template <Contiguous Which, int Side>
  class Copies {
    static constexpr bool by_rows = Which == Contiguous::Rows;
    static constexpr int fast = by_rows ? Side : depth, slow = by_rows ? depth : Side, step = Threads / fast;
    static constexpr int stride = Shape::stride<Scalar>(Which, Side);

   public:
    __device__ Copies(const Factor<Scalar>& from, Scalar* to) {
      const int a = static_cast<int>(threadIdx.x) % fast, b = static_cast<int>(threadIdx.x) / fast;
      from_ = from.data + a + b * from.stride;
      distance_ = step * from.stride;
      next_ = by_rows ? depth * from.stride : depth;
      to_ = shared_address(to + a + b * stride);
      rows_ = from.rows - (by_rows ? a : b);
      columns_ = from.columns - (by_rows ? b : a);
    }

    __device__ void fetch(unsigned offset) {
      const Scalar* from = from_;
      const unsigned to = to_ + offset;
#pragma unroll
      for (int k = 0; k < slow; k += step) {
        const bool is_there = by_rows ? rows_ > 0 && columns_ > k : rows_ > k && columns_ > 0;
        copy_number(to + k * stride * static_cast<int>(sizeof(Scalar)), from, is_there);
        from += distance_;
      }
      from_ += next_;
      columns_ -= depth;
    }

   private:
    const Scalar* from_;
    std::int64_t distance_, next_;
    unsigned to_;
    int rows_, columns_;  // that are left
  };

  template <Contiguous Which, int Side>
  static __device__ Scalar element(const Scalar* factor, int row, int column) {
    constexpr int stride = Shape::stride<Scalar>(Which, Side);
    return factor[Which == Contiguous::Rows ? row + column * stride : column + row * stride];
  }

  template <class Scale>
  __device__ void multiply(const Scalar* a, int first, const Scale& scale) {
    const Scalar* b = a + left_numbers;
    using Tile = WarpTile<Scalar>;
#pragma unroll
    for (int k = 0; k < depth; k += Tile::depth) {
      typename Tile::Left lefts[rows_of_warp];
      typename Tile::Right rights[columns_of_warp];
#pragma unroll
      for (int i = 0; i < rows_of_warp; ++i)
        lefts[i].load([&](int row, int column) { return element<Left, Rows>(a, first_row() + 16 * i + row, k + column); });
#pragma unroll
      for (int j = 0; j < columns_of_warp; ++j)
        rights[j].load([&](int row, int column) {
          return scale(element<Right, Shape::side>(b, first_column() + 8 * j + row, k + column), first + k + column);
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
