// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of 64 x 64 sums of a product A B^T, by four warps or eight: each has its part in registers, while copies that
// run ahead bring both factors to shared memory, slice by slice of their columns. Or a tile of 64 x 16 by four groups
// of warps, each of which has a quarter of the columns of a slice; at the end the first group adds up what all have.
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

/// Element (i, k) at data[places[k] + i stride].
template <class Scalar>
struct GatheredFactor : Factor<Scalar> {
  const int* places;
};

struct ProductShape {
  static constexpr int side = 64, threads = 128, stages = 3;
  /// Of narrow tiles: columns, and groups of warps.
  static constexpr int narrow = 16, narrow_groups = 4;

  /// Thread blocks that a multiprocessor should have registers for.
  template <class Scalar>
  static constexpr int blocks = std::is_floating_point_v<Scalar> ? 3 : 2;

  template <class Scalar>
  static constexpr int depth = sizeof(Scalar) <= 8 ? 16 : 8;
  static __host__ __device__ constexpr int groups_of(int columns) { return columns < side ? narrow_groups : 1; }
  static __host__ __device__ constexpr int threads_of(int columns) { return threads * groups_of(columns); }

  /// Of a slice of a factor with so many rows, in a tile of so many groups.
  template <class Scalar>
  static __host__ __device__ constexpr int stride(Contiguous which, int rows = side, int groups = 1) {
    return (which == Contiguous::Rows ? rows : depth<Scalar> * groups) + 4;
  }
  template <class Scalar>
  static __host__ __device__ constexpr int numbers(Contiguous which, int rows = side, int groups = 1) {
    return (which == Contiguous::Rows ? depth<Scalar> * groups : rows) * stride<Scalar>(which, rows, groups);
  }
  template <class Scalar>
  static __host__ __device__ constexpr std::size_t bytes(Contiguous left, Contiguous right, int columns = side) {
    const int groups = groups_of(columns);
    return stages * (numbers<Scalar>(left, side, groups) + numbers<Scalar>(right, columns, groups)) * sizeof(Scalar);
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

struct Negative {
  template <class Scalar>
  __device__ Scalar operator()(const Scalar& value, int) const {
    return -value;
  }
};

/// Column k of B times factors[k].
template <class Scalar>
struct ScaledBy {
  const Scalar* factors;
  __device__ Scalar operator()(const Scalar& value, int column) const { return value * factors[column]; }
};

template <class Scalar, Contiguous Left, Contiguous Right, int Threads = ProductShape::threads,
          int Columns = ProductShape::side>
class ProductTile {
  using Shape = ProductShape;
  static constexpr int groups = Shape::groups_of(Columns), warps_of_group = Threads / 32 / groups;
  static constexpr int depth_of_group = Shape::depth<Scalar>, depth = depth_of_group * groups;
  static constexpr int left_numbers = Shape::numbers<Scalar>(Left, Shape::side, groups);
  static constexpr int right_numbers = Shape::numbers<Scalar>(Right, Columns, groups);
  static constexpr int warps_down = Columns < Shape::side ? warps_of_group : 2;
  static constexpr int warps_across = warps_of_group / warps_down;
  static constexpr int rows_of_warp = Shape::side / 16 / warps_down, columns_of_warp = Columns / 8 / warps_across;
  static_assert(rows_of_warp > 0 && columns_of_warp > 0);  // in tiles of a warp

 public:
  __device__ explicit ProductTile(char* memory) : memory_(reinterpret_cast<Scalar*>(memory)) {
    for (auto& row : sums_)
      for (auto& tile : row) tile.clear();
  }

  /// Calls visit(row, column, sum) for all sums of the thread, row and column in the tile. All threads call it.
  template <class Visit>
  __device__ void for_each(const Visit& visit) {
    if (!add_groups()) return;
#pragma unroll
    for (int i = 0; i < rows_of_warp; ++i)
#pragma unroll
      for (int j = 0; j < columns_of_warp; ++j)
#pragma unroll
        for (int n = 0; n < 4; ++n)
          visit(first_row() + 16 * i + LaneOfTile::row(n), first_column() + 8 * j + LaneOfTile::column(n),
                sums_[i][j].get(n));
  }

  /// Number *at(row, column) becomes combine(row, number, sum), where at() is not null. Numbers are read in groups
  /// before any of a group is written: one after the other, each would wait for its turn. All threads call it.
  template <class At, class Combine>
  __device__ void combine_with(const At& at, const Combine& combine) {
    if (!add_groups()) return;
#pragma unroll
    for (int i = 0; i < rows_of_warp; ++i) {
      Scalar numbers[columns_of_warp][4];
      const auto for_group = [&](const auto& visit) {
#pragma unroll
        for (int j = 0; j < columns_of_warp; ++j)
#pragma unroll
          for (int n = 0; n < 4; ++n) {
            const int row = first_row() + 16 * i + LaneOfTile::row(n);
            if (Scalar* number = at(row, first_column() + 8 * j + LaneOfTile::column(n))) visit(j, n, row, number);
          }
      };
      for_group([&](int j, int n, int, const Scalar* number) { numbers[j][n] = *number; });
      for_group(
          [&](int j, int n, int row, Scalar* number) { *number = combine(row, numbers[j][n], sums_[i][j].get(n)); });
    }
  }

  /// Adds A B^T over so many columns. All threads call it; what it read may be overwritten afterwards.
  template <class RightFactor = Factor<Scalar>, class Scale = Unscaled>
  __device__ void add(const Factor<Scalar>& A, const RightFactor& B, int columns, const Scale& scale = {}) {
    const int slices = (columns + depth - 1) / depth;
    Copies<Left, Shape::side, Factor<Scalar>> lefts(A, memory_);
    Copies<Right, Columns, RightFactor> rights(B, memory_ + left_numbers);
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
  static __device__ int group() { return static_cast<int>(threadIdx.x) / (32 * warps_of_group); }
  static __device__ int warp() { return static_cast<int>(threadIdx.x / 32) % warps_of_group; }
  static __device__ int first_row() { return warp() % warps_down * 16 * rows_of_warp; }
  static __device__ int first_column() { return warp() / warps_down * 8 * columns_of_warp; }

  /// In order, to those of the first group, whose threads learn that they have them.
  __device__ bool add_groups() {
    if constexpr (groups > 1) {
      constexpr int of_thread = 4 * rows_of_warp * columns_of_warp, of_group = 32 * warps_of_group;
      static_assert((groups - 1) * of_group * of_thread <= Shape::stages * buffer_numbers);
      Scalar* const mine = memory_ + static_cast<int>(threadIdx.x) % of_group;
      const auto for_all = [&](const auto& visit) {
#pragma unroll
        for (int k = 0; k < of_thread; ++k) {
          auto& tile = sums_[k / 4 / columns_of_warp][k / 4 % columns_of_warp];
          visit(tile, k % 4, k);
        }
      };
      const int before = group() - 1;
      if (before >= 0)
        for_all([&](const auto& tile, int n, int k) { mine[(before * of_thread + k) * of_group] = tile.get(n); });
      __syncthreads();
      if (before >= 0) return false;
      for (int other = 0; other < groups - 1; ++other)
        for_all([&](auto& tile, int n, int k) { tile.set(n, tile.get(n) + mine[(other * of_thread + k) * of_group]); });
    }
    return true;
  }

  static constexpr int buffer_numbers = left_numbers + right_numbers;
  static constexpr unsigned buffer_bytes = buffer_numbers * sizeof(Scalar);

  /// What a thread copies of the slices of a factor: numbers at equal distances, so that an address costs an addition.
  template <Contiguous Which, int Side, class From>
  class Copies {
    static constexpr bool by_rows = Which == Contiguous::Rows;
    static constexpr int fast = by_rows ? Side : depth, slow = by_rows ? depth : Side, step = Threads / fast;
    static constexpr int stride = Shape::stride<Scalar>(Which, Side, groups);
    static constexpr bool is_gathered = std::is_same_v<From, GatheredFactor<Scalar>>;
    static_assert(Threads % fast == 0 && slow % step == 0 && !(is_gathered && by_rows));

   public:
    __device__ Copies(const From& from, Scalar* to) {
      const int a = static_cast<int>(threadIdx.x) % fast, b = static_cast<int>(threadIdx.x) / fast;
      from_ = from.data + (is_gathered ? 0 : a) + b * from.stride;
      distance_ = step * from.stride;
      next_ = by_rows ? depth * from.stride : depth;
      to_ = shared_address(to + a + b * stride);
      rows_ = from.rows - (by_rows ? a : b);
      columns_ = from.columns - (by_rows ? b : a);
      if constexpr (is_gathered) {
        places_ = from.places + a;
        find_place();
      }
    }

    __device__ void fetch(unsigned offset) {
      const Scalar* from = is_gathered ? from_ + place_ : from_;
      const unsigned to = to_ + offset;
#pragma unroll
      for (int k = 0; k < slow; k += step) {
        const bool is_there = by_rows ? rows_ > 0 && columns_ > k : rows_ > k && columns_ > 0;
        copy_number(to + k * stride * static_cast<int>(sizeof(Scalar)), from, is_there);
        from += distance_;
      }
      columns_ -= depth;
      if constexpr (is_gathered) find_place();
      else from_ += next_;
    }

   private:
    /// Of the next slice, which is on its way before it is needed.
    __device__ void find_place() {
      if (columns_ > 0) place_ = *places_;
      places_ += depth;
    }

    const Scalar* from_;
    const int* places_ = nullptr;
    int place_ = 0;
    std::int64_t distance_, next_;
    unsigned to_;
    int rows_, columns_;  // that are left
  };

  template <Contiguous Which, int Side>
  static __device__ Scalar element(const Scalar* factor, int row, int column) {
    constexpr int stride = Shape::stride<Scalar>(Which, Side, groups);
    return factor[Which == Contiguous::Rows ? row + column * stride : column + row * stride];
  }

  template <class Scale>
  __device__ void multiply(const Scalar* a, int first, const Scale& scale) {
    const Scalar* b = a + left_numbers;
    using Tile = WarpTile<Scalar>;
    const int first_of_group = groups > 1 ? group() * depth_of_group : 0;
#pragma unroll
    for (int step = 0; step < depth_of_group; step += Tile::depth) {
      const int k = first_of_group + step;
      typename Tile::Left lefts[rows_of_warp];
      typename Tile::Right rights[columns_of_warp];
#pragma unroll
      for (int i = 0; i < rows_of_warp; ++i)
        lefts[i].load(
            [&](int row, int column) { return element<Left, Shape::side>(a, first_row() + 16 * i + row, k + column); });
#pragma unroll
      for (int j = 0; j < columns_of_warp; ++j)
        rights[j].load([&](int row, int column) {
          return scale(element<Right, Columns>(b, first_column() + 8 * j + row, k + column), first + k + column);
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
