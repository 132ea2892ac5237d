// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the one team is that walks a chain of narrow levels, and which levels count as narrow.
//
// On a host the team is all threads of the instance, so every level is narrow and a solve is one kernel. On a
// device it is one block: a level that one block works off about as fast as a kernel starts is narrow.
#pragma once

#include <limits>

#include "parallel/concurrency.hpp"

namespace terrace::analysis {

template <class Space, class Policy, class Functor>
int largest_team(const Space& space, const Policy& policy, const Functor& functor) {
  const int limit = policy.team_size_max(functor, Kokkos::ParallelForTag());
  if constexpr (is_host_space<Space>) return std::min(limit, static_cast<int>(space.concurrency()));
  return std::min(limit, 512);
}

/// A policy of one team. On a device it asks for a few bytes of scratch memory, which the kernels do not use:
/// Kokkos 4.7 allocates anew for every team kernel on an instance until one has asked for some, and a solve must not
/// allocate. The analysis's own chain kernels make the one allocation.
template <class Policy, class Space>
Policy one_team(const Space& space, int team_size) {
  Policy policy(space, 1, team_size);
  if constexpr (!is_host_space<Space>) policy.set_scratch_size(1, Kokkos::PerTeam(16));
  return policy;
}

template <class Ordinal, class Space>
Ordinal narrow_width(const Space&, int team_size) {
  if constexpr (is_host_space<Space>) return std::numeric_limits<Ordinal>::max();
  return static_cast<Ordinal>(2 * team_size);
}

}  // namespace terrace::analysis
