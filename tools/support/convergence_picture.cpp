// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/convergence_picture.hpp"

#include <algorithm>
#include <cmath>

#include "support/format.hpp"

namespace terrace::tools {
namespace {

constexpr std::size_t widest = 60;
constexpr int highest = 8;

/// The decimal logarithms that are drawn, one for each column. What cannot be drawn stays at the level before.
std::vector<double> columns_of(const std::vector<double>& residuals) {
  const std::size_t count = std::min(widest, residuals.size());
  std::vector<double> columns;
  for (std::size_t k = 0; k < count; ++k) {
    const double residual = residuals[(k + 1) * residuals.size() / count - 1];
    const bool drawable = residual > 0 && std::isfinite(residual);
    columns.push_back(drawable ? std::log10(residual) : columns.empty() ? 0.0 : columns.back());
  }
  return columns;
}

}  // namespace

std::string convergence_picture(const std::vector<double>& residuals, bool unicode) {
  if (residuals.size() < 2) return "";
  const auto columns = columns_of(residuals);
  const double top = std::ceil(*std::max_element(columns.begin(), columns.end()));
  const double bottom = std::min(std::floor(*std::min_element(columns.begin(), columns.end())), top - 1);
  const int decades_per_line = std::max(1, static_cast<int>(std::ceil((top - bottom) / highest)));
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
