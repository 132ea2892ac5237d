// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of the triangular solve on an execution space.
#pragma once

#include "peers/peers.hpp"
#include "triangular/cases.hpp"
#include "triangular/terrace_solver.hpp"

namespace terrace::perf {

template <class Space>
std::vector<Case> cases_on(const Flags& flags, const std::vector<Entry>& vendors) {
  const auto terrace = [](const std::string& name, const TriangularOptions& options) {
    return Entry{name, "", {Phase::Analysis, Phase::Solve}, make_on<TriangularProblem, TerraceSolver<Space>>(options)};
  };
  const std::vector<Entry> algorithms{
      terrace("automatic", {}), terrace("once", {.reuse = Reuse::Once, .check_structure = false}),
      terrace("sequential", {.algorithm = Algorithm::Sequential}),
      terrace("level_scheduled", {.algorithm = Algorithm::LevelScheduled}),
      terrace("level_scheduled_crs",
              {.algorithm = Algorithm::LevelScheduled, .storage = Storage::Crs, .rows_per_task = 1}),
      terrace("hec", {.algorithm = Algorithm::LevelScheduled, .storage = Storage::Hec}),
      terrace("sync_free_rows", {.algorithm = Algorithm::SyncFreeRows}),
      // By columns, so that what it holds can be compared with its input.
      terrace("sync_free_columns", {.format = Format::Csc, .algorithm = Algorithm::SyncFreeColumns})};
  std::vector<Entry> peers;
  if (!flags.right_layout)  // these solve with one vector, whose numbers lie side by side
    peers = {
        serial_substitution(),
        {"kokkos_kernels", "", {Phase::Analysis, Phase::Solve}, make_on<TriangularProblem, KokkosKernels<Space>>()}};
  peers.insert(peers.end(), vendors.begin(), vendors.end());
  return triangular_cases(flags, Space::name(), algorithms, peers,
                          [](LowerTriangle L, bool is_upper, int columns, Layout layout) -> std::unique_ptr<Problem> {
                            return std::make_unique<ProblemOn<Space>>(std::move(L), is_upper, columns, layout);
                          });
}

}  // namespace terrace::perf
