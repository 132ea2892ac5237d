// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace info`: reads a matrix and looks at it from every side that matters to a triangular solve or a factorization.
#pragma once

#include <optional>

#include "info/forecast.hpp"
#include "system/host_matrix.hpp"

namespace terrace::tools {

/// Rows of one kind, counted from 0: how many, and the first.
struct BadRows {
  std::int64_t count = 0;
  std::optional<std::int64_t> first;

  void add(std::int64_t row) {
    if (count++ == 0) first = row;
  }
};

/// Entries on each side of the diagonal, and the rows that would stop a solve.
struct EntryFacts {
  std::int64_t below = 0;
  std::int64_t diagonal = 0;
  std::int64_t above = 0;
  BadRows missing_diagonal;
  BadRows zero_diagonal;
  BadRows nonfinite;  ///< rows that hold a NaN or an Inf
};

struct InfoReport {
  std::string file;
  MatrixMarketHeader header;
  std::int64_t entries = 0;  ///< with both halves of a symmetric file
  std::int64_t summed_duplicates = 0;
  EntryFacts facts;

  bool is_square = false;  ///< what follows is of a square matrix
  SymmetryFacts symmetry;
  std::vector<int> lower_widths;  ///< rows in each level of the lower triangle
  std::vector<int> upper_widths;
  std::vector<OrderForecast> orders;  ///< of L D L^T; none for a matrix whose structure is not symmetric
};

/// Needs a Kokkos session. \throws Error for a file that cannot be read
InfoReport inspect(const std::string& file, ProgressLine& progress);

void print_info_text(const InfoReport& report);
void print_info_json(const InfoReport& report);

}  // namespace terrace::tools
