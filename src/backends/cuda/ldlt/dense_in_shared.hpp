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

/// A row of the panel below its diagonal block. In a narrow panel, rows of L that do not exist are the last one: a
/// compiler may read them ahead of the test whether there are so many, while other threads write what is below.
template <bool IsNarrow, class Scalar>
__device__ void solve_row(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int row, int first, int count,
                          Growth<incomplete::RealOf<Scalar>>& growth) {
  constexpr int width = FrontTuning::panel;
  Scalar u[width];
#pragma unroll
  for (int j = 0; j < width; ++j) {
    if (IsNarrow && j >= count) break;
    const int row_of_L = first + (IsNarrow ? min(j, count - 1) : j);
    u[j] = F(row, first + j);
#pragma unroll
    for (int k = 0; k < j; ++k) u[j] -= u[k] * F(row_of_L, first + k);
  }
#pragma unroll
  for (int j = 0; j < width; ++j) {
    if (IsNarrow && j >= count) break;
    const Scalar l = u[j] * D.inverses[first + j];
    growth.meet(l);
    F(row, first + j) = l;
  }
}

/// The lower triangle from row and column `next` on minus L D L^T of the panel's columns. Calls behind_first() in the
/// first warp when it has done the tile that begins at the diagonal, which it does alone if there is another warp.
template <int Threads, class Scalar, class BehindFirst>
__device__ void update_behind_panel(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int first, int count,
                                    int next, const BehindFirst& behind_first) {
  using Tile = WarpTile<Scalar>;
  constexpr int warps = Threads / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int order = F.rows - next, tiles = (order + 15) / 16;
  // Tile rows of 16 have two tile columns more than the one above: those of row r begin at r (r + 1).
  const int all = tiles * (tiles + 1);
  for (int t = warp; t<all; t += warps> 1 && warp > 0 ? warps - 1 : 1) {
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
    if (t > 0) continue;
    __syncwarp();
    behind_first();
    __syncwarp();
    if (warps > 1) break;
  }
}

/// Eliminates the own columns; `first_row` is the number of the front's first. All threads call it, and find the whole
/// result. The first of them has watched the pivots: it factorizes the diagonal block of a panel while other warps are
/// at what is behind the panel before.
template <int Threads, class Scalar>
__device__ void eliminate_columns(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, int first_row,
                                  PivotWatch<Scalar>& watch, Growth<incomplete::RealOf<Scalar>>& growth) {
  const auto columns_from = [&](int first) { return min(FrontTuning::panel, F.columns - first); };
  const auto factorize_diagonal = [&](int first) {
    if (threadIdx.x == 0 && first < F.columns)
      factorize_diagonal_block(F, D, first, columns_from(first), first_row, watch, growth);
  };
  factorize_diagonal(0);
  __syncthreads();
  for (int first = 0; first < F.columns; first += FrontTuning::panel) {
    const int count = columns_from(first), next = first + count;
    for (int row = next + static_cast<int>(threadIdx.x); row < F.rows; row += Threads)
      if (count < FrontTuning::panel) solve_row<true>(F, D, row, first, count, growth);
      else solve_row<false>(F, D, row, first, count, growth);
    __syncthreads();
    update_behind_panel<Threads>(F, D, first, count, next, [&] { factorize_diagonal(next); });
    __syncthreads();
  }
}

/// Calls visit(row, column) for the tiles of 16 x 8 of so many rows and columns: each warp for its own.
template <int Threads, class Visit>
__device__ void for_each_tile(int rows, int columns, const Visit& visit) {
  const int across = (rows + 15) / 16, tiles = across * ((columns + 7) / 8);
  for (int t = static_cast<int>(threadIdx.x) / 32; t < tiles; t += Threads / 32) visit(t % across * 16, t / across * 8);
}

/// A tile of sum_k left(i, k) right(j, k) for k from `first` to below `end`: write(i, j, sum).
template <class Scalar, class Left, class Right, class Write>
__device__ void multiply_tile(int first, int end, const Left& left, const Right& right, const Write& write) {
  using Tile = WarpTile<Scalar>;
  Tile tile;
  tile.clear();
  for (int k = first; k < end; k += Tile::depth) {
    typename Tile::Left a;
    typename Tile::Right b;
    a.load([&](int i, int p) { return k + p < end ? left(i, k + p) : Scalar(0); });
    b.load([&](int j, int p) { return k + p < end ? right(j, k + p) : Scalar(0); });
    tile.add(a, b);
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) write(LaneOfTile::row(n), LaneOfTile::column(n), tile.get(n));
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
    const int pairs = (count + 2 * size - 1) / (2 * size);
    // Rows and columns of tiles are counted from the lower left block of the first pair, and pairs follow each other.
    const auto for_each_pair = [&](const auto& visit) {
      for_each_tile<Threads>(size, pairs * size, [&](int first, int column) {
        const int begin = column / size * 2 * size;
        if (begin + size < count) visit(begin, first, column % size);
      });
      __syncthreads();
    };
    for_each_pair([&](int begin, int first, int column) {
      const int row = begin + size + first;
      multiply_tile<Scalar>(
          column, size, [&](int i, int k) { return row + i < count ? F(row + i, begin + k) : Scalar(0); },
          [&](int j, int k) { return column + j <= k ? F(begin + k, begin + column + j) : Scalar(0); },
          [&](int i, int j, const Scalar& value) {
            if (first + i < size && row + i < count) F(begin + column + j, row + i) = value;
          });
    });
    for_each_pair([&](int begin, int first, int column) {
      const int middle = begin + size, row = middle + first;
      multiply_tile<Scalar>(
          0, min(first + 16, min(size, count - middle)),
          [&](int i, int k) { return row + i < count && k <= first + i ? F(row + i, middle + k) : Scalar(0); },
          [&](int j, int k) { return F(begin + column + j, middle + k); },
          [&](int i, int j, const Scalar& value) {
            if (first + i < size && row + i < count) F(row + i, begin + column + j) = -value;
          });
    });
  }
}

}  // namespace terrace::cuda::ldlt
