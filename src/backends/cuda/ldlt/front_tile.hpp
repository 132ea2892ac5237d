// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of 8 x 8 numbers in shared memory, and sums of products of them that a warp holds.
#pragma once

#include "algorithms/incomplete/pivots.hpp"
#include "backends/cuda/ldlt/warp_tile.hpp"

namespace terrace::cuda::ldlt {

/// A tile is two halves of four columns, each by rows, so that the 32 numbers that the lanes of a warp bring to a
/// product lie beside each other. The second half is permuted: the columns that lanes sum lie in both of them, and
/// would meet in the same banks. Real and imaginary parts are apart, as tensor cores take them.
template <class Scalar>
struct FrontTile {
  using Real = terrace::incomplete::RealOf<Scalar>;
  static constexpr int side = 8, part = side * side, parts = terrace::triangular::is_complex<Scalar> ? 2 : 1;
  static constexpr int reals = part * parts;
  static constexpr int permuted = 64 / static_cast<int>(sizeof(Real));

  static __host__ __device__ constexpr int place(int row, int column) {
    const int half = column / 4 % 2;
    return (half * 32 + row % side * 4 + column % 4) ^ (half * permuted);
  }

  static __device__ Scalar get(const Real* at) {
    if constexpr (parts == 2) return {at[0], at[part]};
    else return *at;
  }
  static __device__ void set(Real* at, const Scalar& value) {
    if constexpr (parts == 2) {
      at[0] = value.real();
      at[part] = value.imag();
    } else {
      *at = value;
    }
  }

  /// Two of a row, the first of which has an even column.
  static __device__ void get_two(const Real* at, Scalar (&values)[2]) {
    Two found[parts];
    for (int p = 0; p < parts; ++p) found[p] = *reinterpret_cast<const Two*>(at + p * part);
    if constexpr (parts == 2) {
      values[0] = Scalar(found[0].reals[0], found[1].reals[0]);
      values[1] = Scalar(found[0].reals[1], found[1].reals[1]);
    } else {
      for (int n = 0; n < 2; ++n) values[n] = found[0].reals[n];
    }
  }
  static __device__ void set_two(Real* at, const Scalar& value, const Scalar& next) {
    if constexpr (parts == 2) {
      *reinterpret_cast<Two*>(at) = {value.real(), next.real()};
      *reinterpret_cast<Two*>(at + part) = {value.imag(), next.imag()};
    } else {
      *reinterpret_cast<Two*>(at) = {value, next};
    }
  }

 private:
  struct alignas(2 * sizeof(Real)) Two {
    Real reals[2];
  };
};

/// The tiles of the lower triangle of a matrix, by rows of tiles.
template <class Scalar>
struct TiledTriangle {
  using Tile = FrontTile<Scalar>;

  static __host__ __device__ constexpr int tiles_across(int rows) { return (rows + Tile::side - 1) / Tile::side; }
  static __host__ __device__ constexpr int tiles(int across) { return across * (across + 1) / 2; }

  /// Of tile (i, k), i >= k, and of a number, row >= column.
  static __host__ __device__ constexpr int first(int i, int k) { return (tiles(i) + k) * Tile::reals; }
  static __host__ __device__ constexpr int place(int row, int column) {
    return first(row / Tile::side, column / Tile::side) + Tile::place(row, column);
  }
};

/// Where in a tile the numbers of a lane lie: those that it brings to a product, of a tile and of one that is meant
/// transposed; and the first of the two that it sums, in row lane / 4 and column 2 (lane % 4), with the next beside it.
template <class Scalar>
class LanePlaces {
 public:
  __device__ LanePlaces() : sum(FrontTile<Scalar>::place(LaneOfTile::row(0), LaneOfTile::column(0))) {
    using Tile = FrontTile<Scalar>;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const int row = LaneOfFactors::row(0), depth = LaneOfFactors::right_depth(n);
      factor_[n] = Tile::place(row, depth);
      transposed_[n] = Tile::place(depth, row);
    }
  }

  __device__ int factor(int n, bool is_transposed) const { return is_transposed ? transposed_[n] : factor_[n]; }

  const int sum;

 private:
  int factor_[2], transposed_[2];
};

template <class Scalar>
struct TileFactor {
  const terrace::incomplete::RealOf<Scalar>* reals;
  bool is_transposed;
};

/// The sums of two tiles, two of each tile in each lane: add({A, B}, C) adds A C^T to the one and B C^T to the other.
/// By the lanes.
template <class Scalar>
struct PairOfLanes {
  Scalar sums[2][2];

  __device__ void get(int tile, Scalar (&values)[2]) const {
    for (int n = 0; n < 2; ++n) values[n] = sums[tile][n];
  }
  __device__ void set(int tile, const Scalar (&values)[2]) {
    for (int n = 0; n < 2; ++n) sums[tile][n] = values[n];
  }
  __device__ void add(const TileFactor<Scalar> (&left)[2], const TileFactor<Scalar>& right, const LanePlaces<Scalar>&) {
#pragma unroll
    for (int k = 0; k < FrontTile<Scalar>::side; ++k)
#pragma unroll
      for (int t = 0; t < 2; ++t) {
        const Scalar factor = number(left[t], LaneOfTile::row(0), k);
#pragma unroll
        for (int n = 0; n < 2; ++n) sums[t][n] += factor * number(right, LaneOfTile::column(n), k);
      }
  }

 private:
  static __device__ Scalar number(const TileFactor<Scalar>& factor, int row, int column) {
    using Tile = FrontTile<Scalar>;
    return Tile::get(factor.reals + (factor.is_transposed ? Tile::place(column, row) : Tile::place(row, column)));
  }
};

/// The same by tensor cores.
template <class Scalar>
struct PairOfTensorCores {
  using Real = terrace::incomplete::RealOf<Scalar>;
  using Tile = FrontTile<Scalar>;

  double sums[Tile::parts][4];

  __device__ void get(int tile, Scalar (&values)[2]) const {
    for (int n = 0; n < 2; ++n) {
      const int k = 2 * tile + n;
      if constexpr (Tile::parts == 2) values[n] = Scalar(static_cast<Real>(sums[0][k]), static_cast<Real>(sums[1][k]));
      else values[n] = static_cast<Real>(sums[0][k]);
    }
  }
  __device__ void set(int tile, const Scalar (&values)[2]) {
    for (int n = 0; n < 2; ++n) {
      const int k = 2 * tile + n;
      if constexpr (Tile::parts == 2) {
        sums[0][k] = values[n].real();
        sums[1][k] = values[n].imag();
      } else {
        sums[0][k] = values[n];
      }
    }
  }
  __device__ void add(const TileFactor<Scalar> (&left)[2], const TileFactor<Scalar>& right,
                      const LanePlaces<Scalar>& at) {
    double a[Tile::parts][4], b[Tile::parts][2];
#pragma unroll
    for (int p = 0; p < Tile::parts; ++p) {
#pragma unroll
      for (int n = 0; n < 4; ++n)
        a[p][n] = left[n % 2].reals[at.factor(n / 2, left[n % 2].is_transposed) + p * Tile::part];
#pragma unroll
      for (int n = 0; n < 2; ++n) b[p][n] = right.reals[at.factor(n, right.is_transposed) + p * Tile::part];
    }
    multiply_add(sums[0], a[0], b[0]);
    if constexpr (Tile::parts == 2) {
      const double minus[2] = {-b[1][0], -b[1][1]};
      multiply_add(sums[1], a[0], b[1]);
      multiply_add(sums[0], a[1], minus);
      multiply_add(sums[1], a[1], b[0]);
    }
  }
};

template <class Scalar>
using TilePair = std::conditional_t<is_for_tensor_cores<Scalar>, PairOfTensorCores<Scalar>, PairOfLanes<Scalar>>;

}  // namespace terrace::cuda::ldlt
