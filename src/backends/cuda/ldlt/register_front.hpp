// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense front in the registers of a thread block: A = L D L^T of its own columns without interchanges, and L^-1
// instead of L, by Gauss-Jordan elimination in place.
//
// Before step j the matrix W has what is left of A in its upper triangle from row j on, and what is known of L^-1 in
// the strictly lower one. Step j knows row j, which is d_j, with u_k = w_jk right of the diagonal and x_k left of it:
//
//     l_i = u_i / d_j,    w_ik -= l_i w_jk for k != j,    w_ij = -l_i        for all rows i > j
//
// After all own columns, the rows behind them hold -L21 L11^-1, and behind it what is left for the parent.
//
// Each step shares row j and 1 / d_j, and waits once. Row j + 1 is the first to be finished in step j, so that it is on
// its way, and its pivot is being inverted, while the others are.
#pragma once

#include <type_traits>

#include "backends/cuda/architecture.hpp"
#include "backends/cuda/ldlt/settle.hpp"

namespace terrace::cuda::ldlt {

/// What fronts of at most so many rows are computed in: in double precision, where that takes no longer. Registers do
/// not suffice for larger ones of complex numbers.
template <class Scalar, int Rows>
struct HeldAs {
  using Type = std::conditional_t<doubles_take_no_longer, double, Scalar>;
};
template <class Real, int Rows>
struct HeldAs<Kokkos::complex<Real>, Rows> {
  using Type = Kokkos::complex<std::conditional_t<doubles_take_no_longer && Rows <= 64, double, Real>>;
};

/// Stores into shared memory or does not, without a branch, at which what comes behind it would wait.
__device__ inline void store_if(bool stores, double* to, double value) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.f64 [%1], %2; }" ::"r"(unsigned(stores)),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "d"(value)
               : "memory");
}
__device__ inline void store_if(bool stores, float* to, float value) {
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.f32 [%1], %2; }" ::"r"(unsigned(stores)),
               "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "f"(value)
               : "memory");
}
template <class Real>
__device__ void store_if(bool stores, Kokkos::complex<Real>* to, const Kokkos::complex<Real>& value) {
  Real* const parts = reinterpret_cast<Real*>(to);
  store_if(stores, parts, value.real());
  store_if(stores, parts + 1, value.imag());
}

/// Thread (r, c) of Down x Across has the numbers of rows r + Down a and of columns c + Across b.
template <int Down, int Across, int Rows, class Scalar>
class RegisterFront {
  static_assert(Down % Across == 0 && Rows % Down == 0 && 32 % Down == 0);
  static constexpr int rows_of_thread = Rows / Down, columns_of_thread = Rows / Across;
  using Held = typename HeldAs<Scalar, Rows>::Type;
  using Real = incomplete::RealOf<Held>;
  using Watch = PivotWatch<Scalar, Held>;

  /// What a step shares.
  struct Step {
    alignas(16) char row[Rows * sizeof(Held)];
    alignas(16) char inverse[16];

    __device__ Held* row_at(int k) { return reinterpret_cast<Held*>(row) + k; }
    __device__ Held* inverse_of_pivot() { return reinterpret_cast<Held*>(inverse); }
  };

 public:
  static constexpr int threads = Down * Across;

  /// What the threads share: two steps in turn, and all pivots.
  struct Shared {
    Step steps[2];
    alignas(16) char pivots[Rows * sizeof(Held)];

    __device__ Held* pivot(int j) { return reinterpret_cast<Held*>(pivots) + j; }
  };

  /// From the lower triangle of a matrix with `count` rows.
  template <class Read>
  __device__ RegisterFront(int count, const Read& read) : count_(count) {
#pragma unroll
    for (int a = 0; a < rows_of_thread; ++a)
#pragma unroll
      for (int b = 0; b < columns_of_thread; ++b) {
        const int i = row(a), k = column(b);
        w_[a][b] = i < count && k < count ? Held(read(max(i, k), min(i, k))) : Held(i == k);
      }
  }

  /// So many own columns, of which the first is number `first` of the matrix; D goes to `pivots`, and the largest
  /// modulus of L into the record.
  __device__ void eliminate(Shared& shared, int own, int first, const terrace::ldlt::PivotRule<Scalar>& rule,
                            Scalar* pivots) {
    const Watch watch(rule);
    Growth<Real> growth;
    eliminate_from<0>(shared, own, first, watch, growth);
    wait();
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
    for (int k = thread; k - lane < own; k += threads) {
      const Scalar pivot(k < own ? *shared.pivot(k) : Held(0));
      if (k < own) pivots[k] = pivot;
      watch.publish(k < own, pivot);
    }
    growth.publish(rule.record->growth);
  }

  /// Calls write(row, column, value) for L^-1 of the own columns, with its ones and zeros, and -L21 L11^-1 below it.
  template <class Write>
  __device__ void for_each_of_panel(int own, const Write& write) const {
#pragma unroll
    for (int a = 0; a < rows_of_thread; ++a)
#pragma unroll
      for (int b = 0; b < columns_of_thread; ++b) {
        const int i = row(a), k = column(b);
        if (i < count_ && k < own) write(i, k, Scalar(i > k ? w_[a][b] : Held(i == k)));
      }
  }

  /// Calls write(row, column, value) for the lower triangle of what is left behind the own columns.
  template <class Write>
  __device__ void for_each_left(int own, const Write& write) const {
#pragma unroll
    for (int a = 0; a < rows_of_thread; ++a)
#pragma unroll
      for (int b = 0; b < columns_of_thread; ++b) {
        if (is_below(a, b)) continue;
        const int k = row(a), i = column(b);
        if (i < count_ && k >= own && i >= k) write(i, k, Scalar(w_[a][b]));
      }
  }

  /// For all threads of the block.
  static __device__ void wait() {
    if constexpr (threads == 32) __syncwarp();
    else __syncthreads();
  }

 private:
  static __device__ int row(int a) { return static_cast<int>(threadIdx.x) % Down + Down * a; }
  static __device__ int column(int b) { return static_cast<int>(threadIdx.x) / Down + Across * b; }
  /// Whether all numbers of every thread at (a, b) are below the diagonal.
  static __device__ constexpr bool is_below(int a, int b) { return Down * a >= Across * (b + 1); }

  /// Row j, whose pivot is among the numbers at (a, Part); `exists`: whether there is such a row, or nothing is to be
  /// done. In the place of the pivot stands the one of L^-1. Returns whether the pivot has still to be settled.
  template <int Part>
  __device__ __forceinline__ bool publish(Shared& shared, int j, bool exists, const Watch& watch) const {
    constexpr int a = Part * Across / Down;
    Step& step = shared.steps[j % 2];
    const bool has_row = exists && row(a) == j, has_pivot = has_row && column(Part) == j;
#pragma unroll
    for (int b = 0; b < columns_of_thread; ++b)
      store_if(has_row, step.row_at(column(b)), b == Part && has_pivot ? Held(1) : w_[a][b]);
    Held inverse;
    const bool is_good = watch.is_good(w_[a][Part], inverse);
    store_if(has_pivot, step.inverse_of_pivot(), inverse);
    store_if(has_pivot, shared.pivot(j), w_[a][Part]);
    return has_pivot && !is_good;
  }

  /// Of row j, where it `is_open`. All lanes of a warp call it, so that they know that they go on together.
  static __device__ void settle(bool is_open, Shared& shared, int j, int first, const Watch& watch) {
    if (!__any_sync(0xffffffffu, is_open)) return;
    if (is_open) settle_pivot(shared, j, first, watch);
    __syncwarp();
  }
  static __device__ __noinline__ void settle_pivot(Shared& shared, int j, int first, const Watch& watch) {
    Held inverse;
    *shared.pivot(j) = watch.settle(first + j, *shared.pivot(j), inverse);
    *shared.steps[j % 2].inverse_of_pivot() = inverse;
  }

  /// Columns from Part * Across on.
  template <int Part>
  __device__ __forceinline__ void eliminate_from(Shared& shared, int own, int first, const Watch& watch,
                                                 Growth<Real>& growth) {
    if constexpr (Part < columns_of_thread) {
      constexpr int begin = Part * Across;
      if (begin >= own) return;
      settle(publish<Part>(shared, begin, true, watch), shared, begin, first, watch);
      const int end = min(own, begin + Across);
#pragma unroll 1
      for (int j = begin; j < end; ++j)
        settle(take_step<Part>(shared, j, j + 1 < end, watch, growth), shared, j + 1, first, watch);
      eliminate_from<Part + 1>(shared, own, first, watch, growth);
    }
  }

  /// `has_next`: whether the next row is of this part, and is to be published.
  template <int Part>
  __device__ __forceinline__ bool take_step(Shared& shared, int j, bool has_next, const Watch& watch,
                                            Growth<Real>& growth) {
    constexpr int first_a = Part * Across / Down;
    Step& step = shared.steps[j % 2];
    wait();
    const Held inverse = *step.inverse_of_pivot();
    Held right[columns_of_thread], l[rows_of_thread];
#pragma unroll
    for (int a = first_a; a < rows_of_thread; ++a) l[a] = *step.row_at(row(a));
#pragma unroll
    for (int b = 0; b < columns_of_thread; ++b) right[b] = *step.row_at(column(b));
    const bool has_column = column(Part) == j;
    bool is_open = false;
#pragma unroll
    for (int a = first_a; a < rows_of_thread; ++a) {
      l[a] *= inverse;
      const bool is_done = a == first_a && row(a) <= j;
      if (is_done) l[a] = Held(0);
      if (has_column && !is_done) w_[a][Part] = Held(0);
#pragma unroll
      for (int b = 0; b < columns_of_thread; ++b)
        if (b <= Part || !is_below(a, b)) w_[a][b] -= l[a] * right[b];
      if (a == first_a) is_open = publish<Part>(shared, j + 1, has_next, watch);
    }
#pragma unroll
    for (int a = first_a; a < rows_of_thread; ++a) growth.meet(l[a]);
    return is_open;
  }

  int count_;
  Held w_[rows_of_thread][columns_of_thread];
};

}  // namespace terrace::cuda::ldlt
