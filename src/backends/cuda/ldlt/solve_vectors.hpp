// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vectors of a solve. Forward, from the leaves to the roots: a front's own rows and what its children left, b; then
//
//     y1 = X b1,    u = b2 - M b1,    X = L11^-1,  M = L21 X
//
// where y1, divided by the pivots where D is solved with too, is a part of the result and u is for the parent.
// Backward: x1 = X^T y1 - M^T x2. The fronts of a level are independent of each other, and those in device memory go
// through their own columns in blocks of 256.
//
// All happens in the caller's vectors: a front in shared memory reads b, or y1, of its own rows before it writes them.
// Of a front in device memory many thread blocks do, so its y1 lies elsewhere between the two directions.
#pragma once

#include <cstddef>

#include "backends/cuda/ldlt/reciprocal.hpp"

namespace terrace::cuda::ldlt {

template <class Scalar>
struct SolveVectors {
  Scalar* y;  // the caller's: b, then y1, then x
  std::size_t y_stride;
  Scalar* large;    // y1 of the own rows of fronts in device memory, by FrontPlace::large_column
  Scalar* watched;  // likewise, of few right-hand sides: forward b, backward x; pending until known
  std::size_t large_stride;
  Scalar* updates;  // forward: u; backward: what a front multiplies M^T with
  std::size_t update_stride;
  int columns;
  const Scalar* pivots;  // D; null: not solved with

  __device__ Scalar inverse_pivot(std::size_t row) const { return pivots ? reciprocal(pivots[row]) : Scalar(1); }
  __device__ Scalar result(std::size_t row, const Scalar& y) const { return y * inverse_pivot(row); }

  /// Columns from `first` on, `most` of them or as many as there are.
  __device__ SolveVectors part(int first, int most) const {
    return {y + first * y_stride,
            y_stride,
            large + first * large_stride,
            watched + first * large_stride,
            large_stride,
            updates + first * update_stride,
            update_stride,
            columns - first < most ? columns - first : most,
            pivots};
  }
};

}  // namespace terrace::cuda::ldlt
