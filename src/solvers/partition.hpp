// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::Partition: block numbers of the caller, of a graph's nodes, or of a grid's boxes.
#pragma once

#include <algorithm>
#include <chrono>
#include <terrace/partition.hpp>

#include "algorithms/incomplete/matrix_entries.hpp"
#include "algorithms/schwarz/partition_graph.hpp"
#include "backends/failures.hpp"
#include "backends/structure_checks.hpp"
#include "parallel/host_vectors.hpp"
#include "sparse/check_structure.hpp"

namespace terrace::schwarz {

/// Rows of a block that the library chooses: on a device some fit in the shared memory of a multiprocessor, on a host
/// the factors of one in the cache of a core.
template <class Space>
inline constexpr std::int64_t rows_of_block = parallel::is_host_space<Space> ? 8192 : 4096;

/// Kokkos counts a device's threads: so many are a multiprocessor's.
inline constexpr std::int64_t threads_of_multiprocessor = 2048;

struct ChosenBlocks {
  std::int64_t blocks;
  std::string reason;
};

template <class Space>
ChosenBlocks choose_blocks(const Space& space, std::int64_t rows) {
  const std::int64_t fitting = std::max<std::int64_t>(1, (rows + rows_of_block<Space> - 1) / rows_of_block<Space>);
  std::string reason = "blocks of some " + std::to_string(rows_of_block<Space>) + " rows";
  if constexpr (parallel::is_host_space<Space>) {
    constexpr std::int64_t least_rows = 512;
    const std::int64_t for_threads = space.concurrency() == 1 ? 1 : 4 * std::int64_t(space.concurrency());
    if (fitting >= for_threads) return {fitting, reason};
    return {std::clamp(rows / least_rows, std::int64_t(1), for_threads),
            "four for each of " + std::to_string(space.concurrency()) + " threads, of at least " +
                std::to_string(least_rows) + " rows"};
  } else {
    const std::int64_t processors = std::max<std::int64_t>(1, space.concurrency() / threads_of_multiprocessor);
    if (fitting < processors) return {fitting, reason};
    return {(fitting + processors - 1) / processors * processors,
            reason + ", a multiple of " + std::to_string(processors) + " multiprocessors"};
  }
}

template <class Ordinal>
struct FindBlockOutOfRange {
  const Ordinal* block_numbers;
  Ordinal blocks;
  Ordinal* first;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (block_numbers[row] < 0 || block_numbers[row] >= blocks) parallel::atomic_lower(*first, row);
  }
};

/// \throws Error BlockOutOfRange. Waits for the space.
template <class Space, class Ordinal>
void check_block_numbers(const Space& space, const Kokkos::View<const Ordinal*, parallel::Device<Space>>& numbers,
                         Ordinal blocks) {
  const auto rows = static_cast<Ordinal>(numbers.extent(0));
  const auto first = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::first", 1);
  Kokkos::deep_copy(space, first, rows);
  Kokkos::parallel_for("terrace::schwarz::check_block_numbers", Kokkos::RangePolicy<Space>(space, 0, rows),
                       FindBlockOutOfRange<Ordinal>{numbers.data(), blocks, first.data()});
  const Ordinal row = parallel::read_on_host<Ordinal>(space, first.data());
  if (row == rows) return;
  throw Error(ErrorCode::BlockOutOfRange,
              "row " + std::to_string(row) + " is in block " +
                  std::to_string(parallel::read_on_host<Ordinal>(space, numbers.data() + row)) + "; there are " +
                  std::to_string(blocks) + " blocks, from 0",
              row);
}

/// The pattern checked, and copied to the host.
template <class Ordinal, class Offset, class Space>
HostPattern host_pattern(const Space& space, const Kokkos::View<const Offset*, parallel::Device<Space>>& row_map,
                         const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries,
                         const Kokkos::View<const double*, parallel::Device<Space>>& weights,
                         const PartitionOptions& options) {
  HostPattern pattern;
  if (row_map.extent(0) < 2) return pattern;
  const TriangularOptions full{.stored = Stored::Full, .check_structure = options.check_structure};
  sparse::check_input<Ordinal, Offset, Space>(space, row_map, entries, static_cast<Ordinal>(row_map.extent(0) - 1),
                                              full);
  const auto host_row_map = parallel::to_host_vector<Offset>(space, row_map);
  pattern.row_map.assign(host_row_map.begin(), host_row_map.end());
  pattern.entries = parallel::to_host_vector<Ordinal>(space, entries);
  if (weights.extent(0) > 0) pattern.weights = parallel::to_host_vector<double>(space, weights);
  return pattern;
}

inline void check_nodes(std::int64_t rows, int unknowns_per_node) {
  if (unknowns_per_node < 1)
    throw Error(ErrorCode::InvalidOption,
                "unknowns_per_node is " + std::to_string(unknowns_per_node) + "; it must be at least 1");
  if (rows % unknowns_per_node != 0)
    throw Error(ErrorCode::InvalidOption,
                "there are " + std::to_string(rows) +
                    " rows, which unknowns_per_node = " + std::to_string(unknowns_per_node) + " does not divide: row " +
                    std::to_string(rows - rows % unknowns_per_node) + " is of a node that is not complete");
}

/// sqrt(|a_ii a_jj|) of zeros is replaced by |a_ij|, so that such an edge weighs one.
template <class Scalar, class Ordinal, class Offset>
struct WeighEdges {
  const Offset* row_map;
  const Ordinal* entries;
  const Scalar* values;
  const Offset* diagonal;  // position, or the row's end
  double* weights;
  Ordinal* first;  // row that is not finite

  KOKKOS_FUNCTION double diagonal_size(Ordinal row) const {
    return diagonal[row] == row_map[row + 1] ? 0.0 : static_cast<double>(Kokkos::abs(values[diagonal[row]]));
  }
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
      const double size = static_cast<double>(Kokkos::abs(values[k]));
      if (!(size <= Kokkos::Experimental::finite_max_v<double>)) parallel::atomic_lower(*first, row);
      const double scale = Kokkos::sqrt(diagonal_size(row)) * Kokkos::sqrt(diagonal_size(entries[k]));
      const double weight = scale > 0 ? size / scale : (size > 0 ? 1.0 : 0.0);
      weights[k] = weight <= Kokkos::Experimental::finite_max_v<double> ? weight : 1.0;
    }
  }
};

}  // namespace terrace::schwarz

namespace terrace {

template <class Ordinal, class Space>
Partition<Ordinal, Space>::Partition(const Space& space, numbers_type block_numbers, Ordinal blocks) try
    : block_numbers_(std::move(block_numbers)), blocks_(blocks) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  if (blocks < 1 && block_numbers_.extent(0) > 0)
    throw Error(ErrorCode::InvalidOption, "blocks is " + std::to_string(blocks) + "; there must be at least one block");
  blocks_ = std::max<Ordinal>(blocks, 0);
  info_.method = PartitionMethod::Given;
  info_.reason = "the caller gave the block numbers";
  if (block_numbers_.extent(0) > 0) schwarz::check_block_numbers<Space, Ordinal>(space, block_numbers_, blocks);
  schwarz::describe_partition(parallel::to_host_vector<Ordinal>(space, block_numbers_), blocks_, info_);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::Partition");
}

template <class Ordinal, class Space>
Partition<Ordinal, Space>::~Partition() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  block_numbers_ = {};
}

template <class Ordinal, class Offset, class Space>
Partition<Ordinal, Space> detail::GraphPartitioner<Ordinal, Offset, Space>::partition(
    const Space& space, const row_map_type& row_map, const entries_type& entries, const weights_type& weights,
    const PartitionOptions& options) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const auto start = std::chrono::steady_clock::now();
  if (options.method != PartitionMethod::Metis)
    throw Error(ErrorCode::InvalidOption, std::string("a graph is not partitioned by ") + to_string(options.method) +
                                              ": partition_grid makes boxes, and given numbers make a Partition");
  if (options.weigh_edges && weights.extent(0) != entries.extent(0))
    throw Error(ErrorCode::InvalidOption, "weigh_edges needs the values of a matrix");
  const auto pattern = schwarz::host_pattern<Ordinal, Offset, Space>(space, row_map, entries, weights, options);
  schwarz::check_nodes(pattern.rows(), options.unknowns_per_node);
  const int nodes = pattern.rows() / options.unknowns_per_node;
  schwarz::check_blocks(options.blocks, nodes, options.unknowns_per_node);
  PartitionInfo info;
  auto blocks = static_cast<std::int64_t>(options.blocks);
  info.reason = "the caller asked for so many";
  if (blocks == 0) {
    const auto chosen = schwarz::choose_blocks(space, pattern.rows());
    blocks = std::min<std::int64_t>(chosen.blocks, std::max(nodes, 1));
    info.reason = chosen.reason;
  }
  const auto graph = schwarz::make_node_graph(pattern, options.unknowns_per_node);
  const auto block_of_node = schwarz::partition_by_metis(graph, static_cast<int>(blocks));
  std::vector<int> block_of_row(static_cast<std::size_t>(pattern.rows()));
  for (std::size_t row = 0; row < block_of_row.size(); ++row)
    block_of_row[row] = block_of_node[row / static_cast<std::size_t>(options.unknowns_per_node)];
  schwarz::describe_partition(block_of_row, static_cast<int>(blocks), info);
  schwarz::describe_graph(graph, block_of_node, static_cast<int>(blocks), info);
  const auto numbers = parallel::from_host_vector(space, "terrace::schwarz::block_numbers", block_of_row);
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return detail::Access::make<Partition<Ordinal, Space>>(numbers, static_cast<Ordinal>(blocks), info);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::Partition");
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto detail::EdgeWeights<Scalar, Ordinal, Offset, Space>::weights(const Space& space,
                                                                  const typename Graph::row_map_type& row_map,
                                                                  const typename Graph::entries_type& entries,
                                                                  const values_type& values) ->
    typename Graph::weights_type try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  if (values.extent(0) != entries.extent(0))
    throw Error(ErrorCode::SizeMismatch, "there are " + std::to_string(values.extent(0)) + " values for " +
                                             std::to_string(entries.extent(0)) + " entries");
  const auto weights = parallel::uninitialized<double>(space, "terrace::schwarz::weights", entries.extent(0));
  if (row_map.extent(0) < 2) return weights;
  const auto rows = static_cast<Ordinal>(row_map.extent(0) - 1);
  const auto input =
      sparse::check_input<Ordinal, Offset, Space>(space, row_map, entries, rows, {.stored = Stored::Full});
  const auto first = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::first", 1);
  Kokkos::deep_copy(space, first, rows);
  Kokkos::parallel_for(
      "terrace::schwarz::weigh_edges", Kokkos::RangePolicy<Space>(space, 0, rows),
      schwarz::WeighEdges<Scalar, Ordinal, Offset>{row_map.data(), entries.data(), values.data(), input.diagonal.data(),
                                                   weights.data(), first.data()});
  if (const auto row = parallel::read_on_host<Ordinal>(space, first.data()); row < rows)
    throw Error(ErrorCode::InvalidOption,
                "row " + std::to_string(row) + " holds a NaN or an Inf, by which weigh_edges cannot weigh its edges",
                row);
  return weights;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::Partition");
}

template <class Space>
Partition<int, Space> partition_grid(const Space& space, const Grid& grid, const Grid& boxes,
                                     int unknowns_per_cell) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const auto start = std::chrono::steady_clock::now();
  if (grid.nx < 1 || grid.ny < 1 || grid.nz < 1)
    throw Error(ErrorCode::InvalidGrid, "the grid has " + to_string(grid) + " cells; each extent must be at least one");
  const auto check = [](const char* direction, int parts, int cells) {
    if (parts < 1 || parts > cells)
      throw Error(ErrorCode::InvalidOption, std::string("there are ") + std::to_string(parts) + " boxes in direction " +
                                                direction + ", which has " + std::to_string(cells) + " cells");
  };
  check("x", boxes.nx, grid.nx);
  check("y", boxes.ny, grid.ny);
  check("z", boxes.nz, grid.nz);
  if (unknowns_per_cell < 1)
    throw Error(ErrorCode::InvalidOption,
                "unknowns_per_cell is " + std::to_string(unknowns_per_cell) + "; it must be at least 1");
  if (grid.cells() > (std::numeric_limits<int>::max() - 1) / unknowns_per_cell)
    throw Error(ErrorCode::SizeMismatch, "the grid has " + to_string(grid) +
                                             " cells; the index type cannot count "
                                             "their unknowns");
  const auto part = [](std::int64_t at, std::int64_t parts, std::int64_t cells) {
    return static_cast<int>(((at + 1) * parts - 1) / cells);
  };
  std::vector<int> block_of_row;
  block_of_row.reserve(static_cast<std::size_t>(grid.cells()) * static_cast<std::size_t>(unknowns_per_cell));
  for (int k = 0; k < grid.nz; ++k)
    for (int j = 0; j < grid.ny; ++j)
      for (int i = 0; i < grid.nx; ++i)
        block_of_row.insert(block_of_row.end(), static_cast<std::size_t>(unknowns_per_cell),
                            static_cast<int>(boxes.index(
                                {part(i, boxes.nx, grid.nx), part(j, boxes.ny, grid.ny), part(k, boxes.nz, grid.nz)})));
  PartitionInfo info;
  info.method = PartitionMethod::Boxes;
  info.reason = to_string(boxes) + " boxes";
  schwarz::describe_partition(block_of_row, static_cast<int>(boxes.cells()), info);
  info.disconnected_blocks = 0;
  const auto numbers = parallel::from_host_vector(space, "terrace::schwarz::block_numbers", block_of_row);
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return detail::Access::make<Partition<int, Space>>(numbers, static_cast<int>(boxes.cells()), info);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::partition_grid");
}

}  // namespace terrace
