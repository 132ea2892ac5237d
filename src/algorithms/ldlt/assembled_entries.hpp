// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the entries of A go: an entry belongs to the front that owns its column in the order of elimination.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/ldlt/front_tree.hpp"
#include "parallel/host_array.hpp"
#include "sparse/host_triangle_view.hpp"

namespace terrace::ldlt {

/// The entries of A that are read, by fronts, in ascending order of their places.
struct AssembledEntries {
  std::vector<std::size_t> map{0};  ///< fronts + 1
  parallel::HostArray<std::size_t> target;
};

/// Front f's panel begins at panel_map[f]. Entries of the same place keep their order. `source`: where each
/// entry's value is among the triangle's. `threads` of the host take part; what they find does not depend on how many
/// they are. For offsets int and std::size_t.
template <class Offset>
AssembledEntries assemble_entries(const FrontTree& tree, const std::vector<std::size_t>& panel_map,
                                  const sparse::HostTriangleView<Offset>& triangle, int threads,
                                  parallel::HostArray<Offset>& source);

}  // namespace terrace::ldlt
