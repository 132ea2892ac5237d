// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting sorts by several threads: every entry has a place of its own in the list of its key, with tables for each
// range and with one for all.
#include "parallel/key_counts.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace terrace {
namespace {

/// Item i names the keys i, 7 i, 49 i, ...
template <class Visit>
void for_each_named(int item, int keys, int names, const Visit& visit) {
  std::int64_t key = item;
  for (int k = 0; k < names; ++k, key = 7 * key % 1'000'003) visit(static_cast<int>(key % keys));
}

TEST(KeyCounts, GiveEveryEntryAPlaceInTheListOfItsKey) {
  for (const int threads : {1, 2, 7})
    for (const int items : {0, 1, 5000})
      for (const int keys : {1, 40, 20000}) {
        constexpr int names = 10;
        const std::size_t entries = static_cast<std::size_t>(items) * names;
        parallel::KeyCounts<std::size_t> counts(threads, items, static_cast<std::size_t>(keys), entries);
        counts.for_ranges([&](int first, int end, const auto& add) {
          for (int i = first; i < end; ++i) for_each_named(i, keys, names, [&](int key) { add(key, 1); });
        });
        std::vector<std::size_t> begin(static_cast<std::size_t>(keys) + 1, 0), expected(begin);
        counts.total([&](std::size_t key, std::size_t count) { begin[key + 1] = count; });
        for (int i = 0; i < items; ++i) for_each_named(i, keys, names, [&](int key) { ++expected[key + 1]; });
        ASSERT_EQ(begin, expected);
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        counts.make_lists([&](std::size_t key) { return begin[key]; });
        std::vector<std::atomic<int>> taken(entries);
        counts.for_ranges([&](int first, int end, const auto& add) {
          for (int i = first; i < end; ++i)
            for_each_named(i, keys, names, [&](int key) {
              const std::size_t place = add(key, 1);
              EXPECT_TRUE(begin[key] <= place && place < begin[key + 1]);
              ++taken[place];
            });
        });
        for (const auto& times : taken) ASSERT_EQ(times, 1);
      }
}

TEST(KeyCounts, AddUpWhateverTheyAreGiven) {
  for (const int threads : {1, 3}) {
    parallel::KeyCounts<std::uint64_t> sums(threads, 3000, 2, 6000);
    sums.for_ranges([&](int first, int end, const auto& add) {
      for (int i = first; i < end; ++i) add(i % 2, static_cast<std::uint64_t>(i));
    });
    std::vector<std::uint64_t> found(2);
    sums.total([&](std::size_t key, std::uint64_t sum) { found[key] = sum; });
    EXPECT_EQ(found, (std::vector<std::uint64_t>{1499 * 1500, 1500 * 1500}));
  }
}

}  // namespace
}  // namespace terrace
