// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A front that fits in the shared memory of a thread block: assembled there from A and its children, factorized, and
// written as what solves multiply with,
//
//     [ L11^-1      ]  ones and zeros included
//     [ L21 L11^-1  ]
//
// beside D and the contribution block. Children are added one after the other, so the bits repeat; some are read before
// the first of them is added. What the front has of A, and all that the pattern says, is there before its children are.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/tiled_front.hpp"
#include "backends/cuda/ldlt/tuning.hpp"

namespace terrace::cuda::ldlt {

template <int Threads, class Scalar>
__device__ void set_entries(const TiledFront<Threads, Scalar>& F, const FrontPlaces& at, const FrontPlace& front,
                            const Scalar* entries) {
  for (std::size_t e = front.entry + threadIdx.x; e < front.entry + front.entries; e += Threads) {
    const int target = static_cast<int>(at.entry_target[e] - front.panel);
    F.set(F.place(target % front.rows, target / front.rows), entries[e]);
  }
}

/// The contribution blocks of a front's children in pieces, child after child, each by columns.
template <int Threads, class Scalar>
class ChildPieces {
  using Front = TiledFront<Threads, Scalar>;

 public:
  /// Of each thread: numbers of a piece, and pieces that it reads before it adds the first.
  static constexpr int each = Threads > 128 ? 8 : 4, ahead = Threads > 128 ? 2 : 4;

  struct Piece {
    Scalar found[each];
    int to[each];  // in the front's memory; -1: nothing
    bool ends_child;
  };

  __device__ ChildPieces(const FrontPlaces& at, const FrontPlace& front, const Scalar* contributions)
      : at_(at), contributions_(contributions), next_(front.child), end_(front.child + front.children) {
    take_child();
    take_child();
  }

  __device__ bool are_left() const { return first_ < numbers_; }

  __device__ void read(Piece& piece) {
    const int* place = at_.place_in_parent + child_.row;
    const terrace::ldlt::PackedColumns packed{child_.rows};
    const Scalar* from = contributions_ + child_.contribution;
#pragma unroll
    for (int n = 0; n < each; ++n) {
      const int k = first_ + static_cast<int>(threadIdx.x) + n * Threads;
      piece.to[n] = -1;
      if (k >= numbers_) continue;
      // The last number is row 0 of a triangle that is counted by rows from there.
      const int back = numbers_ - 1 - k;
      int row = static_cast<int>((sqrtf(8.0f * static_cast<float>(back) + 1.0f) - 1.0f) * 0.5f);
      while (row * (row + 1) / 2 > back) --row;
      while ((row + 1) * (row + 2) / 2 <= back) ++row;
      const int j = child_.rows - 1 - row, i = child_.rows - 1 - (back - row * (row + 1) / 2);
      piece.to[n] = Front::place(place[i], place[j]);
      piece.found[n] = from[packed(i, j)];
    }
    first_ += each * Threads;
    piece.ends_child = first_ >= numbers_;
    if (piece.ends_child) take_child();
  }

 private:
  /// The one that is on its way, and asks for the one behind it.
  __device__ void take_child() {
    child_ = on_its_way_;
    numbers_ = child_.rows * (child_.rows + 1) / 2;
    first_ = 0;
    on_its_way_ = {};
    if (next_ < end_) on_its_way_ = at_.children[next_++];
  }

  const FrontPlaces& at_;
  const Scalar* contributions_;
  std::size_t next_, end_;
  ChildPlace child_{}, on_its_way_{};
  int numbers_ = 0, first_ = 0;
};

template <int Threads, class Scalar>
__device__ void add_children(const TiledFront<Threads, Scalar>& F, ChildPieces<Threads, Scalar>& pieces) {
  using Pieces = ChildPieces<Threads, Scalar>;
  while (pieces.are_left()) {
    typename Pieces::Piece piece[Pieces::ahead];
#pragma unroll
    for (int p = 0; p < Pieces::ahead; ++p) pieces.read(piece[p]);
#pragma unroll
    for (int p = 0; p < Pieces::ahead; ++p) {
#pragma unroll
      for (int n = 0; n < Pieces::each; ++n)
        if (const int to = piece[p].to[n]; to >= 0) F.set(to, F.get(to) + piece[p].found[n]);
      if (piece[p].ends_child) F.wait();
    }
  }
}

/// Fronts from `first` on in the order of the levels, a block for each.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    factor_small_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Scalar* entries,
                        terrace::ldlt::PivotRule<Scalar> pivots, int first, Stands stands) {
  using Front = TiledFront<Threads, Scalar>;
  extern __shared__ __align__(16) char memory[];
  __shared__ typename Front::Shared shared;
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int own = front.columns;
  const Front F(memory, shared, front.rows);
  F.clear();
  await_what_is_given(stands);
  ChildPieces<Threads, Scalar> pieces(at, front, numbers.panels);
  F.wait();
  set_entries(F, at, front, entries);
  F.wait();
  begin_work(stands);
  add_children(F, pieces);
  F.eliminate(own, front.first_column, pivots, numbers.pivots + front.first_column);
  Scalar* const panel = numbers.panels + front.panel;
  F.for_each_of_panel(own, [&](int row, int column, const Scalar& value) {
    panel[row + column * front.rows] = row < own ? value : -value;
  });
  Scalar* const contribution = numbers.panels + front.contribution;
  const terrace::ldlt::PackedColumns packed{front.rows - own};
  F.for_each_left(
      own, [&](int row, int column, const Scalar& value) { contribution[packed(row - own, column - own)] = value; });
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
