// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of U for the next entries of a long row of A, brought into shared memory together: the row waits for them once
// in 32 steps, and not in each.
#pragma once

#include "backends/cuda/threshold/system.hpp"

namespace terrace::cuda::threshold {

/// A finished row of U: its pivot, and what stands behind it.
template <class Scalar, class Offset>
struct UpperRow {
  const int* columns;
  const Scalar* values;
  int count;
  Scalar pivot;

  UpperRow() = default;
  template <class Finished>
  __device__ UpperRow(const Finished& finished, int k, const UpperPlace& place) {
    const auto at = static_cast<Offset>(place.position());
    columns = finished.entries + at + 1;
    values = finished.values + at + 1;
    count = place.is_too_long() ? static_cast<int>(finished.end[k] - at - 1) : place.length();
    pivot = finished.values[at];
  }
};

template <class Scalar, class Offset>
class StagedRows {
  static constexpr int nowhere = -1, at_once = 4;

 public:
  /// Aligned for Scalar.
  __device__ StagedRows(unsigned char* memory, std::size_t bytes)
      : capacity_(static_cast<int>(bytes / (sizeof(Scalar) + sizeof(int)))),
        values_(reinterpret_cast<Scalar*>(memory)),
        columns_(reinterpret_cast<int*>(memory + static_cast<std::size_t>(capacity_) * sizeof(Scalar))),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  /// Whether the entry at this place of the row of A is one of those that were looked for.
  __device__ bool includes(int place) const { return place >= first_ && place < first_ + warp_size; }

  /// Looks for the rows of 32 entries from `place` on, before `end`; those that are finished, and fit, are there.
  __device__ void stage(const ThresholdSystem<Scalar, Offset>& system, const int* columns, int place, int end) {
    __syncwarp();
    first_ = place;
    begin_ = nowhere;
    const bool is_entry = place + lane_ < end;
    const int k = is_entry ? columns[place + lane_] : 0;
    const UpperPlace found(is_entry ? look_acquire(system.states.published + k) : 0ull);
    UpperRow<Scalar, Offset> row;
    row.count = capacity_;
    if (found.word() != 0) row = {system.elimination.finished, k, found};
    int before = row.count < capacity_ ? row.count : 0;
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const int other = __shfl_up_sync(all_lanes, before, distance);
      if (lane_ >= distance) before += other;
    }
    if (row.count < capacity_ && before <= capacity_) {
      begin_ = before - row.count;
      count_ = row.count;
      pivot_ = row.pivot;
#pragma unroll at_once
      for (int e = 0; e < count_; ++e) {
        columns_[begin_ + e] = row.columns[e];
        values_[begin_ + e] = row.values[e];
      }
    }
    __syncwarp();
  }

  /// By the whole warp: the row for the entry at this place, if it is there.
  __device__ bool find(int place, UpperRow<Scalar, Offset>& row) const {
    const int owner = place - first_, begin = __shfl_sync(all_lanes, begin_, owner);
    if (begin == nowhere) return false;
    row.columns = columns_ + begin;
    row.values = values_ + begin;
    row.count = __shfl_sync(all_lanes, count_, owner);
    row.pivot = of_lane(pivot_, owner);
    return true;
  }

 private:
  int capacity_;
  Scalar* values_;
  int* columns_;
  int lane_;
  int first_ = -warp_size;
  int begin_ = nowhere, count_ = 0;  // of this lane's row
  Scalar pivot_{};
};

}  // namespace terrace::cuda::threshold
