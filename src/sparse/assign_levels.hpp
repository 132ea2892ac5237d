// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level of every node of a dependence graph: the number of links of the longest chain that ends there.
//
// Two ways to the same numbers:
//
// sweep_levels: one thread visits the nodes in an order that respects the dependences and takes one more
// than the largest level among those it needs. O(nodes + links), no scratch; the best there is for one thread,
// and for few.
//
// peel_levels: level by level, by many threads (peel_levels.hpp).
#pragma once

#include "parallel/copy_to_host.hpp"
#include "sparse/peel_levels.hpp"

namespace terrace::sparse {

template <class Graph, class Ordinal, class Offset>
struct SweepLevels {
  Graph graph;
  Ordinal* level;  // zeros on entry
  Ordinal* levels;
  Ordinal count;
  bool gathers;
  bool backward;

  KOKKOS_FUNCTION void operator()(int) const {
    Ordinal deepest = -1;
    for (Ordinal step = 0; step < count; ++step) {
      const Ordinal node = backward ? count - 1 - step : step;
      const Ordinal mine = gathers ? one_more_than_needed(node) : pushed_on(node);
      if (mine > deepest) deepest = mine;
    }
    *levels = deepest + 1;
  }

  KOKKOS_FUNCTION Ordinal one_more_than_needed(Ordinal node) const {
    Ordinal mine = 0;
    for (Offset k = graph.begin(node); k < graph.end(node); ++k)
      if (level[graph.entries[k]] >= mine) mine = level[graph.entries[k]] + 1;
    return level[node] = mine;
  }

  KOKKOS_FUNCTION Ordinal pushed_on(Ordinal node) const {
    const Ordinal mine = level[node];
    for (Offset k = graph.begin(node); k < graph.end(node); ++k)
      if (level[graph.entries[k]] <= mine) level[graph.entries[k]] = mine + 1;
    return mine;
  }
};

template <class Ordinal, class Offset, class Space, class Graph>
LevelAssignment<Ordinal, Space> sweep_levels(const Space& space, const Graph& graph, Ordinal count, bool gathers,
                                             bool backward) {
  LevelAssignment<Ordinal, Space> result{{space, "terrace::sparse::level", static_cast<std::size_t>(count)}};
  result.level.fill(0);
  const parallel::Scratch<Ordinal, Space> levels(space, "terrace::sparse::levels", 1);
  parallel::run_alone(
      space, "terrace::sparse::sweep_levels",
      SweepLevels<Graph, Ordinal, Offset>{graph, result.level.data(), levels.data(), count, gathers, backward});
  result.levels = parallel::read_on_host<Ordinal>(space, levels.data());
  return result;
}

/// Few threads gain less from peeling than it costs: it needs the dependents, and atomics.
template <class Space>
bool sweeping_pays(const Space& space) {
  constexpr int threads_that_peel = 6;
  return parallel::is_host_space<Space> && space.concurrency() < threads_that_peel;
}

/// Of any graph of dependences with `count` nodes: its rows list what a node needs (`gathers`), or what needs it. The
/// nodes are numbered so that needs have smaller numbers, or with `backward` larger ones.
template <class Ordinal, class Offset, class Space, class Graph>
LevelAssignment<Ordinal, Space> assign_levels(const Space& space, const Graph& graph, Ordinal count, bool gathers,
                                              bool backward) {
  if (sweeping_pays(space)) return sweep_levels<Ordinal, Offset, Space>(space, graph, count, gathers, backward);
  return peel_levels<Ordinal, Offset, Space>(space, graph, count, gathers);
}

}  // namespace terrace::sparse
