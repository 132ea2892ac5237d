// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An elimination is to its class a plan for the pattern and an engine for each factor: the abstract pair behind the
// seam. make_elimination_plan and make_elimination_engine make them; a backend overloads both
// (backends/elimination.hpp).
#pragma once

#include <memory>
#include <terrace/ilu_info.hpp>

#include "algorithms/incomplete/elimination.hpp"
#include "algorithms/triangular/triangle_plan.hpp"

namespace terrace::incomplete {

/// What is known of the pattern. One plan serves any number of engines, also at the same time.
template <class Ordinal, class Offset, class Space>
class EliminationPlan {
 public:
  virtual ~EliminationPlan() = default;

  /// Fills in algorithm, reason, levels and operations, and adds to the bytes.
  virtual void describe(IluSymbolicInfo& info) const = 0;

  /// Whether the generic engine works by it, on a backend that has one of its own.
  virtual bool is_generic() const { return false; }
};

template <class Ordinal, class Offset, class Space>
using EliminationPlanPointer = std::shared_ptr<const EliminationPlan<Ordinal, Offset, Space>>;

/// The memory that the eliminations of one factor need beside its values.
template <class Scalar, class Ordinal, class Offset, class Space>
class EliminationEngine {
 public:
  virtual ~EliminationEngine() = default;

  /// Forgets what was found of pivots before, and eliminates. Enqueued.
  virtual void eliminate(const Space& space, const Elimination<Scalar, Ordinal, Offset, Space>& elimination) = 0;

  virtual std::size_t bytes_held() const = 0;

  /// Bytes that are written and read during an elimination alone. The engine holds them, unless it is given as many
  /// that nobody else uses then, for all of its eliminations.
  virtual std::size_t scratch_bytes() const { return 0; }
  virtual void use_scratch(char*) {}
};

template <class Scalar, class Ordinal, class Offset, class Space>
using EliminationEnginePointer = std::unique_ptr<EliminationEngine<Scalar, Ordinal, Offset, Space>>;

/// The plan of L, whose rows wait for each other as those of the elimination do, or of U.
template <class Ordinal, class Offset, class Space>
using TrianglePlanPointer = std::shared_ptr<triangular::TrianglePlan<Ordinal, Offset, Space>>;

}  // namespace terrace::incomplete
