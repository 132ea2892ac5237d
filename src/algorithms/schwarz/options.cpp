// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the options.
#include <terrace/schwarz_options.hpp>

namespace terrace {

const char* to_string(PartitionMethod method) {
  switch (method) {
    case PartitionMethod::Metis: return "metis";
    case PartitionMethod::Boxes: return "boxes";
    case PartitionMethod::Given: return "given";
  }
  return "unknown";
}

const char* to_string(SchwarzVariant variant) {
  switch (variant) {
    case SchwarzVariant::Restricted: return "restricted";
    case SchwarzVariant::Harmonic: return "harmonic";
    case SchwarzVariant::Additive: return "additive";
    case SchwarzVariant::Weighted: return "weighted";
    case SchwarzVariant::Symmetric: return "symmetric";
  }
  return "unknown";
}

const char* to_string(SchwarzAlgorithm algorithm) {
  switch (algorithm) {
    case SchwarzAlgorithm::Automatic: return "automatic";
    case SchwarzAlgorithm::Blocks: return "blocks";
    case SchwarzAlgorithm::Solvers: return "solvers";
  }
  return "unknown";
}

const char* to_string(BadBlocks bad_blocks) {
  switch (bad_blocks) {
    case BadBlocks::Keep: return "keep";
    case BadBlocks::Diagonal: return "diagonal";
  }
  return "unknown";
}

}  // namespace terrace
