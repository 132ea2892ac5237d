// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/version.hpp>

#include "solve/print_solve.hpp"
#include "support/json_output.hpp"

namespace terrace::tools {
namespace {

Json system_json(const SolveReport& report) {
  const Request& request = report.request;
  const SolveOptions& options = request.solve;
  return {{"matrix", request.file},
          {"n", report.rows},
          {"nnz", report.entries},
          {"rhs", options.right_hand_side.empty() ? Json(nullptr) : Json(options.right_hand_side)},
          {"rhs_columns", report.columns},
          {"precision", request.precision},
          {"offset", request.offset},
          {"seed", request.seed},
          {"preconditioner", options.preconditioner},
          {"solver", options.solver},
          {"side", to_string(options.krylov.side)},
          {"tolerance", options.krylov.tolerance},
          {"max_iterations", options.krylov.max_iterations}};
}

Json pattern_json(const SolveReport& report) {
  const SolveOptions& options = report.request.solve;
  const char* const factorization = to_string(options.pattern.factorization);
  if (options.thresholds)
    return {{"factorization", factorization},
            {"fill", options.thresholds->fill},
            {"drop_tolerance", options.thresholds->drop_tolerance},
            {"ordering", to_string(options.pattern.ordering)},
            {"scaling", to_string(options.factor.scaling)},
            {"dropped_entries", report.dropped_entries}};
  return {{"factorization", factorization},
          {"fill_level", options.pattern.fill_level},
          {"relaxation", options.factor.relaxation},
          {"ordering", to_string(options.pattern.ordering)},
          {"colours", report.symbolic.colours > 0 ? Json(report.symbolic.colours) : Json(nullptr)},
          {"scaling", to_string(options.factor.scaling)},
          {"levels", report.symbolic.levels > 0 ? Json(report.symbolic.levels) : Json(nullptr)},
          {"operations", report.symbolic.operations}};
}

Json factor_json(const SolveReport& report) {
  if (!report.request.solve.preconditioned) return nullptr;
  const IluInfo& info = report.factor;
  Json object = pattern_json(report);
  object.update({{"entries", report.symbolic.factor_entries},
                 {"algorithm", to_string(report.symbolic.algorithm)},
                 {"reason", report.symbolic.reason},
                 {"bytes_held", report.symbolic.bytes_held + info.bytes_held},
                 {"replaced_pivots", info.replaced_pivots},
                 {"shift", info.shift},
                 {"attempts", info.attempts},
                 {"symbolic_s", report.symbolic_s},
                 {"numeric_s", report.numeric_s}});
  return object;
}

Json column_json(const KrylovResult& krylov, double residual) {
  return {{"stop", to_string(krylov.reason)},
          {"iterations", krylov.iterations},
          {"residual", residual},
          {"recursive_residual", krylov.recursive_residual},
          {"residuals", krylov.residuals}};
}

/// The decisive column of all, and with several each for itself.
Json columns_json(const SolveReport& report) {
  if (report.krylov.empty()) {
    Json none = column_json({}, report.largest_residual());
    none["stop"] = nullptr;
    return none;
  }
  const std::size_t decisive = report.decisive_column();
  Json object = column_json(report.krylov[decisive], report.largest_residual());
  for (std::size_t k = 0; report.columns > 1 && k < report.krylov.size(); ++k)
    object["columns"].push_back(column_json(report.krylov[k], report.true_residuals[k]));
  return object;
}

Json run_json(const SolveReport& report) {
  return {{"solve_s", report.solve_s}, {"backend", report.backend}, {"threads", report.threads}, {"version", version}};
}

}  // namespace

void print_solve_json(const SolveReport& report) {
  Json object = system_json(report);
  object["factor"] = factor_json(report);
  object.update(columns_json(report));
  object.update(run_json(report));
  object["status"] = report.failure.empty() ? "ok" : "numerical failure";
  if (!report.failure.empty()) object["error"] = report.failure;
  if (report.row) object["row"] = *report.row;
  print_json(object);
}

}  // namespace terrace::tools
