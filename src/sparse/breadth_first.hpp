// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search: which vertices hang together, and how many levels their neighbourhoods form. The neighbours of
// a vertex come in the order of their degrees (Cuthill and McKee, "Reducing the bandwidth of sparse symmetric
// matrices", Proc. ACM National Conference 24, 1969): from an end of a full band each vertex comes where the band has
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

/// Of one part of a graph after the other.
class BreadthFirst {
 public:
  explicit BreadthFirst(const HostGraph& graph) : graph_(graph), is_found_(graph.vertices(), 0) {}

  bool has_found(int vertex) const { return is_found_[vertex] != 0; }

  /// Finds the part of a vertex that was not found. Returns the number of levels: the vertex itself, its neighbours,
  /// theirs, and so on. Stops where a level has more vertices than are allowed, and returns 0.
  int find_part(int vertex, std::size_t most_in_level = std::numeric_limits<std::size_t>::max()) {
    part_.assign(1, vertex);
    is_found_[vertex] = 1;
    level_map_.assign(1, 0);
    for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = part_.size()) {
      if (end - begin > most_in_level) return 0;
      level_map_.push_back(static_cast<int>(end));
      for (std::size_t next = begin; next < end; ++next) find_neighbours(part_[next]);
    }
    return static_cast<int>(level_map_.size()) - 1;
  }

  /// The vertices of the part that was found last, level by level.
  const std::vector<int>& part() const { return part_; }

  /// Where each of its levels begins among them, and where the last ends.
  const std::vector<int>& level_map() const { return level_map_; }

  /// Levels of the part that was found last, from a vertex of its last level: with luck, as many as there can be
  /// (George and Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5, 1979, does it until the number
  /// stays).
  int levels_from_the_end() {
    for (const int vertex : part_) is_found_[vertex] = 0;
    return find_part(part_.back());
  }

 private:
  void find_neighbours(int vertex) {
    const auto found = static_cast<std::ptrdiff_t>(part_.size());
    for (std::size_t k = graph_.row_map[vertex]; k < graph_.row_map[vertex + 1]; ++k)
      if (const int neighbour = graph_.entries[k]; !is_found_[neighbour]) {
        is_found_[neighbour] = 1;
        part_.push_back(neighbour);
      }
    std::stable_sort(part_.begin() + found, part_.end(),
                     [&](int a, int b) { return graph_.degree(a) < graph_.degree(b); });
  }

  const HostGraph& graph_;
  std::vector<char> is_found_;
  std::vector<int> part_, level_map_;
};

}  // namespace terrace::sparse
