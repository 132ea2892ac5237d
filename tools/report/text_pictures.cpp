// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/median.hpp"
#include "report/format.hpp"

namespace terrace::tools {
namespace {

constexpr int max_bars = 16;
constexpr int longest_bar = 40;

struct Run {
  std::size_t first = 0;  ///< level
  std::size_t last = 0;   ///< level, included
  double mean_width = 0;
};

std::vector<Run> cut_into_runs(const std::vector<int>& widths) {
  const std::size_t count = std::min<std::size_t>(widths.size(), max_bars);
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

constexpr std::size_t max_columns = 60;
constexpr int max_lines = 8;

/// The decimal logarithms that are drawn, one for each column. What cannot be drawn stays at the level before.
std::vector<double> columns_of(const std::vector<double>& residuals) {
  const std::size_t count = std::min(max_columns, residuals.size());
  std::vector<double> columns;
  for (std::size_t k = 0; k < count; ++k) {
    const double residual = residuals[(k + 1) * residuals.size() / count - 1];
    const bool drawable = residual > 0 && std::isfinite(residual);
    columns.push_back(drawable ? std::log10(residual) : columns.empty() ? 0.0 : columns.back());
  }
  return columns;
}

}  // namespace

LevelStatistics level_statistics(const std::vector<int>& widths) {
  if (widths.empty()) return {};
  const double rows = std::accumulate(widths.begin(), widths.end(), 0.0);
  return {.levels = static_cast<int>(widths.size()),
          .widest = *std::max_element(widths.begin(), widths.end()),
          .mean = rows / static_cast<double>(widths.size()),
          .median = common::median(widths)};
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

std::string convergence_picture(const std::vector<double>& residuals, bool unicode) {
  if (residuals.size() < 2) return "";
  const auto columns = columns_of(residuals);
  const double top = std::ceil(*std::max_element(columns.begin(), columns.end()));
  const double bottom = std::min(std::floor(*std::min_element(columns.begin(), columns.end())), top - 1);
  const int decades_per_line = std::max(1, static_cast<int>(std::ceil((top - bottom) / max_lines)));
  std::string picture;
  for (double level = top; level >= bottom; level -= decades_per_line) {
    picture += pad_left("1e" + grouped(static_cast<std::int64_t>(level)), 7) + (unicode ? " │" : " |");
    std::string line;
    for (const double column : columns)
      line += column <= level && column > level - decades_per_line ? (unicode ? "•" : "*") : " ";
    picture += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return picture + pad_left("0", 10) +
         pad_left(grouped(static_cast<std::int64_t>(residuals.size()) - 1), columns.size()) + "\n";
}

}  // namespace terrace::tools
