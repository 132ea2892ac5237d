// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `terrace schwarz` on standard output, as a table and as JSON.
#include <terrace/version.hpp>

#include "report/format.hpp"
#include "report/terminal.hpp"
#include "solve/solve_json.hpp"
#include "study/study.hpp"

namespace terrace::tools {
namespace {

std::string or_dash(const std::optional<int>& number) { return number ? grouped(*number) : "-"; }

const std::string& word_of(const SolveReport& row) { return row.request.solve.preconditioner->word; }

void print_system(const StudyReport& report) {
  const SolveReport& system = report.system;
  const SolveOptions& options = system.request.solve;
  const std::string wind = system.wind ? ", wind " + fixed(*system.wind, 3) : "";
  print_line(system.grid ? "problem" : "matrix", system.name + wind + ", " + system.request.precision);
  print_line("size", (system.grid ? to_string(*system.grid) + ", " : "") + grouped(system.rows) + " unknowns, " +
                         grouped(system.entries) + " entries");
  if (!report.rows.empty() && !report.rows.front().run.backend.empty())
    print_line("backend",
               report.rows.front().run.backend + ", concurrency " + grouped(report.rows.front().run.threads));
  print_line("blocks", options.schwarz.block->word + ", " + to_string(*options.schwarz.variant) + ", partition " +
                           options.schwarz.partition->word);
  print_line("solver", options.solver->word + " to a residual of " + scientific(*options.tolerance));
}

/// What a row that was factorized says of its factor.
std::vector<std::string> factor_cells(const RunFacts& run) {
  const auto* const facts = std::get_if<SchwarzFacts>(&run.factor);
  if (facts == nullptr) return {"-", "-", "-", "-"};
  const SubdomainInfo& subdomains = facts->factor.subdomains;
  return {grouped(subdomains.blocks), fixed(subdomains.row_growth(), 2), fixed(subdomains.entry_growth(), 2),
          facts->factor.levels > 0 ? grouped(facts->factor.levels) : "-"};
}

std::vector<std::string> cells_of(const SolveReport& row, bool best) {
  std::vector<std::string> cells{(best ? "* " : "  ") + word_of(row)};
  for (const std::string& cell : factor_cells(row.run)) cells.push_back(cell);
  cells.push_back(milliseconds(row.run.seconds("partition")));
  cells.push_back(milliseconds(set_up_seconds(row.run)));
  cells.push_back(or_dash(steps_of(row.run)));
  cells.push_back(or_dash(cycles_of(row)));
  cells.push_back(milliseconds(seconds_a_step(row.run)));
  cells.push_back(milliseconds(total_seconds(row.run)));
  return cells;
}

std::string conclude(const StudyReport& report) {
  const SolveReport& best = report.rows[*report.best];
  std::string text = "* " + word_of(best) + " is the fastest in all, " + milliseconds(total_seconds(best.run)) + " ms";
  const SolveReport& fastest = report.rows[*report.fastest];
  if (report.fastest != report.best)
    text += "; once set up " + word_of(fastest) + " is, " + milliseconds(fastest.run.seconds("solve")) +
            " ms instead of " + milliseconds(best.run.seconds("solve"));
  return text;
}

Json row_json(const SolveReport& row) {
  Json phases(Json::Object{});
  for (const Phase& phase : row.run.phases) phases.set(phase.name, phase.seconds);
  const SchwarzShape& shape = *row.request.solve.preconditioner->schwarz;
  Json object = {{"preconditioner", word_of(row)},
                 {"blocks", shape.blocks},
                 {"overlap", shape.overlap},
                 {"factor", factor_json(row)},
                 {"steps", steps_of(row.run)},
                 {"cycles", cycles_of(row)},
                 {"residual", row.largest_residual()},
                 {"phases_s", phases},
                 {"set_up_s", set_up_seconds(row.run)},
                 {"step_s", seconds_a_step(row.run)},
                 {"total_s", total_seconds(row.run)},
                 {"bytes_held", row.run.bytes_held},
                 {"status", row.failure.empty() ? "ok" : "numerical failure"}};
  if (!row.failure.empty()) object.set("error", row.failure);
  return object;
}

}  // namespace

void print_study_text(const StudyReport& report) {
  print_system(report);
  const Table table(find_terminal(), "Blocks and overlap; times in ms",
                    {{"--precond", 14},
                     {"blocks", 6},
                     {"rows", 5},
                     {"entries", 7},
                     {"levels", 7},
                     {"partition", 9},
                     {"set-up", 7},
                     {"steps", 6},
                     {"cycles", 6},
                     {"a step", 7},
                     {"total", 8}});
  for (std::size_t k = 0; k < report.rows.size(); ++k)
    table.print_row(cells_of(report.rows[k], report.best == k), report.best == k                 ? Emphasis::Strong
                                                                : report.rows[k].failure.empty() ? Emphasis::None
                                                                                                 : Emphasis::Alarm);
  table.close();
  std::puts("rows, entries: how many times those of the matrix the blocks have");
  for (const SolveReport& row : report.rows)
    if (!row.failure.empty()) std::printf("%s\n", wrap(word_of(row) + ": " + row.failure, 98).c_str());
  if (report.best) std::printf("%s\n", wrap(conclude(report), 98).c_str());
}

void print_study_json(const StudyReport& report) {
  Json object = system_json(report.system);
  std::vector<Json> rows;
  for (const SolveReport& row : report.rows) rows.push_back(row_json(row));
  object.set("rows", rows);
  object.set("best", report.best ? Json(word_of(report.rows[*report.best])) : Json());
  object.set("best_once_set_up", report.fastest ? Json(word_of(report.rows[*report.fastest])) : Json());
  if (!report.rows.empty()) {
    object.set("backend", report.rows.front().run.backend);
    object.set("threads", report.rows.front().run.threads);
  }
  object.set("version", version);
  object.set("status", report.failure.empty() ? "ok" : "numerical failure");
  if (!report.failure.empty()) object.set("error", report.failure);
  print_json(object);
}

}  // namespace terrace::tools
