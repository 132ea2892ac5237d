// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Naumov's candidate list (NVR-2011-001, section 3). Two buffers; one holds the nodes of the current level, the other
// collects those whose last dependence the current level removes, found by counting down in-degrees. Where the paper
// visits candidates and tests their rows, this counts down, which tests nothing twice. O(nodes + links) work.
//
// On a device a wide level is a walk over its list (for_each_row.hpp): neighbouring threads take neighbouring links,
// and teams the nodes that have far more than others. A run of narrow levels is a chain: one team walks it with
// barriers and comes back when a level grows wide, so the host looks at a counter once per wide level and once per
// chain. All threads of the team share the links of a level, be it one node with a hundred thousand or a thousand with
// one. Host threads walk all levels in one kernel.
#pragma once

#include <type_traits>

#include "parallel/copy_to_host.hpp"
#include "parallel/host_team.hpp"
#include "parallel/team_size.hpp"
#include "sparse/count_occurrences.hpp"
#include "sparse/for_each_row.hpp"
#include "sparse/transpose.hpp"
#include "sparse/triangle.hpp"

namespace terrace::sparse {

template <class Ordinal, class Space>
struct LevelAssignment {
  parallel::Scratch<Ordinal, Space> level;  // of each node
  Ordinal levels = 0;
};

/// The state of the peeling. Levels alternate between the two buffers; `filled` counts what is in each. A walk of
/// for_each_row over the places of a wide level.
template <class Graph, class Ordinal, class Offset, class Space>
struct PeelLevels {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  struct Roots {};
  struct Chain {};

  Graph dependents;  // of each node
  Ordinal nodes = 0;
  Ordinal* in_degree;
  Ordinal* level;
  Ordinal* buffers[2];
  Ordinal* filled;    // [2], on the device
  Ordinal* progress;  // the level that the chain kernel stopped at
  Ordinal current = 0;
  Ordinal narrow = 0;  // levels at most this wide belong to a chain,
  int log2_lanes = 0;  // where at least so many threads share a node,
  bool lists = false;  // and those with far more links are listed for all

  KOKKOS_FUNCTION void push(Ordinal node, Ordinal on_level) const {
    level[node] = on_level;
    buffers[on_level % 2][parallel::fetch_increment(filled[on_level % 2])] = node;
  }

  KOKKOS_FUNCTION void remove(Offset link, Ordinal from_level) const {
    const Ordinal dependent = dependents.entries[link];
    if (parallel::fetch_decrement(in_degree[dependent]) == 1) push(dependent, from_level + 1);
  }

  KOKKOS_FUNCTION void operator()(Roots, Ordinal node) const {
    if (in_degree[node] == 0) push(node, 0);
  }

  KOKKOS_FUNCTION Ordinal node_at(Ordinal place) const { return buffers[current % 2][place]; }
  KOKKOS_FUNCTION Offset begin(Ordinal place) const { return dependents.begin(node_at(place)); }
  KOKKOS_FUNCTION Offset end(Ordinal place) const { return dependents.end(node_at(place)); }
  KOKKOS_FUNCTION void entry(Ordinal, Offset link) const { remove(link, current); }
  KOKKOS_FUNCTION void finish(Ordinal) const {}

  KOKKOS_FUNCTION void operator()(Chain, const Team& team) const {
    auto* const listed = lists ? take_list(team) : nullptr;
    Ordinal at = current;
    Ordinal width = parallel::relaxed_load(filled[at % 2]);
    while (width > 0 && width <= narrow) {
      if (listed && team.team_rank() == 0) listed[0] = 0;
      if (listed) team.team_barrier();
      remove_level(team, at, width, listed);
      team.team_barrier();
      if (listed) {
        const Ordinal count = listed[0];
        for (Ordinal k = 0; k < count; ++k) remove_share(listed[1 + k], at, team.team_rank(), team.team_size());
        if (count > 0) team.team_barrier();
      }
      if (team.team_rank() == 0) filled[at % 2] = 0;
      ++at;
      width = parallel::relaxed_load(filled[at % 2]);
      team.team_barrier();
    }
    if (team.team_rank() == 0) *progress = at;
  }

  /// Of the list of a chain.
  std::size_t scratch_bytes() const { return list_bytes() + alignof(Ordinal); }

 private:
  KOKKOS_FUNCTION std::size_t list_bytes() const { return (1 + static_cast<std::size_t>(narrow)) * sizeof(Ordinal); }

  /// How many nodes are listed, and those, in any order.
  KOKKOS_FUNCTION Ordinal* take_list(const Team& team) const {
    return static_cast<Ordinal*>(team.team_scratch(0).get_shmem_aligned(list_bytes(), alignof(Ordinal)));
  }

  /// All threads of the team, each a share of the links of a node.
  KOKKOS_FUNCTION void remove_level(const Team& team, Ordinal at, Ordinal width, Ordinal* listed) const {
    int log2_shares = log2_lanes;
    while ((static_cast<std::int64_t>(width) << (log2_shares + 1)) <= team.team_size()) ++log2_shares;
    using Count = std::make_unsigned_t<Ordinal>;
    const Count shares = static_cast<Count>(width) << log2_shares;
    for (auto share = static_cast<Count>(team.team_rank()); share < shares;
         share += static_cast<Count>(team.team_size())) {
      const Ordinal node = buffers[at % 2][share >> log2_shares];
      const int part = static_cast<int>(share & ((Count(1) << log2_shares) - 1));
      const Offset links = dependents.end(node) - dependents.begin(node);
      if (!listed || !is_long_row(links, log2_shares)) remove_share(node, at, part, 1 << log2_shares);
      else if (part == 0) listed[1 + Kokkos::atomic_fetch_add(listed, Ordinal(1))] = node;
    }
  }

  KOKKOS_FUNCTION void remove_share(Ordinal node, Ordinal at, int part, int parts) const {
    parallel::for_entries_of_lane(dependents.begin(node), dependents.end(node), part, parts,
                                  [&](Offset link) { remove(link, at); });
  }
};

/// Of a graph, on a device.
template <class Graph, class Ordinal, class Offset>
struct MeasureLinks {
  Graph graph;
  KOKKOS_FUNCTION void operator()(Ordinal node, std::size_t& sum, Offset& longest) const {
    const Offset length = graph.end(node) - graph.begin(node);
    sum += static_cast<std::size_t>(length);
    if (length > longest) longest = length;
  }
};

template <class Graph, class Ordinal, class Offset, class Space>
Ordinal peel_by_kernels(const Space& space, PeelLevels<Graph, Ordinal, Offset, Space> state) {
  using State = PeelLevels<Graph, Ordinal, Offset, Space>;
  using ChainPolicy = Kokkos::TeamPolicy<Space, typename State::Chain>;
  std::size_t links = 0;
  Offset longest = 0;
  Kokkos::parallel_reduce("terrace::sparse::measure_links", Kokkos::RangePolicy<Space>(space, 0, state.nodes),
                          MeasureLinks<Graph, Ordinal, Offset>{state.dependents}, links, Kokkos::Max<Offset>(longest));
  state.log2_lanes = log2_lanes_of(static_cast<std::size_t>(state.nodes), links);
  state.lists = is_long_row(longest, state.log2_lanes);
  const auto long_nodes = parallel::scratch_of_zeros<int>(space, "terrace::sparse::long_nodes", 1);

  const int team_size = parallel::largest_team(ChainPolicy(space, 1, 1), state);
  state.narrow = parallel::narrow_width<Ordinal, Space>(team_size);
  auto chain = parallel::one_team<ChainPolicy>(space, team_size);
  if (state.lists) chain.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(state.scratch_bytes())));
  for (;;) {
    const Ordinal width = parallel::read_on_host(space, state.filled + state.current % 2);
    if (width == 0) return state.current;
    if (width <= state.narrow) {
      Kokkos::parallel_for("terrace::sparse::peel_chain", chain, state);
      state.current = parallel::read_on_host(space, state.progress);
      continue;
    }
    for_each_row_from_zero(space, "terrace::sparse::peel_wide", width,
                           static_cast<std::size_t>(width) << state.log2_lanes, long_nodes.data(), state, state.lists);
    Kokkos::deep_copy(
        space,
        Kokkos::View<Ordinal, parallel::Device<Space>, Kokkos::MemoryUnmanaged>(state.filled + state.current % 2),
        Ordinal(0));
    ++state.current;
  }
}

/// The levels as the steps of threads that go through them together.
template <class Ordinal, class Offset, class State>
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
    for (Ordinal place = mine.begin; place < mine.end; ++place) {
      const Ordinal node = state.buffers[at % 2][place];
      for (Offset k = state.dependents.begin(node); k < state.dependents.end(node); ++k) state.remove(k, at);
    }
  }
};

/// Peels level after level; returns the number of levels.
template <class Graph, class Ordinal, class Offset, class Space>
Ordinal peel(const Space& space, PeelLevels<Graph, Ordinal, Offset, Space> state) {
  using State = PeelLevels<Graph, Ordinal, Offset, Space>;
  Kokkos::parallel_for("terrace::sparse::peel_roots",
                       Kokkos::RangePolicy<Space, typename State::Roots>(space, 0, state.nodes), state);
  if constexpr (parallel::is_host_space<Space>) {
    parallel::walk_together(space, "terrace::sparse::peel_chain", PeelTogether<Ordinal, Offset, State>{state});
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

}  // namespace terrace::sparse
