// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangles for draws, in the arrays in which a caller may hold them.
#pragma once

#include <cstdint>
#include <optional>

#include "fuzz/judge.hpp"

namespace terrace::fuzz {

struct HostTriangle {
  MatrixRequest request;
  HostMatrix matrix;  ///< all that the arrays hold, as the caller's lines: rows, or columns with Format::Csc
  Rows rows;          ///< of the triangle, with the diagonal where it is stored
  Arrays arrays;
};

HostTriangle draw_triangle(Draw& draw, const TriangularOptions& options, const ScalarTraits& traits);

/// Other values for the same arrays.
void draw_triangle_values(Draw& draw, const TriangularOptions& options, const ScalarTraits& traits,
                          HostTriangle& triangle);

TriangularSystem system_of(const HostTriangle& triangle, const TriangularOptions& options, Op op);

/// What info() must say.
struct TriangleFacts {
  std::optional<std::int64_t> missing_diagonal, zero_diagonal, nonfinite;
};
TriangleFacts facts_of(const HostTriangle& triangle, const TriangularOptions& options);

}  // namespace terrace::fuzz
