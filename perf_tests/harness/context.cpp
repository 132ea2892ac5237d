// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/context.hpp"

#include <KokkosKernels_config.h>
#include <benchmark/benchmark.h>

#include <Kokkos_Macros.hpp>

#include "build_facts.hpp"
#include "harness/commit.hpp"

namespace terrace::perf {
namespace {

// Kokkos's numbers: 40700 is 4.7.0.
std::string version(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

}  // namespace

void add_context(const MeasuredSpace& space, const std::string& command) {
  benchmark::AddCustomContext("commit", commit());
  benchmark::AddCustomContext("build_type", build_type);
  benchmark::AddCustomContext("compiler", compiler);
  benchmark::AddCustomContext("kokkos", version(KOKKOS_VERSION));
  benchmark::AddCustomContext("kokkos_kernels", version(KOKKOSKERNELS_VERSION));
  benchmark::AddCustomContext("space", space.name);
  benchmark::AddCustomContext("threads", std::to_string(space.threads));
  benchmark::AddCustomContext("cpu", cpu_name());
  benchmark::AddCustomContext("processor", space.processor);
  benchmark::AddCustomContext("command", command);
}

}  // namespace terrace::perf
