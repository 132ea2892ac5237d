// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "write/write.hpp"

#include <filesystem>

namespace terrace::tools {
namespace {

using Symmetry = MatrixMarketHeader::Symmetry;

/// A problem as rows and a right-hand side, noted in the report.
struct TakeRows {
  WriteReport& report;

  RowsProblem operator()(GridProblem&& problem) const {
    note(problem);
    report.is_symmetric = true;
    return {problem.grid, 1, {}, to_rows(problem), std::move(problem.b)};
  }
  RowsProblem operator()(RowsProblem&& problem) const {
    note(problem);
    return std::move(problem);
  }
  RowsProblem operator()(const MatrixMarketMatrix&) const { return {}; }  // is no problem on a grid

 private:
  template <class Problem>
  void note(const Problem& problem) const {
    report.name = problem.description;
    report.grid = problem.grid;
  }
};

MatrixMarketMatrix to_matrix_market(HostMatrix<double>&& A, Symmetry symmetry) {
  MatrixMarketMatrix matrix;
  matrix.header.symmetry = symmetry;
  matrix.header.rows = matrix.header.columns = A.n;
  matrix.row_map = std::move(A.row_map);
  matrix.entries = std::move(A.entries);
  matrix.real = std::move(A.values);
  return matrix;
}

WrittenFile describe_file(const std::string& path) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  return {path, unknown ? 0 : static_cast<std::int64_t>(bytes)};
}

}  // namespace

WriteReport write(const Request& request, ProgressLine& progress) {
  WriteReport report;
  RowsProblem problem = std::visit(TakeRows{report}, read_source(request.source, progress));
  report.wind = find_wind(request.source);
  report.rows = problem.A.n;
  report.entries = static_cast<std::int64_t>(problem.A.nnz());
  const std::string& path = request.write.matrix;
  progress.stage("writing " + path);
  write_matrix_market(
      path, to_matrix_market(std::move(problem.A), report.is_symmetric ? Symmetry::Symmetric : Symmetry::General),
      [&progress](double done) { progress.fraction(done); });
  report.matrix = describe_file(path);
  const std::string& right_hand_side = request.write.right_hand_side;
  if (right_hand_side.empty()) return report;
  progress.stage("writing " + right_hand_side);
  write_matrix_market_vectors(right_hand_side, {report.rows, 1, std::move(problem.b), {}});
  report.right_hand_side = describe_file(right_hand_side);
  return report;
}

}  // namespace terrace::tools
