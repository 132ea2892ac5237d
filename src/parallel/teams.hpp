// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A team for each item of a kernel, and loops that its members share.
//
// On a host a team is the thread that came. A team of Kokkos has memory for the threads of Kokkos alone, and more may
// come: those of a parallel region of the caller.
#pragma once

#include <cstdint>
#include <type_traits>

#include "parallel/concurrency.hpp"
#include "parallel/loops.hpp"

namespace terrace::parallel {

struct OnlyMember {
  int item;
  KOKKOS_FUNCTION int league_rank() const { return item; }
  KOKKOS_FUNCTION void team_barrier() const {}
};

template <class Space>
using TeamMember =
    std::conditional_t<is_host_space<Space>, OnlyMember, typename Kokkos::TeamPolicy<Space>::member_type>;

/// work(0) to work(count - 1).
template <class Member, class Work>
KOKKOS_FUNCTION void share(const Member& member, std::int64_t count, const Work& work) {
  if constexpr (std::is_same_v<Member, OnlyMember>) {
    for (std::int64_t k = 0; k < count; ++k) work(k);
  } else {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), work);
  }
}

/// work(k, part) for each k; a reducer of Kokkos says what becomes of the parts. All members have the result.
template <class Member, class Work, class Reducer>
KOKKOS_FUNCTION void reduce(const Member& member, std::int64_t count, const Work& work, const Reducer& reducer) {
  if constexpr (std::is_same_v<Member, OnlyMember>) {
    reducer.init(reducer.reference());
    for (std::int64_t k = 0; k < count; ++k) work(k, reducer.reference());
  } else {
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(member, count), work, reducer);
  }
}

/// By one member, with no wait for it.
template <class Member, class Work>
KOKKOS_FUNCTION void by_one(const Member& member, const Work& work) {
  if constexpr (std::is_same_v<Member, OnlyMember>) work();
  else Kokkos::single(Kokkos::PerTeam(member), work);
}

template <class Functor>
struct WithoutTeam {
  Functor functor;
  void operator()(int item) const { functor(OnlyMember{item}); }
};

/// functor(member) by a team for each of `items`.
template <class Space, class Functor>
void for_each_team(const char* label, const Space& space, int items, const Functor& functor) {
  if constexpr (is_host_space<Space>) {
    Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>> policy(space, 0, items);
    for_range(label, policy.set_chunk_size(1), WithoutTeam<Functor>{functor});
  } else {
    Kokkos::parallel_for(label, Kokkos::TeamPolicy<Space>(space, items, Kokkos::AUTO), functor);
  }
}

}  // namespace terrace::parallel
