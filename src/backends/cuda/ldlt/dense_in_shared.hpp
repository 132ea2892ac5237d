// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense front in the shared memory of a thread block: its own columns are eliminated, F = L D L^T without
// interchanges, and the unit triangle of L is inverted.
//
// Right-looking, with panels of eight columns: one thread factorizes the diagonal block in registers, a thread for each
// row solves with it, and the warps update what is right of the panel by tiles of 16 x 8.
#pragma once

#include "backends/cuda/ldlt/settle.hpp"
#include "backends/cuda/ldlt/tuning.hpp"
#include "backends/cuda/ldlt/warp_tile.hpp"

namespace terrace::cuda::ldlt {

/// Column after column, at a distance that lets a warp read tiles without bank conflicts.
template <class Scalar>
struct SharedFront {
  Scalar* data;
  int rows, columns, leading_dimension;

  static __host__ __device__ constexpr int distance(int rows) { return (rows + 11) / 16 * 16 + 4; }

  __device__ Scalar& operator()(int row, int column) const { return data[row + column * leading_dimension]; }
};

/// D and its inverses.
template <class Scalar>
struct SharedPivots {
  Scalar* pivots;
  Scalar* inverses;
};

/// One thread: rows and columns [first, first + count) of F.
template <class Scalar>
__device__ void factorize_diagonal_block(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int first,
                                         int count, int first_row, PivotWatch<Scalar>& watch,
                                         Growth<incomplete::RealOf<Scalar>>& growth) {
  constexpr int width = FrontTuning::panel;
  Scalar a[width][width];
#pragma unroll
  for (int j = 0; j < width; ++j)
#pragma unroll
    for (int i = j; i < width; ++i) a[i][j] = i < count ? F(first + i, first + j) : Scalar(i == j);
#pragma unroll
  for (int j = 0; j < width; ++j) {
    Scalar inverse(1);
    if (j < count) {
      a[j][j] = watch.settle(first_row + first + j, a[j][j], inverse);
      D.pivots[first + j] = a[j][j];
      D.inverses[first + j] = inverse;
    }
    Scalar l[width];
#pragma unroll
    for (int i = j + 1; i < width; ++i) {
      l[i] = a[i][j] * inverse;
      growth.meet(l[i]);
    }
#pragma unroll
    for (int i = j + 1; i < width; ++i)
#pragma unroll
      for (int k = j + 1; k <= i; ++k) a[i][k] -= l[i] * a[k][j];
#pragma unroll
    for (int i = j + 1; i < width; ++i)
      if (i < count) F(first + i, first + j) = l[i];
  }
}

/// A row of the panel below its diagonal block. Compilers may read four rows of L at once, `count` or more and so rows
/// that other threads write, and use none of these: a race checker warns of such reads.
template <class Scalar>
__device__ void solve_row(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int row, int first, int count,
                          Growth<incomplete::RealOf<Scalar>>& growth) {
  constexpr int width = FrontTuning::panel;
  Scalar u[width];
#pragma unroll
  for (int j = 0; j < width; ++j) {
    if (j >= count) break;
    u[j] = F(row, first + j);
#pragma unroll
    for (int k = 0; k < j; ++k) u[j] -= u[k] * F(first + j, first + k);
  }
#pragma unroll
  for (int j = 0; j < width; ++j) {
    if (j >= count) break;
    const Scalar l = u[j] * D.inverses[first + j];
    growth.meet(l);
    F(row, first + j) = l;
  }
}

/// The lower triangle from row and column `next` on minus L D L^T of the panel's columns.
template <int Threads, class Scalar>
__device__ void update_behind_panel(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int first, int count,
                                    int next) {
  using Tile = WarpTile<Scalar>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int order = F.rows - next, tiles = (order + 15) / 16;
  // Tile rows of 16 have two tile columns more than the one above: those of row r begin at r (r + 1).
  const int all = tiles * (tiles + 1);
  for (int t = warp; t < all; t += Threads / 32) {
    int r = static_cast<int>((sqrtf(4.0f * static_cast<float>(t) + 1.0f) - 1.0f) * 0.5f);
    while (r * (r + 1) > t) --r;
    while ((r + 1) * (r + 2) <= t) ++r;
    const int row = next + 16 * r, column = next + 8 * (t - r * (r + 1));
    if (column >= F.rows) continue;
    Tile tile;
    const auto is_inside = [&](int i, int j) { return i < F.rows && j < F.rows; };
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int i = row + LaneOfTile::row(n), j = column + LaneOfTile::column(n);
      tile.set(n, is_inside(i, j) ? F(i, j) : Scalar(0));
    }
#pragma unroll
    for (int k = 0; k < FrontTuning::panel; k += Tile::depth) {
      typename Tile::Left left;
      typename Tile::Right right;
      left.load(
          [&](int i, int p) { return row + i < F.rows && k + p < count ? F(row + i, first + k + p) : Scalar(0); });
      right.load([&](int j, int p) {
        return column + j < F.rows && k + p < count ? -F(column + j, first + k + p) * D.pivots[first + k + p]
                                                    : Scalar(0);
      });
      tile.add(left, right);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int i = row + LaneOfTile::row(n), j = column + LaneOfTile::column(n);
      if (is_inside(i, j)) F(i, j) = tile.get(n);
    }
  }
}

/// Eliminates the own columns; `first_row` is the number of the front's first. All threads call it, and find the whole
/// result.
template <int Threads, class Scalar>
__device__ void eliminate_columns(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int first_row,
                                  const terrace::ldlt::PivotRule<Scalar>& pivots) {
  PivotWatch<Scalar> watch(pivots);
  Growth<incomplete::RealOf<Scalar>> growth;
  for (int first = 0; first < F.columns; first += FrontTuning::panel) {
    const int count = min(FrontTuning::panel, F.columns - first), next = first + count;
    if (threadIdx.x == 0) factorize_diagonal_block(F, D, first, count, first_row, watch, growth);
    __syncthreads();
    for (int row = next + static_cast<int>(threadIdx.x); row < F.rows; row += Threads)
      solve_row(F, D, row, first, count, growth);
    __syncthreads();
    update_behind_panel<Threads>(F, D, first, count, next);
    __syncthreads();
  }
  if (threadIdx.x == 0) watch.publish();
  growth.publish(pivots.record->growth);
}

/// L^-1 of the unit lower triangle in the own columns, in its place; ones on its diagonal. Blocks of 8 by a thread for
/// each column, and then twice as large ones from pairs: [X11; -X22 L21 X11, X22]. What is between, L21 X11, goes
/// transposed to where zeros are above the diagonal.
template <int Threads, class Scalar>
__device__ void invert_triangle(const SharedFront<Scalar>& F) {
  constexpr int width = 8;
  const int count = F.columns, thread = static_cast<int>(threadIdx.x);
  for (int column = thread; column < count; column += Threads) {
    const int end = min(column / width * width + width, count);
    Scalar x[width];
#pragma unroll
    for (int i = 0; i < width; ++i) {
      const int row = column + i;
      if (row >= end) break;
      Scalar sum(i == 0);
#pragma unroll
      for (int k = 0; k < i; ++k) sum -= F(row, column + k) * x[k];
      x[i] = sum;
    }
    // Transposed, above the diagonal, because other threads still read what is below.
#pragma unroll
    for (int i = 0; i < width; ++i)
      if (column + i < end) F(column, column + i) = x[i];
  }
  __syncthreads();
  for (int column = thread; column < count; column += Threads) {
    const int end = min(column / width * width + width, count);
    for (int row = column; row < end; ++row) {
      const Scalar x = F(column, row);
      F(row, column) = x;
    }
  }
  __syncthreads();
  for (int size = width; size < count; size *= 2) {
    const int pairs = (count + 2 * size - 1) / (2 * size), each = size * size;
    for (int phase = 0; phase < 2; ++phase) {
      for (int at = thread; at < pairs * each; at += Threads) {
        const int begin = at / each * 2 * size, i = at % size, j = at % each / size;
        const int row = begin + size + i, column = begin + j;
        if (row >= count) continue;
        if (phase == 0) {
          Scalar sum = F(row, column);
#pragma unroll 4
          for (int k = j + 1; k < size; ++k) sum += F(row, begin + k) * F(begin + k, column);
          F(column, row) = sum;
        } else {
          Scalar sum = F(column, row);
#pragma unroll 4
          for (int k = 0; k < i; ++k) sum += F(row, begin + size + k) * F(column, begin + size + k);
          F(row, column) = -sum;
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace terrace::cuda::ldlt
