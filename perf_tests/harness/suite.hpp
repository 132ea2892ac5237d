// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program is main.cpp with one suite of cases. The suite says which flags it understands and, for each execution
// space, which cases they ask for.
#pragma once

#include "common/harness/case.hpp"
#include "harness/flags.hpp"

namespace terrace::perf {

struct Suite {
  std::vector<std::string> flags;         ///< beside those that all programs understand
  std::vector<std::string> usual_shapes;  ///< when no shapes are named; empty: all
};
extern const Suite suite;

/// What can be measured on an execution space.
struct MeasuredSpace {
  std::string name;       ///< Kokkos's
  std::string processor;  ///< the CPU's or the GPU's name
  int threads;
  std::vector<Case> cases;
};

/// Functions that describe the spaces of this build, by name. Kokkos must be initialized when they are called. CMake
/// writes the table, and a source for each space. \throws UsageError
struct SpaceName {
  std::string name;
  MeasuredSpace (*describe)(const Flags&);
};
extern const std::vector<SpaceName> space_names;

/// The CPU's name as the operating system tells it.
std::string cpu_name();

/// The name of the GPU in use. Defined with the peers that need CUDA.
std::string cuda_device_name();

}  // namespace terrace::perf
