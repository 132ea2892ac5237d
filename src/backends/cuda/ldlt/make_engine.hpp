// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans and engines of direct factorizations on an NVIDIA GPU. An engine's kernels compile long, so those of each
// scalar have a source of their own (terrace_instantiate_ldlt_engines).
#pragma once

#include "algorithms/ldlt/make_engine.hpp"
#include "backends/cuda/ldlt/plan.hpp"
#include "backends/cuda/ldlt/scale_entries.hpp"

namespace terrace::cuda::ldlt {

/// The plan is a CudaLdltPlan. Defined in engine.hpp.
template <class Scalar>
terrace::ldlt::LdltEnginePointer<Scalar, Kokkos::Cuda> make_engine(
    const Kokkos::Cuda& space, const terrace::ldlt::LdltPlanPointer<Kokkos::Cuda>& plan, int right_hand_sides);

}  // namespace terrace::cuda::ldlt

namespace terrace::ldlt {

/// Waits for the space.
inline LdltPlanPointer<Kokkos::Cuda> make_ldlt_plan(const Kokkos::Cuda& space,
                                                    std::shared_ptr<const SymbolicFronts<Kokkos::Cuda>> fronts,
                                                    const LdltSymbolicOptions& options) {
  if (options.algorithm == LdltAlgorithm::Columns)
    return make_generic_plan(space, std::move(fronts), options.algorithm);
  return std::make_shared<cuda::ldlt::CudaLdltPlan>(space, std::move(fronts));
}

template <class Scalar>
LdltEnginePointer<Scalar, Kokkos::Cuda> make_ldlt_engine(const Kokkos::Cuda& space,
                                                         const LdltPlanPointer<Kokkos::Cuda>& plan,
                                                         int right_hand_sides) {
  if (plan->kind() != EngineKind::OfSpace) return make_generic_engine<Scalar>(space, plan, right_hand_sides);
  return cuda::ldlt::make_engine<Scalar>(space, plan, right_hand_sides);
}

}  // namespace terrace::ldlt
