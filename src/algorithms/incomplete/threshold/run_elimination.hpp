// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs an elimination by thresholds to its end, with more capacity when it asks for it.
//
// How long rows become is not known before. When a working row or the store of finished rows is full, the workers
// leave, the host makes capacity, and they go on with the rows that are not finished; those that are stay. So they do
// in ascending order, in which no row is begun twice, when too much was lost in another one; and so do later runs.
#pragma once

#include <optional>

#include "algorithms/incomplete/threshold/elimination.hpp"
#include "algorithms/triangular/work_counter.hpp"

namespace terrace::incomplete {

/// `Workers` have memory for working rows: WorkMemory, or what a backend has in its place.
///   forget_rows(space, elimination)   before the first start with new values
///   start(space, elimination)         enqueues the elimination of the rows that are not finished
///   grow(space)                       a working row did not fit
template <class ScalarType, class OrdinalType, class OffsetType, class Space,
          class Workers = WorkMemory<ScalarType, OrdinalType, Space>>
class ThresholdRun {
 public:
  using Scalar = ScalarType;
  using Ordinal = OrdinalType;
  using Offset = OffsetType;
  using Elimination = ThresholdElimination<Scalar, Ordinal, Offset>;
  using Store = RowStore<Scalar, Ordinal, Offset, Space>;

  ThresholdRun(const Space& space, Store& store, Workers& workers)
      : space_(space),
        store_(store),
        workers_(workers),
        progress_(parallel::zeros<Progress>(space, "terrace::incomplete::progress", 1)) {}

  /// Fills in what the elimination does not know of the memory. Waits for the space; returns how many entries the rows
  /// have dropped, or nothing where somebody else has stopped it. \throws Error OutOfMemory.
  std::optional<std::int64_t> run(Elimination elimination) {
    store_.forget_rows(space_);
    workers_.forget_rows(space_, elimination);
    on_host_ = {};
    if (ascends_) elimination.finished.claim_order = nullptr;
    for (;;) {
      on_host_.next = on_host_.stop = on_host_.row_too_long = on_host_.left = on_host_.loses_steps = 0;
      const std::size_t capacity = store_.capacity();
      launch(elimination);
      auto& progress = on_host_;
      if (progress.stop == 0) return progress.dropped;
      if (progress.row_too_long != 0) workers_.grow(space_);
      if (progress.loses_steps != 0) {
        ascends_ = true;
        elimination.finished.claim_order = nullptr;
      }
      const bool is_full = progress.used > capacity;
      if (!is_full && progress.row_too_long == 0 && progress.loses_steps == 0) return std::nullopt;
      if (is_full) {
        progress.used = capacity;  // what is behind the last row that fitted stays empty
        store_.grow(space_);
      }
    }
  }

 private:
  void launch(Elimination& elimination) {
    const auto before = elimination.finished;
    elimination.finished = store_.for_kernels();
    elimination.finished.keep_claims_of(before);
    elimination.progress = progress_.data();
    Kokkos::deep_copy(space_, progress_, parallel::on_host(&on_host_, 1));
    workers_.start(space_, elimination);
    Kokkos::deep_copy(space_, parallel::on_host(&on_host_, 1), progress_);
    space_.fence("terrace::IlutFactor");
  }

  Space space_;
  Store& store_;
  Workers& workers_;
  Kokkos::View<Progress*, parallel::Device<Space>> progress_;
  Progress on_host_{};
  bool ascends_ = false;
};

}  // namespace terrace::incomplete
