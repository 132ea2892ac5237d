// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace write`: a problem on a grid as Matrix Market files.
#pragma once

#include "command_line/request.hpp"

namespace terrace::tools {

struct WrittenFile {
  std::string path;
  std::int64_t bytes = 0;
};

struct WriteReport {
  std::string name;  ///< of the problem
  Grid grid;
  std::optional<double> wind;
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  bool is_symmetric = false;  ///< the file has the lower half
  WrittenFile matrix;
  std::optional<WrittenFile> right_hand_side;
};

/// \throws UsageError; Error: a file that cannot be read or written.
WriteReport write(const Request& request, ProgressLine& progress);

void print_write_text(const WriteReport& report);
void print_write_json(const WriteReport& report);

}  // namespace terrace::tools
