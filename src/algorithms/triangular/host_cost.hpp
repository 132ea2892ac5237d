// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a solve will cost on a host, in nanoseconds: one thread against tasks on all threads.
//
// The constants are those of one class of machine (docs/results/triangular-host.md, "How Automatic chooses on a host");
// they decide only where the two are close. With tasks, a level takes as many rounds as its tasks fill threads, and one
// hand-over; a heavy task is claimed as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace terrace::triangular {

struct HostCost {
  static constexpr int longest_piece_of_line = 96;
  static constexpr int lines_per_task = 4;
  static constexpr int rows_without_lines = 256;
  static constexpr double per_row = 5.0;
  static constexpr double per_entry = 0.6;
  static constexpr double per_level = 300.0;   // a barrier, and the imbalance around it
  static constexpr double per_start = 400.0;   // of a heavy task: what it reads first is in no cache
  static constexpr double per_solve = 5000.0;  // waking the threads
  static constexpr double must_gain = 1.2;     // what a promise has to be worth
  static constexpr double must_keep = 0.65;    // of the threads busy, for tasks of several lines
  static constexpr double heavy_task = 600.0;  // entries of a piece of a line

  int threads;
  std::int64_t rows;
  std::int64_t entries;
  int cores = threads;  // with fewer than threads, barriers wait for time slices

  double one_thread() const { return per_row * double(rows) + per_entry * double(entries); }
  bool tasks_are_heavy(std::int64_t rows_per_task) const {
    return double(entries) / double(rows) * double(rows_per_task) >= heavy_task;
  }
  bool pays(double time) const { return time * must_gain < one_thread(); }
  bool keeps_busy(double time) const { return time * must_keep * threads < one_thread(); }

  template <class Ordinal>
  double tasks(const std::vector<Ordinal>& level_offsets, bool heavy) const {
    std::int64_t rounds = 0;
    for (std::size_t level = 0; level + 1 < level_offsets.size(); ++level)
      rounds += (level_offsets[level + 1] - level_offsets[level] + threads - 1) / threads;
    const double per_task = one_thread() / std::max<double>(1, level_offsets.back());
    return double(rounds) * (per_task + (heavy ? per_start : 0.0)) + per_level * double(level_offsets.size() - 1) +
           per_solve;
  }

  std::string reason_for_one_thread() const {
    if (threads == 1) return "there is one thread";
    if (cores < threads)
      return std::to_string(threads) + " threads on " + std::to_string(cores) + " cores would wait for each other";
    if (one_thread() < 4 * per_solve) return "the matrix is too small to wake other threads for";
    return {};
  }

  std::string reason(std::int64_t row_levels, int rows_per_task, double time) const {
    char text[200];
    const double width = double(rows) / double(row_levels);
    if (pays(time))
      std::snprintf(text, sizeof text, "%.0f rows per level and tasks of up to %d rows promise %.1fx over one thread",
                    width, rows_per_task, one_thread() / time);
    else
      std::snprintf(text, sizeof text,
                    "%.0f rows per level, and tasks of up to %d rows leave too little for %d threads to gain", width,
                    rows_per_task, threads);
    return text;
  }
};

}  // namespace terrace::triangular
