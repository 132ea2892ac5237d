// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a host that go through the steps of one kernel together, and meet between two steps.
//
// How many take part shows only when they come. A kernel of as many iterations as the instance has threads may be run
// by fewer, one iteration after the other (inside a parallel region of the caller, or under a limit of the runtime); on
// a busy host a thread may come late. So nobody waits for a thread that has not come: the first one allows the others
// as long as it takes to wake them, and begins with those that are there. A thread that comes later becomes a member at
// the next meeting, or finds the walk over and leaves. A team of Kokkos waits for all its members, and has 64 at most.
//
// A meeting is a tree of counters: the last to arrive in a group goes on to the root, and the last one there does what
// one thread alone has to do, admits those that wait, and opens the next step for all. More members than cores would
// wait for each other's time slices; threads beyond that are sent away.
//
// On a busy host a member may lose its core in the middle, and each meeting then waits for a time slice of the
// scheduler: a thousand of them for a walk of a millisecond. Where the caller says how long a walk may take, the member
// that notices that it takes longer, and so has a core, does all the steps that are left.
#pragma once

#include <array>
#include <chrono>

#include "parallel/online_cores.hpp"
#include "parallel/patience.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::parallel {

class HostTeam {
 public:
  struct Member {
    unsigned rank;
    unsigned members;  // in this step: all ranks below
    unsigned step;
  };

  /// `most` threads can become members.
  explicit HostTeam(unsigned most) : most_(most), in_a_group_(std::max(4u, (most + max_groups - 1) / max_groups)) {}

  /// False when the calling thread is not needed. `next(step)` is called by one thread before each step, while nobody
  /// else works; false ends the walk.
  template <class Next>
  bool join(Member& me, const Next& next) {
    me.rank = arrived_.fetch_add(1, std::memory_order_acq_rel);
    if (me.rank >= most_) return false;
    if (me.rank == 0) {
      wait_for_others();
      open(0, next);
    }
    return wait_for_step(me, 0);
  }

  /// The end of a step: waits for the other members, and goes on to the next step with them. False: there is none.
  template <class Next>
  bool meet(Member& me, const Next& next) {
    const unsigned group = me.rank / in_a_group_, groups = (me.members - 1) / in_a_group_ + 1;
    const unsigned in_mine = std::min(in_a_group_, me.members - group * in_a_group_);
    if (is_last(groups_[group], in_mine) && (groups == 1 || is_last(root_, groups))) open(me.step + 1, next);
    return wait_for_step(me, me.step + 1);
  }

 private:
  static constexpr unsigned max_groups = 64;
  static constexpr std::uint64_t over = ~std::uint64_t(0);
  static constexpr std::chrono::microseconds waking_time{50};

  struct alignas(64) Counter {
    std::atomic<unsigned> count = 0;
  };

  static bool is_last(Counter& counter, unsigned expected) {
    if (counter.count.fetch_add(1, std::memory_order_acq_rel) + 1 != expected) return false;
    counter.count.store(0, std::memory_order_relaxed);  // before the step is opened, so all see it
    return true;
  }

  void wait_for_others() const {
    constexpr int turns_between_looks = 64;
    const auto enough = std::chrono::steady_clock::now() + waking_time;
    int turns = 0;
    while (arrived_.load(std::memory_order_acquire) < most_) {
      wait_a_little(turns);
      if (turns % turns_between_looks == 0 && std::chrono::steady_clock::now() >= enough) return;
    }
  }

  /// Steps and members are one number, so that all see the same: one more than the step, and who has joined so far.
  template <class Next>
  void open(unsigned step, const Next& next) {
    const bool goes_on = next(step);
    const auto members = std::min(arrived_.load(std::memory_order_acquire), most_);
    open_.store(goes_on ? (std::uint64_t(step) + 1) << 32 | members : over, std::memory_order_release);
  }

  /// The first step, from `earliest` on, in which this thread is a member.
  bool wait_for_step(Member& me, unsigned earliest) const {
    for (int turns = 0;; wait_a_little(turns)) {
      const std::uint64_t seen = open_.load(std::memory_order_acquire);
      if (seen == over) return false;
      const auto members = static_cast<unsigned>(seen);
      if (seen >> 32 <= earliest || members <= me.rank) continue;
      me.members = members;
      me.step = static_cast<unsigned>(seen >> 32) - 1;
      return true;
    }
  }

  const unsigned most_;
  const unsigned in_a_group_;
  alignas(64) std::atomic<std::uint64_t> open_ = 0;
  alignas(64) std::atomic<unsigned> arrived_ = 0;
  Counter root_;
  std::array<Counter, max_groups> groups_;
};

/// The rank-th of `members` equal parts of first, ..., last - 1.
template <class Index>
struct Part {
  Index begin, end;
  Part(Index first, Index last, unsigned rank, unsigned members)
      : begin(first + share(last - first, rank, members)), end(first + share(last - first, rank + 1, members)) {}

 private:
  static Index share(Index length, unsigned rank, unsigned members) {
    return static_cast<Index>(static_cast<std::uint64_t>(length) * rank / members);
  }
};

/// Body: begin(step), called by one thread, is false when there is no such step; work(step, rank, members) does the
/// rank-th of so many parts.
template <class Body>
struct WalkTogether {
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned steps_between_looks = 4;  // at the clock

  Body body;
  HostTeam* team;
  Patience patience;
  Clock::time_point begun = Clock::now();

  bool takes_too_long(unsigned step) const {
    if (step % steps_between_looks != steps_between_looks - 1) return false;
    return std::chrono::duration<double>(Clock::now() - begun).count() > patience.seconds();
  }

  bool next(unsigned step) const {
    if (!body.begin(step)) return false;
    if (!takes_too_long(step)) return true;
    do body.work(step, 0, 1);
    while (body.begin(++step));
    return false;
  }

  void operator()(unsigned) const {
    HostTeam::Member me{};
    const auto next = [this](unsigned step) { return this->next(step); };
    for (bool goes_on = team->join(me, next); goes_on; goes_on = team->meet(me, next))
      body.work(me.step, me.rank, me.members);
  }
};

template <class Body>
struct WalkAlone {
  Body body;
  void operator()(unsigned) const {
    for (unsigned step = 0; body.begin(step); ++step) body.work(step, 0, 1);
  }
};

/// All steps in one kernel, which is done when this returns, by as many threads of the instance as come.
template <class Space, class Body>
void walk_together(const Space& space, const char* label, const Body& body, Patience patience = {}) {
  static_assert(is_host_space<Space>);
  const auto threads = static_cast<unsigned>(space.concurrency());
  const unsigned members = std::min(threads, online_cores());
  if (members <= 1) return run_alone(space, label, WalkAlone<Body>{body});
  HostTeam team(members);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Space>(space, 0u, threads),
                       WalkTogether<Body>{body, &team, patience});
}

}  // namespace terrace::parallel
