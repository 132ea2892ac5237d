// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/level_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/format.hpp"
#include "support/median.hpp"

namespace terrace::tools {
namespace {

constexpr int most_bars = 16;
constexpr int longest_bar = 40;

struct Run {
  std::size_t first = 0;  ///< level
  std::size_t last = 0;   ///< level, included
  double mean_width = 0;
};

std::vector<Run> cut_into_runs(const std::vector<int>& widths) {
  const std::size_t count = std::min<std::size_t>(widths.size(), most_bars);
  std::vector<Run> runs;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t begin = k * widths.size() / count;
    const std::size_t end = (k + 1) * widths.size() / count;
    const double rows = std::accumulate(widths.data() + begin, widths.data() + end, 0.0);
    runs.push_back({begin, end - 1, rows / static_cast<double>(end - begin)});
  }
  return runs;
}

/// `length` in characters; UTF-8 has blocks of one eighth of a character.
std::string bar(double length, bool unicode) {
  static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(std::max(length, 1.0))), '#');
  const int pieces = std::max(1, static_cast<int>(std::lround(length * 8)));
  std::string text;
  for (int k = 0; k < pieces / 8; ++k) text += "█";
  return text + eighths[pieces % 8];
}

std::string name(const Run& run, std::size_t digits) {
  std::string first = pad_left(grouped(static_cast<std::int64_t>(run.first)), digits);
  if (run.first == run.last) return first;
  return first + " - " + pad_left(grouped(static_cast<std::int64_t>(run.last)), digits);
}

}  // namespace

LevelStatistics level_statistics(const std::vector<int>& widths) {
  if (widths.empty()) return {};
  const double rows = std::accumulate(widths.begin(), widths.end(), 0.0);
  return {.levels = static_cast<int>(widths.size()),
          .widest = *std::max_element(widths.begin(), widths.end()),
          .mean = rows / static_cast<double>(widths.size()),
          .median = median(widths)};
}

std::string level_picture(const std::vector<int>& widths, bool unicode) {
  if (widths.empty()) return "";
  const std::vector<Run> runs = cut_into_runs(widths);
  double longest = 0;
  for (const Run& run : runs) longest = std::max(longest, run.mean_width);
  const std::size_t digits = grouped(static_cast<std::int64_t>(widths.size())).size();
  std::string picture;
  for (const Run& run : runs) {
    picture += "  " + pad_left(name(run, digits), 2 * digits + 3) + (unicode ? " │" : " |");
    picture += bar(run.mean_width / longest * longest_bar, unicode) + " ";
    picture += grouped(std::lround(run.mean_width)) + "\n";
  }
  return picture;
}

}  // namespace terrace::tools
