// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every engine of a structured factorization is to its class: the small abstract interface behind the seam.
#pragma once

#include <memory>
#include <terrace/structured_factor.hpp>

#include "algorithms/structured/pcg_engine.hpp"
#include "algorithms/structured/stencil.hpp"

namespace terrace::structured {

/// The half of M^-1 that is applied, or both.
enum class Part { Forward, Backward, Both };

template <class Scalar, class Space>
class Engine {
 public:
  using const_vectors = detail::MultiVector<const Scalar, Space>;
  using vectors = detail::MultiVector<Scalar, Space>;

  virtual ~Engine() = default;

  /// Enqueues the pivots of A + shift * diag(A), as pivots.hpp defines them. *breakdown, on the device, holds the
  /// number of cells; it is lowered to the first cell whose pivot broke down.
  virtual void factorize(const Space& space, double relaxation, double shift, std::int64_t* breakdown) = 0;

  /// Enqueues X = op(M)^-1 B or a half of it, as sweep.hpp defines them; no fence, no allocation. X may be B.
  virtual void solve(const Space& space, const const_vectors& b, const vectors& x, Part part, Op op) = 0;

  /// One over each pivot, in natural order.
  virtual Kokkos::View<const Scalar*, parallel::Device<Space>> inverse_pivots() const = 0;

  /// An engine of the iteration that shares this one's memory; the matrix is symmetric. Its work and this engine's
  /// must follow each other in time or on one instance. None where there is no such iteration.
  virtual PcgEnginePointer<Scalar, Space> make_pcg_engine(const Space&) const { return nullptr; }

  /// Fills in what the engine knows: algorithm, reason, dependent steps, kernels, bytes.
  virtual void describe(StructuredFactorInfo& info) const = 0;

  /// Brings up to date what solves may have changed of that: algorithm and reason.
  virtual void describe_changes(StructuredFactorInfo&) const {}
};

template <class Scalar, class Space>
using EnginePointer = std::unique_ptr<Engine<Scalar, Space>>;

}  // namespace terrace::structured
