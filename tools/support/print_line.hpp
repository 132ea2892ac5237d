// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A line of a report for people: a name, and what there is to say of it.
#pragma once

#include <cstdio>
#include <string>

namespace terrace::tools {

inline void print_line(const char* name, const std::string& text) { std::printf("%-16s%s\n", name, text.c_str()); }

}  // namespace terrace::tools
