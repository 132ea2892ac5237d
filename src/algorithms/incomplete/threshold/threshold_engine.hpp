// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What eliminates the rows of a matrix by thresholds: the seam. make_threshold_engine makes one, and order_of_claims
// says in which order it shall claim rows; a backend overloads both.
#pragma once

#include "algorithms/incomplete/threshold/run_elimination.hpp"

namespace terrace::incomplete {

template <class Scalar, class Ordinal, class Offset>
class ThresholdEngine {
 public:
  using Elimination = ThresholdElimination<Scalar, Ordinal, Offset>;

  ThresholdEngine() = default;
  virtual ~ThresholdEngine() = default;
  ThresholdEngine(const ThresholdEngine&) = delete;
  ThresholdEngine& operator=(const ThresholdEngine&) = delete;

  /// Fills in what the elimination does not know of the memory. Waits for the space; returns how many entries the rows
  /// have dropped. \throws Error OutOfMemory.
  virtual std::int64_t run(const Elimination& elimination) = 0;

  /// Those of the last run.
  virtual FinishedRows<Scalar, Ordinal, Offset> finished_rows() const = 0;

  /// How many rows can be under way at the same time.
  virtual unsigned workers() const = 0;
};

template <class Scalar, class Ordinal, class Offset>
using ThresholdEnginePointer = std::unique_ptr<ThresholdEngine<Scalar, Ordinal, Offset>>;

/// Workers, and the store of their rows.
template <class Scalar, class Ordinal, class Offset, class Space, class Workers>
class EngineOfWorkers final : public ThresholdEngine<Scalar, Ordinal, Offset> {
  using Run = ThresholdRun<Scalar, Ordinal, Offset, Space, Workers>;

 public:
  using typename ThresholdEngine<Scalar, Ordinal, Offset>::Elimination;

  /// A store of so many entries at first.
  template <class... Arguments>
  EngineOfWorkers(const Space& space, Ordinal rows, std::size_t capacity, const Arguments&... arguments)
      : workers_(space, rows, arguments...),
        store_(space, rows, workers_.capacity_for(capacity)),
        run_(space, store_, workers_) {}

  std::int64_t run(const Elimination& elimination) override { return run_.run(elimination).value(); }
  FinishedRows<Scalar, Ordinal, Offset> finished_rows() const override { return store_.for_kernels(); }
  unsigned workers() const override { return workers_.workers(); }

 private:
  Workers workers_;
  typename Run::Store store_;
  Run run_;
};

/// For a matrix whose rows keep `fill` entries on each side of the diagonal, at most, and so many altogether, if it is
/// as is thought.
template <class Scalar, class Space, class Ordinal, class Offset>
ThresholdEnginePointer<Scalar, Ordinal, Offset> make_threshold_engine(
    const Space& space, const MergedPattern<Ordinal, Offset, Space>& matrix, int /*fill*/, std::size_t capacity) {
  using Workers = WorkMemory<Scalar, Ordinal, Space>;
  return std::make_unique<EngineOfWorkers<Scalar, Ordinal, Offset, Space, Workers>>(space, matrix.count, capacity);
}

/// Empty: ascending, or in another order in which no row comes before one that it needs. `blocks`: parts of the matrix
/// that do not touch.
template <class Ordinal, class Offset, class Space>
Kokkos::View<const Ordinal*, parallel::Device<Space>> order_of_claims(const Space&,
                                                                      const MergedPattern<Ordinal, Offset, Space>&,
                                                                      std::int64_t /*blocks*/ = 1) {
  return {};
}

}  // namespace terrace::incomplete
