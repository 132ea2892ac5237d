// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/plane_picture.hpp"

#include <algorithm>
#include <fstream>
#include <terrace/error.hpp>

namespace terrace::tools {
namespace {

constexpr int max_cells = 400;

}  // namespace

PlanePicture::PlanePicture(const Grid& grid, int k) : grid_(grid), k_(k) {
  const int step = (std::max(grid.nx, grid.ny) + max_cells - 1) / max_cells;
  nx_ = (grid.nx + step - 1) / step;
  ny_ = (grid.ny + step - 1) / step;
  for (int j = 0; j < grid.ny; j += step)
    for (int i = 0; i < grid.nx; i += step) cells_.push_back(grid.index({i, j, k}));
}

void PlanePicture::write(const std::string& path, const std::vector<std::string>& colors) const {
  const auto color_at = [&](int i, int j) -> const std::string& {
    return colors[static_cast<std::size_t>(j) * static_cast<std::size_t>(nx_) + static_cast<std::size_t>(i)];
  };
  std::ofstream file(path);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << nx_ << " " << ny_ << "\" width=\"" << 2 * nx_
       << "\" shape-rendering=\"crispEdges\">\n<title>plane " << k_ << " of " << to_string(grid_) << "</title>\n";
  for (int j = 0; j < ny_; ++j)
    for (int i = 0, next = 0; i < nx_; i = next) {
      while (next < nx_ && color_at(next, j) == color_at(i, j)) ++next;
      file << "<rect x=\"" << i << "\" y=\"" << ny_ - 1 - j << "\" width=\"" << next - i << "\" height=\"1\" fill=\""
           << color_at(i, j) << "\"/>\n";
    }
  file << "</svg>\n";
  file.close();
  if (!file) throw Error(ErrorCode::InvalidFile, path + " cannot be written");
}

}  // namespace terrace::tools
