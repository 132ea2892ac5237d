// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and engines of every space that has none of its own: those of a host, and the generic ones.
#pragma once

#include "algorithms/ldlt/host_engine.hpp"
#include "algorithms/ldlt/level_engine.hpp"

namespace terrace::ldlt {

template <class Space>
LdltPlanPointer<Space> make_ldlt_plan(const Space& space, std::shared_ptr<const SymbolicFronts<Space>> fronts,
                                      const LdltSymbolicOptions&) {
  if constexpr (parallel::is_host_space<Space>) return std::make_shared<HostPlan<Space>>(space, std::move(fronts));
  else return std::make_shared<LevelPlan<Space>>(std::move(fronts));
}

/// The engine that goes with the plan: on a host too it may be the generic one.
template <class Scalar, class Space>
LdltEnginePointer<Scalar, Space> make_ldlt_engine(const Space& space, const LdltPlanPointer<Space>& plan,
                                                  int right_hand_sides) {
  if constexpr (parallel::is_host_space<Space>)
    if (auto host_plan = std::dynamic_pointer_cast<const HostPlan<Space>>(plan))
      return std::make_unique<HostEngine<Scalar, Space>>(space, std::move(host_plan), right_hand_sides);
  return std::make_unique<LevelEngine<Scalar, Space>>(space, std::static_pointer_cast<const LevelPlan<Space>>(plan),
                                                      right_hand_sides);
}

}  // namespace terrace::ldlt
