// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs the iterations of StructuredPcg: the small abstract interface behind the seam.
#pragma once

#include <memory>

#include "algorithms/structured/pcg_state.hpp"

namespace terrace::structured {

template <class Scalar, class Space>
class Engine;

/// What an engine is made for. Without inverse pivots there is no preconditioner.
template <class Scalar, class Space>
struct PcgProblem {
  StructuredMatrix<Scalar, Space> A;
  Kokkos::View<const Scalar*, parallel::Device<Space>> inverse_pivots;
  SweepAlgorithm algorithm;             // asked for
  const Engine<Scalar, Space>* engine;  // of the factorization, for iterations that share its memory; may be null
};

template <class Scalar, class Space>
class PcgEngine {
 public:
  virtual ~PcgEngine() = default;

  /// Called when the numbers of A and of the inverse pivots have changed, for engines that keep copies.
  virtual void update(const Space&) {}

  /// Enqueues r = b - A x and makes the state that of iteration 0: PcgState::begin, then rho, with p to come. x is kept
  /// until the next start.
  virtual void start(const Space& space, const Scalar* b, Scalar* x, double tolerance) = 0;

  /// Enqueues up to PcgState::history_length iterations; no fence, no allocation.
  virtual void iterate(const Space& space, int count) = 0;

  /// Enqueues the computation of state.true_residual from b and x. Until then x may lag behind the iteration.
  virtual void measure_true_residual(const Space& space, const Scalar* b) = 0;

  /// Copies the state to the host and empties the history. Waits for `space`.
  virtual PcgState read(const Space& space) = 0;

  virtual std::size_t bytes_held() const = 0;

  /// Brings the algorithm and its reason up to date, where iterations have changed them.
  virtual void describe_changes(StructuredFactorInfo&) const {}
};

template <class Scalar, class Space>
using PcgEnginePointer = std::unique_ptr<PcgEngine<Scalar, Space>>;

}  // namespace terrace::structured
