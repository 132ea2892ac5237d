// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the options and of the reasons to stop.
#include <terrace/krylov_result.hpp>

namespace terrace {

const char* to_string(KrylovMethod method) {
  switch (method) {
    case KrylovMethod::ConjugateGradient: return "cg";
    case KrylovMethod::BiCGStab: return "bicgstab";
    case KrylovMethod::Gmres: return "gmres";
    case KrylovMethod::FlexibleGmres: return "fgmres";
  }
  return "unknown";
}

const char* to_string(PreconditionerSide side) { return side == PreconditionerSide::Left ? "left" : "right"; }

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::Converged: return "converged";
    case StopReason::IterationLimit: return "iteration-limit";
    case StopReason::Breakdown: return "breakdown";
    case StopReason::Indefinite: return "indefinite";
    case StopReason::PreconditionerBreakdown: return "preconditioner-breakdown";
    case StopReason::NotFinite: return "not-finite";
    case StopReason::Stagnation: return "stagnation";
  }
  return "unknown";
}

}  // namespace terrace
