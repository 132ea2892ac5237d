// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the entries of A go: an entry belongs to the front that owns its column in the order of elimination.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/ldlt/front_tree.hpp"

namespace terrace::ldlt {

/// The entries of A that are read, by fronts, in ascending order of their places.
struct AssembledEntries {
  std::vector<std::size_t> map{0};  ///< fronts + 1
  std::vector<std::size_t> source;
  std::vector<std::size_t> target;
  std::vector<int> row, column;  ///< in the order of elimination, row >= column
};

/// row_map and columns are the caller's, of one triangle or both; `lower` says which is read. Front f's panel begins at
/// panel_map[f]. Entries of the same place keep their order. `threads` of the host take part; what they find does not
/// depend on how many they are. For offsets int and std::size_t.
template <class Offset>
AssembledEntries assemble_entries(const FrontTree& tree, const std::vector<std::size_t>& panel_map,
                                  const std::vector<Offset>& row_map, const std::vector<int>& columns, bool lower,
                                  int threads);

}  // namespace terrace::ldlt
