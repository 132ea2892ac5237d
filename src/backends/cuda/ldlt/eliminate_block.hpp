// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A diagonal block of 64 columns in the registers of a thread block: A = L D L^T without interchanges, and L^-1 instead
// of L, by Gauss-Jordan elimination in place.
//
// Before step j the matrix W has what is left of A in its upper triangle from row j on, and what is known of L^-1 in the
// strictly lower one. Step j knows row j, which is d_j, with u_k = w_jk right of the diagonal and x_k left of it:
//
//     l_i = u_i / d_j,    w_ik -= l_i w_jk for k != j,    w_ij = -l_i        for all rows i > j
//
// So each step shares one row of W, and waits once. Thread (r, c) of 16 x 16 has the numbers of rows r + 16 a and of
// columns c + 16 b.
#pragma once

#include "backends/cuda/ldlt/settle.hpp"

namespace terrace::cuda::ldlt {

template <class Scalar>
class RegisterBlock {
  static constexpr int side = 16, each = 4;

 public:
  static constexpr int rows = side * each, threads = side * side;

  /// What the threads share: two rows, taken in turn.
  struct Shared {
    alignas(16) char row[2][rows * sizeof(Scalar)];
    alignas(16) char inverse[2][sizeof(Scalar)];
  };

  /// From the lower triangle of a block with `count` columns.
  template <class Read>
  __device__ RegisterBlock(int count, const Read& read) : count_(count) {
#pragma unroll
    for (int a = 0; a < each; ++a)
#pragma unroll
      for (int b = 0; b < each; ++b) {
        const int i = row(a), k = column(b);
        w_[a][b] = i < count && k < count ? read(max(i, k), min(i, k)) : Scalar(i == k);
      }
  }

  /// The block begins at column `first` of the matrix; D goes to `pivots`.
  __device__ void eliminate(Shared& shared, int first, const terrace::ldlt::PivotRule<Scalar>& rule, Scalar* pivots) {
    PivotWatch<Scalar> watch(rule);
    Growth<incomplete::RealOf<Scalar>> growth;
#pragma unroll
    for (int part = 0; part < each; ++part)
      for (int inside = 0; inside < side; ++inside) {
        const int j = part * side + inside;
        if (j >= count_) break;
        Scalar* shared_row = reinterpret_cast<Scalar*>(shared.row[j % 2]);
        Scalar* shared_inverse = reinterpret_cast<Scalar*>(shared.inverse[j % 2]);
        if (row(0) == inside) {
#pragma unroll
          for (int b = 0; b < each; ++b) shared_row[column(b)] = w_[part][b];
          if (column(0) == inside) {
            pivots[first + j] = watch.settle(first + j, w_[part][part], *shared_inverse);
          }
        }
        __syncthreads();
        const Scalar inverse = *shared_inverse;
        Scalar right[each];
#pragma unroll
        for (int b = 0; b < each; ++b) right[b] = shared_row[column(b)];
#pragma unroll
        for (int a = part; a < each; ++a) {
          if (row(a) <= j) continue;
          const Scalar l = shared_row[row(a)] * inverse;
          if (column(0) == inside) growth.meet(l);
#pragma unroll
          for (int b = 0; b < each; ++b) {
            const bool is_pivot_column = b == part && column(0) == inside;
            w_[a][b] = is_pivot_column ? -l : w_[a][b] - l * right[b];
          }
        }
      }
    watch.publish();
    growth.publish(rule.record->growth);
  }

  /// Calls write(row, column, value) for all of L^-1, with its ones and zeros.
  template <class Write>
  __device__ void for_each(const Write& write) const {
#pragma unroll
    for (int a = 0; a < each; ++a)
#pragma unroll
      for (int b = 0; b < each; ++b) {
        const int i = row(a), k = column(b);
        if (i < count_ && k < count_) write(i, k, i > k ? w_[a][b] : Scalar(i == k));
      }
  }

 private:
  static __device__ int row(int a) { return static_cast<int>(threadIdx.x) % side + side * a; }
  static __device__ int column(int b) { return static_cast<int>(threadIdx.x) / side + side * b; }

  int count_;
  Scalar w_[each][each];
};

}  // namespace terrace::cuda::ldlt
