// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and engines of every space that has none of its own.
#pragma once

#include "algorithms/ldlt/level_engine.hpp"

namespace terrace::ldlt {

template <class Space>
LdltPlanPointer<Space> make_ldlt_plan(const Space&, std::shared_ptr<const SymbolicFronts<Space>> fronts,
                                      const LdltSymbolicOptions&) {
  return std::make_shared<LevelPlan<Space>>(std::move(fronts));
}

template <class Scalar, class Space>
LdltEnginePointer<Scalar, Space> make_ldlt_engine(const Space& space, const LdltPlanPointer<Space>& plan,
                                                  int right_hand_sides) {
  return std::make_unique<LevelEngine<Scalar, Space>>(space, std::static_pointer_cast<const LevelPlan<Space>>(plan),
                                                      right_hand_sides);
}

}  // namespace terrace::ldlt
