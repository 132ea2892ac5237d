// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The level of every node of a dependence graph: the number of links of the longest chain that ends there.
//
// Two ways to the same numbers:
//
// sweep_levels: one thread visits the nodes in an order that respects the dependences and takes one more
// than the largest level among those it needs. O(nodes + links), no scratch; the best there is for one thread,
// and for few.
//
// peel_levels: Naumov's candidate list (NVR-2011-001, section 3). Two buffers; one holds the nodes of the current
// level, the other collects those whose last dependence the current level removes, found by counting
// down in-degrees. A wide level is one kernel over its list. A run of narrow levels is a chain: one
// team walks it with barriers and comes back when a level grows wide, so the host looks at a counter once per
// wide level and once per chain. Host threads walk all levels in one kernel. O(nodes + links) work. Where the paper
// visits candidates and tests their rows, this counts down, which tests nothing twice.
#pragma once

#include <vector>

#include "parallel/copy_to_host.hpp"
#include "parallel/host_team.hpp"
#include "parallel/team_size.hpp"
#include "sparse/count_occurrences.hpp"
#include "sparse/transpose.hpp"
#include "sparse/triangle.hpp"

namespace terrace::sparse {

template <class Ordinal, class Space>
struct LevelAssignment {
  parallel::Scratch<Ordinal, Space> level;  // of each node
  Ordinal levels = 0;
};

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

/// The state of the peeling. Levels alternate between the two buffers; `filled` counts what is in each.
template <class Graph, class Ordinal, class Offset, class Space>
struct PeelLevels {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  struct Roots {};
  struct Wide {};
  struct Chain {};

  Graph dependents;  // of each node
  Ordinal nodes = 0;
  Ordinal* in_degree;
  Ordinal* level;
  Ordinal* buffers[2];
  Ordinal* filled;    // [2], on the device
  Ordinal* progress;  // the level that the chain kernel stopped at
  Ordinal current = 0;
  Ordinal narrow = 0;  // levels at most this wide belong to a chain

  KOKKOS_FUNCTION void push(Ordinal node, Ordinal on_level) const {
    level[node] = on_level;
    buffers[on_level % 2][parallel::fetch_increment(filled[on_level % 2])] = node;
  }

  KOKKOS_FUNCTION void remove(Ordinal node, Ordinal from_level) const {
    for (Offset k = dependents.begin(node); k < dependents.end(node); ++k) {
      const Ordinal dependent = dependents.entries[k];
      if (parallel::fetch_decrement(in_degree[dependent]) == 1) push(dependent, from_level + 1);
    }
  }

  KOKKOS_FUNCTION void operator()(Roots, Ordinal node) const {
    if (in_degree[node] == 0) push(node, 0);
  }

  KOKKOS_FUNCTION void operator()(Wide, Ordinal place) const { remove(buffers[current % 2][place], current); }

  KOKKOS_FUNCTION void operator()(Chain, const Team& team) const {
    Ordinal at = current;
    Ordinal width = parallel::relaxed_load(filled[at % 2]);
    while (width > 0 && width <= narrow) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<std::make_unsigned_t<Ordinal>>(width)),
                           [&](auto place) { remove(buffers[at % 2][place], at); });
      team.team_barrier();
      if (team.team_rank() == 0) filled[at % 2] = 0;
      ++at;
      width = parallel::relaxed_load(filled[at % 2]);
      team.team_barrier();
    }
    if (team.team_rank() == 0) *progress = at;
  }
};

template <class Graph, class Ordinal, class Offset, class Space>
Ordinal peel_by_kernels(const Space& space, PeelLevels<Graph, Ordinal, Offset, Space> state) {
  using State = PeelLevels<Graph, Ordinal, Offset, Space>;
  using ChainPolicy = Kokkos::TeamPolicy<Space, typename State::Chain>;
  const int team_size = parallel::largest_team(ChainPolicy(space, 1, 1), state);
  state.narrow = parallel::narrow_width<Ordinal, Space>(team_size);
  for (;;) {
    const Ordinal width = parallel::read_on_host(space, state.filled + state.current % 2);
    if (width == 0) return state.current;
    if (width <= state.narrow) {
      Kokkos::parallel_for("terrace::sparse::peel_chain", parallel::one_team<ChainPolicy>(space, team_size), state);
      state.current = parallel::read_on_host(space, state.progress);
      continue;
    }
    Kokkos::parallel_for("terrace::sparse::peel_wide",
                         Kokkos::RangePolicy<Space, typename State::Wide>(space, 0, width), state);
    Kokkos::deep_copy(
        space,
        Kokkos::View<Ordinal, parallel::Device<Space>, Kokkos::MemoryUnmanaged>(state.filled + state.current % 2),
        Ordinal(0));
    ++state.current;
  }
}

/// The levels as the steps of threads that go through them together.
template <class Ordinal, class State>
struct PeelTogether {
  State state;

  bool begin(unsigned step) const {
    const auto at = static_cast<Ordinal>(step);
    if (at > 0) state.filled[(at - 1) % 2] = 0;
    if (state.filled[at % 2] > 0) return true;
    *state.progress = at;
    return false;
  }

  void work(unsigned step, unsigned rank, unsigned members) const {
    const auto at = static_cast<Ordinal>(step);
    const parallel::Part<Ordinal> mine(0, state.filled[at % 2], rank, members);
    for (Ordinal place = mine.begin; place < mine.end; ++place) state.remove(state.buffers[at % 2][place], at);
  }
};

/// Peels level after level; returns the number of levels.
template <class Graph, class Ordinal, class Offset, class Space>
Ordinal peel(const Space& space, PeelLevels<Graph, Ordinal, Offset, Space> state) {
  using State = PeelLevels<Graph, Ordinal, Offset, Space>;
  Kokkos::parallel_for("terrace::sparse::peel_roots",
                       Kokkos::RangePolicy<Space, typename State::Roots>(space, 0, state.nodes), state);
  if constexpr (parallel::is_host_space<Space>) {
    parallel::walk_together(space, "terrace::sparse::peel_chain", PeelTogether<Ordinal, State>{state});
    return *state.progress;
  } else {
    return peel_by_kernels(space, state);
  }
}

template <class Graph, class Ordinal>
struct RowLengths {
  Graph graph;
  Ordinal* lengths;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    lengths[row] = static_cast<Ordinal>(graph.end(row) - graph.begin(row));
  }
};

/// Peels the graph of dependents, whose in-degrees are known.
template <class Ordinal, class Offset, class Space, class Graph>
LevelAssignment<Ordinal, Space> peel_dependents(const Space& space, const Graph& dependents,
                                                const parallel::Scratch<Ordinal, Space>& in_degree) {
  const auto count = static_cast<Ordinal>(in_degree.size());
  const parallel::Scratch<Ordinal, Space> buffer(space, "terrace::sparse::candidates", 2 * in_degree.size());
  const auto counters = parallel::scratch_of_zeros<Ordinal>(space, "terrace::sparse::filled", 3);

  LevelAssignment<Ordinal, Space> result{{space, "terrace::sparse::level", in_degree.size()}};
  PeelLevels<Graph, Ordinal, Offset, Space> state;
  state.dependents = dependents;
  state.nodes = count;
  state.in_degree = in_degree.data();
  state.level = result.level.data();
  state.buffers[0] = buffer.data();
  state.buffers[1] = buffer.data() + count;
  state.filled = counters.data();
  state.progress = counters.data() + 2;
  result.levels = peel(space, state);
  return result;
}

template <class Ordinal, class Offset, class Space, class Graph>
LevelAssignment<Ordinal, Space> peel_levels(const Space& space, const Graph& graph, Ordinal count, bool gathers) {
  const Kokkos::RangePolicy<Space> each_node(space, 0, count);
  const auto in_degree =
      parallel::scratch_of_zeros<Ordinal>(space, "terrace::sparse::in_degree", static_cast<std::size_t>(count));
  if (!gathers) {
    Kokkos::parallel_for("terrace::sparse::in_degrees", each_node,
                         CountOccurrences<Graph, Ordinal, Offset, Ordinal>{graph, in_degree.data()});
    return peel_dependents<Ordinal, Offset, Space>(space, graph, in_degree);
  }
  parallel::ScratchArrays<Space> scratch;
  const auto dependents = transpose<Ordinal, Offset>(space, graph, count, scratch);
  Kokkos::parallel_for("terrace::sparse::in_degrees", each_node, RowLengths<Graph, Ordinal>{graph, in_degree.data()});
  return peel_dependents<Ordinal, Offset, Space>(space, dependents.view(), in_degree);
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
