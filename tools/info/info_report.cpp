// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of `terrace info` on standard output, as text and as JSON.
#include <terrace/version.hpp>

#include "info/inspect.hpp"
#include "report/format.hpp"
#include "report/json.hpp"
#include "report/pictures.hpp"
#include "report/terminal.hpp"

namespace terrace::tools {
namespace {

const char* to_string(MatrixMarketHeader::Field field) {
  switch (field) {
    case MatrixMarketHeader::Field::Real: return "real";
    case MatrixMarketHeader::Field::Integer: return "integer";
    case MatrixMarketHeader::Field::Pattern: return "pattern";
    case MatrixMarketHeader::Field::Complex: return "complex";
  }
  return "unknown";
}

const char* to_string(MatrixMarketHeader::Symmetry symmetry) {
  switch (symmetry) {
    case MatrixMarketHeader::Symmetry::General: return "general";
    case MatrixMarketHeader::Symmetry::Symmetric: return "symmetric";
    case MatrixMarketHeader::Symmetry::SkewSymmetric: return "skew-symmetric";
    case MatrixMarketHeader::Symmetry::Hermitian: return "hermitian";
  }
  return "unknown";
}

void line(const char* name, const std::string& text) { print_line(name, text, 22); }

std::string numerical_symmetry(const SymmetryFacts& facts) {
  if (facts.symmetric && facts.hermitian) return "symmetric";
  if (facts.symmetric) return "symmetric, not Hermitian";
  if (facts.hermitian) return "Hermitian";
  return facts.skew_symmetric ? "skew-symmetric" : "none";
}

std::string bad_rows(const BadRows& rows) {
  if (!rows.first) return "none";
  return grouped(rows.count) + ", the first in row " + std::to_string(*rows.first) + " (counted from 0)";
}

void print_entries(const InfoReport& report) {
  const MatrixMarketHeader& header = report.header;
  line("matrix", report.file);
  line("size", grouped(header.rows) + " x " + grouped(header.columns));
  std::string entries = grouped(report.entries);
  if (report.entries != header.stored_entries)
    entries += ", of which the file stores " + grouped(header.stored_entries);
  line("entries", entries);
  if (report.summed_duplicates > 0) line("", grouped(report.summed_duplicates) + " lines named an entry again; added");
  line("stored as", std::string(to_string(header.field)) + ", " + to_string(header.symmetry));
  line("below the diagonal", grouped(report.facts.below));
  line("on the diagonal", grouped(report.facts.diagonal));
  line("above the diagonal", grouped(report.facts.above));
  line("diagonal missing", bad_rows(report.facts.missing_diagonal));
  line("diagonal zero", bad_rows(report.facts.zero_diagonal));
  line("rows with NaN or Inf", bad_rows(report.facts.nonfinite));
}

void print_symmetry(const SymmetryFacts& facts) {
  line("structure",
       facts.structure ? "symmetric" : fixed(facts.matched * 100, 1) + " % of the entries have a mirror image");
  line("values", numerical_symmetry(facts));
}

void print_levels(const char* triangle, const std::vector<int>& widths) {
  const LevelStatistics levels = level_statistics(widths);
  std::printf("\n%s triangle: %s levels; rows per level: mean %s, median %s, widest %s\n", triangle,
              grouped(levels.levels).c_str(), fixed(levels.mean, 1).c_str(), fixed(levels.median, 1).c_str(),
              grouped(levels.widest).c_str());
  std::fputs(level_picture(widths, find_terminal().unicode).c_str(), stdout);
}

void print_order(const OrderForecast& forecast) {
  const LdltSymbolicInfo& info = forecast.info;
  std::string text = forecast.failure;
  if (text.empty())
    text = pad_left(grouped(info.factor_entries), 16) + pad_left(scientific(info.operations), 12) +
           pad_left(bytes(info.factor_bytes), 12) + pad_left(milliseconds(info.seconds), 10) + " ms";
  if (forecast.is_automatic) text += "  <- automatic: " + info.ordering_reason;
  std::printf("%-8s%s\n", to_string(forecast.ordering), text.c_str());
}

void print_orders(const std::vector<OrderForecast>& orders) {
  if (orders.empty()) return;
  std::puts("\nL D L^T of the lower triangle (terrace solve --direct ldlt), by --ordering:");
  std::printf("%-8s%16s%12s%12s%10s\n", "", "entries of L", "operations", "bytes", "counted");
  for (const OrderForecast& forecast : orders) print_order(forecast);
}

Json to_json(const OrderForecast& forecast) {
  const LdltSymbolicInfo& info = forecast.info;
  Json object = {{"ordering", to_string(forecast.ordering)}, {"automatic", forecast.is_automatic}};
  if (forecast.is_automatic) object.set("reason", info.ordering_reason);
  if (!forecast.failure.empty()) object.set("error", forecast.failure);
  else
    object.update({{"entries", info.factor_entries},
                   {"fill", static_cast<double>(info.factor_entries) / static_cast<double>(info.matrix_entries)},
                   {"operations", info.operations},
                   {"factor_bytes", info.factor_bytes},
                   {"seconds", info.seconds}});
  return object;
}

Json to_json(const LevelStatistics& levels) {
  return {{"levels", levels.levels},
          {"mean_width", levels.mean},
          {"median_width", levels.median},
          {"widest_level", levels.widest}};
}

Json to_json(const BadRows& rows) { return {{"rows", rows.count}, {"first", rows.first}}; }

Json to_json(const SymmetryFacts& facts) {
  return {{"structure", facts.structure},
          {"matched_entries", facts.matched},
          {"symmetric", facts.symmetric},
          {"skew_symmetric", facts.skew_symmetric},
          {"hermitian", facts.hermitian}};
}

}  // namespace

void print_info_text(const InfoReport& report) {
  print_entries(report);
  if (!report.is_square) return;
  print_symmetry(report.symmetry);
  print_levels("lower", report.lower_widths);
  print_levels("upper", report.upper_widths);
  print_orders(report.orders);
}

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
    object.set("found_symmetry", to_json(report.symmetry));
    object.set("lower", to_json(level_statistics(report.lower_widths)));
    object.set("upper", to_json(level_statistics(report.upper_widths)));
    std::vector<Json> orders;
    for (const OrderForecast& forecast : report.orders) orders.push_back(to_json(forecast));
    object.set("orders", orders);
  }
  object.set("version", version);
  object.set("status", report.is_square ? "ok" : "wrong input");
  if (!report.is_square) object.set("error", not_square_message(report.header, "a triangular solve"));
  print_json(object);
}

}  // namespace terrace::tools
