// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, and what the info objects conclude.
#include <cmath>
#include <limits>
#include <terrace/ldlt_info.hpp>

namespace terrace {

const char* to_string(LdltAlgorithm algorithm) {
  switch (algorithm) {
    case LdltAlgorithm::Automatic: return "automatic";
    case LdltAlgorithm::Multifrontal: return "multifrontal";
    case LdltAlgorithm::Columns: return "columns";
  }
  return "unknown";
}

bool LdltInfo::succeeded() const {
  return !first_nonfinite_row && !(first_zero_pivot && policy != PivotPolicy::Replace);
}

bool RefinementResult::converged() const {
  for (const auto& column : columns)
    if (column.reason != StopReason::Converged) return false;
  return true;
}

double RefinementResult::backward_error() const {
  double largest = 0;
  for (const auto& column : columns) {
    if (std::isnan(column.backward_error)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, column.backward_error);
  }
  return largest;
}

}  // namespace terrace
