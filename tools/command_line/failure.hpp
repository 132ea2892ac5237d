// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the program ends: its exit statuses, and what it says when it could not even begin.
#pragma once

#include <exception>
#include <string>

namespace terrace::tools {

inline constexpr int success = 0;
inline constexpr int numerical_failure = 1;
inline constexpr int wrong_input = 2;  ///< or wrong usage

/// One line on standard error.
void complain(const std::string& message);

/// Complains, prints the failure as a JSON object when the arguments hold --json, and returns wrong_input.
int report_failure(const std::exception& error, int argc, const char* const* argv);

}  // namespace terrace::tools
