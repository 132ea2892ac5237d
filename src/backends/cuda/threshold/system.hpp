// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the warps of a factorization by thresholds share, and how they divide the store of finished rows.
#pragma once

#include "algorithms/incomplete/threshold/elimination.hpp"
#include "backends/cuda/lanes.hpp"
#include "backends/cuda/threshold/row_states.hpp"

namespace terrace::cuda::threshold {

template <class Scalar, class Offset>
struct ThresholdSystem {
  using Elimination = terrace::incomplete::ThresholdElimination<Scalar, int, Offset>;
  using Real = terrace::incomplete::RealOf<Scalar>;

  Elimination elimination;                           // its working rows are not used
  const terrace::incomplete::RowNorms<Real>* norms;  // by row
  RowStates states;
  int log2_shared;           // of a working row in shared memory
  int log2_long;             // of one in device memory; negative: there are none
  unsigned char* long_rows;  // by warp: which columns it has (WaitingColumns), and the row
  std::size_t bytes_of_long_row;
  std::size_t store_claim;  // entries
  std::int64_t most_lost;   // steps of rows that are begun anew, unless those are claimed in ascending order
};

/// A warp's part of the store of finished rows, taken in pieces, so that a row need not wait for it.
class StoreShare {
 public:
  /// Entries for a row, or false when the store is full. By all lanes.
  template <class Finished>
  __device__ bool take(const Finished& finished, terrace::incomplete::Progress& progress, std::size_t claim,
                       std::size_t length, std::size_t& place) {
    if (length > left_) {
      const std::size_t wanted = length > claim ? length : claim;
      std::size_t begin = 0;
      if (threadIdx.x % warp_size == 0) begin = parallel::fetch_add(progress.used, wanted);
      begin = of_lane(begin, 0);
      if (begin + length > finished.capacity) return false;
      next_ = begin;
      left_ = finished.capacity - begin < wanted ? finished.capacity - begin : wanted;
    }
    place = next_;
    next_ += length;
    left_ -= length;
    return true;
  }

 private:
  std::size_t next_ = 0, left_ = 0;
};

}  // namespace terrace::cuda::threshold
