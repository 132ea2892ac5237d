// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The warps of a factorization by thresholds and their memory, as incomplete/threshold/run_elimination.hpp asks for
// them: they start, and grow when a row did not fit.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>

#include "backends/cuda/arrays.hpp"
#include "backends/cuda/incomplete/free_memory.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/threshold/eliminate_rows.hpp"
#include "backends/cuda/threshold/find_row_norms.hpp"

namespace terrace::cuda::threshold {

/// The shape of the launch: warps of a block, and the working row of each in shared memory.
struct ThresholdShape {
  int log2_shared;
  int threads;
  std::size_t bytes_per_block;
};

inline ThresholdShape threshold_shape(std::size_t bytes_per_entry, std::size_t rows, std::size_t entries, int fill) {
  using Tuning = ThresholdTuning;
  const std::size_t of_fill = std::min<std::size_t>(static_cast<std::size_t>(fill), rows);
  const bool are_long = entries / rows + Tuning::rows_of_fill * of_fill >= std::size_t(1) << Tuning::log2_short;
  const int log2 = are_long || rows < Tuning::few_rows ? Tuning::log2_long : Tuning::log2_short;
  const std::size_t bytes = bytes_per_entry << log2;
  int warps = Tuning::block / warp_size;
  while (warps > 1 && static_cast<std::size_t>(warps) * bytes > static_cast<std::size_t>(shared_memory_of_block()))
    warps /= 2;
  return {log2, warps * warp_size, static_cast<std::size_t>(warps) * bytes};
}

template <class Scalar, class Offset>
class ThresholdWarps {
  using System = ThresholdSystem<Scalar, Offset>;
  using Row = WarpRow<Scalar, typename System::Real>;
  using Norms = terrace::incomplete::RowNorms<typename System::Real>;

 public:
  /// `fill`: entries that a row keeps on each side of the diagonal, at most.
  ThresholdWarps(const Kokkos::Cuda& space, int rows, std::size_t entries, int fill)
      : space_(space),
        rows_(rows),
        shape_(threshold_shape(Row::bytes(0), static_cast<std::size_t>(rows), entries, fill)),
        blocks_(std::clamp(parallel::divide_up(rows, warps_of_block()), 1,
                           std::max(resident_blocks(kernel(), shape_.threads, shape_.bytes_per_block), 1))),
        cells_(RowStates::cells(static_cast<unsigned>(rows), workers())),
        arrays_(space, "terrace::cuda::threshold_rows",
                bytes_that_stay() + bytes_of_a_start() + Arrays::bytes<Norms>(count())) {
    auto& states = system_.states;
    states.published = arrays_.take<unsigned long long>(count());
    states.finished = arrays_.take<unsigned>(1);
    states.is_active = arrays_.take<unsigned>(count());
    states.waiting = arrays_.take<int>(count());
    states.next = arrays_.take<int>(count());
    states.queue = arrays_.take<int>(cells_);
    states.put = arrays_.take<unsigned>(1);
    states.taken = arrays_.take<unsigned>(1);
    states.in_ring = cells_ - 1;
    norms_ = arrays_.take<Norms>(count());
    system_.norms = norms_;
    system_.log2_shared = shape_.log2_shared;
    system_.log2_long = -1;
    system_.most_lost = ThresholdTuning::lost_steps_per_entry * static_cast<std::int64_t>(entries);
  }

  /// Warps at work, at most.
  unsigned workers() const { return static_cast<unsigned>(blocks_ * warps_of_block()); }

  /// On the device, while it runs.
  const unsigned* finished_rows() const { return system_.states.finished; }

  /// Of a store that shall suffice for so many entries: what warps have taken they may not use.
  std::size_t capacity_for(std::size_t entries) {
    system_.store_claim = (entries / count() + 1) * ThresholdTuning::rows_per_claim_of_store;
    return entries + system_.store_claim * workers();
  }

  /// Before the first start with new values: no row is finished.
  void forget_rows(const Kokkos::Cuda& space, const typename System::Elimination& elimination) {
    const auto& states = system_.states;
    check(cudaMemsetAsync(states.published, 0, Arrays::bytes<unsigned long long>(count()), space.cuda_stream()),
          "cudaMemsetAsync");
    check(cudaMemsetAsync(states.finished, 0, sizeof(unsigned), space.cuda_stream()), "cudaMemsetAsync");
    find_row_norms(
        space, RowNormsOf<Scalar, Offset>{elimination.pattern, elimination.matrix, norms_, states.next, states.put});
  }

  /// Enqueues the elimination of the rows that are not finished.
  void start(const Kokkos::Cuda& space, const typename System::Elimination& elimination) {
    system_.elimination = elimination;
    const auto& states = system_.states;
    check(cudaMemsetAsync(states.is_active, 0, bytes_of_a_start(), space.cuda_stream()), "cudaMemsetAsync");
    launch_with_memory(space, "terrace::cuda::eliminate_by_threshold", kernel(), static_cast<std::size_t>(blocks_),
                       dim3(static_cast<unsigned>(shape_.threads)), shape_.bytes_per_block, system_);
  }

  /// Working rows in device memory, or longer ones, for fewer warps where the memory cannot be had.
  void grow(const Kokkos::Cuda& space) {
    const int enough = terrace::incomplete::WorkTable::enough_bits(rows_);
    const int log2 = system_.log2_long < 0 ? std::max(ThresholdTuning::log2_in_device_memory, shape_.log2_shared + 1)
                                           : system_.log2_long + ThresholdTuning::log2_growth;
    system_.log2_long = std::min(log2, std::max(enough, 1));
    long_rows_.reset();
    const std::size_t bytes = WaitingColumns::bytes(rows_) + Row::bytes(system_.log2_long),
                      free_bytes = free_memory(space, terrace::incomplete::WorkBudget());
    keep_warps(terrace::incomplete::affordable_workers(
        workers(), bytes,
        std::min(terrace::incomplete::WorkBudget::most,
                 free_bytes / terrace::incomplete::WorkBudget::part_of_free_memory)));
    while (!takes_long_rows(space, bytes)) keep_warps(workers() / 2);
    system_.long_rows = long_rows_->data();
    system_.bytes_of_long_row = bytes;
    check(cudaMemsetAsync(system_.long_rows, 0xff, workers() * bytes, space.cuda_stream()), "cudaMemsetAsync");
  }

 private:
  static auto kernel() { return eliminate_by_threshold_kernel<Scalar, Offset>; }
  int warps_of_block() const { return shape_.threads / warp_size; }
  std::size_t count() const { return static_cast<std::size_t>(rows_); }

  /// Of what says which rows are finished, and of what begins anew with each start.
  std::size_t bytes_that_stay() const {
    return Arrays::bytes<unsigned long long>(count()) + Arrays::bytes<unsigned>(1);
  }
  std::size_t bytes_of_a_start() const {
    return Arrays::bytes<unsigned>(count()) + 2 * Arrays::bytes<int>(count()) + Arrays::bytes<int>(cells_) +
           2 * Arrays::bytes<unsigned>(1);
  }

  /// So many at most, one at least, in smaller blocks where it has to be.
  void keep_warps(unsigned warps) {
    const auto most = static_cast<int>(std::max(warps, 1u));
    const std::size_t bytes_per_warp = shape_.bytes_per_block / static_cast<std::size_t>(warps_of_block());
    while (warps_of_block() > most) shape_.threads /= 2;
    shape_.bytes_per_block = bytes_per_warp * static_cast<std::size_t>(warps_of_block());
    blocks_ = std::min(blocks_, std::max(most / warps_of_block(), 1));
  }

  /// False when the memory cannot be had for so many warps. \throws what the allocation throws when it is for one.
  bool takes_long_rows(const Kokkos::Cuda& space, std::size_t bytes_per_warp) {
    try {
      long_rows_.emplace(space, "terrace::cuda::long_rows", workers() * bytes_per_warp);
      return true;
    } catch (const std::exception&) {
      if (workers() == 1) throw;
      return false;
    }
  }

  Kokkos::Cuda space_;
  int rows_;
  ThresholdShape shape_;
  int blocks_;
  unsigned cells_;  // of the queue
  JoinedScratch arrays_;
  std::optional<parallel::Scratch<unsigned char, Kokkos::Cuda>> long_rows_;
  Norms* norms_ = nullptr;
  System system_{};
};

}  // namespace terrace::cuda::threshold
