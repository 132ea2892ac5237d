// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search: which vertices hang together, and how many levels their neighbourhoods form.
#pragma once

#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::sparse {

/// Of one part of a graph after the other.
class BreadthFirst {
 public:
  explicit BreadthFirst(const HostGraph& graph) : graph_(graph), is_found_(graph.vertices(), 0) {}

  bool has_found(int vertex) const { return is_found_[vertex] != 0; }

  /// Finds the part of a vertex that was not found. Returns the number of levels: the vertex itself, its neighbours,
  /// theirs, and so on.
  int find_part(int vertex) {
    part_.assign(1, vertex);
    is_found_[vertex] = 1;
    int levels = 0;
    for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = part_.size(), ++levels)
      for (std::size_t next = begin; next < end; ++next) find_neighbours(part_[next]);
    return levels;
  }

  /// The vertices of the part that was found last, level by level.
  const std::vector<int>& part() const { return part_; }

  /// Levels of the part that was found last, from a vertex of its last level: with luck, as many as there can be
  /// (George and Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5, 1979, does it until the number
  /// stays).
  int levels_from_the_end() {
    for (const int vertex : part_) is_found_[vertex] = 0;
    return find_part(part_.back());
  }

 private:
  void find_neighbours(int vertex) {
    for (std::size_t k = graph_.row_map[vertex]; k < graph_.row_map[vertex + 1]; ++k)
      if (const int neighbour = graph_.entries[k]; !is_found_[neighbour]) {
        is_found_[neighbour] = 1;
        part_.push_back(neighbour);
      }
  }

  const HostGraph& graph_;
  std::vector<char> is_found_;
  std::vector<int> part_;
};

}  // namespace terrace::sparse
