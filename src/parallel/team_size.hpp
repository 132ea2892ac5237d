// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the one team is that walks a chain of narrow levels on a device, and which levels count as narrow.
//
// The team is one block: a level that one block works off about as fast as a kernel starts is narrow. On a host every
// level is narrow and a solve is one kernel, whatever the number of threads: they form no team (host_team.hpp).
#pragma once

#include <limits>

#include "backends/tuned.hpp"
#include "parallel/concurrency.hpp"

namespace terrace::parallel {

/// Of the chains that solves and eliminations walk.
inline constexpr int chain_team_size = 256;

template <class Policy, class Functor>
int largest_team(const Policy& policy, const Functor& functor) {
  return std::min(policy.team_size_max(functor, Kokkos::ParallelForTag()), 512);
}

/// A policy of one team. It asks for a few bytes of scratch memory, which the kernels do not use: Kokkos 4.7 allocates
/// anew for every team kernel on an instance until one has asked for some, and a solve must not allocate. The
/// analysis's own chain kernels make the one allocation.
template <class Policy, class Space>
Policy one_team(const Space& space, int team_size) {
  static_assert(!is_host_space<Space>);
  Policy policy(space, 1, team_size);
  policy.set_scratch_size(1, Kokkos::PerTeam(16));
  return policy;
}

struct NothingToDo {
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team&) const {}
};

/// Enqueues the kernel for which Kokkos makes the one allocation, where no chain kernel goes ahead of team kernels that
/// may not allocate. Backends with engines of their own have few of those.
template <class Space>
void prepare_teams([[maybe_unused]] const Space& space) {
  if constexpr (!is_host_space<Space> && !has_tuned_engines<Space>)
    Kokkos::parallel_for("terrace::parallel::prepare_teams", one_team<Kokkos::TeamPolicy<Space>>(space, 1),
                         NothingToDo{});
}

template <class Ordinal, class Space>
Ordinal narrow_width([[maybe_unused]] int team_size) {
  if constexpr (is_host_space<Space>) return std::numeric_limits<Ordinal>::max();
  else return static_cast<Ordinal>(2 * team_size);
}

}  // namespace terrace::parallel
