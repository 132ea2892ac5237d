// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transposes: U^T y = in r, then L^T x = y, along the rows of U and L. A warp for each block and right-hand side.
//
// A row of the factor is a column of its transpose: once its unknown is known, its products are subtracted from the
// unknowns of its columns, which all differ, so that the lanes of the warp do not meet and sums have one order. Rows
// come one after the other, U's ascending and L's descending; what the next ones hold is on its way. Unknowns lie in
// shared memory by place.
//
// Time: a row's turn is a round through shared memory, some 100 cycles. A stream of the transposes, which gathers and
// has levels, would take twice the memory.
#pragma once

#include "backends/cuda/schwarz/plan.hpp"
#include "backends/cuda/schwarz/solve_blocks.hpp"

namespace terrace::cuda::schwarz {

template <class Scalar, class Factor, class Offset>
struct TransposedSolve {
  const int* block_map;
  sparse::TriangleView<int, Offset> pattern[2];  // L, U
  const Scalar* values;
  bool unit_lower, conjugate;
  detail::MultiVector<const Scalar, Kokkos::Cuda> R;
  detail::MultiVector<Scalar, Kokkos::Cuda> Z;
  terrace::schwarz::Transfer<Scalar, int> transfer;
  std::ptrdiff_t first_column;
  unsigned columns;
};

template <class Scalar, class Factor, class Offset>
class TransposedWalk {
  static constexpr int ahead = 4;  // rows whose entries are on their way

 public:
  __device__ TransposedWalk(const TransposedSolve<Scalar, Factor, Offset>& solve, int block, std::ptrdiff_t column,
                            Scalar* x)
      : solve_(solve),
        begin_(solve.block_map[block]),
        places_(solve.block_map[block + 1] - begin_),
        column_(column),
        x_(x),
        lane_(static_cast<int>(threadIdx.x)) {}

  __device__ void solve() const {
    for (int place = lane_; place < places_; place += warp_size)
      x_[place] = solve_.transfer.read(solve_.R, begin_ + place, column_);
    __syncwarp();
    scatter(1);
    scatter(0);
    for (int place = lane_; place < places_; place += warp_size)
      solve_.transfer.write(solve_.Z, begin_ + place, column_, x_[place]);
  }

 private:
  /// Of 32 rows in turn, each lane knows one.
  struct Bounds {
    Offset begin = 0;
    int count = 0;
    Scalar reciprocal{};
  };

  /// Of a row: this lane's first entry, and what all lanes know.
  struct Row {
    Offset begin = 0;
    int place = 0, count = 0, column = 0;
    Scalar value{}, reciprocal{};
  };

  /// As applications read it.
  __device__ Scalar factor(const Scalar& value) const {
    const auto read = static_cast<Scalar>(static_cast<Factor>(value));
    if constexpr (triangular::is_complex<Scalar>) return solve_.conjugate ? Kokkos::conj(read) : read;
    else return read;
  }

  __device__ int place(int triangle, int step) const { return triangle == 1 ? step : places_ - 1 - step; }

  __device__ Bounds bounds(int triangle, int first_step) const {
    const auto& pattern = solve_.pattern[triangle];
    Bounds of;
    if (first_step + lane_ >= places_) return of;
    const int row = begin_ + place(triangle, first_step + lane_);
    of.begin = pattern.begin(row);
    of.count = static_cast<int>(pattern.end(row) - of.begin);
    if (divides(triangle)) of.reciprocal = factor(Scalar(1) / solve_.values[pattern.diagonal_position(row)]);
    return of;
  }

  __device__ static Bounds either(bool first, const Bounds& a, const Bounds& b) {
    return {first ? a.begin : b.begin, first ? a.count : b.count, first ? a.reciprocal : b.reciprocal};
  }

  __device__ Row fetch(int triangle, const Bounds& of, int step) const {
    Row row;
    const int lane = step % warp_size;
    row.place = place(triangle, step);
    row.begin = __shfl_sync(all_lanes, of.begin, lane);
    row.count = __shfl_sync(all_lanes, of.count, lane);
    row.reciprocal = of_lane(of.reciprocal, lane);
    if (lane_ < row.count) fetch_entry(triangle, row.begin + static_cast<Offset>(lane_), row.column, row.value);
    return row;
  }

  __device__ void fetch_entry(int triangle, Offset at, int& column, Scalar& value) const {
    column = solve_.pattern[triangle].entries[at] - begin_;
    value = factor(solve_.values[at]);
  }

  __device__ bool divides(int triangle) const { return triangle == 1 || !solve_.unit_lower; }

  __device__ void scatter(int triangle) const {
    Bounds now = bounds(triangle, 0);
    Row next[ahead];
#pragma unroll
    for (int w = 0; w < ahead; ++w) next[w] = fetch(triangle, now, w);
    for (int base = 0; base < places_; base += warp_size) {
      const Bounds behind = bounds(triangle, base + warp_size);
      for (int step = base; step < base + warp_size; step += ahead) {
#pragma unroll
        for (int w = 0; w < ahead; ++w) {
          const Row row = next[w];
          const int far = step + w + ahead;
          next[w] = fetch(triangle, either(far < base + warp_size, now, behind), far);
          if (step + w < places_) take(triangle, row);
        }
      }
      now = behind;
    }
    __syncwarp();
  }

  __device__ void take(int triangle, Row row) const {
    Scalar solved = x_[row.place];
    if (divides(triangle)) solved *= row.reciprocal;
    for (int k = lane_; k < row.count; k += warp_size) {
      if (k >= warp_size) fetch_entry(triangle, row.begin + static_cast<Offset>(k), row.column, row.value);
      x_[row.column] -= row.value * solved;
    }
    __syncwarp();
    if (divides(triangle) && lane_ == 0) x_[row.place] = solved;
  }

  const TransposedSolve<Scalar, Factor, Offset>& solve_;
  int begin_, places_;
  std::ptrdiff_t column_;
  Scalar* x_;
  int lane_;
};

template <class Scalar, class Factor, class Offset>
__global__ void __launch_bounds__(warp_size)
    solve_transposed_kernel(const __grid_constant__ TransposedSolve<Scalar, Factor, Offset> solve) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto block = static_cast<int>(blockIdx.x / solve.columns);
  const std::ptrdiff_t column = solve.first_column + static_cast<std::ptrdiff_t>(blockIdx.x % solve.columns);
  TransposedWalk<Scalar, Factor, Offset>(solve, block, column, reinterpret_cast<Scalar*>(memory)).solve();
}

}  // namespace terrace::cuda::schwarz
