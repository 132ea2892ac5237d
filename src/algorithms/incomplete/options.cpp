// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the options, and what follows from the diagnostics.
#include <terrace/ilu_info.hpp>

#include <algorithm>

namespace terrace {

const char* to_string(Factorization factorization) {
  switch (factorization) {
    case Factorization::Lu: return "lu";
    case Factorization::Cholesky: return "cholesky";
    case Factorization::HermitianCholesky: return "hermitian-cholesky";
  }
  return "unknown";
}

const char* to_string(PivotPolicy policy) {
  switch (policy) {
    case PivotPolicy::Report: return "report";
    case PivotPolicy::Replace: return "replace";
    case PivotPolicy::Shift: return "shift";
  }
  return "unknown";
}

std::optional<std::int64_t> IluInfo::first_bad_row() const {
  if (eliminated_first) return eliminated_first;
  std::optional<std::int64_t> first;
  for (const auto& row : {first_zero_pivot, first_tiny_pivot, first_nonpositive_pivot, first_nonfinite_row})
    if (row && (!first || *row < *first)) first = row;
  return first;
}

bool IluInfo::succeeded() const { return !first_nonfinite_row && (replaced_pivots > 0 || !first_bad_row()); }

}  // namespace terrace
