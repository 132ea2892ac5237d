// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When one thread takes over, on durations that are made up. One thread takes a second for a unit, whatever is
// predicted.
#include "parallel/parallel_watch.hpp"

#include <gtest/gtest.h>

namespace terrace::parallel {
namespace {

class Machine {
 public:
  explicit Machine(double predicted = 1.0) : watch(predicted) {}

  /// `parallel(k)`: what the k-th piece takes several threads. Returns the seconds of all pieces together.
  template <class Parallel>
  double work(int pieces, const Parallel& parallel, double units = 1) {
    double seconds = 0;
    for (int k = 0; k < pieces; ++k) {
      const bool alone = watch.wants_one_thread();
      const double took = units * (alone ? 1.0 : parallel(k));
      watch.took(units, took);
      seconds += took;
      (alone ? pieces_alone : pieces_in_parallel) += 1;
    }
    return seconds;
  }

  ParallelWatch watch;
  int pieces_alone = 0, pieces_in_parallel = 0;
};

double quiet(int) { return 0.55; }
double busy(int) { return 30.0; }

TEST(ParallelWatch, LeavesAQuietMachineToItsThreads) {
  Machine machine;
  const double seconds = machine.work(10'000, quiet);
  EXPECT_LE(machine.pieces_alone, ParallelWatch::tries_of_one_thread);
  EXPECT_LE(seconds, 1.001 * 5'500);
}

TEST(ParallelWatch, ForgivesAHiccupNowAndThen) {
  Machine machine;
  const auto with_hiccups = [](int k) { return k % 1000 == 500 ? 25.0 : 0.55; };
  machine.work(20'000, with_hiccups);
  EXPECT_LE(machine.pieces_alone, ParallelWatch::tries_of_one_thread);
}

TEST(ParallelWatch, ForgivesTwoHiccupsOnEndAfterAGoodTime) {
  Machine machine;
  machine.work(2000, quiet);
  const int alone = machine.pieces_alone;
  machine.work(100, [](int k) { return k < 2 ? 12.0 : 0.55; });
  EXPECT_EQ(machine.pieces_alone, alone);
}

TEST(ParallelWatch, LosesLittleToOneHiccupBeforeAnythingWasGained) {
  Machine machine;
  machine.work(1000, [](int k) { return k == 3 ? 40.0 : 0.55; });
  EXPECT_LE(machine.pieces_alone, ParallelWatch::tries_of_one_thread);
}

TEST(ParallelWatch, TakesOneThreadOnABusyMachine) {
  Machine machine;
  const double seconds = machine.work(1000, busy);
  EXPECT_TRUE(machine.watch.has_set_aside());
  EXPECT_LE(seconds, 1.5 * 1000);
  EXPECT_NE(machine.watch.reason().find("3e+04 ms where one takes 1e+03 ms"), std::string::npos)
      << machine.watch.reason();
}

TEST(ParallelWatch, NoticesStallsBetweenGoodTimes) {
  Machine machine;
  const auto stalling = [](int k) { return k % 10 == 0 ? 60.0 : 0.55; };
  EXPECT_LE(machine.work(2000, stalling), 1.5 * 2000);
}

/// Two hundred pieces fit between two time slices of the other process, and each slice takes as long as 300.
TEST(ParallelWatch, IsNotCalmedByShortPiecesBetweenTimeSlices) {
  Machine machine;
  int in_parallel = 0;
  const double seconds = machine.work(200'000, [&](int) { return ++in_parallel % 202 < 200 ? 0.55 : 300.0; });
  EXPECT_LE(seconds, 1.1 * 200'000);
}

TEST(ParallelWatch, NoticesThatAQuietMachineHasBecomeBusy) {
  Machine machine;
  machine.work(1000, quiet);
  EXPECT_LE(machine.work(1000, busy), 1.5 * 1000);
  EXPECT_TRUE(machine.watch.has_set_aside());
}

TEST(ParallelWatch, TriesAgainAtACostThatFades) {
  Machine machine;
  machine.work(1000, busy);
  const double early = machine.work(10'000, busy) / 10'000;
  machine.work(100'000, busy);
  const int before = machine.pieces_in_parallel;
  const double late = machine.work(100'000, busy) / 100'000;
  EXPECT_LE(early, 1.5);
  EXPECT_LE(late, 1.03);
  EXPECT_GT(machine.pieces_in_parallel, before);
}

TEST(ParallelWatch, GoesBackWhenTheMachineIsQuietAgain) {
  Machine machine;
  machine.work(100, busy);
  machine.work(20'000, quiet);
  EXPECT_FALSE(machine.watch.has_set_aside());
  EXPECT_LE(machine.work(1000, quiet), 1.02 * 550);
}

TEST(ParallelWatch, KeepsTheThreadsWhereThePredictionWasTooShort) {
  Machine machine(0.1);
  machine.work(10'000, quiet);
  EXPECT_LE(machine.pieces_alone, 2 * ParallelWatch::tries_of_one_thread);
  EXPECT_FALSE(machine.watch.has_set_aside());
}

TEST(ParallelWatch, MeasuresWhereThePredictionWasTooLong) {
  Machine machine(4.0);
  const auto slower_than_one = [](int) { return 3.0; };
  EXPECT_LE(machine.work(20'000, slower_than_one), 1.2 * 20'000);
  EXPECT_TRUE(machine.watch.has_set_aside());
}

TEST(ParallelWatch, CountsUnits) {
  Machine machine;
  machine.work(100, quiet, 32);
  machine.work(100, quiet, 1);
  EXPECT_LE(machine.pieces_alone, ParallelWatch::tries_of_one_thread);
  EXPECT_LE(machine.work(1000, busy, 8), 1.6 * 8000);
}

TEST(ParallelWatch, IsNotMisledByTheFirstTime) {
  Machine machine;
  machine.work(400, [](int k) { return k == 0 ? 1000.0 : 0.55; });
  EXPECT_LE(machine.pieces_alone, ParallelWatch::tries_of_one_thread);
  EXPECT_FALSE(machine.watch.has_set_aside());
}

}  // namespace
}  // namespace terrace::parallel
