// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plane of a grid function as a picture.
#pragma once

#include <string>
#include <terrace/grid.hpp>
#include <vector>

namespace terrace::tools {

/// Writes plane k of `values` as an SVG file: blue is the least value of the plane, yellow the largest, y points up.
/// Planes of more than 400 cells along an edge are drawn from every second, third, ... cell. \throws Error InvalidFile
/// when the file cannot be written.
void write_slice_picture(const std::string& path, const Grid& grid, const std::vector<double>& values, int k);

}  // namespace terrace::tools
