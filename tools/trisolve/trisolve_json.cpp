// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/version.hpp>

#include "support/json_output.hpp"
#include "trisolve/print_trisolve.hpp"

namespace terrace::tools {
namespace {

Json system_json(const TrisolveReport& report) {
  const Request& request = report.request;
  return {{"matrix", request.file},
          {"n", report.info.rows},
          {"nnz", report.entries},
          {"triangle", to_string(request.options.uplo)},
          {"diag", to_string(request.options.diag)},
          {"op", to_string(request.options.op)},
          {"format", to_string(request.options.format)},
          {"reuse", to_string(request.options.reuse)},
          {"prepare_transpose", request.options.prepare_transpose},
          {"deterministic", request.options.deterministic},
          {"precision", request.precision},
          {"offset", request.offset},
          {"right_hand_sides", request.right_hand_sides},
          {"layout", request.layout == VectorLayout::Left ? "left" : "right"},
          {"repetitions", request.repetitions},
          {"seed", request.seed}};
}

Json solver_json(const TrisolveReport& report) {
  return {{"levels", report.levels.levels},
          {"widest_level", report.levels.widest},
          {"algorithm", to_string(report.info.algorithm)},
          {"reason", report.info.reason},
          {"rows_per_task", report.info.rows_per_task},
          {"bytes_held", report.info.bytes_held},
          {"analysis_s", report.analysis_s},
          {"solve_s", report.solve_s},
          {"backward_error", report.backward_error},
          {"tolerated_backward_error", report.tolerated_error},
          {"backend", report.backend},
          {"threads", report.threads},
          {"version", version}};
}

}  // namespace

void print_trisolve_json(const TrisolveReport& report) {
  Json object = system_json(report);
  object.update(solver_json(report));
  object["status"] = report.failure.empty() ? "ok" : "numerical failure";
  if (!report.failure.empty()) object["error"] = report.failure;
  if (report.row) object["row"] = *report.row;
  print_json(object);
}

}  // namespace terrace::tools
