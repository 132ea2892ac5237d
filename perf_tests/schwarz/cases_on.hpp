// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Schwarz preconditioners on an execution space.
#pragma once

#include "peers/kokkos_kernels_schwarz.hpp"
#include "peers/peers.hpp"
#include "schwarz/boxes.hpp"
#include "schwarz/cases.hpp"
#include "schwarz/terrace_schwarz.hpp"

namespace terrace::perf {

template <class Space>
SchwarzSettings find_partition(const SchwarzSystem& system, int blocks, bool by_metis) {
  const auto found = [&] {
    if (!by_metis)
      return partition_grid(Space(), system.grid, choose_boxes(system.grid, blocks), system.unknowns_per_cell);
    return Partition(Space(), upload_matrix<Space>(system.A),
                     PartitionOptions{.blocks = blocks, .unknowns_per_node = system.unknowns_per_cell});
  }();
  const auto numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found.block_numbers());
  SchwarzSettings settings;
  settings.block_numbers.assign(numbers.data(), numbers.data() + numbers.extent(0));
  settings.blocks = blocks;
  settings.partition_seconds = found.info().seconds;
  return settings;
}

template <class Space>
std::vector<Case> cases_on(const Flags& flags, const std::vector<Entry>& vendors) {
  const auto terrace = [](const std::string& name, const std::string& algorithm, const std::vector<Phase>& phases,
                          FactorPrecision precision, SchwarzAlgorithm chosen, Op op = Op::None) {
    return Entry{name, algorithm, phases, make_on<SchwarzProblem, TerraceSchwarz<Space>>(precision, chosen, op)};
  };
  const std::vector<Entry> algorithms{
      terrace("automatic", "double", schwarz_phases, FactorPrecision::Same, SchwarzAlgorithm::Automatic),
      terrace("single", "single", {Phase::Numeric, Phase::Apply, Phase::Gmres, Phase::Solve}, FactorPrecision::Single,
              SchwarzAlgorithm::Automatic),
      terrace("solvers", "double", {Phase::Apply, Phase::ApplyEight, Phase::ApplyThirtyTwo}, FactorPrecision::Same,
              SchwarzAlgorithm::Solvers),
      terrace("transposed", "transposed", {Phase::Apply}, FactorPrecision::Same, SchwarzAlgorithm::Automatic,
              Op::Transpose),
      terrace("transposed_solvers", "transposed", {Phase::Apply}, FactorPrecision::Same, SchwarzAlgorithm::Solvers,
              Op::Transpose)};
  std::vector<Entry> peers{serial_schwarz(),
                           {"kokkos_kernels",
                            "double",
                            {Phase::Factorize, Phase::Apply},
                            make_on<SchwarzProblem, KokkosKernelsSchwarz<Space>>()}};
  peers.insert(peers.end(), vendors.begin(), vendors.end());
  return schwarz_cases(flags, Space::name(), algorithms, peers, find_partition<Space>);
}

}  // namespace terrace::perf
