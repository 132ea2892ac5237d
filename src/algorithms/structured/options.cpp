// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the options, as messages, the command line and the benchmarks print them.
#include <terrace/structured_options.hpp>

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

const char* to_string(Symmetry symmetry) { return symmetry == Symmetry::General ? "general" : "symmetric"; }

}  // namespace terrace
