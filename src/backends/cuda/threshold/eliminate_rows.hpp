// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILUT and ICT on an NVIDIA GPU: a warp for each row that is under way (eliminate_row.hpp), in whatever order rows are
// claimed (row_states.hpp), with the working row in shared memory, or in device memory where it is too long for that
// (eliminate_long_row.hpp).
//
// One resident block is enough: a warp that needs a row on which nobody works gives up its own, and goes on.
#pragma once

#include "backends/cuda/threshold/eliminate_long_row.hpp"
#include "backends/cuda/threshold/eliminate_row.hpp"

namespace terrace::cuda::threshold {

template <class Scalar, class Offset>
class ThresholdWarp {
  using System = ThresholdSystem<Scalar, Offset>;
  using Row = WarpRow<Scalar, typename System::Real>;

 public:
  __device__ ThresholdWarp(const System& system, unsigned char* shared)
      : system_(system), of_(system.elimination), lane_(threadIdx.x % warp_size), shared_(shared, system.log2_shared) {
    shared_.clear();
  }

  __device__ void work() {
    std::int64_t dropped = 0;
    int next = -1;
    for (int row = take(next); row >= 0; row = take(next)) {
      next = -1;
      const Outcome outcome = eliminate(row, dropped);
      if (outcome == Outcome::Finished) {
        if (lane_ == 0) next = system_.states.finish(row);
      } else if (outcome != Outcome::GivenUp) {
        if (outcome == Outcome::TooLong) parallel::release_store(of_.progress->row_too_long, 1u);
        parallel::release_store(of_.progress->stop, 1u);
        break;
      }
    }
    if (lane_ == 0 && dropped != 0) parallel::atomic_accumulate(of_.progress->dropped, dropped);
  }

 private:
  __device__ Outcome eliminate(int row, std::int64_t& dropped) {
    const Outcome outcome =
        WarpElimination<Row, Offset>(system_, shared_, share_).eliminate(row, system_.store_claim, dropped);
    shared_.clear();
    if (outcome != Outcome::TooLong || system_.log2_long < 0) return outcome;
    const LongRow long_row = eliminate_long(system_, row, reinterpret_cast<unsigned char*>(shared_.slots));
    shared_.clear();
    dropped += long_row.dropped;
    return long_row.outcome;
  }

  /// Out of line, because it is rare; so it may not see what this warp keeps in registers. Uses the memory of the
  /// warp's row in shared memory.
  struct LongRow {
    Outcome outcome;
    std::int64_t dropped;
  };
  __device__ __noinline__ static LongRow eliminate_long(const System& system, int row, unsigned char* shared) {
    unsigned char* const memory = system.long_rows + number_of_warp() * system.bytes_of_long_row;
    WaitingColumns waiting(memory);
    Row w(memory + WaitingColumns::bytes(system.elimination.pattern.rows), system.log2_long);
    LongRow result{Outcome::TooLong, 0};
    LongElimination<Row, Offset> elimination(system, w, waiting, shared, Row::bytes(system.log2_shared));
    result.outcome = elimination.eliminate(row, result.dropped);
    w.clear();
    waiting.clear(row);
    return result;
  }

  /// The row that this warp goes on with, which it begins; negative when there is nothing left to do. In all lanes.
  __device__ int take(int next) {
    int row = next;
    if (lane_ == 0) {
      if (row >= 0 && ++handed_ % ThresholdTuning::rows_between_looks == 0 &&
          parallel::relaxed_load(of_.progress->stop) != 0)
        row = -1;
      if (row < 0 && parallel::relaxed_load(of_.progress->stop) == 0) row = find_row();
      if (row >= 0) system_.states.begin(row);
    }
    return __shfl_sync(all_lanes, row, 0);
  }

  /// One that may go on, or else a new one; at last, whatever comes. Negative when all rows are finished, or nobody
  /// shall go on.
  __device__ int find_row() {
    if (unsigned cell = 0; has_claims_ && system_.states.take_filled_cell(cell)) return wait_for_row_in(cell);
    const int row = claim();
    return row >= 0 ? row : wait_for_row_in(system_.states.take_cell());
  }

  __device__ int wait_for_row_in(unsigned cell) const {
    for (int looks = 1;; ++looks) {
      if (const int row = system_.states.row_of_cell(cell); row >= 0) return row;
      if (looks % ThresholdTuning::looks_at_queue == 0 &&
          (is_over() || parallel::relaxed_load(of_.progress->stop) != 0))
        return -1;
      __nanosleep(ThresholdTuning::pause);
    }
  }

  /// The next row in the order of the claims that is not finished yet, or -1.
  __device__ int claim() {
    const auto rows = static_cast<unsigned>(of_.pattern.rows);
    while (has_claims_) {
      const unsigned claimed = parallel::fetch_increment(of_.progress->next);
      has_claims_ = claimed < rows;
      if (!has_claims_) break;
      const int* const order = of_.finished.claim_order;
      const int row = order ? order[claimed] : static_cast<int>(claimed);
      if (parallel::relaxed_load(system_.states.published[row]) == 0) return row;
    }
    return -1;
  }

  __device__ bool is_over() const {
    return parallel::relaxed_load(*system_.states.finished) >= static_cast<unsigned>(of_.pattern.rows);
  }

  const System& system_;
  const typename System::Elimination& of_;
  int lane_;
  bool has_claims_ = true;
  unsigned handed_ = 0;
  Row shared_;
  StoreShare share_;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(ThresholdTuning::block, ThresholdTuning::blocks)
    eliminate_by_threshold_kernel(const __grid_constant__ ThresholdSystem<Scalar, Offset> system) {
  extern __shared__ __align__(16) unsigned char memory_of_block[];
  using Row = WarpRow<Scalar, typename ThresholdSystem<Scalar, Offset>::Real>;
  ThresholdWarp<Scalar, Offset>(system, memory_of_block + threadIdx.x / warp_size * Row::bytes(system.log2_shared))
      .work();
}

}  // namespace terrace::cuda::threshold
