// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a partition, its enlarged blocks and their factorization turned out to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <terrace/ilu_info.hpp>
#include <terrace/schwarz_options.hpp>

namespace terrace {

/// Of Partition.
struct PartitionInfo {
  PartitionMethod method = PartitionMethod::Metis;  ///< as it was made
  std::string reason;                               ///< why so many blocks
  std::int64_t rows = 0;                            ///< of the matrix
  std::int64_t blocks = 0;                          ///< empty ones included
  std::int64_t smallest_block = 0;                  ///< rows; of those that are not empty
  std::int64_t largest_block = 0;                   ///< rows
  std::int64_t empty_blocks = 0;                    ///< blocks without a row
  std::optional<std::int64_t> cut;                  ///< edges between blocks, where a graph was given
  std::optional<std::int64_t> disconnected_blocks;  ///< that consist of several parts, where a graph was given
  double seconds = 0;                               ///< of the host's clock
};

/// Of Subdomains.
struct SubdomainInfo {
  std::int64_t rows = 0;            ///< of A
  std::int64_t entries = 0;         ///< of A
  std::int64_t blocks = 0;          ///< empty ones included
  int overlap = 0;                  ///< layers
  std::int64_t places = 0;          ///< rows of all enlarged blocks
  std::int64_t block_entries = 0;   ///< entries of all enlarged blocks
  std::int64_t smallest_block = 0;  ///< rows of the enlarged blocks; of those that are not empty
  std::int64_t largest_block = 0;   ///< rows of an enlarged block
  std::int64_t empty_blocks = 0;    ///< blocks without a row
  std::int64_t max_copies = 0;      ///< in how many blocks one row is
  std::size_t bytes_held = 0;       ///< by the subdomains

  /// Rows of M over rows of A.
  double row_growth() const { return rows > 0 ? double(places) / double(rows) : 1; }
  /// Entries of M over entries of A.
  double entry_growth() const { return entries > 0 ? double(block_entries) / double(entries) : 1; }
};

/// Of SchwarzFactor, for the values that it saw last. What IluInfo says holds for the blocks, with rows of A; `shift`
/// is the largest of all blocks.
struct SchwarzInfo : IluInfo {
  SubdomainInfo subdomains;         ///< what the blocks are
  std::int64_t factor_entries = 0;  ///< of L and U of all blocks
  std::int64_t levels = 0;          ///< steps that depend on each other in one substitution; the deepest block's

  SchwarzAlgorithm algorithm = SchwarzAlgorithm::Blocks;  ///< as chosen
  std::string reason;                                     ///< why, in a sentence

  std::int64_t bad_blocks = 0;                  ///< blocks with a pivot that is bad or a number that is not finite
  std::optional<std::int64_t> first_bad_block;  ///< the block in which first_bad_row() is
  std::int64_t diagonal_blocks = 0;             ///< of them, how many divide by their diagonal instead

  /// Whether every block can be applied: its pivots were good, or replaced, or it divides by its diagonal.
  bool succeeded() const { return diagonal_blocks == bad_blocks && (bad_blocks > 0 || IluInfo::succeeded()); }
};

}  // namespace terrace
