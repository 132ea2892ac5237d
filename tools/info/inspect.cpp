// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "info/inspect.hpp"

#include "info/entry_facts.hpp"
#include "info/level_widths.hpp"
#include "info/symmetry.hpp"
#include "support/read_matrix.hpp"

namespace terrace::tools {

InfoReport inspect(const Request& request, ProgressLine& progress) {
  const MatrixMarketMatrix matrix = read_matrix(request.file, progress);
  InfoReport report;
  report.file = request.file;
  report.header = matrix.header;
  report.entries = static_cast<std::int64_t>(matrix.entries.size());
  report.summed_duplicates = matrix.summed_duplicates;
  report.is_square = matrix.header.rows == matrix.header.columns;
  progress.stage("looking at the entries");
  report.facts = find_entry_facts(matrix);
  if (!report.is_square) return report;
  report.symmetry = find_symmetry(matrix);
  progress.stage("finding levels");
  report.lower_widths = find_level_widths(matrix, Uplo::Lower);
  report.upper_widths = find_level_widths(matrix, Uplo::Upper);
  return report;
}

}  // namespace terrace::tools
