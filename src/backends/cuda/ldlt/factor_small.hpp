// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A front that fits in shared memory, by one thread block: assembled from A and its children, factorized, and written
// as what solves multiply with,
//
//     [ L11^-1      ]  ones and zeros included
//     [ L21 L11^-1  ]
//
// beside D and the contribution block. Children are added one after the other, so the bits repeat; some are read before
// the first of them is added. What the front has of A, and all that the pattern says, is there before its children are.
#pragma once

#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/dense_in_shared.hpp"
#include "backends/cuda/ldlt/places.hpp"

namespace terrace::cuda::ldlt {

template <class Scalar>
constexpr std::size_t bytes_of_shared_front(int rows, int columns) {
  return static_cast<std::size_t>(rows * SharedFront<Scalar>::distance(rows) + 2 * columns) * sizeof(Scalar);
}

template <int Threads, class Scalar>
__device__ void set_entries(const SharedFront<Scalar>& F, const FrontPlaces& at, const FrontPlace& front,
                            const Scalar* entries) {
  for (std::size_t e = front.entry + threadIdx.x; e < front.entry + front.entries; e += Threads) {
    const int target = static_cast<int>(at.entry_target[e] - front.panel);
    F(target % F.rows, target / F.rows) = entries[e];
  }
}

/// The contribution blocks of a front's children in pieces, child after child, each by columns.
template <int Threads, class Scalar>
class ChildPieces {
 public:
  /// Of each thread: numbers of a piece, and pieces that it reads before it adds the first.
  static constexpr int each = Threads >= 128 ? 8 : 4, ahead = Threads >= 128 ? 2 : 4;

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

  __device__ void read(int leading_dimension, Piece& piece) {
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
      piece.to[n] = place[i] + place[j] * leading_dimension;
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
__device__ void add_children(const SharedFront<Scalar>& F, ChildPieces<Threads, Scalar>& pieces) {
  using Pieces = ChildPieces<Threads, Scalar>;
  while (pieces.are_left()) {
    typename Pieces::Piece piece[Pieces::ahead];
#pragma unroll
    for (int p = 0; p < Pieces::ahead; ++p) pieces.read(F.leading_dimension, piece[p]);
#pragma unroll
    for (int p = 0; p < Pieces::ahead; ++p) {
#pragma unroll
      for (int n = 0; n < Pieces::each; ++n)
        if (piece[p].to[n] >= 0) F.data[piece[p].to[n]] += piece[p].found[n];
      if (piece[p].ends_child) __syncthreads();
    }
  }
}

/// Panel, D and contribution block to device memory.
template <int Threads, class Scalar>
__device__ void write_front(const SharedFront<Scalar>& F, const SharedPivots<Scalar>& D, const FrontPlace& front,
                            const FrontNumbers<Scalar>& numbers) {
  const int rows = F.rows, columns = F.columns, thread = static_cast<int>(threadIdx.x);
  Scalar* panel = numbers.panels + front.panel;
  for (int k = thread; k < columns * columns; k += Threads) {
    const int i = k % columns, j = k / columns;
    panel[i + j * rows] = i >= j ? F(i, j) : Scalar(0);
  }
  // L21 L11^-1: what is below each number of L11^-1, which has ones on its diagonal.
  for_each_tile<Threads>(rows - columns, columns, [&](int first, int column) {
    const int row = columns + first;
    multiply_tile<Scalar>(
        column, columns, [&](int i, int p) { return row + i < rows ? F(row + i, p) : Scalar(0); },
        [&](int j, int p) { return column + j <= p ? F(p, column + j) : Scalar(0); },
        [&](int i, int j, const Scalar& value) {
          if (row + i < rows && column + j < columns) panel[row + i + (column + j) * rows] = value;
        });
  });
  for (int k = thread; k < columns; k += Threads) numbers.pivots[front.first_column + k] = D.pivots[k];
  const int below = rows - columns;
  const terrace::ldlt::PackedColumns packed{below};
  Scalar* to = numbers.contributions + front.contribution;
  for (int k = thread; k < below * below; k += Threads) {
    const int i = k % below, j = k / below;
    if (i >= j) to[packed(i, j)] = F(columns + i, columns + j);
  }
}

/// Fronts from `first` on in the order of the levels, a block for each.
template <int Threads, class Scalar>
__global__ void __launch_bounds__(Threads)
    factor_small_kernel(FrontPlaces at, FrontNumbers<Scalar> numbers, const Scalar* entries,
                        terrace::ldlt::PivotRule<Scalar> pivots, int first, Stands stands) {
  extern __shared__ __align__(16) char memory[];
  const FrontPlace front = at.fronts[first + static_cast<int>(blockIdx.x)];
  const int distance = SharedFront<Scalar>::distance(front.rows);
  const SharedFront<Scalar> F{reinterpret_cast<Scalar*>(memory), front.rows, front.columns, distance};
  Scalar* behind = F.data + front.rows * distance;
  const SharedPivots<Scalar> D{behind, behind + front.columns};
  for (int k = static_cast<int>(threadIdx.x); k < F.rows * distance; k += Threads) F.data[k] = Scalar(0);
  await_what_is_given(stands);
  PivotWatch<Scalar> watch(pivots);
  Growth<incomplete::RealOf<Scalar>> growth;
  ChildPieces<Threads, Scalar> pieces(at, front, numbers.contributions);
  __syncthreads();
  set_entries<Threads>(F, at, front, entries);
  __syncthreads();
  begin_work(stands);
  add_children(F, pieces);
  eliminate_columns<Threads>(F, D, front.first_column, watch, growth);
  invert_triangle<Threads>(F);
  write_front<Threads>(F, D, front, numbers);
  if (threadIdx.x == 0) watch.publish();
  growth.publish(pivots.record->growth);
  end_work(stands);
}

}  // namespace terrace::cuda::ldlt
