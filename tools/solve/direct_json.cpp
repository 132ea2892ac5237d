// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON of --direct.
#include "solve/solve_json.hpp"

namespace terrace::tools {

Json factor_json(const LdltFacts& facts, const SolveOptions& options) {
  const LdltSymbolicInfo& symbolic = facts.symbolic;
  const LdltInfo& numeric = facts.numeric;
  return {{"algorithm", to_string(symbolic.algorithm)},
          {"reason", symbolic.algorithm_reason},
          {"ordering", to_string(symbolic.ordering)},
          {"ordering_reason", symbolic.ordering_reason},
          {"scaling", to_string(ldlt_factor_options(options).scaling)},
          {"precision", to_string(options.schwarz.factor_precision.value_or(FactorPrecision::Same))},
          {"matrix_entries", symbolic.matrix_entries},
          {"entries", symbolic.factor_entries},
          {"stored_entries", symbolic.stored_entries},
          {"fill", static_cast<double>(symbolic.factor_entries) / static_cast<double>(symbolic.matrix_entries)},
          {"operations", symbolic.operations},
          {"stored_operations", symbolic.stored_operations},
          {"fronts", symbolic.fronts},
          {"levels", symbolic.levels},
          {"largest_front", symbolic.largest_front},
          {"longest_path", symbolic.longest_path},
          {"factor_bytes", symbolic.factor_bytes},
          {"peak_bytes", symbolic.peak_bytes},
          {"bytes_held", symbolic.bytes_held + numeric.bytes_held},
          {"empty_rows", symbolic.empty_rows},
          {"missing_diagonals", symbolic.missing_diagonals},
          {"pivots", to_string(numeric.policy)},
          {"pivot_threshold", options.direct.pivot_threshold},
          {"replaced_pivots", numeric.replaced_pivots},
          {"first_zero_pivot", numeric.first_zero_pivot},
          {"first_tiny_pivot", numeric.first_tiny_pivot},
          {"first_nonfinite_row", numeric.first_nonfinite_row},
          {"smallest_pivot", numeric.smallest_pivot},
          {"largest_pivot", numeric.largest_pivot},
          {"largest_entry", numeric.largest_entry},
          {"growth", numeric.growth}};
}

namespace {

Json column_json(const RefinedColumn& column) {
  return {{"stop", to_string(column.reason)},
          {"steps", column.steps},
          {"used_gmres", column.used_gmres},
          {"backward_error", column.backward_error},
          {"backward_errors", column.backward_errors}};
}

}  // namespace

Json refined_json(const SolveReport& report) {
  const std::vector<RefinedColumn>& columns = report.direct()->refined;
  Json object = column_json(columns.empty() ? RefinedColumn{} : columns[report.worst_column()]);
  if (columns.empty()) object.update({{"stop", nullptr}, {"steps", nullptr}, {"backward_error", nullptr}});
  object.set("residual", report.largest_residual());
  std::vector<Json> each;
  for (std::size_t k = 0; columns.size() > 1 && k < columns.size(); ++k) {
    each.push_back(column_json(columns[k]));
    each.back().set("residual", report.true_residuals[k]);
  }
  if (!each.empty()) object.set("columns", each);
  return object;
}

Json phases_json(const SolveReport& report) {
  std::vector<Json> phases;
  for (const Phase& phase : report.run.phases) {
    Json object = {{"name", phase.name}, {"seconds", phase.seconds}, {"operations", phase.operations}};
    object.set("tflops", phase.operations ? Json(*phase.operations / phase.seconds * 1e-12) : Json());
    phases.push_back(object);
  }
  return phases;
}

}  // namespace terrace::tools
