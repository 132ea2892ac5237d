// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of several right-hand sides with fronts that were factorized in shared memory. A thread block has a front and
// some groups of eight right-hand sides, whose vectors lie side by side in shared memory; a warp multiplies 16 rows of
// the front, or 16 own columns, with its share of the groups. What the pattern says and the first columns of L are on
// their way before what the predecessor leaves is waited for.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_vectors.hpp"
#include "backends/cuda/ldlt/tuning.hpp"
#include "backends/cuda/ldlt/warp_tile.hpp"

namespace terrace::cuda::ldlt {

/// The right-hand sides of a tile of sums.
struct ColumnGroup {
  static constexpr int columns = 8;

  /// Distance of the vectors of a front with so many rows: a tile is read from them without bank conflicts.
  static __host__ __device__ constexpr int distance(int rows) { return (rows + 3) / 8 * 8 + 4; }
  /// Numbers of shared memory.
  static __host__ __device__ constexpr int numbers(int rows, int groups) { return distance(rows) * groups * columns; }
};

/// The vectors of a front in shared memory.
template <class Scalar>
struct GroupedVectors {
  Scalar* data;
  int distance;

  __device__ Scalar& operator()(int row, int q) const { return data[row + q * distance]; }
};

/// Rows of a front and right-hand sides, four of those at once, for the threads of a block in turn.
template <int Threads>
class HalfGroups {
 public:
  static constexpr int columns = 4;

  __device__ HalfGroups(int rows, int groups)
      : rows_(rows),
        end_(groups * ColumnGroup::columns),
        row_(static_cast<int>(threadIdx.x) % rows),
        first_(static_cast<int>(threadIdx.x) / rows * columns) {}

  /// Calls visit(row, first of four right-hand sides).
  template <class Visit>
  __device__ void for_each(const Visit& visit) const {
    const int step = Threads / rows_ * columns, rest = Threads % rows_;
    for (int row = row_, first = first_; first < end_;) {
      visit(row, first);
      row += rest;
      first += step;
      if (row >= rows_) {
        row -= rows_;
        first += columns;
      }
    }
  }

 private:
  int rows_, end_, row_, first_;
};

/// What a thread block works on: a front, some groups of right-hand sides, and their vectors in shared memory.
template <class Scalar>
struct GroupsOfFront {
  FrontPlace front;
  SolveVectors<Scalar> vectors;
  int groups;
  GroupedVectors<Scalar> shared;

  __device__ GroupsOfFront(const FrontPlaces& at, const SolveVectors<Scalar>& all, int place, int groups_at_once,
                           char* memory)
      : front(at.fronts[place]),
        vectors(all.part(static_cast<int>(blockIdx.y) * groups_at_once * ColumnGroup::columns,
                         groups_at_once * ColumnGroup::columns)),
        groups((vectors.columns + ColumnGroup::columns - 1) / ColumnGroup::columns),
        shared{reinterpret_cast<Scalar*>(memory), ColumnGroup::distance(front.rows)} {}
};

/// Which 16 rows of the factor, and which groups, a warp has: all warps have some, where there are enough groups.
struct PartOfWarp {
  static constexpr int side = 16;
  int row, first, end;

  __device__ PartOfWarp(int warps, int rows, int groups) {
    const int warp = static_cast<int>(threadIdx.x / 32), tiles = max(1, (rows + side - 1) / side);
    const int shares = warps / tiles, share = warp / tiles, each = (groups + shares - 1) / shares;
    row = warp % tiles * side;
    first = share * each;
    end = share < shares ? min(first + each, groups) : first;
  }
  __device__ bool is_empty() const { return first >= end; }
};

/// How a thread block works on a front of one of the classes of SolveClasses.
template <int Class, class Scalar>
struct SmallColumnsShape {
  using Classes = FrontTuning::SolveClasses;
  static constexpr bool is_complex_double = sizeof(Scalar) > sizeof(double);
  static constexpr int rows = Classes::rows[Class], threads = Classes::threads_of_columns[Class], warps = threads / 32;
  static constexpr int blocks = Classes::blocks_of_columns[Class] / (is_complex_double && rows <= 32 ? 2 : 1);
  /// Of a warp: columns of L on their way, and groups that it multiplies with at once.
  static constexpr int held = is_complex_double || rows <= 32 ? 16 : 32, tiles = is_complex_double ? 2 : 4;
  static_assert(warps * PartOfWarp::side >= rows);
};

/// The products of a warp: some tiles of sums, of 16 rows of a factor and as many groups of right-hand sides, with some
/// columns of the factor on their way.
template <class Scalar, class Shape>
class TilesOfWarp {
  using Tile = WarpTile<Scalar>;
  static constexpr int held = Shape::held / Tile::depth, tiles = Shape::tiles;

 public:
  /// Of the factor's columns [begin, end); `begin` is a multiple of a tile's depth.
  __device__ TilesOfWarp(int begin, int end) : begin_(begin), end_(end) {}

  /// Asks for the first steps: read(row, column) of the factor, which is zero beyond it.
  template <class Read>
  __device__ void ask(const Read& read) {
#pragma unroll
    for (int h = 0; h < held; ++h) load(h, begin_ + h * Tile::depth, read);
  }

  /// Multiplies with the groups [first, end) of the vectors, column k of the factor with their row k; and calls
  /// use(number, right-hand side, sum) for each sum, which is in row LaneOfTile::row(number) of the 16. After ask().
  template <class Read, class Use>
  __device__ void multiply(const Read& read, const GroupedVectors<Scalar>& vectors, int first, int end,
                           const Use& use) {
    for (bool has_asked = true; first < end; first += tiles, has_asked = false) {
      if (!has_asked) ask(read);
      Tile sums[tiles];
      for (auto& sum : sums) sum.clear();
      for (int base = begin_; base < end_; base += held * Tile::depth)
#pragma unroll
        for (int h = 0; h < held; ++h) {
          const int column = base + h * Tile::depth;
          if (column >= end_) break;
#pragma unroll
          for (int g = 0; g < tiles; ++g)
            if (first + g < end) {
              typename Tile::Right right;
              right.load([&](int q, int k) {
                return column + k < end_ ? vectors(column + k, (first + g) * ColumnGroup::columns + q) : Scalar(0);
              });
              sums[g].add(left_[h], right);
            }
          load(h, column + held * Tile::depth, read);
        }
#pragma unroll
      for (int g = 0; g < tiles; ++g)
        if (first + g < end)
#pragma unroll
          for (int n = 0; n < 4; ++n)
            use(n, (first + g) * ColumnGroup::columns + LaneOfTile::column(n), sums[g].get(n));
    }
  }

 private:
  template <class Read>
  __device__ void load(int h, int column, const Read& read) {
    if (column < end_) left_[h].load([&](int row, int k) { return read(row, column + k); });
  }

  int begin_, end_;
  typename Tile::Left left_[held];
};

/// For each row of a front which rows of some of its children are added to it, from what the pattern says.
template <int Threads>
class RowsOfChildren {
 public:
  static constexpr int at_once = 8, rows = FrontTuning::most_rows;
  static constexpr signed char none = -1;

  struct Shared {
    std::size_t update[at_once];
    signed char row[at_once][rows];
  };

  __device__ RowsOfChildren(const FrontPlaces& at, const FrontPlace& front, Shared& shared)
      : at_(at), front_(front), shared_(shared) {}

  /// Children from number `first` on. All threads call it.
  __device__ void find(int first) {
    const int thread = static_cast<int>(threadIdx.x);
    count_ = min(at_once, front_.children - first);
    for (int k = thread; k < at_once * rows / 4; k += Threads) reinterpret_cast<int*>(shared_.row)[k] = -1;
    __syncthreads();
    for (int c = thread / 32; c < count_; c += Threads / 32) {
      const ChildPlace child = at_.children[front_.child + first + c];
      if (thread % 32 == 0) shared_.update[c] = child.update;
      for (int row = thread % 32; row < child.rows; row += 32)
        shared_.row[c][at_.place_in_parent[child.row + row]] = static_cast<signed char>(row);
    }
    __syncthreads();
  }

  /// Adds to the sums of a row and so many right-hand sides, of those that there are, child after child.
  template <class Scalar, int Columns>
  __device__ void add(Scalar (&sums)[Columns], int row, const Scalar* updates, std::size_t stride, int columns) const {
    constexpr int together = 2;
    for (int c = 0; c < count_; c += together) {
      Scalar found[together][Columns];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        const int from = shared_.row[c + k][row];  // none, where there is no such child
#pragma unroll
        for (int q = 0; q < Columns; ++q)
          found[k][q] = from != none && q < columns ? updates[shared_.update[c + k] + from + q * stride] : Scalar(0);
      }
#pragma unroll
      for (int k = 0; k < together; ++k)
#pragma unroll
        for (int q = 0; q < Columns; ++q) sums[q] += found[k][q];
    }
  }

 private:
  const FrontPlaces& at_;
  const FrontPlace& front_;
  Shared& shared_;
  int count_ = 0;
};

template <int Class, class Scalar>
__global__ void __launch_bounds__(SmallColumnsShape<Class, Scalar>::threads, SmallColumnsShape<Class, Scalar>::blocks)
    forward_small_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, int first,
                                 int groups_at_once, Stands stands) {
  using Shape = SmallColumnsShape<Class, Scalar>;
  using Halves = HalfGroups<Shape::threads>;
  using Children = RowsOfChildren<Shape::threads>;
  extern __shared__ __align__(16) char memory[];
  __shared__ typename Children::Shared shared_rows;
  const GroupsOfFront<Scalar> of_block(at, all, first + static_cast<int>(blockIdx.x), groups_at_once, memory);
  const auto& [front, vectors, groups, b] = of_block;
  const int rows = front.rows, own = front.columns, columns = vectors.columns;
  const PartOfWarp part(Shape::warps, rows, groups);
  const Scalar* const panel = panels + front.panel + part.row;
  const auto read = [&](int row, int column) {
    return part.row + row < rows && column < own ? panel[row + column * rows] : Scalar(0);
  };
  TilesOfWarp<Scalar, Shape> product(0, own);
  await_what_is_given(stands);
  if (!part.is_empty()) product.ask(read);
  Scalar inverse_pivots[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = part.row + LaneOfTile::row(2 * i);
    inverse_pivots[i] = row < own ? vectors.inverse_pivot(front.first_column + row) : Scalar(1);
  }
  Children children(at, front, shared_rows);
  children.find(0);
  begin_work(stands);
  Scalar* const y = vectors.y + front.first_column;
  const Halves halves(rows, groups);
  for (int c = 0; c == 0 || c < front.children; c += Children::at_once) {
    if (c > 0) {
      __syncthreads();
      children.find(c);
    }
    halves.for_each([&](int row, int q) {
      Scalar sums[Halves::columns];
#pragma unroll
      for (int k = 0; k < Halves::columns; ++k)
        sums[k] = c > 0                          ? b(row, q + k)
                  : row < own && q + k < columns ? y[row + (q + k) * vectors.y_stride]
                                                 : Scalar(0);
      children.add(sums, row, vectors.updates + q * vectors.update_stride, vectors.update_stride, columns - q);
#pragma unroll
      for (int k = 0; k < Halves::columns; ++k) b(row, q + k) = sums[k];
    });
  }
  __syncthreads();
  Scalar* const update = vectors.updates + front.update;
  if (!part.is_empty())
    product.multiply(read, b, part.first, part.end, [&](int n, int q, const Scalar& sum) {
      const int row = part.row + LaneOfTile::row(n);
      if (row >= rows || q >= columns) return;
      if (row < own) y[row + q * vectors.y_stride] = sum * inverse_pivots[n / 2];
      else update[row - own + q * vectors.update_stride] = b(row, q) - sum;
    });
  end_work(stands);
}

template <int Class, class Scalar>
__global__ void __launch_bounds__(SmallColumnsShape<Class, Scalar>::threads, SmallColumnsShape<Class, Scalar>::blocks)
    backward_small_columns_kernel(FrontPlaces at, const Scalar* panels, SolveVectors<Scalar> all, int first,
                                  int groups_at_once, Stands stands) {
  using Shape = SmallColumnsShape<Class, Scalar>;
  using Halves = HalfGroups<Shape::threads>;
  extern __shared__ __align__(16) char memory[];
  __shared__ int shared_rows[FrontTuning::most_rows];  // in x
  const GroupsOfFront<Scalar> of_block(at, all, first + static_cast<int>(blockIdx.x), groups_at_once, memory);
  const auto& [front, vectors, groups, v] = of_block;
  const int rows = front.rows, own = front.columns, columns = vectors.columns;
  const PartOfWarp part(Shape::warps, own, groups);
  const Scalar* const panel = panels + front.panel + part.row * rows;
  const auto read = [&](int column, int row) {
    return part.row + column < own && row < rows ? panel[row + column * rows] : Scalar(0);
  };
  TilesOfWarp<Scalar, Shape> product(part.row, rows);  // rows above the diagonal are zeros
  await_what_is_given(stands);
  if (!part.is_empty()) product.ask(read);
  for (int row = own + static_cast<int>(threadIdx.x); row < rows; row += Shape::threads)
    shared_rows[row] = at.rows[front.row + row];
  __syncthreads();
  begin_work(stands);
  Halves(rows, groups).for_each([&](int row, int q) {
    const bool is_own = row < own;
    const Scalar* const from =
        vectors.y + (is_own ? front.first_column + row : shared_rows[row]) + q * vectors.y_stride;
    Scalar values[Halves::columns];
#pragma unroll
    for (int k = 0; k < Halves::columns; ++k) values[k] = q + k < columns ? from[k * vectors.y_stride] : Scalar(0);
#pragma unroll
    for (int k = 0; k < Halves::columns; ++k) v(row, q + k) = is_own ? values[k] : -values[k];
  });
  __syncthreads();
  Scalar* const x = vectors.y + front.first_column;
  if (!part.is_empty())
    product.multiply(read, v, part.first, part.end, [&](int n, int q, const Scalar& sum) {
      const int column = part.row + LaneOfTile::row(n);
      if (column < own && q < columns) x[column + q * vectors.y_stride] = sum;
    });
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
