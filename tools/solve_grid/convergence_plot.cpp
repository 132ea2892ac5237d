// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve_grid/convergence_plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace terrace::tools {

std::string convergence_plot(const std::vector<double>& residuals) {
  constexpr std::size_t width = 60, height = 10;
  if (residuals.size() < 2) return {};
  const auto decade = [](double residual) {
    return std::isfinite(residual) ? std::log10(std::max(residual, 1e-300)) : 0;
  };
  double top = -HUGE_VAL, bottom = HUGE_VAL;
  for (const double residual : residuals) {
    top = std::max(top, decade(residual));
    bottom = std::min(bottom, decade(residual));
  }
  const double range = std::max(top - bottom, 1e-3);
  std::vector<std::string> lines(height, std::string(width, ' '));
  for (std::size_t column = 0; column < width; ++column) {
    const double residual = residuals[column * (residuals.size() - 1) / (width - 1)];
    const double depth = (top - decade(residual)) / range * (height - 1);
    lines[static_cast<std::size_t>(std::clamp(depth + 0.5, 0.0, double(height - 1)))][column] = '*';
  }
  std::string plot;
  for (std::size_t line = 0; line < height; ++line) {
    char label[16];
    std::snprintf(label, sizeof label, "%8.0e |", std::pow(10.0, top - range * double(line) / (height - 1)));
    plot += label + lines[line].substr(0, lines[line].find_last_not_of(' ') + 1) + "\n";
  }
  return plot;
}

}  // namespace terrace::tools
