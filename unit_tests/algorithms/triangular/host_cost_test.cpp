// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which way of solving the cost model of a host prefers, on schedules of known shape.
#include "algorithms/triangular/host_cost.hpp"

#include <gtest/gtest.h>

namespace terrace::triangular {
namespace {

std::vector<int> equal_levels(int levels, int tasks_each) {
  std::vector<int> offsets;
  for (int level = 0; level <= levels; ++level) offsets.push_back(level * tasks_each);
  return offsets;
}

TEST(HostCost, ExpectsTwoThreadsToHalveTheTimeOfManyLightTasks) {
  const HostCost cost{2, 1'000'000, 3'000'000};
  const double time = cost.tasks(equal_levels(100, 200), false);
  EXPECT_NEAR(cost.one_thread() / time, 2.0, 0.1);
  EXPECT_TRUE(cost.pays(time));
}

TEST(HostCost, KeepsOneThreadWhereLevelsHoldOneTask) {
  const HostCost cost{2, 1'000'000, 3'000'000};
  EXPECT_FALSE(cost.pays(cost.tasks(equal_levels(20'000, 1), false)));
}

// The lines of elastic-hull (docs/lab/triangular-host.md): 24 rows, 35 entries in each, eight lines in a level.
TEST(HostCost, KeepsOneThreadWhereATaskHardlyTakesLongerThanItsStart) {
  const HostCost cost{2, 121'728, 4'199'064};
  EXPECT_TRUE(cost.tasks_are_heavy(24));
  EXPECT_FALSE(cost.pays(cost.tasks(equal_levels(634, 8), true)));
}

// Lines of 84 rows, as of elastic-28.
TEST(HostCost, UsesBothThreadsForHeavyTasksOfLongLines) {
  const HostCost cost{2, 65'856, 2'514'084};
  EXPECT_TRUE(cost.tasks_are_heavy(84));
  EXPECT_TRUE(cost.pays(cost.tasks(equal_levels(83, 9), true)));
}

TEST(HostCost, WantsTasksOfSeveralLinesToKeepTheThreadsBusy) {
  const HostCost cost{2, 1'000'000, 3'000'000};
  EXPECT_TRUE(cost.keeps_busy(cost.tasks(equal_levels(100, 20), false)));
  EXPECT_FALSE(cost.keeps_busy(cost.tasks(equal_levels(1000, 1), false)));
}

}  // namespace
}  // namespace terrace::triangular
