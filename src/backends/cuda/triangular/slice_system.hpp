// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One system in slices, as the kernels see it, and what they all do with it: load entries, wait, subtract, sum.
#pragma once

#include "algorithms/triangular/row_kernels.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda::triangular {

template <class Scalar>
__device__ Scalar conjugated(const Scalar& value, bool conjugate) {
  if constexpr (terrace::triangular::is_complex<Scalar>) return conjugate ? Kokkos::conj(value) : value;
  else return value;
}

/// The labels of the kernels, by kind of segment.
struct SegmentNames {
  const char* chain;
  const char* row_blocks;
  const char* device;
  const char* level;
};

/// One right-hand side: x_i = (b_i - sum_j a_ij x_j) / a_ii. The members below the data are what the walks see of a
/// system; other recurrences along the same slices have the same (incomplete/pivot_system.hpp).
template <class ScalarType>
struct SliceSystem {
  using Scalar = ScalarType;
  using Entry = Scalar;                      // what belongs to an entry
  using RowData = Scalar;                    // what belongs to a row, beside the start of its sum
  static constexpr bool shares_rows = true;  // a row may have several lanes
  static constexpr SegmentNames names{"terrace::cuda::solve_chain", "terrace::cuda::solve_row_blocks",
                                      "terrace::cuda::solve_slices", "terrace::cuda::solve_level"};

  const Slice* slices;
  const int* columns;
  const Scalar* values;
  const Scalar* inverse_diagonal;  // null for a unit diagonal
  const int* items;                // by position; a row of the matrix when below `rows`
  int rows;
  Scalar* unknowns;  // by position; pending until solved
  const Scalar* b;
  Scalar* x;
  std::ptrdiff_t b_stride;
  std::ptrdiff_t x_stride;
  bool conjugate;

  __device__ Entry entry(std::int64_t slot) const { return values[slot]; }
  __device__ RowData row_data(int position) const { return inverse_diagonal ? inverse_diagonal[position] : Scalar(1); }
  __device__ Scalar start(int item, int) const { return item < rows ? b[item * b_stride] : Scalar(0); }

  __device__ void subtract(int, const Entry& value, const Scalar& unknown, Scalar& sum) const {
    sum -= conjugated(value, conjugate) * unknown;
  }
  /// Of lanes that lead no row, whose item is -1, too: to ask would take longer.
  __device__ Scalar solved(int, const Scalar& sum, const RowData& inverse) const {
    return publishable(sum * conjugated(inverse, conjugate));
  }
  __device__ void store(int item, const Scalar& solved) const {
    if (item < rows) x[item * x_stride] = solved;
  }
};

/// Two right-hand sides of a real system: the real and the imaginary part of one, since products with real numbers keep
/// them apart. What entries take is fetched, and what is on its way waited for, once for both.
template <class Real>
struct PairSystem {
  using Scalar = Kokkos::complex<Real>;
  using Entry = Real;
  using RowData = Real;
  static constexpr bool shares_rows = true;
  static constexpr SegmentNames names = SliceSystem<Real>::names;

  const Slice* slices;
  const int* columns;
  const Real* values;
  const Real* inverse_diagonal;
  const int* items;
  int rows;
  Scalar* unknowns;
  const Real *first_b, *second_b;
  Real *first_x, *second_x;
  std::ptrdiff_t b_stride;
  std::ptrdiff_t x_stride;

  __device__ Entry entry(std::int64_t slot) const { return values[slot]; }
  __device__ RowData row_data(int position) const { return inverse_diagonal ? inverse_diagonal[position] : Real(1); }
  __device__ Scalar start(int item, int) const {
    return item < rows ? Scalar(first_b[item * b_stride], second_b[item * b_stride]) : Scalar(0);
  }
  __device__ void subtract(int, const Entry& value, const Scalar& unknown, Scalar& sum) const {
    sum.real() -= value * unknown.real();
    sum.imag() -= value * unknown.imag();
  }
  __device__ Scalar solved(int, const Scalar& sum, const RowData& inverse) const {
    return publishable(Scalar(sum.real() * inverse, sum.imag() * inverse));
  }
  __device__ void store(int item, const Scalar& solved) const {
    if (item >= rows) return;
    first_x[item * x_stride] = solved.real();
    second_x[item * x_stride] = solved.imag();
  }
};

/// As many entries of one lane as are waited for at once; no_column where there are none.
template <class System>
struct SliceChunk {
  static constexpr int size = SliceTuning::entries_at_once;
  int column[size];
  typename System::Entry entry[size];
};

/// The entries of a lane from `step` on.
template <class System>
__device__ void load_chunk(const System& system, const Slice& slice, int step, int lane, SliceChunk<System>& chunk) {
  const int width = slice.width(), depth = slice.depth();
  std::int64_t slot = slice.start + static_cast<std::int64_t>(step) * width + lane;
#pragma unroll
  for (int w = 0; w < SliceChunk<System>::size; ++w, slot += width) {
    const bool is_slot = lane < width && step + w < depth;
    chunk.column[w] = is_slot ? __ldg(system.columns + slot) : no_column;
    chunk.entry[w] = is_slot ? system.entry(slot) : typename System::Entry{};
  }
}

/// Waits for the first `Count` unknowns of a chunk and subtracts their terms.
template <int Count, class System, class HandOver>
__device__ void subtract(const System& system, const SliceChunk<System>& chunk, const HandOver& hand_over,
                         typename System::Scalar& sum) {
  typename System::Scalar found[Count];
  hand_over.template wait_for<Count>(chunk.column, found);
#pragma unroll
  for (int w = 0; w < Count; ++w) system.subtract(chunk.column[w], chunk.entry[w], found[w], sum);
}

/// Looks at all pending unknowns of the warp until there are none.
template <int Count, class Scalar, class LookAgain>
__device__ void look_until_found(const int* position, Scalar (&found)[Count], const LookAgain& look_again) {
#pragma unroll
  for (int w = 0; w < Count; ++w) found[w] = position[w] >= 0 ? pending<Scalar>() : Scalar(0);
  bool waits;
  do {
#pragma unroll
    for (int w = 0; w < Count; ++w) look_again(position[w], found[w]);
    waits = false;
#pragma unroll
    for (int w = 0; w < Count; ++w) waits = waits || is_pending(found[w]);
  } while (__any_sync(all_lanes, waits));
}

}  // namespace terrace::cuda::triangular
