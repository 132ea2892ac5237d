// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitions a matrix, enlarges and factorizes its blocks, and iterates with them, in one scalar type.
#pragma once

#include <algorithm>
#include <built_types.hpp>
#include <terrace/block_numbers.hpp>
#include <terrace/crs_operator.hpp>
#include <terrace/schwarz.hpp>

#include "device/crs_matrix.hpp"
#include "device/runs.hpp"
#include "solve/iterate.hpp"

namespace terrace::tools {

template <class Scalar, class Offset, class Space>
class SchwarzRunOn {
  using Number = HostNumberOf<Scalar>;
  using Device = Kokkos::Device<Space, typename Space::memory_space>;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, int, Device, void, Offset>;
  using Blocks = Partition<int, Space>;

 public:
  SchwarzRunOn(const SolveOptions& options, const LinearSystem<Number>& system, ProgressLine& progress)
      : options_(options),
        system_(system),
        progress_(progress),
        arrays_(system.matrix),
        A_(to_crs_matrix(arrays_, system.matrix.n)) {}

  Run<Number> run(const SchwarzShape& shape) {
    options_.preconditioner->schwarz = shape;
    Run<Number> run;
    run.facts.backend = Space::name();
    run.facts.threads = space_.concurrency();
    if (!blocks_ || blocks_for_ != shape.blocks) make_partition();
    run.facts.phases.push_back(partition_phase_);
    progress_.stage("enlarging the blocks");
    std::optional<Subdomains<int, Offset, Space>> subdomains;
    time_phase(space_, "subdomains", run.facts,
               [&] { subdomains.emplace(space_, A_, *blocks_, subdomain_options(options_)); });
    progress_.stage("factorizing the blocks");
    std::optional<SchwarzFactor<Scalar, int, Offset, Space>> factor;
    time_phase(space_, "factorization", run.facts, [&] {
      factor.emplace(space_, *subdomains, A_.values, schwarz_options(options_, std::max(1, system_.columns)));
    });
    const SchwarzInfo info = factor->info();
    run.facts.factor = SchwarzFacts{blocks_->info(), info};
    run.facts.bytes_held = factor->bytes_held();
    if (options_.schwarz.keeps_map) run.map = map_of(*subdomains);
    if (info.succeeded())
      iterate<Scalar, Space>(space_, options_, CrsOperator(space_, A_), *factor, system_, progress_, run);
    return run;
  }

 private:
  void make_partition() {
    progress_.stage("partitioning");
    blocks_.reset();
    RunFacts facts;
    time_phase(space_, "partition", facts, [&] { blocks_.emplace(partition()); });
    partition_phase_ = facts.phases.front();
    blocks_for_ = options_.preconditioner->schwarz->blocks;
  }

  SchwarzMap map_of(const Subdomains<int, Offset, Space>& subdomains) const {
    const auto to_host = [](const auto& view) {
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      return std::vector<int>(host.data(), host.data() + host.extent(0));
    };
    SchwarzMap map{to_host(blocks_->block_numbers()), std::vector<int>(blocks_->block_numbers().extent(0), 0)};
    for (const int row : to_host(subdomains.rows())) ++map.copies_of_row[static_cast<std::size_t>(row)];
    return map;
  }

  Blocks partition() const {
    const PartitionChoice& choice = *options_.schwarz.partition;
    if (choice.method == PartitionMethod::Metis) return Blocks(space_, A_, partition_options(options_));
    if (choice.method == PartitionMethod::Given) return read_partition(choice.word);
    const Grid& grid = *options_.schwarz.grid;
    return partition_grid(space_, grid, choice.boxes, static_cast<int>(system_.matrix.n / grid.cells()));
  }

  /// As many blocks as were asked for, or as the file has.
  Blocks read_partition(const std::string& file) const {
    const std::vector<int> numbers = read_block_numbers(file, system_.matrix.n);
    const int asked = options_.preconditioner->schwarz->blocks;
    const int found = numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
    return Blocks(space_, upload<Kokkos::View<int*, Device>>("block_numbers", numbers), asked > 0 ? asked : found);
  }

  SolveOptions options_;
  const LinearSystem<Number>& system_;
  ProgressLine& progress_;
  Space space_;
  DeviceMatrix<Scalar, Offset, Space> arrays_;
  Matrix A_;
  std::optional<Blocks> blocks_;
  int blocks_for_ = 0;  ///< how many were asked for
  Phase partition_phase_;
};

template <class Scalar>
void SchwarzRun<Scalar>::run(const Request& request, const LinearSystem<Number>& system,
                             const std::vector<SchwarzShape>& shapes, ProgressLine& progress,
                             const TakeSchwarzRun<Number>& take) {
  choose_type(static_cast<BuiltOffsets*>(nullptr), "--offset", request.offset, [&]<class Offset>(Offset*) {
    choose_space(request.space, [&]<class Space>(Space*) {
      SchwarzRunOn<Scalar, Offset, Space> runs(request.solve, system, progress);
      for (const SchwarzShape& shape : shapes) take(shape, [&] { return runs.run(shape); });
    });
  });
}

}  // namespace terrace::tools
