// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choices that the command line left open for --direct, and the options of the library that follow from them.
#include <cmath>
#include <limits>
#include <terrace/block_numbers.hpp>

#include "solve/solve.hpp"

namespace terrace::tools {
namespace {

constexpr int usual_refine_steps = 10;

/// With steps of refinement four rounding units, as RefinementOptions has it; without, what a factorization whose
/// pivots were good reaches by far.
double usual_tolerance(const std::string& precision, int refine_steps) {
  const double epsilon = is_single(precision) ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                              : std::numeric_limits<double>::epsilon();
  return refine_steps > 0 ? 2 * epsilon : std::sqrt(epsilon);
}

void refuse_hermitian(const SolveReport& report, const SourceMatrix& matrix) {
  const auto* const file = std::get_if<MatrixMarketMatrix>(&matrix);
  if (file == nullptr || file->header.symmetry != MatrixMarketHeader::Symmetry::Hermitian) return;
  throw Error(ErrorCode::NotSymmetric,
              report.name +
                  " is hermitian; --direct ldlt takes real symmetric and complex symmetric matrices, whose transpose "
                  "without conjugation they are, and --precond ic0 --solver cg takes Hermitian ones");
}

void replace(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// The reader of block numbers reads places too; its messages speak of blocks.
std::vector<int> read_places(const std::string& path, std::int64_t rows) {
  try {
    return read_block_numbers(path, rows);
  } catch (const Error& error) {
    std::string message = error.what();
    replace(message, "the number of a block", "the place of a row");
    replace(message, "one block number", "one place");
    replace(message, "block number", "place");
    replace(message, "blocks count", "places count");
    throw Error(error.code(), message, error.line());
  }
}

[[noreturn]] void fail_line(const std::string& path, std::size_t line, const std::string& what) {
  throw Error(ErrorCode::InvalidFile, path + ", line " + std::to_string(line) + ": " + what,
              static_cast<std::int64_t>(line));
}

}  // namespace

void settle_given_order(SolveOptions& options, std::int64_t rows) {
  if (!options.ordering || options.ordering->ordering != Ordering::Given) return;
  const std::string& path = options.ordering->file;
  const std::vector<int> places = read_places(path, rows);
  std::vector<int> row_at(places.size(), -1);
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto place = static_cast<std::size_t>(places[row]);
    const std::string name = "the place " + std::to_string(place);
    if (place >= row_at.size())
      fail_line(path, row + 1, name + " is not below the number of rows, " + std::to_string(rows));
    if (row_at[place] >= 0)
      fail_line(path, row + 1, name + " was line " + std::to_string(row_at[place] + 1) + "'s already");
    row_at[place] = static_cast<int>(row);
  }
  options.pattern.permutation = std::move(row_at);
}

void settle_direct(SolveReport& report, const SourceMatrix& matrix) {
  SolveOptions& options = report.request.solve;
  refuse_hermitian(report, matrix);
  options.format = MatrixFormat::Csr;
  report.format_reason = report.grid ? "--direct ldlt needs rows" : "a file has rows";
  options.pattern.ordering = options.ordering ? options.ordering->ordering : Ordering::Automatic;
  if (!options.pivots) options.pivots = PivotPolicy::Replace;
  if (!options.direct.refine_steps) options.direct.refine_steps = usual_refine_steps;
  if (!options.tolerance) options.tolerance = usual_tolerance(report.request.precision, *options.direct.refine_steps);
}

LdltSymbolicOptions ldlt_symbolic_options(const SolveOptions& options, int columns) {
  return {.ordering = options.pattern.ordering,
          .permutation = options.pattern.permutation,
          .amalgamation = options.direct.amalgamation.value_or(LdltSymbolicOptions{}.amalgamation),
          .algorithm = options.direct.algorithm.value_or(LdltAlgorithm::Automatic),
          .right_hand_sides = columns};
}

LdltFactorOptions ldlt_factor_options(const SolveOptions& options) {
  return {.scaling = options.scaling.value_or(LdltFactorOptions{}.scaling),
          .pivots = {.policy = *options.pivots, .threshold = options.direct.pivot_threshold.value_or(0.0)},
          .precision = options.schwarz.factor_precision.value_or(FactorPrecision::Same)};
}

RefinementOptions refinement_options(const SolveOptions& options) {
  return {.max_steps = *options.direct.refine_steps, .tolerance = *options.tolerance};
}

double solve_operations(const LdltSymbolicInfo& info, std::size_t columns) {
  const double off_diagonal = static_cast<double>(info.factor_entries - info.rows);
  return (4 * off_diagonal + static_cast<double>(info.rows)) * static_cast<double>(columns);
}

double refine_operations(const LdltFacts& facts, std::int64_t matrix_entries) {
  double solves = 0;
  for (const RefinedColumn& column : facts.refined) solves += 1 + column.steps;
  return solves * (solve_operations(facts.symbolic, 1) + 2 * static_cast<double>(matrix_entries));
}

}  // namespace terrace::tools
