// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `terrace info` tells, whichever way it is printed. Rows count from 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <terrace/matrix_market.hpp>
#include <vector>

namespace terrace::tools {

/// How the matrix compares with its transpose, off the diagonal.
struct SymmetryFacts {
  bool structure = false;  ///< wherever (i, j) is stored, so is (j, i)
  double matched = 1;      ///< the fraction of entries for which that holds
  bool symmetric = false;  ///< equal values, exactly; likewise the next two, whose diagonal counts too
  bool skew_symmetric = false;
  bool hermitian = false;
};

/// Rows of one kind: how many, and the first.
struct BadRows {
  std::int64_t count = 0;
  std::optional<std::int64_t> first;

  void add(std::int64_t row) {
    if (count++ == 0) first = row;
  }
};

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
};

}  // namespace terrace::tools
