// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a matrix while the progress line shows how far it has come.
#pragma once

#include <string>
#include <terrace/matrix_market.hpp>

#include "support/progress_line.hpp"

namespace terrace::tools {

inline MatrixMarketMatrix read_matrix(const std::string& path, ProgressLine& progress) {
  progress.stage("reading " + path);
  return read_matrix_market(path, [&progress](double done) { progress.fraction(done); });
}

}  // namespace terrace::tools
