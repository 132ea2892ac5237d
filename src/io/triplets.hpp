// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a Matrix Market file as its lines give them.
#pragma once

#include <vector>

namespace terrace::io {

/// Row, column and value of each line, in the order of the file; indices from 0.
struct Triplets {
  std::vector<int> rows;
  std::vector<int> columns;
  std::vector<double> real;       // empty for a pattern
  std::vector<double> imaginary;  // empty unless the field is complex
};

}  // namespace terrace::io
