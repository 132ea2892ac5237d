// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/inspect.hpp"

#include <cmath>

#include "device/kokkos_session.hpp"

namespace terrace::tools {
namespace {

bool is_finite(double number) { return std::isfinite(number); }
bool is_finite(std::complex<double> number) { return is_finite(number.real()) && is_finite(number.imag()); }

template <class Number>
void look_at_row(const HostMatrix<Number>& matrix, int row, std::int64_t columns, EntryFacts& facts) {
  bool has_diagonal = false, has_zero_diagonal = false, all_finite = true;
  for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
    const int column = matrix.entries[k];
    all_finite = all_finite && is_finite(matrix.values[k]);
    ++(column < row ? facts.below : column > row ? facts.above : facts.diagonal);
    if (column != row) continue;
    has_diagonal = true;
    has_zero_diagonal = matrix.values[k] == Number(0);
  }
  if (!has_diagonal && row < columns) facts.missing_diagonal.add(row);
  if (has_zero_diagonal) facts.zero_diagonal.add(row);
  if (!all_finite) facts.nonfinite.add(row);
}

template <class Number>
void look_at(const HostMatrix<Number>& matrix, InfoReport& report, ProgressLine& progress) {
  progress.stage("looking at the entries");
  for (int row = 0; row < matrix.n; ++row) look_at_row(matrix, row, report.header.columns, report.facts);
  if (!report.is_square) return;
  report.symmetry = find_symmetry(matrix);
  progress.stage("finding levels");
  report.lower_widths = find_level_widths(matrix.row_map, matrix.entries, Uplo::Lower);
  report.upper_widths = find_level_widths(matrix.row_map, matrix.entries, Uplo::Upper);
  if (report.symmetry.structure && matrix.n > 0)
    report.orders = forecast_orders(matrix.row_map, matrix.entries, progress);
}

}  // namespace

InfoReport inspect(const std::string& file, ProgressLine& progress) {
  MatrixMarketMatrix matrix = read_matrix(file, progress);
  InfoReport report;
  report.file = file;
  report.header = matrix.header;
  report.entries = static_cast<std::int64_t>(matrix.entries.size());
  report.summed_duplicates = matrix.summed_duplicates;
  report.is_square = matrix.header.rows == matrix.header.columns;
  if (matrix.imaginary.empty()) look_at(to_host_matrix<double>(std::move(matrix)), report, progress);
  else look_at(to_host_matrix<std::complex<double>>(std::move(matrix)), report, progress);
  return report;
}

}  // namespace terrace::tools
