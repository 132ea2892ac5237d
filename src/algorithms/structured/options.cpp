// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the options, as messages, the command line and the benchmarks print them.
#include <terrace/structured_pcg.hpp>

namespace terrace {

const char* to_string(SweepAlgorithm algorithm) {
  switch (algorithm) {
    case SweepAlgorithm::Automatic: return "automatic";
    case SweepAlgorithm::Sequential: return "sequential";
    case SweepAlgorithm::Pipelined: return "pipelined";
    case SweepAlgorithm::Wavefronts: return "wavefronts";
  }
  return "unknown";
}

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::Converged: return "converged";
    case StopReason::IterationLimit: return "iteration limit";
    case StopReason::Indefinite: return "indefinite matrix";
    case StopReason::PreconditionerBreakdown: return "preconditioner breakdown";
    case StopReason::NotFinite: return "not finite";
    case StopReason::Stagnation: return "stagnation";
  }
  return "unknown";
}

}  // namespace terrace
