// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices that the benchmarks solve: lower triangles made by seeded generators, so that anyone can make
// the same ones. They imitate the matrices of the papers in size, entries and levels; none of them is one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// Toy: some hundred to some thousand rows, the same structure. Full: the size that the papers measured.
enum class Size { Toy, Full };

struct Shape {
  std::string name;
  std::string like;                            ///< what it imitates
  std::string made;                            ///< how
  std::function<LowerTriangle(Size)> pattern;  ///< without values
  bool only_by_name = false;                   ///< left out of runs that do not ask for it
};

/// All shapes, in the order of the tables.
const std::vector<Shape>& shapes();

/// The shape of that name, or nullptr.
const Shape* find_shape(std::string_view name);

/// The shape's matrix with its values; equal calls give equal matrices.
LowerTriangle make_matrix(const Shape& shape, Size size);

}  // namespace terrace::perf
