// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trisolve/trisolve.hpp"

#include <cmath>

#include "report/format.hpp"

namespace terrace::tools {
namespace {

template <class Number>
TriangularSystem<Number> make_system(const Request& request, MatrixMarketMatrix&& matrix) {
  const TriangularOptions& options = request.trisolve.solver;
  if (matrix.header.rows != matrix.header.columns)
    throw Error(ErrorCode::NotSquare, not_square_message(matrix.header, "a triangular solve"));
  TriangularSystem<Number> system{
      .triangle = triangle_of(to_host_matrix<Number>(std::move(matrix)), options.uplo, options.diag),
      .diag = options.diag,
      .op = options.op,
      .columns = request.trisolve.right_hand_sides,
      .b = {}};
  if (is_single(request.precision)) round_to_single(system.triangle.values);
  make_right_hand_sides(system, *request.seed);
  if (is_single(request.precision)) round_to_single(system.b);
  return system;
}

/// Names the first row that makes the system unsolvable, if there is one.
void find_bad_row(TrisolveReport& report) {
  const TriangularInfo& info = report.info;
  const auto fail = [&report](std::int64_t row, const std::string& what) {
    report.row = row;
    report.failure = "row " + std::to_string(row) + " (counted from 0) " + what;
  };
  if (info.first_nonfinite_row) {
    fail(*info.first_nonfinite_row, "of the triangle holds a NaN or an Inf");
  } else if (info.first_singular_row()) {
    const bool missing = info.first_singular_row() == info.first_missing_diagonal;
    fail(*info.first_singular_row(), std::string(missing ? "has no diagonal entry" : "has a zero on the diagonal") +
                                         ", so the triangle is singular; --diag unit solves with ones there");
  }
}

template <class Number>
void judge(TrisolveReport& report, const TriangularSystem<Number>& system, const std::vector<Number>& x) {
  const double epsilon = is_single(report.request.precision) ? std::numeric_limits<float>::epsilon()
                                                             : std::numeric_limits<double>::epsilon();
  report.tolerated_error = tolerated_backward_error(system, epsilon);
  report.backward_error = backward_error(system, x);
  if (report.backward_error <= report.tolerated_error) return;
  report.failure = std::isnan(report.backward_error)
                       ? "the solution holds a NaN or an Inf: it overflows, or the matrix does"
                       : "the backward error is " + scientific(report.backward_error) + ", more than the " +
                             scientific(report.tolerated_error) + " that rounding explains";
}

template <class Number>
void solve_and_judge(TrisolveReport& report, MatrixMarketMatrix&& matrix, ProgressLine& progress) {
  progress.stage("making the right-hand side");
  const auto system = make_system<Number>(report.request, std::move(matrix));
  choose_offset(report.request, system.triangle.entries.size());
  report.entries = static_cast<std::int64_t>(system.triangle.entries.size());
  const Measurement<Number> measured = measure(report.request, system, progress);
  report.info = measured.info;
  report.levels = level_statistics(measured.level_widths);
  report.backend = measured.backend;
  report.threads = measured.threads;
  report.analysis_s = measured.analysis_s;
  report.solve_s = measured.solve_s;
  find_bad_row(report);
  progress.stage("checking the solution");
  if (report.failure.empty()) judge(report, system, measured.x);
}

}  // namespace

TrisolveReport trisolve(const Request& request, ProgressLine& progress) {
  TrisolveReport report;
  report.request = request;
  report.request.seed = request.seed.value_or(1);
  SourceMatrix source = read_source(request.source, progress);
  choose_precision(report.request, source);
  auto& matrix = std::get<MatrixMarketMatrix>(source);
  if (is_complex(report.request.precision)) solve_and_judge<std::complex<double>>(report, std::move(matrix), progress);
  else solve_and_judge<double>(report, std::move(matrix), progress);
  return report;
}

}  // namespace terrace::tools
