// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that threads share: each iteration is done once, by threads that prepared themselves.
#include "parallel/host_ranges.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace terrace {
namespace {

TEST(HostRanges, DoEachIterationOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7, 40})
    for (const int count : {0, 1, 1023, 5000, 100000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      parallel::for_ranges(threads, count, [&](int first, int end) {
        for (int i = first; i < end; ++i) ++done[i];
      });
      for (const auto& times : done) ASSERT_EQ(times, 1);
    }
}

TEST(HostRanges, HandOutItemsByTheirWork) {
  for (const int threads : {1, 2, 7, 40})
    for (const std::size_t large : {0, 1, 50000}) {
      std::vector<std::size_t> map{0};
      for (int i = 0; i < 3000; ++i) map.push_back(map.back() + (i == 1234 ? large : i % 3));
      std::vector<std::atomic<int>> done(map.size() - 1);
      std::atomic<int> prepared = 0;
      parallel::share_items(threads, map, [&] {
        ++prepared;
        return [&](int first, int end) {
          for (int i = first; i < end; ++i) ++done[i];
        };
      });
      for (const auto& times : done) ASSERT_EQ(times, 1);
      EXPECT_LE(prepared, threads);
    }
}

TEST(HostRanges, OfNoItemsDoNothing) {
  int done = 0;
  parallel::share_items(4, {0}, [&] { return [&](int first, int end) { done += end - first; }; });
  EXPECT_EQ(done, 0);
}

TEST(HostRanges, AddAndLowerSharedNumbers) {
  for (const int threads : {1, 4}) {
    std::int64_t sum = 0;
    int least = 1 << 30;
    parallel::for_ranges(threads, 20000, [&](int first, int end) {
      for (int i = first; i < end; ++i) {
        parallel::add_shared<std::int64_t>(threads, sum, i);
        parallel::lower_shared(least, (i * 7919) % 20000 + 3);
      }
    });
    EXPECT_EQ(sum, std::int64_t(20000) * 19999 / 2);
    EXPECT_EQ(least, 3);
  }
}

TEST(HostRanges, HaveNoMoreThreadsThanThereIsWorkFor) {
  EXPECT_EQ(parallel::threads_for_entries(8, 0), 1);
  EXPECT_EQ(parallel::threads_for_entries(8, 400'000), 1);
  EXPECT_EQ(parallel::threads_for_entries(8, 1'000'000), 4);
  EXPECT_EQ(parallel::threads_for_entries(8, 1'000'000'000), 8);
  EXPECT_EQ(parallel::threads_for_entries(1, 1'000'000'000), 1);
}

}  // namespace
}  // namespace terrace
