// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and engines of every space that has none of its own: those of a host, and the generic ones.
#pragma once

#include "algorithms/ldlt/column_engine.hpp"
#include "algorithms/ldlt/host_engine.hpp"
#include "algorithms/ldlt/level_engine.hpp"

namespace terrace::ldlt {

/// The generic plans, on any space.
template <class Space>
LdltPlanPointer<Space> make_generic_plan(const Space& space, std::shared_ptr<const SymbolicFronts<Space>> fronts,
                                         LdltAlgorithm algorithm) {
  if (algorithm == LdltAlgorithm::Columns) return std::make_shared<ColumnPlan<Space>>(space, std::move(fronts));
  return std::make_shared<LevelPlan<Space>>(std::move(fronts));
}

template <class Scalar, class Space>
LdltEnginePointer<Scalar, Space> make_generic_engine(const Space& space, const LdltPlanPointer<Space>& plan,
                                                     int right_hand_sides) {
  if (plan->kind() == EngineKind::Columns)
    return std::make_unique<ColumnEngine<Scalar, Space>>(space, std::static_pointer_cast<const ColumnPlan<Space>>(plan),
                                                         right_hand_sides);
  return std::make_unique<LevelEngine<Scalar, Space>>(space, std::static_pointer_cast<const LevelPlan<Space>>(plan),
                                                      right_hand_sides);
}

template <class Space>
LdltPlanPointer<Space> make_ldlt_plan(const Space& space, std::shared_ptr<const SymbolicFronts<Space>> fronts,
                                      const LdltSymbolicOptions& options) {
  if constexpr (parallel::is_host_space<Space>)
    if (options.algorithm != LdltAlgorithm::Columns) return std::make_shared<HostPlan<Space>>(space, std::move(fronts));
  return make_generic_plan(space, std::move(fronts), options.algorithm);
}

/// The engine that goes with the plan: on a host too it may be a generic one.
template <class Scalar, class Space>
LdltEnginePointer<Scalar, Space> make_ldlt_engine(const Space& space, const LdltPlanPointer<Space>& plan,
                                                  int right_hand_sides) {
  if constexpr (parallel::is_host_space<Space>)
    if (plan->kind() == EngineKind::OfSpace)
      return std::make_unique<HostEngine<Scalar, Space>>(space, std::static_pointer_cast<const HostPlan<Space>>(plan),
                                                         right_hand_sides);
  return make_generic_engine<Scalar>(space, plan, right_hand_sides);
}

}  // namespace terrace::ldlt
