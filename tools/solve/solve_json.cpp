// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/version.hpp>

#include "solve/solve_json.hpp"

namespace terrace::tools {
namespace {

/// Null for nothing and for zero, where zero means that nothing was counted.
Json unless_zero(std::int64_t number) { return number > 0 ? Json(number) : Json(); }

Json unless_empty(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json cell_json(const std::optional<GridCell>& cell) {
  return cell ? Json(std::vector{cell->i, cell->j, cell->k}) : Json();
}

Json pivots_json(const IluInfo& info) {
  return {{"replaced_pivots", info.replaced_pivots}, {"shift", info.shift}, {"attempts", info.attempts}};
}

Json factor_json(std::monostate, const SolveOptions&) { return nullptr; }

Json factor_json(const IluFacts& facts, const SolveOptions& options) {
  const IluSymbolicInfo& symbolic = facts.symbolic;
  Json object = {{"fill_level", options.preconditioner->level_of_fill()->level},
                 {"relaxation", options.preconditioner->level_of_fill()->relaxation},
                 {"ordering", to_string(options.pattern.ordering)},
                 {"colors", unless_zero(symbolic.colors)},
                 {"scaling", to_string(options.scaling.value_or(Scaling::None))},
                 {"levels", unless_zero(symbolic.levels)},
                 {"operations", symbolic.operations},
                 {"entries", symbolic.factor_entries},
                 {"algorithm", to_string(symbolic.algorithm)},
                 {"reason", symbolic.reason},
                 {"bytes_held", symbolic.bytes_held + facts.numeric.bytes_held}};
  object.update(pivots_json(facts.numeric));
  return object;
}

Json factor_json(const IlutInfo& info, const SolveOptions& options) {
  const Thresholds& thresholds = *options.preconditioner->thresholds();
  Json object = {{"fill", thresholds.fill},
                 {"drop_tolerance", thresholds.drop_tolerance},
                 {"ordering", to_string(options.pattern.ordering)},
                 {"scaling", to_string(options.scaling.value_or(Scaling::None))},
                 {"dropped_entries", info.dropped_entries},
                 {"entries", info.factor_entries},
                 {"algorithm", to_string(Algorithm::SyncFreeRows)},
                 {"reason", "rows wait for those that they turn out to need"},
                 {"bytes_held", info.bytes_held}};
  object.update(pivots_json(info));
  return object;
}

Json factor_json(const StructuredFactorInfo& info, const SolveOptions& options) {
  return {{"relaxation", options.preconditioner->level_of_fill()->relaxation},
          {"entries", info.grid.cells()},
          {"algorithm", to_string(info.algorithm)},
          {"reason", info.reason},
          {"wavefronts", info.wavefronts},
          {"dependent_steps", info.dependent_steps},
          {"bytes_held", info.bytes_held},
          {"shift", info.shift},
          {"attempts", info.attempts},
          {"first_breakdown", cell_json(info.first_breakdown)},
          {"breakdown", cell_json(info.breakdown)}};
}

/// Those before the solve.
std::vector<const char*> phases_of(const SolveOptions& options) {
  if (options.is_direct) return {"ordering", "symbolic", "numeric"};
  if (options.preconditioner->schwarz) return {"partition", "subdomains", "factorization"};
  return {"symbolic", "numeric"};
}

Json partition_json(const PartitionInfo& info, const SchwarzRequest& schwarz) {
  return {{"method", to_string(info.method)},
          {"word", schwarz.partition->word},
          {"reason", info.reason},
          {"blocks", info.blocks},
          {"smallest_block", info.smallest_block},
          {"largest_block", info.largest_block},
          {"empty_blocks", info.empty_blocks},
          {"cut", info.cut},
          {"disconnected_blocks", info.disconnected_blocks}};
}

Json block_json(const SolveOptions& options) {
  if (const Thresholds* const thresholds = options.preconditioner->thresholds())
    return {{"fill", thresholds->fill}, {"drop_tolerance", thresholds->drop_tolerance}};
  const LevelOfFill& level_of_fill = *options.preconditioner->level_of_fill();
  return {{"fill_level", level_of_fill.level}, {"relaxation", level_of_fill.relaxation}};
}

Json factor_json(const SchwarzFacts& facts, const SolveOptions& options) {
  const SchwarzRequest& schwarz = options.schwarz;
  const SchwarzInfo& info = facts.factor;
  const SubdomainInfo& subdomains = info.subdomains;
  Json object = {{"block", schwarz.block->word}};
  object.update(block_json(options));
  object.update({{"variant", to_string(*schwarz.variant)},
                 {"factor_precision", to_string(schwarz.factor_precision.value_or(FactorPrecision::Same))},
                 {"partition", partition_json(facts.partition, schwarz)},
                 {"blocks", subdomains.blocks},
                 {"overlap", subdomains.overlap},
                 {"rows", subdomains.places},
                 {"row_growth", subdomains.row_growth()},
                 {"block_entries", subdomains.block_entries},
                 {"entry_growth", subdomains.entry_growth()},
                 {"smallest_block", subdomains.smallest_block},
                 {"largest_block", subdomains.largest_block},
                 {"max_copies", subdomains.max_copies},
                 {"entries", info.factor_entries},
                 {"ordering", to_string(options.pattern.ordering)},
                 {"scaling", to_string(options.scaling.value_or(Scaling::None))},
                 {"levels", unless_zero(info.levels)},
                 {"algorithm", to_string(info.algorithm)},
                 {"reason", info.reason},
                 {"bytes_held", info.bytes_held},
                 {"bad_blocks", info.bad_blocks},
                 {"first_bad_block", info.first_bad_block},
                 {"diagonal_blocks", info.diagonal_blocks}});
  object.update(pivots_json(info));
  return object;
}

}  // namespace

Json system_json(const SolveReport& report) {
  const Request& request = report.request;
  const SolveOptions& options = request.solve;
  Json object = {{"matrix", report.name}};
  if (report.grid) {
    object.set("grid", std::vector{report.grid->nx, report.grid->ny, report.grid->nz});
    object.set("unknowns_per_cell", report.unknowns_per_cell);
    object.set("wind", report.wind);
  }
  object.update({{"n", report.rows},
                 {"nnz", report.entries},
                 {"format", to_string(*options.format)},
                 {"format_reason", report.format_reason},
                 {"rhs", unless_empty(options.right_hand_side)},
                 {"rhs_columns", report.columns},
                 {"precision", request.precision},
                 {"offset", unless_empty(request.offset)},
                 {"seed", request.seed},
                 {"direct", options.is_direct ? Json("ldlt") : Json()},
                 {"tolerance", *options.tolerance}});
  if (options.is_direct) object.set("refine_steps", *options.direct.refine_steps);
  else
    object.update({{"preconditioner", options.preconditioner->word},
                   {"solver", options.solver->word},
                   {"side", to_string(options.side)},
                   {"max_iterations", *options.max_iterations},
                   {"check_every", *options.check_every}});
  return object;
}

/// With the factorization's name first and the seconds of its phases last.
Json factor_json(const SolveReport& report) {
  const SolveOptions& options = report.request.solve;
  const auto describe = [&options](const auto& facts) { return factor_json(facts, options); };
  const Json facts = std::visit(describe, report.run.factor);
  if (facts.is_null()) return nullptr;
  Json object = {{"factorization", options.is_direct ? "ldlt" : to_string(options.preconditioner->factorization)}};
  object.update(facts);
  for (const char* phase : phases_of(options)) object.set(std::string(phase) + "_s", report.run.seconds(phase));
  return object;
}

namespace {

Json column_json(const KrylovResult& krylov, double residual) {
  return {{"stop", to_string(krylov.reason)},
          {"iterations", krylov.iterations},
          {"residual", residual},
          {"recursive_residual", krylov.recursive_residual},
          {"residuals", krylov.residuals}};
}

/// The decisive column of all, and with several each for itself.
Json columns_json(const SolveReport& report) {
  if (report.run.krylov.empty()) {
    Json none = column_json({}, report.largest_residual());
    none.set("stop", nullptr);
    return none;
  }
  const std::size_t decisive = report.decisive_column();
  Json object = column_json(report.run.krylov[decisive], report.largest_residual());
  std::vector<Json> columns;
  for (std::size_t k = 0; report.columns > 1 && k < report.run.krylov.size(); ++k)
    columns.push_back(column_json(report.run.krylov[k], report.true_residuals[k]));
  if (!columns.empty()) object.set("columns", columns);
  return object;
}

Json run_json(const SolveReport& report) {
  Json phases(Json::Object{});
  for (const Phase& phase : report.run.phases) phases.set(phase.name, phase.seconds);
  return {{"solve_s", report.run.seconds("solve")},
          {"phases_s", phases},
          {"bytes_held", report.run.bytes_held},
          {"restarts", report.run.restarts},
          {"backend", report.run.backend},
          {"threads", report.run.threads},
          {"version", version}};
}

}  // namespace

void print_solve_json(const SolveReport& report) {
  Json object = system_json(report);
  object.set("factor", factor_json(report));
  object.update(report.direct() != nullptr ? refined_json(report) : columns_json(report));
  object.update(run_json(report));
  if (report.direct() != nullptr) object.set("phases", phases_json(report));
  object.set("status", report.failure.empty() ? "ok" : "numerical failure");
  if (!report.failure.empty()) object.set("error", report.failure);
  if (report.row) object.set("row", *report.row);
  print_json(object);
}

}  // namespace terrace::tools
