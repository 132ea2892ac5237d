// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that go through steps together, with more, fewer and later threads than were counted on.
#include "parallel/host_team.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace terrace::parallel {
namespace {

/// Each step adds one to every cell, in parts; begin() looks whether the step before was complete.
struct Cells {
  unsigned steps;
  std::vector<unsigned> cells = std::vector<unsigned>(1000, 0);
  std::vector<unsigned> worked = std::vector<unsigned>(512, 0);  // by rank
  bool in_order = true;

  bool begin(unsigned step) {
    in_order = in_order && std::all_of(cells.begin(), cells.end(), [&](unsigned done) { return done == step; });
    return step < steps;
  }
  void work(const HostTeam::Member& me) {
    const Part<std::size_t> mine(0, cells.size(), me.rank, me.members);
    for (std::size_t k = mine.begin; k < mine.end; ++k) ++cells[k];
    ++worked[me.rank];
  }
};

void walk(HostTeam& team, Cells& cells) {
  HostTeam::Member me{};
  const auto next = [&](unsigned step) { return cells.begin(step); };
  for (bool goes_on = team.join(me, next); goes_on; goes_on = team.meet(me, next)) cells.work(me);
}

void walk_with(unsigned threads, HostTeam& team, Cells& cells) {
  std::vector<std::thread> others;
  for (unsigned k = 0; k < threads; ++k) others.emplace_back([&] { walk(team, cells); });
  for (auto& other : others) other.join();
}

TEST(HostTeam, DoesEachStepOnceAfterTheOneBeforeWithAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 3u, 4u, 5u, 7u, 64u, 65u, 256u}) {
    SCOPED_TRACE(threads);
    Cells cells{threads > 8 ? 20u : 2000u};
    HostTeam team(threads);
    walk_with(threads, team, cells);
    EXPECT_TRUE(cells.in_order);
    EXPECT_EQ(std::count(cells.cells.begin(), cells.cells.end(), cells.steps), 1000);
  }
}

TEST(HostTeam, WaitsForNobodyThatDoesNotCome) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    Cells cells{100};
    HostTeam team(300);
    walk_with(threads, team, cells);
    EXPECT_TRUE(cells.in_order);
    EXPECT_EQ(std::count(cells.cells.begin(), cells.cells.end(), 100u), 1000);
  }
}

TEST(HostTeam, DoesAllWorkInTheFirstOfSeveralIterationsOfOneThread) {
  Cells cells{100};
  HostTeam team(4);
  for (int iteration = 0; iteration < 4; ++iteration) walk(team, cells);
  EXPECT_TRUE(cells.in_order);
  EXPECT_EQ(cells.worked[0], 100u);
  EXPECT_EQ(std::accumulate(cells.worked.begin(), cells.worked.end(), 0u), 100u);
}

TEST(HostTeam, SendsAwayThreadsBeyondItsSize) {
  Cells cells{50};
  HostTeam team(2);
  walk_with(5, team, cells);
  EXPECT_TRUE(cells.in_order);
  EXPECT_EQ(cells.worked[0], 50u);
  EXPECT_EQ(std::accumulate(cells.worked.begin() + 2, cells.worked.end(), 0u), 0u);
}

TEST(HostTeam, AdmitsALateThreadAtTheNextMeeting) {
  HostTeam team(2);
  std::atomic<bool> has_begun = false, late_has_worked = false;
  const auto next = [&](unsigned) { return !late_has_worked.load(); };
  std::thread first([&] {
    HostTeam::Member me{};
    for (bool goes_on = team.join(me, next); goes_on; goes_on = team.meet(me, next)) has_begun = true;
    EXPECT_EQ(me.rank, 0u);
  });
  while (!has_begun) std::this_thread::yield();  // longer than it waits for others at the start
  HostTeam::Member late{};
  bool goes_on = team.join(late, next);
  EXPECT_TRUE(goes_on);
  EXPECT_EQ(late.rank, 1u);
  EXPECT_EQ(late.members, 2u);
  EXPECT_GT(late.step, 0u);
  late_has_worked = true;
  while (goes_on) goes_on = team.meet(late, next);
  first.join();
}

/// Steps of a walk, and whether several threads shared one.
struct Steps {
  unsigned* begun;
  unsigned* done;
  unsigned* shared_from;  // the first step that one of several members did
  unsigned* alone_from;   // the first step that one thread did
  unsigned count;

  bool begin(unsigned step) const {
    *begun = step;
    return step < count;
  }
  void work(unsigned step, unsigned rank, unsigned members) const {
    if (rank == 0) ++*done;
    auto& first = members == 1 ? *alone_from : *shared_from;
    if (rank == 0) first = std::min(first, step);
  }
};

TEST(WalkTogether, GoesOnAloneWhenPatienceIsOverAndDoesEachStepOnce) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  for (const double seconds : {0.0, 1e-4, 1.0}) {
    SCOPED_TRACE(seconds);
    unsigned begun = 0, done = 0, shared_from = ~0u, alone_from = ~0u;
    walk_together(Space(), "terrace::test::steps", Steps{&begun, &done, &shared_from, &alone_from, 1000},
                  Patience(seconds));
    EXPECT_EQ(begun, 1000u);
    EXPECT_EQ(done, 1000u);
    if (seconds == 0) {
      EXPECT_LT(alone_from, 4u);
    }
  }
}

TEST(WalkTogether, EndsWhileMembersHaveLostTheirCores) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  if (Space().concurrency() == 1 || online_cores() == 1) GTEST_SKIP() << "one thread has nobody to wait for";
  struct Slow {
    std::atomic<unsigned>* slow_steps;
    std::atomic<unsigned>* done;
    bool begin(unsigned step) const { return step < 1000; }
    void work(unsigned, unsigned rank, unsigned) const {
      if (rank == 0) return void(++*done);
      ++*slow_steps;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  std::atomic<unsigned> slow_steps = 0, done = 0;
  walk_together(Space(), "terrace::test::slow_steps", Slow{&slow_steps, &done}, Patience(1e-3));
  EXPECT_EQ(done, 1000u);
  EXPECT_LE(slow_steps, 4u * unsigned(Space().concurrency()));
}

TEST(Part, CoversARangeWithoutGapsWhateverItsLength) {
  for (const int length : {0, 1, 3, 7, 64, 1000}) {
    for (const unsigned members : {1u, 2u, 7u, 65u}) {
      int at = 5;
      for (unsigned rank = 0; rank < members; ++rank) {
        const Part<int> part(5, 5 + length, rank, members);
        EXPECT_EQ(part.begin, at);
        EXPECT_LE(part.end - part.begin, length / static_cast<int>(members) + 1);
        at = part.end;
      }
      EXPECT_EQ(at, 5 + length);
    }
  }
}

}  // namespace
}  // namespace terrace::parallel
