// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The residuals of an iteration as a small plot in text.
#pragma once

#include <string>
#include <vector>

namespace terrace::tools {

/// The logarithm of the residual over the iterations, 60 characters wide and at most 9 lines high, with the powers of
/// ten at the left. Each column shows the last of the iterations that share it. Empty when nothing can be drawn.
std::string convergence_picture(const std::vector<double>& residuals, bool unicode);

}  // namespace terrace::tools
