// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/request.hpp"

#include <climits>

#include "command_line/failure.hpp"
#include "report/format.hpp"

namespace terrace::tools {

const char* to_string(VectorLayout layout) { return layout == VectorLayout::Left ? "left" : "right"; }

const char* to_string(MatrixFormat format) { return format == MatrixFormat::Csr ? "csr" : "diagonals"; }

bool is_complex(const std::string& precision) { return precision.starts_with("complex"); }

bool is_single(const std::string& precision) { return precision.ends_with("float"); }

void choose_precision(Request& request, const SourceMatrix& matrix) {
  const auto* const file = std::get_if<MatrixMarketMatrix>(&matrix);
  const bool complex_file = file != nullptr && file->header.field == MatrixMarketHeader::Field::Complex;
  if (request.precision.empty()) request.precision = complex_file ? "complex-double" : "double";
  if (complex_file && !is_complex(request.precision))
    throw UsageError("--precision: " + request.precision + " cannot hold the complex numbers of " +
                     request.source.file + "; choose complex-float or complex-double");
}

void choose_offset(Request& request, std::size_t entries) {
  const bool fits = entries <= static_cast<std::size_t>(INT_MAX);
  if (request.offset.empty()) request.offset = fits ? "int" : "size_t";
  if (request.offset == "int" && !fits)
    throw UsageError("--offset: int cannot count the " + grouped(static_cast<std::int64_t>(entries)) +
                     " entries; choose size_t");
}

}  // namespace terrace::tools
