// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be measured on an execution space: where its systems live, and the methods that solve them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/system.hpp"
#include "peers/triangular_method.hpp"

namespace terrace::perf {

struct MethodEntry {
  enum class Kind { Terrace, Peer };
  std::string name;
  Kind kind;
  Place place;
  Input input;
  bool has_analysis;
  MakeMethod make;
};

struct MeasuredSpace {
  std::string name;       ///< Kokkos's
  std::string processor;  ///< the CPU's or the GPU's name
  int threads;
  std::unique_ptr<System> (*make_system)(LowerTriangle, bool is_upper, int columns);
  std::vector<MethodEntry> methods;  ///< the serial loop first
};

/// Functions that describe the spaces of this build, by name. Kokkos must be initialized when they are called.
/// CMake writes the table.
struct SpaceName {
  std::string name;
  MeasuredSpace (*describe)();
};
const std::vector<SpaceName>& space_names();

/// The CPU's name as the operating system tells it.
std::string cpu_name();

/// Terrace's algorithms on `Space`.
template <class Space>
std::vector<MethodEntry> terrace_methods();

}  // namespace terrace::perf
