// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/solve.hpp"

#include <cmath>

#include "command_line/failure.hpp"
#include "report/format.hpp"
#include "report/pictures.hpp"
#include "report/tree_picture.hpp"

namespace terrace::tools {
namespace {

MatrixMarketVectors read_right_hand_sides(const SolveOptions& options) {
  const std::string& path = options.right_hand_side;
  MatrixMarketVectors vectors = read_matrix_market_vectors(path);
  if (vectors.columns == 0)
    throw Error(ErrorCode::SizeMismatch, path + " has 0 columns; a right-hand side is at least one");
  if (vectors.columns > 1 && !options.is_direct && !options.solver->takes_several_columns())
    throw UsageError("--rhs: " + path + " has " + std::to_string(vectors.columns) + " columns, and --solver " +
                     options.solver->word + " takes one; cg, bicgstab and --direct ldlt take several");
  return vectors;
}

/// From the file, or from a random solution where the source has none or a seed was given.
template <class Number>
void settle_right_hand_sides(Request& request, LinearSystem<Number>& system) {
  const std::string& path = request.solve.right_hand_side;
  if (!path.empty()) {
    set_right_hand_sides(system, read_right_hand_sides(request.solve), path);
  } else if (request.seed || system.b.empty()) {
    if (!request.seed) request.seed = 1;
    make_right_hand_side(system, *request.seed);
  }
  if (is_single(request.precision)) round_to_single(system.b);
}

/// A matrix that is not positive definite needs rows and L U.
template <class Number>
Run<Number> run_or_explain(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress) {
  try {
    return run_solve(request, system, progress);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::NotPositive) throw;
    throw Error(error.code(),
                std::string(error.what()) + "; --format csr with --precond ilu0 and --solver gmres:30 takes others",
                error.line());
  }
}

template <class Number>
void draw(const SolveReport& report, const std::vector<Number>& x) {
  if (report.request.solve.picture.empty() || x.empty()) return;
  std::vector<double> values;
  for (std::int64_t row = 0; row < report.rows; row += report.unknowns_per_cell)
    values.push_back(std::real(x[static_cast<std::size_t>(row)]));
  write_slice_picture(report.request.solve.picture, *report.grid, values,
                      report.request.solve.slice.value_or(report.grid->nz / 2));
}

void draw_tree(const SolveReport& report, const std::vector<LdltFront>& fronts) {
  const std::string& path = report.request.solve.direct.drawing;
  if (path.empty()) return;
  const LdltSymbolicInfo& info = report.direct()->symbolic;
  write_tree_picture(path,
                     report.name + ": " + grouped(info.fronts) + " fronts on " + grouped(info.levels) +
                         " levels, ordering " + to_string(info.ordering) + ", " + grouped(info.stored_entries) +
                         " entries, " + scientific(info.stored_operations) + " operations",
                     fronts);
}

template <class Number>
void solve_and_judge(SolveReport& report, SourceMatrix&& matrix, ProgressLine& progress) {
  progress.stage("making the system");
  const auto system = settle_system<Number>(report, std::move(matrix));
  Run<Number> run = run_or_explain(report.request, system, progress);
  progress.stage("checking the solution");
  judge(report, system, run);
  draw(report, run.x);
  draw_tree(report, run.fronts);
}

}  // namespace

template <class Number>
LinearSystem<Number> settle_system(SolveReport& report, SourceMatrix&& matrix) {
  Request& request = report.request;
  auto system = take_system<Number>(std::move(matrix), request.solve.format == MatrixFormat::Diagonals,
                                    is_single(request.precision));
  settle_symmetry(report, system);
  settle_given_order(request.solve, system.rows());
  settle_right_hand_sides(request, system);
  report.entries = system.diagonals ? count_entries(*report.grid) : static_cast<std::int64_t>(system.matrix.nnz());
  report.rows = system.rows();
  report.columns = system.columns;
  if (!system.diagonals) choose_offset(request, system.matrix.entries.size());
  return system;
}

template <class Number>
void judge(SolveReport& report, const LinearSystem<Number>& system, Run<Number>& run) {
  report.run = std::move(run.facts);
  const bool has_solution =
      !report.run.krylov.empty() || (report.direct() != nullptr && !report.direct()->refined.empty());
  if (has_solution) report.true_residuals = relative_residuals(system, run.x);
  explain_failure(report);
}

SolveReport solve(const Request& request, ProgressLine& progress) {
  SolveReport report;
  report.request = request;
  SourceMatrix matrix = read_source(request.source, progress);
  settle(report, matrix);
  if (is_complex(report.request.precision)) solve_and_judge<std::complex<double>>(report, std::move(matrix), progress);
  else solve_and_judge<double>(report, std::move(matrix), progress);
  return report;
}

using Complex = std::complex<double>;
template LinearSystem<double> settle_system(SolveReport&, SourceMatrix&&);
template LinearSystem<Complex> settle_system(SolveReport&, SourceMatrix&&);
template void judge(SolveReport&, const LinearSystem<double>&, Run<double>&);
template void judge(SolveReport&, const LinearSystem<Complex>&, Run<Complex>&);

}  // namespace terrace::tools
