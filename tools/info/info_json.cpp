// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <terrace/version.hpp>

#include "info/print_info.hpp"
#include "support/host_triangle.hpp"
#include "support/json_output.hpp"
#include "support/level_picture.hpp"

namespace terrace::tools {
namespace {

Json to_json(const LevelStatistics& levels) {
  return {{"levels", levels.levels},
          {"mean_width", levels.mean},
          {"median_width", levels.median},
          {"widest_level", levels.widest}};
}

Json to_json(const BadRows& rows) { return {{"rows", rows.count}, {"first", or_null(rows.first)}}; }

Json to_json(const SymmetryFacts& facts) {
  return {{"structure", facts.structure},
          {"matched_entries", facts.matched},
          {"symmetric", facts.symmetric},
          {"skew_symmetric", facts.skew_symmetric},
          {"hermitian", facts.hermitian}};
}

}  // namespace

void print_info_json(const InfoReport& report) {
  Json object = {{"matrix", report.file},
                 {"rows", report.header.rows},
                 {"columns", report.header.columns},
                 {"nnz", report.entries},
                 {"stored_entries", report.header.stored_entries},
                 {"summed_duplicates", report.summed_duplicates},
                 {"field", to_string(report.header.field)},
                 {"symmetry", to_string(report.header.symmetry)},
                 {"below_diagonal", report.facts.below},
                 {"on_diagonal", report.facts.diagonal},
                 {"above_diagonal", report.facts.above},
                 {"missing_diagonal", to_json(report.facts.missing_diagonal)},
                 {"zero_diagonal", to_json(report.facts.zero_diagonal)},
                 {"nonfinite", to_json(report.facts.nonfinite)}};
  if (report.is_square) {
    object["found_symmetry"] = to_json(report.symmetry);
    object["lower"] = to_json(level_statistics(report.lower_widths));
    object["upper"] = to_json(level_statistics(report.upper_widths));
  }
  object["version"] = version;
  object["status"] = report.is_square ? "ok" : "wrong input";
  if (!report.is_square) object["error"] = not_square_message(report.header);
  print_json(object);
}

}  // namespace terrace::tools
