// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense front in the shared memory of a thread block: A = L D L^T of its own columns without interchanges, and L^-1
// instead of L, by Gauss-Jordan elimination in place, eight columns at a time.
//
// Of the front there is the lower triangle, in tiles of 8 x 8. Before block J of eight columns is eliminated, the tiles
// W_ik with k >= J have what is left of A, and those with k < J what is known of L^-1. Block J knows
//
//     W_JJ = L_J D_J L_J^T,    T = L_J^-1,    U_i = W_iJ T^T,    X_k = T W_Jk for k < J,    X_J = T
//
// Row J becomes X_k, and the rows i > J become
//
//     W_ik -= U_i D_J^-1 X_k  for k < J,    W_iJ = -U_i D_J^-1 X_J,    W_ik -= U_i D_J^-1 U_k^T  for J < k <= i
//
// Where only the first columns of the last block are own ones, T is [L_J^-1, 0; -L_21 L_J^-1, I], D_J^-1 ends with
// zeros, and the other columns of W_iJ become those of U_i. After all own columns, the rows behind them hold
// -L21 L11^-1, and behind it what is left for the parent.
//
// One warp eliminates W_JJ by itself, as soon as block J - 1 has changed it, while the others change the rest. All
// other work is products of tiles.
#pragma once

#include "backends/cuda/ldlt/front_tile.hpp"
#include "backends/cuda/ldlt/settle.hpp"

namespace terrace::cuda::ldlt {

template <int Threads, class Scalar>
class TiledFront {
 public:
  using Held = typename HeldAs<Scalar>::Type;
  using Real = terrace::incomplete::RealOf<Held>;

 private:
  using Triangle = TiledTriangle<Held>;
  using Tile = FrontTile<Held>;
  using Factor = TileFactor<Held>;
  using Rule = terrace::ldlt::PivotRule<Scalar>;
  using Watch = PivotWatch<Scalar, Held>;
  static constexpr int side = Tile::side, warps = Threads / 32;

 public:
  /// What the threads share of two blocks of columns in turn: T and D^-1.
  struct Shared {
    alignas(16) Real transformations[2 * Tile::reals];
    alignas(16) char inverses[2 * side * sizeof(Held)];
  };

  /// Of shared memory, for the triangle and for U and -U D^-1 of a block of columns.
  static __host__ __device__ constexpr std::size_t bytes(int rows) {
    const int across = Triangle::tiles_across(rows);
    return static_cast<std::size_t>(Triangle::tiles(across) + 2 * even(across)) * Tile::reals * sizeof(Real);
  }

  __device__ TiledFront(void* memory, Shared& shared, int rows)
      : W_(static_cast<Real*>(memory)),
        across_(Triangle::tiles_across(rows)),
        U_(W_ + Triangle::first(across_, 0)),
        minus_L_(U_ + even(across_) * Tile::reals),
        T_(shared.transformations),
        inverses_(reinterpret_cast<Held*>(shared.inverses)),
        rows_(rows),
        // The same in all lanes, which the compiler is to know.
        warp_(__shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0)) {}

  /// Those of the tiles.
  __device__ int whole_rows() const { return across_ * side; }
  /// Where a number is, row >= column.
  static __device__ int place(int row, int column) { return Triangle::place(row, column); }
  __device__ Held get(int place) const { return Tile::get(W_ + place); }
  __device__ void set(int place, const Held& value) const { Tile::set(W_ + place, value); }

  __device__ void clear() const {
    for (int k = static_cast<int>(threadIdx.x); k < Triangle::first(across_, 0); k += Threads) W_[k] = Real(0);
  }

  /// So many own columns, of which the first is number `first` of the matrix; D goes to `pivots`, and the largest
  /// modulus of L into the record. The threads wait before it, and have waited behind it.
  __device__ void eliminate(int own, int first, const Rule& rule, Scalar* pivots) const {
    Watch watch(rule);
    Growth<Real> growth;
    const auto eliminate_diagonal = [&](int J) {
      const int done = J * side;
      this->eliminate_diagonal(J, min(side, own - done), first + done, watch, growth, pivots + done);
    };
    if (warp_ == 0) eliminate_diagonal(0);
    wait();
    for (int J = 0; J * side < own; ++J) {
      const int count = min(side, own - J * side);
      const bool has_next = (J + 1) * side < own, is_ahead = has_next && warps > 1;
      // The first warp hurries on to the next block, and leaves the rest to the others, who need U and L of it.
      if (is_ahead && warp_ == 0) {
        multiply(J, count, {J + 1, J + 1}, 1, growth);
        wait_for_all();
        subtract(J, (J + 1) / 2, J + 1, J + 1);
        __syncwarp();
        eliminate_diagonal(J + 1);
      } else {
        const int left = is_ahead ? 1 : 0, worker = warp_ - left, workers = warps - left;
        multiply_all(J, count, worker, workers, left, growth);
        wait_for_all();
        subtract_all(J, worker, workers, is_ahead);
        if (has_next && !is_ahead) {
          __syncwarp();
          eliminate_diagonal(J + 1);
        }
      }
      wait();
    }
    if (warp_ == 0) watch.publish();
    growth.publish(rule.record->growth);
  }

  /// Calls write(row, column, value) for L^-1 of the own columns, with its ones and zeros, and -L21 L11^-1 below it.
  template <class Write>
  __device__ void for_each_of_panel(int own, const Write& write) const {
    for_each_number(
        0, Triangle::tiles_across(own), [](int) { return 0; },
        [&](int row, int column, const Held& value) {
          if (column < own) write(row, column, Scalar(row > column ? value : Held(row == column)));
        });
  }

  /// Calls write(row, column, value) for the lower triangle of what is left behind the own columns.
  template <class Write>
  __device__ void for_each_left(int own, const Write& write) const {
    for_each_number(
        own / side, across_, [](int k) { return k; },
        [&](int row, int column, const Held& value) {
          if (column >= own && row >= column) write(row, column, Scalar(value));
        });
  }

  /// For all threads of the block.
  static __device__ void wait() {
    if constexpr (warps == 1) __syncwarp();
    else __syncthreads();
  }

 private:
  /// U and L of all rows are there. Warps come from different places.
  static __device__ void wait_for_all() {
    if constexpr (warps == 1) __syncwarp();
    else asm volatile("barrier.cta.sync 1, %0;" ::"n"(Threads) : "memory");
  }

  /// Calls write(row, column, value) for numbers of the tiles (i, k) with begin <= k < end and i >= first_of(k); where
  /// i < k, the value has no meaning. A warp has read several tiles before it writes the first.
  template <class First, class Write>
  __device__ void for_each_number(int begin, int end, const First& first_of, const Write& write) const {
    constexpr int at_once = 4;
    const int r = lane() % side, c = lane() / side;
    const int places[2] = {Tile::place(r, c), Tile::place(r, c + 4)};
    int k = begin, i = first_of(k) + warp_;
    const auto find_column = [&] {
      while (k < end && i >= across_) {
        const int over = i - across_;
        i = first_of(++k) + over;
      }
    };
    find_column();
    while (k < end) {
      Held value[at_once][2];
      int row[at_once], column[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        row[n] = k < end ? i * side + r : rows_;
        column[n] = k * side + c;
        const Real* const from = k < end && i > k ? tile(i, k) : tile(min(k, end - 1), min(k, end - 1));
#pragma unroll
        for (int half = 0; half < 2; ++half) value[n][half] = Tile::get(from + places[half]);
        i += warps;
        find_column();
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          if (row[n] < rows_) write(row[n], column[n] + 4 * half, value[n][half]);
    }
  }

  static __host__ __device__ constexpr int even(int count) { return (count + 1) / 2 * 2; }
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  __device__ Real* tile(int i, int k) const { return W_ + Triangle::first(i, k); }
  __device__ Real* U(int i) const { return U_ + i * Tile::reals; }
  __device__ Real* minus_L(int i) const { return minus_L_ + i * Tile::reals; }
  __device__ Real* T(int J) const { return T_ + J % 2 * Tile::reals; }
  __device__ Held* inverses(int J) const { return inverses_ + J % 2 * side; }

  template <class Number>
  static __device__ Number from_lane(const Number& number, int lane) {
    return __shfl_sync(0xffffffffu, number, lane);
  }
  template <class Number>
  static __device__ Kokkos::complex<Number> from_lane(const Kokkos::complex<Number>& number, int lane) {
    return {from_lane(number.real(), lane), from_lane(number.imag(), lane)};
  }

  struct Pivot {
    Held used, minus_inverse;
  };
  /// Of a lane: numbers of W_JJ, what it keeps of L, and the pivot of row `lane`.
  struct Eliminated {
    Held w[2], minus_l[2];
    Pivot pivot;
  };

  static __device__ Held minus_inverse(const Held& pivot) {
    bool is_quick;
    return quick_reciprocal(-pivot, is_quick);
  }
  /// As it is to be used, for all lanes of a warp.
  static __device__ __noinline__ Pivot settle(int row, const Watch& watch, Held pivot) {
    Held inverse(0);
    if (lane() == 0 && !watch.is_good(pivot, inverse)) pivot = watch.settle(row, pivot, inverse);
    return {from_lane(pivot, 0), -from_lane(inverse, 0)};
  }

  /// The first `own` columns of a tile whose numbers the lanes of a warp have. Step j computes the next pivot, and its
  /// inverse, beside the rest of the tile. Pivots are settled, or taken as they are; all columns are own ones, or not.
  template <bool Settles, bool Whole>
  static __device__ __forceinline__ void eliminate_tile(Eliminated& of, int own, int first, const Watch& watch) {
    const int r = LaneOfTile::row(0), beside = lane() % 4;
    Held(&w)[2] = of.w;
    const auto number = [&](int row, int column) { return from_lane(w[column % 2], row * 4 + column / 2); };
    const auto pivot_of = [&](int j, const Held& found) {
      if constexpr (Settles) return settle(first + j, watch, found);
      else return Pivot{found, minus_inverse(found)};
    };
    Pivot pivot = pivot_of(0, number(0, 0));
#pragma unroll
    for (int j = 0; j < side; ++j) {
      if (!Whole && j >= own) break;
      const Held row[2] = {from_lane(w[0], j * 4 + beside), from_lane(w[1], j * 4 + beside)};
      const Held column = from_lane(w[j % 2], r * 4 + j / 2);
      const Pivot found = pivot;
      if (j + 1 < side) {
        const Held below = number(j + 1, j), diagonal = number(j + 1, j + 1);
        const Held next = diagonal + (below * below) * found.minus_inverse;
        if (!Settles || j + 1 < own) pivot = pivot_of(j + 1, next);
      }
      const Held minus_l = r > j ? column * found.minus_inverse : Held(0);
      if (lane() == j) of.pivot = found;
      if (beside == j / 2) of.minus_l[j % 2] = minus_l;
      w[0] += minus_l * row[0];
      w[1] += minus_l * row[1];
      if (r > j && beside == j / 2) w[j % 2] = minus_l;
    }
  }

  /// The first `own` columns of W_JJ, by a warp: D, D^-1, T, and what becomes of W_JJ. Pivots are looked at when all
  /// are known; where one cannot stand, all is done again.
  __device__ void eliminate_diagonal(int J, int own, int first, Watch& watch, Growth<Real>& growth,
                                     Scalar* pivots) const {
    Real* const to = tile(J, J);
    const int r = LaneOfTile::row(0), columns[2] = {LaneOfTile::column(0), LaneOfTile::column(1)};
    const auto take = [&] {
      Eliminated of{};
#pragma unroll
      for (int n = 0; n < 2; ++n) of.w[n] = Tile::get(to + Tile::place(max(r, columns[n]), min(r, columns[n])));
      return of;
    };
    Eliminated of = take();
    if (own == side) eliminate_tile<false, true>(of, own, first, watch);
    else eliminate_tile<false, false>(of, own, first, watch);
    Held inverse;
    const bool is_bad = lane() < own && !watch.is_good(of.pivot.used, inverse);
    if (__any_sync(0xffffffffu, is_bad)) {
      of = take();
      eliminate_tile<true, false>(of, own, first, watch);
    }
    __syncwarp();  // all lanes have read the tile
    const int place = Tile::place(r, columns[0]);
    const auto transformation = [&](int n) {
      const int c = columns[n];
      return r > c && c < own ? of.w[n] : Held(r == c);
    };
    Tile::set_two(to + place, of.w[0], of.w[1]);
    Tile::set_two(T(J) + place, transformation(0), transformation(1));
    for (const Held& l : of.minus_l) growth.meet(l);
    if (lane() < side) inverses(J)[lane()] = -of.pivot.minus_inverse;
    if (lane() >= own) return;
    const Scalar used(of.pivot.used);
    pivots[lane()] = used;
    watch.meet(used);
  }

  /// X_k for k < J, or U_i and -U_i D_J^-1 for i > J: two of them, or one, by a warp.
  __device__ void multiply(int J, int own, const int (&x)[2], int count, Growth<Real>& growth) const {
    const LanePlaces<Held> at;
    const bool is_row[2] = {x[0] < J, x[1] < J};  // of tiles, which is transposed here
    Real* const from[2] = {is_row[0] ? tile(J, x[0]) : tile(x[0], J), is_row[1] ? tile(J, x[1]) : tile(x[1], J)};
    TilePair<Held> product;
#pragma unroll
    for (int t = 0; t < 2; ++t) product.set(t, {Held(0), Held(0)});
    product.add({Factor{from[0], is_row[0]}, Factor{from[1], is_row[1]}}, {T(J), false}, at);
    __syncwarp();
    const int r = LaneOfTile::row(0), columns[2] = {LaneOfTile::column(0), LaneOfTile::column(1)};
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      if (t >= count) continue;
      Held value[2], u[2], minus_l[2];
      product.get(t, value);
      if (is_row[t]) {
#pragma unroll
        for (int n = 0; n < 2; ++n) Tile::set(from[t] + Tile::place(columns[n], r), value[n]);
        continue;
      }
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const bool is_own = columns[n] < own;
        u[n] = is_own ? value[n] : Held(0);
        value[n] = is_own ? Held(0) : value[n];
        minus_l[n] = u[n] * -inverses(J)[columns[n]];
        growth.meet(minus_l[n]);
      }
      Tile::set_two(U(x[t]) + at.sum, u[0], u[1]);
      Tile::set_two(minus_L(x[t]) + at.sum, minus_l[0], minus_l[1]);
      Tile::set_two(from[t] + at.sum, value[0], value[1]);
    }
  }

  /// The same of all of them, or of all but U_(J + 1): those of one worker of several.
  __device__ void multiply_all(int J, int own, int worker, int workers, int skipped, Growth<Real>& growth) const {
    const int end = across_ - 1 - skipped;
    const auto number = [&](int y) { return y < J ? y : y + 1 + skipped; };
    for (int y = 2 * worker; y < end; y += 2 * workers)
      multiply(J, own, {number(y), number(min(y + 1, end - 1))}, min(end - y, 2), growth);
  }

  /// What block J takes away from the tiles (2 a, k) and (2 a + 1, k), as far as they are there and lie behind row J;
  /// of rows that are no less than zero, from that in row `only` alone, and never from that in row `never`. By a warp.
  __device__ void subtract(int J, int a, int k, int only = -1, int never = -1) const {
    const LanePlaces<Held> at;
    const int i = 2 * a;
    const auto is_wanted = [&](int row) { return (only < 0 || row == only) && row != never; };
    const bool is_there[2] = {i > J && k <= i && is_wanted(i), i + 1 < across_ && is_wanted(i + 1)};
    Real* const to[2] = {tile(i, k), tile(i + 1, k)};
    TilePair<Held> rest;
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      Held value[2];
      Tile::get_two((is_there[t] ? to[t] : T(J)) + at.sum, value);
      rest.set(t, value);
    }
    rest.add({Factor{is_there[0] ? minus_L(i) : T(J), false}, Factor{is_there[1] ? minus_L(i + 1) : T(J), false}},
             {k < J    ? tile(J, k)
              : k == J ? T(J)
                       : U(k),
              k <= J},
             at);
#pragma unroll
    for (int t = 0; t < 2; ++t) {
      if (!is_there[t]) continue;
      Held value[2];
      rest.get(t, value);
      Tile::set_two(to[t] + at.sum, value[0], value[1]);
    }
  }

  /// The same of all of them, or of all but the next one on the diagonal, row after row of pairs: those of one worker
  /// of several.
  __device__ void subtract_all(int J, int worker, int workers, bool next_is_done) const {
    int k = worker;
    for (int a = (J + 1) / 2; 2 * a < across_; ++a) {
      for (; k < 2 * a + 2; k += workers) subtract(J, a, k, -1, next_is_done && k == J + 1 ? J + 1 : -1);
      k -= 2 * a + 2;
    }
  }

  Real* W_;
  int across_;
  Real *U_, *minus_L_, *T_;
  Held* inverses_;
  int rows_, warp_;
};

}  // namespace terrace::cuda::ldlt
