// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/version.hpp>

#include "solve_grid/solve_grid.hpp"
#include "support/json_output.hpp"

namespace terrace::tools {
namespace {

Json cell_json(const std::optional<GridCell>& cell) { return cell ? Json({cell->i, cell->j, cell->k}) : Json(nullptr); }

Json factor_json(const GridReport& report) {
  if (!report.request.has_preconditioner) return nullptr;
  const StructuredFactorInfo& factor = report.solution.factor;
  return {{"relaxation", report.request.relaxation},
          {"algorithm", to_string(factor.algorithm)},
          {"reason", factor.reason},
          {"wavefronts", factor.wavefronts},
          {"dependent_steps", factor.dependent_steps},
          {"shift", factor.shift},
          {"attempts", factor.attempts},
          {"first_breakdown", cell_json(factor.first_breakdown)},
          {"breakdown", cell_json(factor.breakdown)}};
}

}  // namespace

void print_grid_json(const GridReport& report) {
  const StructuredPcgResult& result = report.solution.result;
  Json object = {{"problem", report.problem},
                 {"grid", {report.grid.nx, report.grid.ny, report.grid.nz}},
                 {"n", report.grid.cells()},
                 {"precision", report.request.precision},
                 {"preconditioner", factor_json(report)},
                 {"iterations", result.iterations},
                 {"stopped", to_string(result.reason)},
                 {"residual", result.residual},
                 {"true_residual", result.true_residual},
                 {"tolerance", report.request.tolerance},
                 {"restarts", result.restarts},
                 {"setup_s", report.solution.setup_s},
                 {"solve_s", result.seconds},
                 {"bytes_held", report.solution.bytes_held},
                 {"backend", report.solution.backend},
                 {"threads", report.solution.threads},
                 {"history", result.history},
                 {"version", version}};
  object["status"] = report.failure.empty() ? "ok" : "numerical failure";
  if (!report.failure.empty()) object["error"] = report.failure;
  print_json(object);
}

}  // namespace terrace::tools
