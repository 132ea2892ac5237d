// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where and of what a measurement was made: the context of every JSON file.
#pragma once

#include "harness/measured_space.hpp"

namespace terrace::perf {

/// Adds commit, build, versions, space, processor and the command line to Google Benchmark's context.
void add_context(const MeasuredSpace& space, const std::string& command);

}  // namespace terrace::perf
