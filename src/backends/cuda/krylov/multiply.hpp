// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x for compressed rows and several vectors on an NVIDIA GPU, with the dot products that follow.
//
// A block takes a tile of rows after the other. The entries of a tile lie together in memory, so its threads read them
// side by side, whatever the lengths of the rows, put the products into shared memory, and there a few lanes for each
// row add them up (the streaming part of CSR-Adaptive: Greathouse and Daga, SC 2014). All that a thread reads of the
// matrix is on its way at once, and stays in registers while the block works on up to eight vectors. A tile may hold
// more than it has capacity for: then its rows have been multiplied before (multiply_listed.hpp), or where the operator
// has listed none, a warp takes each row, and the whole block one that alone holds more.
//
// Lanes for a row follow from the mean length, which the host knows; there is no analysis. The sums of a row have the
// order of its lanes: the same bits each time.
#pragma once

#include "algorithms/krylov/multiply.hpp"
#include "backends/cuda/krylov/for_each_column.hpp"
#include "backends/cuda/krylov/multiply_listed.hpp"

namespace terrace::cuda::krylov {

template <class Scalar, class Offset, int Vectors>
class TileProduct {
  using Tuning = KrylovTuning;
  static constexpr int capacity = Tuning::capacity;

 public:
  using Total = terrace::krylov::Sums<Scalar, 2>;

  terrace::krylov::CrsRows<Scalar, Offset> A;
  terrace::krylov::Columns<const Scalar> x;
  terrace::krylov::Columns<Scalar> y;
  int columns;
  int first_pack;  // of this grid
  int log2_lanes;
  bool projects;
  terrace::krylov::Projection<Scalar> projection;

  __device__ void run() const {
    __shared__ __align__(16) unsigned char bytes[capacity * sizeof(Scalar)];
    Scalar* const products = reinterpret_cast<Scalar*>(bytes);
    const int first = (first_pack + static_cast<int>(blockIdx.y)) * Vectors, count = min(Vectors, columns - first);
    const int height = Tuning::block >> log2_lanes;
    Total sums[Vectors];
    for (std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * height; row < A.rows;
         row += static_cast<std::int64_t>(gridDim.x) * height) {
      const int begin = static_cast<int>(row);
      const int end = static_cast<int>(min(row + height, static_cast<std::int64_t>(A.rows)));
      if (A.row_map[end] - A.row_map[begin] <= static_cast<Offset>(capacity))
        multiply_tile(begin, end, first, count, products, sums);
      else if (A.listed.count > 0) project_rows(begin, end, first, count, sums);
      else multiply_rows(begin, end, first, count, sums);
    }
    await_predecessor();  // which may have begun just before this
    if (!projects) return;
#pragma unroll
    for (int v = 0; v < Vectors; ++v)
      if (v < count)
        contribute(projection.gathering, first + v, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), sums[v],
                   [&](const Total& total) { projection.final(first + v, total); });
  }

 private:
  __device__ void multiply_tile(int begin, int end, int first, int count, Scalar* products,
                                Total (&sums)[Vectors]) const {
    const Offset start = A.row_map[begin];
    const int entries = static_cast<int>(A.row_map[end] - start);
    int column[Tuning::entries_per_thread];
    Scalar value[Tuning::entries_per_thread];
#pragma unroll
    for (int k = 0; k < Tuning::entries_per_thread; ++k) {
      const int entry = k * Tuning::block + static_cast<int>(threadIdx.x);
      column[k] = entry < entries ? read_once(A.entries + start + entry) : -1;
      value[k] = entry < entries ? read_once(A.values + start + entry) : Scalar(0);
    }
    const int lanes = 1 << log2_lanes, lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int place = static_cast<int>(threadIdx.x) >> log2_lanes, row = begin + min(place, end - begin);
    const bool is_row = row < end;
    const int from = is_row ? static_cast<int>(A.row_map[row] - start) : 0;
    const int to = is_row ? static_cast<int>(A.row_map[row + 1] - start) : 0;
#pragma unroll
    for (int v = 0; v < Vectors; ++v) {
      if (v >= count) break;
      const Scalar* const vector = x(first + v);
      __syncthreads();  // the products may still be read
#pragma unroll
      for (int k = 0; k < Tuning::entries_per_thread; ++k)
        if (column[k] >= 0) products[k * Tuning::block + static_cast<int>(threadIdx.x)] = value[k] * vector[column[k]];
      __syncthreads();
      Scalar sum(0);
      for (int k = from + lane; k < to; k += lanes) sum += products[k];
      sum = sum_over_lanes(sum, log2_lanes);
      if (lane == 0 && is_row) store(row, first + v, sum, sums[v]);
    }
  }

  /// Of rows that are there.
  __device__ void project_rows(int begin, int end, int first, int count, Total (&sums)[Vectors]) const {
    if (!projects) return;
    await_predecessor();
    const int row = begin + static_cast<int>(threadIdx.x);
    if (row >= end) return;
#pragma unroll
    for (int v = 0; v < Vectors; ++v)
      if (v < count) terrace::krylov::Projection<Scalar>::add(projection.w(first + v)[row], y(first + v)[row], sums[v]);
  }

  __device__ void multiply_rows(int begin, int end, int first, int count, Total (&sums)[Vectors]) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size, warps = Tuning::block / warp_size;
    bool any_is_long = false;
    for (int place = static_cast<int>(threadIdx.x) / warp_size; place < end - begin; place += warps) {
      const int row = begin + place;
      if (is_long(row)) {
        any_is_long = true;
        continue;
      }
#pragma unroll
      for (int v = 0; v < Vectors; ++v) {
        if (v >= count) break;
        const Scalar sum = sum_over_lanes(sum_of_entries<4>(row, x(first + v), lane, warp_size), log2_warp_size);
        if (lane == 0) store(row, first + v, sum, sums[v]);
      }
    }
    if (!__syncthreads_or(any_is_long)) return;
    for (int row = begin; row < end; ++row) {
      if (!is_long(row)) continue;
      __shared__ __align__(16) unsigned char bytes[Tuning::block / warp_size * sizeof(Scalar)];
#pragma unroll
      for (int v = 0; v < Vectors; ++v) {
        if (v >= count) break;
        terrace::krylov::Sums<Scalar, 1> sum;
        sum.of[0] =
            sum_of_entries<Tuning::entries_per_thread>(row, x(first + v), static_cast<int>(threadIdx.x), Tuning::block);
        sum = sum_over_block(sum, reinterpret_cast<Scalar*>(bytes));
        if (threadIdx.x == 0) store(row, first + v, sum.of[0], sums[v]);
      }
    }
  }

  __device__ bool is_long(int row) const { return A.row_map[row + 1] - A.row_map[row] > static_cast<Offset>(capacity); }

  /// Of every `threads`-th entry of a row. By a plain loop: EntriesOfThread takes registers from all tiles.
  template <int AtOnce>
  __device__ Scalar sum_of_entries(int row, const Scalar* vector, int thread, int threads) const {
    using Count = std::make_unsigned_t<Offset>;
    const Offset start = A.row_map[row];
    const auto length = static_cast<Count>(A.row_map[row + 1] - start);
    Scalar sum(0);
#pragma unroll AtOnce
    for (auto k = static_cast<Count>(thread); k < length; k += static_cast<Count>(threads)) {
      const Offset at = start + static_cast<Offset>(k);
      sum += A.values[at] * vector[A.entries[at]];
    }
    return sum;
  }

  __device__ void store(int row, int column, const Scalar& sum, Total& sums) const {
    y(column)[row] = sum;
    if (projects) terrace::krylov::Projection<Scalar>::add(projection.w(column)[row], sum, sums);
  }
};

template <class Product>
__global__ void __launch_bounds__(KrylovTuning::block) multiply_kernel(Product product) {
  product.run();
}

/// So few lanes that the rows of a tile fill it.
inline int log2_lanes_of_row(double mean_length) {
  int log2_lanes = 0;
  while (log2_lanes < 5 && mean_length > 0.95 * KrylovTuning::entries_per_thread * (1 << log2_lanes)) ++log2_lanes;
  return log2_lanes;
}

template <int Vectors, class Scalar, class Offset>
void multiply(const Kokkos::Cuda& space, const terrace::krylov::CrsRows<Scalar, Offset>& A,
              const terrace::krylov::Columns<const Scalar>& x, const terrace::krylov::Columns<Scalar>& y, int columns,
              const terrace::krylov::Projection<Scalar>* projection) {
  using Product = TileProduct<Scalar, Offset, Vectors>;
  const int log2_lanes = log2_lanes_of_row(static_cast<double>(A.count) / A.rows);
  const int groups = parallel::divide_up(columns, Vectors);
  if (A.listed.count > 0) multiply_listed<Vectors>(space, A, x, y, columns);
  // No more blocks than the device holds: of a second wave most multiprocessors would see nothing.
  static const int resident = resident_blocks(multiply_kernel<Product>, KrylovTuning::block);
  const unsigned blocks = blocks_for(resident, static_cast<std::int64_t>(A.rows) << log2_lanes, groups);
  Product product{A, x, y, columns, 0, log2_lanes, projection != nullptr, {}};
  if (projection) product.projection = *projection;
  for_grids_of_columns(groups, [&](int first, int count) {
    product.first_pack = first;
    const Begin begin = A.listed.count > 0 && first == 0 ? Begin::Early : Begin::InTurn;
    launch_grid_when(begin, space, "terrace::krylov::multiply", multiply_kernel<Product>,
                     dim3(blocks, static_cast<unsigned>(count)), KrylovTuning::block, 0, product);
  });
}

}  // namespace terrace::cuda::krylov

namespace terrace::krylov {

template <class Scalar, class Offset>
TileShape tile_shape(const Kokkos::Cuda&, const CrsRows<Scalar, Offset>& A) {
  const int log2_lanes = cuda::krylov::log2_lanes_of_row(static_cast<double>(A.count) / A.rows);
  return {cuda::krylov::KrylovTuning::block >> log2_lanes, cuda::krylov::KrylovTuning::capacity};
}

template <class Scalar, class Offset>
void multiply(const Kokkos::Cuda& space, const CrsRows<Scalar, Offset>& A, const Columns<const Scalar>& x,
              const Columns<Scalar>& y, int columns, const Projection<Scalar>* projection) {
  if (columns == 1) cuda::krylov::multiply<1>(space, A, x, y, columns, projection);
  else cuda::krylov::multiply<cuda::krylov::KrylovTuning::vectors>(space, A, x, y, columns, projection);
}

}  // namespace terrace::krylov
