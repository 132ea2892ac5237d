// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursions of host work: everything is done once, and exceptions arrive after all of it has ended.
#include "parallel/host_tasks.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace terrace {
namespace {

TEST(HostTasks, DoEachPieceOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7, 40})
    for (const int count : {0, 1, 2, 5, 1000}) {
      parallel::HostTasks tasks(threads);
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      tasks.run([&] { tasks.each(0, count, [&](int piece) { ++done[piece]; }); });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
}

TEST(HostTasks, ThrowOneOfTheExceptionsOnceAllPiecesHaveEnded) {
  for (const int threads : {1, 4}) {
    parallel::HostTasks tasks(threads);
    std::atomic<int> done = 0;
    const auto work = [&](int piece) {
      ++done;
      if (piece % 10 == 3) throw std::runtime_error("piece");
    };
    EXPECT_THROW(tasks.run([&] { tasks.each(0, 100, work); }), std::runtime_error);
    EXPECT_EQ(done, 100);
    tasks.run([&] { tasks.both([&] { ++done; }, [&] { ++done; }); });
    EXPECT_EQ(done, 102);
  }
}

}  // namespace
}  // namespace terrace
