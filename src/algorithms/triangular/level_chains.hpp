// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which levels share a kernel, and how many lanes share a row there.
//
// On a device one team walks a chain of levels that keep its threads busy for about as long as a kernel takes to start;
// on a host all levels are one chain.
#pragma once

#include <vector>

#include "algorithms/triangular/tasks.hpp"
#include "parallel/patience.hpp"
#include "parallel/team_size.hpp"

namespace terrace::triangular {

/// Levels first, ..., last - 1 in one kernel.
template <class Ordinal>
struct Chain {
  Ordinal first;
  Ordinal last;
  bool is_narrow;              // walked by one team
  int lanes = 1;               // of each row that is gathered
  bool has_long_rows = false;  // too long for those
};

/// Merges neighbouring levels that are narrow.
template <class Ordinal, class IsNarrow>
std::vector<Chain<Ordinal>> make_chains(const std::vector<Ordinal>& level_offsets, const IsNarrow& is_narrow) {
  std::vector<Chain<Ordinal>> chains;
  for (Ordinal level = 0; level + 1 < static_cast<Ordinal>(level_offsets.size()); ++level) {
    const bool narrow = is_narrow(level);
    if (narrow && !chains.empty() && chains.back().is_narrow) chains.back().last = level + 1;
    else chains.push_back({level, level + 1, narrow});
  }
  return chains;
}

/// Merges all levels on a host, and on a device neighbouring ones that are narrow.
template <class Space, class Ordinal>
std::vector<Chain<Ordinal>> chains_of(const std::vector<Ordinal>& level_offsets) {
  const auto most = parallel::narrow_width<Ordinal, Space>(parallel::chain_team_size);
  return make_chains(level_offsets,
                     [&](Ordinal level) { return level_offsets[level + 1] - level_offsets[level] <= most; });
}

/// What the host needs to enqueue a level-scheduled solve.
template <class Ordinal, class Offset>
struct LevelSolve {
  Tasks<Ordinal, Offset> tasks;
  const Ordinal* level_offsets;  // on the device
  const std::vector<Ordinal>* host_level_offsets;
  const std::vector<Chain<Ordinal>>* chains;
  const Offset* longest_rows = nullptr;  // of each level, on the device, where lanes share rows
  parallel::Patience patience = {};      // of host threads, for each chain
};

}  // namespace terrace::triangular
