// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Residuals over iterations, in text.
#pragma once

#include <string>
#include <vector>

namespace terrace::tools {

/// Ten lines of at most 72 characters: decades downwards, iterations to the right. Empty for fewer than two residuals.
std::string convergence_plot(const std::vector<double>& residuals);

}  // namespace terrace::tools
