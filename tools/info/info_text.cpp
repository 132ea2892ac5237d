// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "info/print_info.hpp"
#include "support/format.hpp"
#include "support/level_picture.hpp"
#include "support/terminal.hpp"

namespace terrace::tools {
namespace {

void line(const char* name, const std::string& text) { std::printf("%-22s%s\n", name, text.c_str()); }

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

}  // namespace

void print_info_text(const InfoReport& report) {
  print_entries(report);
  if (!report.is_square) return;
  print_symmetry(report.symmetry);
  print_levels("lower", report.lower_widths);
  print_levels("upper", report.upper_widths);
}

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

}  // namespace terrace::tools
