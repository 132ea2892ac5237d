// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of the host that several threads share: they claim ranges of it, more than there are threads, until none is
// left. What is computed must not depend on where ranges begin and end, nor on who takes them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel/host_tasks.hpp"

namespace terrace::parallel {

/// Threads for a dozen loops over so many entries of a triangle. Each loop ends when its last thread has come, and
/// where the cores do other work as well, threads come late: a matrix of 130,000 entries was analyzed in 290 ms by two
/// threads on two busy cores, and in 19 ms by one.
inline int threads_for_entries(int threads, std::size_t entries) {
  constexpr std::size_t entries_of_thread = 250'000;
  return static_cast<int>(std::clamp<std::size_t>(entries / entries_of_thread, 1, static_cast<std::size_t>(threads)));
}

/// How many ranges a loop of so much work is cut into.
inline int count_ranges(int threads, std::size_t work) {
  constexpr std::size_t least = 1024;
  constexpr int ranges_per_thread = 8;
  if (threads == 1) return 1;
  return static_cast<int>(
      std::clamp<std::size_t>(work / least, 1, static_cast<std::size_t>(ranges_per_thread) * threads));
}

/// Each thread that takes part calls begin() once, for the memory it needs, and what that returns with the bounds of
/// each range that it claims. Range r goes from bound(r) to bound(r + 1).
template <class Bound, class Begin>
void share_ranges(int threads, int ranges, const Bound& bound, const Begin& begin) {
  if (ranges == 1) return begin()(bound(0), bound(1));
  std::atomic<int> claimed = 0;
  HostTasks tasks(threads);
  tasks.run([&] {
    tasks.each(0, threads, [&](int) {
      int range = claimed++;
      if (range >= ranges) return;
      auto work = begin();
      for (; range < ranges; range = claimed++) work(bound(range), bound(range + 1));
    });
  });
}

/// [0, count) in ranges of nearly equal length.
template <class Begin>
void share_loop(int threads, int count, const Begin& begin) {
  const int ranges = count_ranges(threads, static_cast<std::size_t>(count));
  share_ranges(
      threads, ranges, [=](int range) { return static_cast<int>(static_cast<std::int64_t>(count) * range / ranges); },
      begin);
}

/// The same for items of which the i-th takes map[i + 1] - map[i] of the work.
template <class Begin>
void share_items(int threads, const std::vector<std::size_t>& map, const Begin& begin) {
  const int items = static_cast<int>(map.size()) - 1, ranges = count_ranges(threads, map.back());
  const auto bound = [&](int range) {
    if (range == ranges) return items;
    const std::size_t share = map.back() / static_cast<std::size_t>(ranges) * static_cast<std::size_t>(range);
    return static_cast<int>(std::lower_bound(map.begin(), map.end() - 1, share) - map.begin());
  };
  share_ranges(threads, ranges, bound, begin);
}

/// work(first, end) for ranges that make up [0, count), by threads that need no memory.
template <class Work>
void for_ranges(int threads, int count, const Work& work) {
  share_loop(threads, count, [&] { return [&](int first, int end) { work(first, end); }; });
}

/// A number that threads add to; one thread alone does without atomic operations. Returns what it was.
template <class Number>
Number add_shared(int threads, Number& number, Number more) {
  if (threads > 1) return std::atomic_ref<Number>(number).fetch_add(more, std::memory_order_relaxed);
  const Number before = number;
  number += more;
  return before;
}

/// number = min(number, other), by any thread.
template <class Number>
void lower_shared(Number& number, Number other) {
  std::atomic_ref<Number> shared(number);
  Number seen = shared.load(std::memory_order_relaxed);
  while (other < seen && !shared.compare_exchange_weak(seen, other, std::memory_order_relaxed)) {
  }
}

}  // namespace terrace::parallel
