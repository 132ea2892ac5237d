// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a matrix on their way into a factorization (algorithms/ldlt/matrix_values.hpp).
//
// Entries are sorted by columns, so neighbouring lanes have entries of few of them: what they find for a column is put
// together before its cell is raised, which half of all atomic operations are for.
//
// Those of a small matrix are one thread block's: as loops, eight kernels of a few microseconds each, they took a third
// of the factorization of a thousand rows. A thread keeps its entries in registers from the first step to the last, and
// what belongs to rows is in shared memory. Exponents are the loops', bit for bit: they are computed from integers.
// (Blocks of a cooperative grid took larger matrices, and 30 us less than the loops; but such a grid waits until all of
// it fits on the device, which it never does beside work that waits for this.)
#pragma once

#include "algorithms/ldlt/matrix_values.hpp"
#include "backends/cuda/launched_loops.hpp"

namespace terrace::cuda::ldlt {

struct ScaleShape {
  static constexpr int threads = 512, each = 8;        ///< entries of a thread, at most
  static constexpr std::size_t most = threads * each;  ///< entries, and rows, of a matrix
  /// A thread for each entry, and row, as long as there are enough, in whole warps.
  static unsigned threads_of(std::size_t entries) {
    return static_cast<unsigned>(
        std::clamp<std::size_t>(parallel::divide_up(entries, std::size_t(32)) * 32, 32, threads));
  }
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
  terrace::ldlt::PivotRecord<terrace::incomplete::RealOf<FactorScalar>>* record;
};

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

/// Raises largest[row[n]] to of_row[n], and largest[column[n]] to of_column[n], for the first `filled` entries of each
/// thread; no_logarithm raises nothing, and behind the last entry row and column are -1. What cells hold is looked at
/// first, for many rows may want to raise the same.
template <int Each>
__device__ void raise_rows(int filled, int* largest, const int (&row)[Each], const int (&column)[Each],
                           const int (&of_row)[Each], const int (&of_column)[Each]) {
  using terrace::ldlt::no_logarithm;
  const auto seen = [](const volatile int* at) { return *at; };  // while others raise it
  int row_has[Each], column_has[Each];
#pragma unroll
  for (int n = 0; n < Each; ++n) {
    if (n >= filled) break;
    if (row[n] < 0) continue;
    row_has[n] = seen(largest + row[n]);
    column_has[n] = seen(largest + column[n]);
  }
#pragma unroll
  for (int n = 0; n < Each; ++n) {
    if (n >= filled) break;
    if (of_row[n] != no_logarithm && row[n] != column[n] && row_has[n] < of_row[n])
      atomicMax(largest + row[n], of_row[n]);
    int found = of_column[n];
    const bool is_first = leaves_largest_of_run(column[n], found);
    if (is_first && found != no_logarithm && column_has[n] < found) atomicMax(largest + column[n], found);
  }
}

/// Of larger matrices: entries that a thread has, and those of a block.
struct ScaleGrid {
  static constexpr int threads = 256, each = 4;
  static constexpr std::size_t of_block = threads * each;
  static __device__ std::size_t entry(int n) {
    return blockIdx.x * of_block + threadIdx.x + static_cast<std::size_t>(n) * threads;
  }
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(ScaleGrid::threads)
    note_logarithms_kernel(terrace::ldlt::NoteLogarithms<Scalar, Offset, Kokkos::Cuda> note, int* cell) {
  using terrace::ldlt::no_logarithm;
  constexpr int each = ScaleGrid::each;
  await_predecessor();
  let_successor_begin();
  const auto& entries = note.pieces.entries;
  int row[each], column[each], logarithm[each], of_all = no_logarithm;
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const std::size_t e = ScaleGrid::entry(n);
    row[n] = column[n] = -1;
    logarithm[n] = no_logarithm;
    if (e >= entries.count) continue;
    row[n] = entries.row[e];
    column[n] = entries.column[e];
    const int found = terrace::ldlt::logarithm_of(entries.value(e));
    note.logarithms[e] = found;
    of_all = max(of_all, found);
    if (!note.diagonal_only || row[n] == column[n]) logarithm[n] = found;
  }
  raise_rows(each, note.largest, row, column, logarithm, logarithm);
  raise_to_largest_of_block(cell, of_all);
}

template <class Scalar, class Offset>
__global__ void __launch_bounds__(ScaleGrid::threads)
    balance_rows_kernel(terrace::ldlt::BalanceRows<Scalar, Offset, Kokkos::Cuda> balance) {
  using terrace::ldlt::no_logarithm;
  constexpr int each = ScaleGrid::each;
  await_predecessor();
  let_successor_begin();
  for (std::size_t k = std::size_t(blockIdx.x) * ScaleGrid::threads + threadIdx.x;
       k < static_cast<std::size_t>(balance.rows); k += std::size_t(gridDim.x) * ScaleGrid::threads) {
    balance.after.scale[k] = balance.before.next(static_cast<int>(k));
    balance.largest_of_next[k] = no_logarithm;
  }
  const auto& entries = balance.pieces.entries;
  int row[each], column[each], of_row[each], of_column[each];
#pragma unroll
  for (int n = 0; n < each; ++n) {
    const std::size_t e = ScaleGrid::entry(n);
    row[n] = column[n] = -1;
    of_row[n] = of_column[n] = no_logarithm;
    if (e >= entries.count) continue;
    row[n] = entries.row[e];
    column[n] = entries.column[e];
    const int logarithm = balance.logarithms[e];
    if (logarithm == no_logarithm) continue;
    of_row[n] = logarithm + balance.before.next(column[n]);
    of_column[n] = logarithm + balance.before.next(row[n]);
  }
  raise_rows(each, balance.after.largest, row, column, of_row, of_column);
}

template <class Scalar, class FactorScalar, class Offset>
__global__ void __launch_bounds__(ScaleShape::threads)
    scale_entries_kernel(EntriesToScale<Scalar, FactorScalar, Offset> A) {
  using terrace::ldlt::no_logarithm, terrace::ldlt::RowLogarithms;
  using Real = terrace::incomplete::RealOf<FactorScalar>;
  constexpr int each = ScaleShape::each;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x),
            entries = static_cast<int>(A.entries.count), filled = parallel::divide_up(entries, threads);
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
    if (n >= filled || e >= entries) continue;
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

  // largest[i] = max over the entries of a row of logarithm + scale of the other end.
  const auto raise = [&](int* largest, const int(&scale_of_row)[each], const int(&scale_of_column)[each]) {
    int of_row[each], of_column[each];
#pragma unroll
    for (int n = 0; n < each; ++n) {
      const bool has_number = logarithm[n] != no_logarithm;
      of_row[n] = has_number ? logarithm[n] + scale_of_column[n] : no_logarithm;
      of_column[n] = has_number ? logarithm[n] + scale_of_row[n] : no_logarithm;
    }
    raise_rows(filled, largest, row, column, of_row, of_column);
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
  raise_to_largest(&A.record->largest_entry, largest);
}

}  // namespace terrace::cuda::ldlt

namespace terrace::ldlt {

template <class Scalar, class Offset>
void note_logarithms(const Kokkos::Cuda& space, const NoteLogarithms<Scalar, Offset, Kokkos::Cuda>& note, int* cell) {
  using Grid = cuda::ldlt::ScaleGrid;
  if (const std::size_t blocks = cuda::blocks_of(note.pieces.entries.count, Grid::of_block); blocks > 0)
    cuda::launch_when(cuda::Begin::Early, space, "terrace::ldlt::note_logarithms",
                      cuda::ldlt::note_logarithms_kernel<Scalar, Offset>, blocks, dim3(Grid::threads), 0, note, cell);
}

template <class Scalar, class Offset>
void balance_rows(const Kokkos::Cuda& space, const BalanceRows<Scalar, Offset, Kokkos::Cuda>& balance) {
  using Grid = cuda::ldlt::ScaleGrid;
  if (const std::size_t blocks = cuda::blocks_of(balance.pieces.entries.count, Grid::of_block); blocks > 0)
    cuda::launch_when(cuda::Begin::Early, space, "terrace::ldlt::balance_rows",
                      cuda::ldlt::balance_rows_kernel<Scalar, Offset>, blocks, dim3(Grid::threads), 0, balance);
}

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
  cuda::launch_with_memory(
      space, "terrace::ldlt::scale_entries", cuda::ldlt::scale_entries_kernel<Scalar, FactorScalar, Offset>, 1,
      dim3(Shape::threads_of(std::max(entries.count, static_cast<std::size_t>(rows)))), Shape::bytes(rows), matrix);
}

}  // namespace terrace::ldlt
