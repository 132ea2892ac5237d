// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that are bands once their rows are numbered well: chains, strips, full bands. A level of a breadth-first
// search from one end separates what lies before from what lies behind, and nothing smaller does.
#pragma once

#include <optional>
#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::ordering {

/// The vertices level by level, part after part. A level has neighbours in the levels beside it, if at all.
struct BandLevels {
  std::vector<int> vertices;
  std::vector<int> level_map{0};  ///< where each level begins, and where the last one ends
  std::vector<int> part_map{0};   ///< the first level of each part that hangs together, and where the last one ends
};

/// Nothing where more than a tenth of the edges lies in parts that are no bands, or where there are no edges. Of most
/// graphs that are none a few levels are looked at.
std::optional<BandLevels> find_band(const sparse::HostGraph& graph);

/// Nested dissection by levels (George 1973): the middle one last, before it both halves. `weights` may be empty: ones.
std::vector<int> dissect_band(const BandLevels& band, const std::vector<int>& weights);

/// From both ends to the middle, which fills no more than from one end, as two halves that know nothing of each other.
std::vector<int> order_from_both_ends(const BandLevels& band);

}  // namespace terrace::ordering
