// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few right-hand sides in one walk along slices (solve_slices.hpp): the unknowns of a row lie side by side and are
// one unknown of the walk, so that an entry is loaded once for all of them, and an unknown is one sector. Each is its
// own flag (watch.hpp), and the unknown is there when all are.
//
// Deterministic, as with one right-hand side.
#pragma once

#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda {

template <class Number, int Count>
struct SideBySide {
  Number number[Count];

  SideBySide() = default;
  __device__ explicit SideBySide(int all) {
#pragma unroll
    for (int k = 0; k < Count; ++k) number[k] = Number(all);
  }
  __device__ SideBySide& operator+=(const SideBySide& other) {
#pragma unroll
    for (int k = 0; k < Count; ++k) number[k] += other.number[k];
    return *this;
  }
};

template <class Number, int Count>
inline constexpr bool sums_are_long<SideBySide<Number, Count>> = true;

template <class Number, int Count>
__device__ bool is_pending(const SideBySide<Number, Count>& value) {
  bool is_any = false;
#pragma unroll
  for (int k = 0; k < Count; ++k) is_any = is_any || is_pending(value.number[k]);
  return is_any;
}

template <class Number, int Count>
__device__ void watch_if(bool wanted, const SideBySide<Number, Count>* cell, SideBySide<Number, Count>& value) {
  const auto* numbers = reinterpret_cast<const Number*>(cell);
#pragma unroll
  for (int k = 0; k < Count; ++k) watch_if(wanted, numbers + k, value.number[k]);
}

template <class Number, int Count>
__device__ void publish_if(bool wanted, SideBySide<Number, Count>* cell, const SideBySide<Number, Count>& value) {
  auto* numbers = reinterpret_cast<Number*>(cell);
#pragma unroll
  for (int k = 0; k < Count; ++k) publish_if(wanted, numbers + k, value.number[k]);
}

template <class Number, int Count>
__device__ SideBySide<Number, Count> from_lane(const SideBySide<Number, Count>& value, int distance) {
  SideBySide<Number, Count> found;
#pragma unroll
  for (int k = 0; k < Count; ++k) found.number[k] = from_lane(value.number[k], distance);
  return found;
}

/// Up to Count right-hand sides, as SliceSystem; zeros stand for those that are missing.
template <class Number, int Count>
struct ColumnsSystem {
  using Scalar = SideBySide<Number, Count>;
  using Entry = Number;
  using RowData = Number;
  static constexpr bool shares_rows = true;

  const Slice* slices;
  const int* columns;
  const Number* values;
  const Number* inverse_diagonal;  // null for a unit diagonal
  const int* items;                // by position; a row of the matrix when below `rows`
  int rows;
  Scalar* unknowns;  // by position; pending until solved
  const Number* b;
  Number* x;
  std::ptrdiff_t b_stride, b_column_stride;
  std::ptrdiff_t x_stride, x_column_stride;
  int count;
  bool conjugate;

  __device__ Entry entry(std::int64_t slot) const { return values[slot]; }
  __device__ RowData row_data(int position) const { return inverse_diagonal ? inverse_diagonal[position] : Number(1); }
  __device__ Scalar start(int item, int) const {
    Scalar sides(0);
    if (item >= rows) return sides;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      if (k < count) sides.number[k] = b[item * b_stride + k * b_column_stride];
    return sides;
  }
  __device__ void subtract(int, const Entry& value, const Scalar& unknown, Scalar& sum) const {
    const Number factor = conjugated(value, conjugate);
#pragma unroll
    for (int k = 0; k < Count; ++k) sum.number[k] -= factor * unknown.number[k];
  }
  __device__ Scalar solved(int, const Scalar& sum, const RowData& inverse) const {
    Scalar result;
#pragma unroll
    for (int k = 0; k < Count; ++k) result.number[k] = publishable(sum.number[k] * conjugated(inverse, conjugate));
    return result;
  }
  __device__ void store(int item, const Scalar& solved) const {
    if (item >= rows) return;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      if (k < count) x[item * x_stride + k * x_column_stride] = solved.number[k];
  }
};

}  // namespace terrace::cuda
