// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows that an operator has listed, for up to eight vectors at once, the longest first: a cluster of blocks for
// each very long row, a block for each long one, and a warp for each of the others. Each sums in the order of its
// lanes, and of its blocks: the same bits each time.
//
// The kernels of very long rows, of the others, and of the tiles (multiply.hpp) write different rows, so that each
// begins when the one ahead of it has all its blocks under way (early_launch.hpp), and the first of them in its turn.
// That of the tiles waits where it reads what the others have written.
#pragma once

#include "algorithms/krylov/multiply.hpp"
#include "backends/cuda/cluster.hpp"
#include "backends/cuda/early_launch.hpp"
#include "backends/cuda/krylov/block_sums.hpp"
#include "backends/cuda/krylov/for_each_column.hpp"

namespace terrace::cuda::krylov {

/// A load of what nobody will read again soon, so that L2 keeps the vectors.
template <class T>
__device__ T read_once(const T* from) {
  if constexpr (std::is_arithmetic_v<T>) return __ldcs(from);
  else return *from;
}

/// Every `threads`-th entry of a row, from number `thread` on, for a body(value, column).
template <class Scalar, class Offset>
class EntriesOfThread {
 public:
  __device__ EntriesOfThread(const terrace::krylov::CrsRows<Scalar, Offset>& A, int row, int thread, int threads)
      : entries_(A.entries + A.row_map[row]),
        values_(A.values + A.row_map[row]),
        left_(static_cast<Left>(A.row_map[row + 1] - A.row_map[row])),
        thread_(thread),
        threads_(threads) {}

  /// `AtOnce` entries, a power of two, are on their way together while so many are left for each thread, then fewer.
  template <int AtOnce, class Body>
  __device__ void for_each(const Body& body) {
    for (; left_ >= static_cast<Left>(AtOnce) * threads_; left_ -= static_cast<Left>(AtOnce) * threads_) {
      int column[AtOnce];
      Scalar value[AtOnce];
#pragma unroll
      for (int k = 0; k < AtOnce; ++k) {
        column[k] = read_once(entries_ + static_cast<std::ptrdiff_t>(k) * threads_ + thread_);
        value[k] = read_once(values_ + static_cast<std::ptrdiff_t>(k) * threads_ + thread_);
      }
#pragma unroll
      for (int k = 0; k < AtOnce; ++k) body(value[k], column[k]);
      entries_ += static_cast<std::ptrdiff_t>(AtOnce) * threads_;
      values_ += static_cast<std::ptrdiff_t>(AtOnce) * threads_;
    }
    if constexpr (AtOnce > 1) for_each<AtOnce / 2>(body);
    else if (thread_ < left_) body(read_once(values_ + thread_), read_once(entries_ + thread_));
  }

 private:
  using Left = std::conditional_t<sizeof(Offset) <= sizeof(int), int, std::int64_t>;

  const int* entries_;
  const Scalar* values_;
  Left left_;
  int thread_, threads_;
};

/// Of one grid: the very long rows by clusters, or the others.
template <class Scalar, class Offset, int Vectors, bool ByClusters>
class ListedProduct {
  using Tuning = KrylovTuning;
  using Total = terrace::krylov::Sums<Scalar, Vectors>;

 public:
  static constexpr int warps = Tuning::block / warp_size;

  terrace::krylov::CrsRows<Scalar, Offset> A;
  terrace::krylov::Columns<const Scalar> x;
  terrace::krylov::Columns<Scalar> y;
  int columns;
  int first_pack;     // of this grid
  int blocks_of_row;  // of a cluster

  __device__ void run() const {
    let_successor_begin();
    if constexpr (ByClusters) multiply_by_cluster();
    else multiply_others();
    await_predecessor();
  }

 private:
  __device__ void multiply_by_cluster() const {
    __shared__ __align__(16) unsigned char bytes[Vectors * warps * sizeof(Scalar)];
    Scalar* const memory = reinterpret_cast<Scalar*>(bytes);
    const int row = A.listed.rows[static_cast<int>(blockIdx.x) / blocks_of_row];
    const int rank = static_cast<int>(blockIdx.x) % blocks_of_row, thread = static_cast<int>(threadIdx.x);
    auto total = sum_over_block(total_of(row, rank * Tuning::block + thread, Tuning::block * blocks_of_row), memory);
    if (thread == 0)
      for (int v = 0; v < Vectors; ++v) memory[v] = total.of[v];
    sync_cluster();
    if (rank == 0 && thread == 0) {
      for (int other = 1; other < blocks_of_row; ++other)
        for (int v = 0; v < Vectors; ++v) total.of[v] += read_of_block(memory + v, other);
      store(row, total);
    }
    sync_cluster();  // the memory may still be read
  }

  __device__ void multiply_others() const {
    const auto& listed = A.listed;
    const int block = static_cast<int>(blockIdx.x), long_rows = listed.long_rows - listed.very_long_rows;
    if (block < long_rows) return multiply_by_block(listed.rows[listed.very_long_rows + block]);
    const std::int64_t place = listed.long_rows + static_cast<std::int64_t>(block - long_rows) * warps +
                               static_cast<int>(threadIdx.x) / warp_size;
    if (place < listed.count) multiply_by_warp(listed.rows[place]);
  }

  __device__ void multiply_by_block(int row) const {
    __shared__ __align__(16) unsigned char bytes[Vectors * warps * sizeof(Scalar)];
    const int thread = static_cast<int>(threadIdx.x);
    const auto total = sum_over_block(total_of(row, thread, Tuning::block), reinterpret_cast<Scalar*>(bytes));
    if (thread == 0) store(row, total);
  }

  __device__ void multiply_by_warp(int row) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Total total = total_of(row, lane, warp_size);
#pragma unroll
    for (int v = 0; v < Vectors; ++v) total.of[v] = sum_over_lanes(total.of[v], log2_warp_size);
    if (lane == 0) store(row, total);
  }

  __device__ int first() const { return (first_pack + static_cast<int>(blockIdx.y)) * Vectors; }
  __device__ int count() const { return min(Vectors, columns - first()); }

  __device__ Total total_of(int row, int thread, int threads) const {
    constexpr int at_once = Vectors > 1  ? Tuning::entries_of_several_at_once
                            : ByClusters ? Tuning::entries_of_very_long_row_at_once
                                         : Tuning::entries_of_row_at_once;
    Total total;
    EntriesOfThread(A, row, thread, threads).template for_each<at_once>([&](const Scalar& value, int column) {
#pragma unroll
      for (int v = 0; v < Vectors; ++v)
        if (v < count()) total.of[v] += value * x(first() + v)[column];
    });
    return total;
  }

  __device__ void store(int row, const Total& total) const {
#pragma unroll
    for (int v = 0; v < Vectors; ++v)
      if (v < count()) y(first() + v)[row] = total.of[v];
  }
};

template <class Product>
__global__ void __launch_bounds__(KrylovTuning::block) multiply_listed_kernel(Product product) {
  product.run();
}

template <int Vectors, class Scalar, class Offset>
void multiply_listed(const Kokkos::Cuda& space, const terrace::krylov::CrsRows<Scalar, Offset>& A,
                     const terrace::krylov::Columns<const Scalar>& x, const terrace::krylov::Columns<Scalar>& y,
                     int columns) {
  using ByClusters = ListedProduct<Scalar, Offset, Vectors, true>;
  using Others = ListedProduct<Scalar, Offset, Vectors, false>;
  const auto& listed = A.listed;
  const int short_rows = listed.count - listed.long_rows;
  const auto blocks =
      static_cast<unsigned>(listed.long_rows - listed.very_long_rows + parallel::divide_up(short_rows, Others::warps));
  for_grids_of_columns(parallel::divide_up(columns, Vectors), [&](int first, int count) {
    const auto of_columns = static_cast<unsigned>(count);
    if (listed.very_long_rows > 0) {
      const auto kernel = multiply_listed_kernel<ByClusters>;
      const int of_row = blocks_of_cluster(kernel);
      launch_clusters(space, "terrace::krylov::multiply_very_long", kernel,
                      dim3(static_cast<unsigned>(listed.very_long_rows * of_row), of_columns), KrylovTuning::block,
                      static_cast<unsigned>(of_row), ByClusters{A, x, y, columns, first, of_row});
    }
    if (blocks > 0)
      launch_grid_when(listed.very_long_rows > 0 ? Begin::Early : Begin::InTurn, space,
                       "terrace::krylov::multiply_listed", multiply_listed_kernel<Others>, dim3(blocks, of_columns),
                       KrylovTuning::block, 0, Others{A, x, y, columns, first, 1});
  });
}

}  // namespace terrace::cuda::krylov
