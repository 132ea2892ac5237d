// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the program ends: its exit statuses, and what it says when it could not even begin.
#pragma once

#include <stdexcept>
#include <string>

namespace terrace::tools {

inline constexpr int success = 0;
inline constexpr int numerical_failure = 1;
inline constexpr int wrong_input = 2;  ///< or wrong usage

/// Arguments that make no sense; what() says which one and what would.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One line on standard error.
void complain(const std::string& message);

/// Complains, prints the failure as a JSON object when the arguments hold --json, and returns wrong_input.
/// Options of the library that a message names get the names of their flags.
int report_failure(const std::exception& error, int argc, const char* const* argv);

/// The message with the flags of the command line in place of the library's options.
std::string with_flag_names(std::string message);

}  // namespace terrace::tools
