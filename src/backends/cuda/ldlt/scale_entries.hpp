// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a small matrix on their way into a factorization (algorithms/ldlt/matrix_values.hpp), by one thread
// block: as loops, eight kernels of a few microseconds each, they took a third of the factorization of a thousand rows.
// A thread keeps its entries in registers from the first step to the last, and what belongs to rows is in shared
// memory. Exponents are the loops', bit for bit: they are computed from integers. (Blocks of a cooperative grid took
// larger matrices, and 30 us less than the loops; but such a grid waits until all of it fits on the device, which it
// never does beside work that waits for this.)
#pragma once

#include "algorithms/ldlt/matrix_values.hpp"
#include "backends/cuda/early_launch.hpp"

namespace terrace::cuda::ldlt {

struct ScaleShape {
  static constexpr int threads = 512, each = 8;        ///< entries of a thread, at most
  static constexpr std::size_t most = threads * each;  ///< entries, and rows, of a matrix
  /// Of shared memory, for what ScaleMemory has in device memory.
  static std::size_t bytes(int rows) { return (5 * static_cast<std::size_t>(rows) + 1) * sizeof(int); }
};

/// What the kernel is given. `steps`: of Ruiz's iteration, one for the diagonal, or none.
template <class Scalar, class FactorScalar, class Offset>
struct EntriesToScale {
  terrace::ldlt::EntryView<Scalar, Offset> entries;
  terrace::ldlt::ScaleMemory memory;
  int steps;
  bool diagonal_only, is_single;
  FactorScalar* to;
  terrace::ldlt::PivotRecord<incomplete::RealOf<FactorScalar>>* record;
};

/// cell = the largest of what the threads of a warp have found, and of what it was.
template <class Number>
__device__ void raise_to_largest(Number* cell, Number found) {
  for (int distance = 16; distance > 0; distance /= 2)
    found = max(found, __shfl_xor_sync(0xffffffffu, found, distance));
  if (threadIdx.x % 32 == 0) atomicMax(cell, found);
}

/// Lanes that follow one another and have the same key leave the largest of their numbers in the first of them, for
/// which this is true.
__device__ inline bool leaves_largest_of_run(int key, int& number) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int before = __shfl_up_sync(0xffffffffu, key, 1);
  const bool is_first = lane == 0 || before != key;
  const unsigned later_runs = __ballot_sync(0xffffffffu, is_first) & (0xfffffffeu << lane);
  const int behind = (later_runs ? __ffs(static_cast<int>(later_runs)) - 1 : 32) - lane - 1;  // lanes of this run
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_down_sync(0xffffffffu, number, distance);
    if (distance <= behind) number = max(number, other);
  }
  return is_first;
}

template <class Scalar, class FactorScalar, class Offset>
__global__ void __launch_bounds__(ScaleShape::threads)
    scale_entries_kernel(EntriesToScale<Scalar, FactorScalar, Offset> A) {
  using terrace::ldlt::no_logarithm, terrace::ldlt::RowLogarithms;
  using Real = incomplete::RealOf<FactorScalar>;
  using Bits = std::conditional_t<sizeof(Real) == 4, unsigned, unsigned long long>;  // moduli compare as they do
  constexpr int each = ScaleShape::each, threads = ScaleShape::threads;
  const int thread = static_cast<int>(threadIdx.x), entries = static_cast<int>(A.entries.count);
  extern __shared__ int of_rows[];
  const int rows = A.memory.rows;
  const terrace::ldlt::ScaleMemory memory{rows, A.memory.exponent ? of_rows : nullptr,
                                          A.steps > 0 ? of_rows + rows + 1 : nullptr};
  const auto for_each_row = [&](const auto& body) {
    for (int row = thread; row < rows; row += threads) body(row);
  };
  const auto left_by = [&](int step) {  // what a step leaves
    return RowLogarithms{memory.scale(1 - step % 2), memory.largest(step)};
  };

  int row[each], column[each], logarithm[each];  // no row behind the last entry: -1
  Scalar value[each];
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const int e = thread + n * threads;
    row[n] = column[n] = -1;
    logarithm[n] = no_logarithm;
    if (e >= entries) continue;
    row[n] = A.entries.row[e];
    column[n] = A.entries.column[e];
    value[n] = A.entries.value(static_cast<std::size_t>(e));
  }
  int* const cell = memory.cell();
  if (thread == 0) {
    A.record->forget(rows);
    if (cell) *cell = no_logarithm;
  }
  if (A.steps > 0)
    for_each_row([&](int k) {
      memory.scale(1)[k] = 0;
      memory.largest(0)[k] = memory.largest(1)[k] = no_logarithm;
    });
  __syncthreads();

  const auto seen = [](const volatile int* at) { return *at; };  // while others raise it
  // largest[i] = max over the entries of a row of logarithm + scale of the other end. What cells hold is looked at
  // first, for many rows may want to raise the same; entries are sorted by columns, which few lanes raise.
  const auto raise = [&](int* largest, const int(&scale_of_row)[each], const int(&scale_of_column)[each]) {
    int of_row[each], of_column[each];
#pragma unroll
    for (int n = 0; n < each; ++n) {
      if (row[n] < 0) continue;
      of_row[n] = seen(largest + row[n]);
      of_column[n] = seen(largest + column[n]);
    }
#pragma unroll
    for (int n = 0; n < each; ++n) {
      const bool has_number = logarithm[n] != no_logarithm;
      const int found = has_number ? logarithm[n] + scale_of_column[n] : no_logarithm;
      int mirrored = has_number ? logarithm[n] + scale_of_row[n] : no_logarithm;
      if (has_number && row[n] != column[n] && of_row[n] < found) atomicMax(largest + row[n], found);
      const bool is_first = leaves_largest_of_run(column[n], mirrored);
      if (is_first && mirrored != no_logarithm && of_column[n] < mirrored) atomicMax(largest + column[n], mirrored);
    }
  };
  if (A.steps > 0) {
    int of_all = no_logarithm;
#pragma unroll
    for (int n = 0; n < each; ++n) {
      if (row[n] < 0) continue;
      const int found = terrace::ldlt::logarithm_of(value[n]);
      of_all = max(of_all, found);
      if (!A.diagonal_only || row[n] == column[n]) logarithm[n] = found;
    }
    const int zeros[each] = {};
    raise(memory.largest(0), zeros, zeros);
    raise_to_largest(cell, of_all);
    __syncthreads();
  }
  for (int step = 1; step < A.steps; ++step) {
    const RowLogarithms before = left_by(step - 1), after = left_by(step);
    int* const largest_of_next = memory.largest(step + 1);
    for_each_row([&](int k) {
      after.scale[k] = before.next(k);
      largest_of_next[k] = no_logarithm;
    });
    int scale_of_row[each], scale_of_column[each];
#pragma unroll
    for (int n = 0; n < each; ++n) {
      if (row[n] < 0) continue;
      scale_of_row[n] = before.next(row[n]);
      scale_of_column[n] = before.next(column[n]);
    }
    raise(after.largest, scale_of_row, scale_of_column);
    __syncthreads();
  }

  const RowLogarithms last = left_by(max(A.steps - 1, 0));
  const auto exponent_of = [&](int k) {
    return A.steps > 0 ? terrace::ldlt::rounded_exponent(last.scale[k], last.largest[k], *cell) : 0;
  };
  int moved[each];
#pragma unroll
  for (int n = 0; n < each; ++n) moved[n] = row[n] < 0 ? 0 : exponent_of(row[n]) + exponent_of(column[n]);
  int shift = 0;
  if (A.is_single) {
    int* const largest = A.steps > 0 ? memory.largest(A.steps) : cell;  // which nobody reads any more
    int found = 0;
#pragma unroll
    for (int n = 0; n < each; ++n)
      if (row[n] >= 0) found = max(found, terrace::ldlt::biased_exponent(value[n], moved[n]));
    raise_to_largest(largest, found);
    __syncthreads();
    shift = terrace::ldlt::shift_of(*largest);
  }
  let_successor_begin();
  if (A.memory.exponent) for_each_row([&](int k) { A.memory.exponent[k] = exponent_of(k) - shift; });
  const terrace::ldlt::CopyEntries<Scalar, FactorScalar, Offset> copy{A.entries, A.memory.exponent, A.to, A.record};
  Real largest = 0;
#pragma unroll
  for (int n = 0; n < each; ++n)
    if (row[n] >= 0)
      copy.write(static_cast<std::size_t>(thread + n * threads), column[n], value[n], moved[n] - 2 * shift, largest);
  raise_to_largest(reinterpret_cast<Bits*>(&A.record->largest_entry), Kokkos::bit_cast<Bits>(largest));
}

}  // namespace terrace::cuda::ldlt

namespace terrace::ldlt {

template <class Scalar, class FactorScalar, class Offset>
void scale_entries(const Kokkos::Cuda& space, const MatrixScaling<Kokkos::Cuda>& scaling,
                   const EntryView<Scalar, Offset>& entries, FactorScalar* to,
                   PivotRecord<RealOf<FactorScalar>>* record) {
  using Shape = cuda::ldlt::ScaleShape;
  const int rows = scaling.memory().rows;
  if (std::max(entries.count, static_cast<std::size_t>(rows)) > Shape::most ||
      Shape::bytes(rows) > static_cast<std::size_t>(cuda::shared_memory_of_block()))
    return scale_by_loops(space, scaling, entries, to, record);
  const cuda::ldlt::EntriesToScale<Scalar, FactorScalar, Offset> matrix{
      entries, scaling.memory(), scaling.steps(), scaling.is_of_diagonal(), scaling.is_single(), to, record};
  cuda::launch_with_memory(space, "terrace::ldlt::scale_entries",
                           cuda::ldlt::scale_entries_kernel<Scalar, FactorScalar, Offset>, 1, dim3(Shape::threads),
                           Shape::bytes(rows), matrix);
}

}  // namespace terrace::ldlt
