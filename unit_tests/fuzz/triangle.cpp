// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/triangle.hpp"

#include <limits>

namespace terrace::fuzz {
namespace {

/// Whether an entry of a line belongs to the triangle.
bool belongs(const TriangularOptions& options, int line, int index) {
  const bool is_lower = (options.uplo == Uplo::Lower) == (options.format == Format::Csr);
  return is_lower ? index <= line : index >= line;
}

/// What must not be read becomes a NaN, at times.
void write(Draw& draw, const TriangularOptions& options, HostTriangle& triangle) {
  const bool has_poison = draw.chance(0.5);
  Rows lines(triangle.matrix.rows.size());
  for (int line = 0; line < triangle.matrix.size(); ++line)
    for (auto& [index, value] : triangle.matrix.rows[line]) {
      const bool is_read = belongs(options, line, index) && !(index == line && options.diag == Diag::Unit);
      if (!is_read && has_poison) value = std::numeric_limits<double>::quiet_NaN();
      if (belongs(options, line, index)) lines[line].emplace_back(index, value);
    }
  triangle.arrays = compress(triangle.matrix.rows);
  triangle.rows = options.format == Format::Csr ? lines : transposed(lines, triangle.matrix.size());
}

}  // namespace

HostTriangle draw_triangle(Draw& draw, const TriangularOptions& options, const ScalarTraits& traits) {
  HostTriangle triangle;
  triangle.matrix = draw_matrix(draw, triangle.request, traits);
  if (!options.check_structure) triangle.matrix.rows = sorted(triangle.matrix.rows);
  for (int line = 0; line < triangle.matrix.size() && options.stored == Stored::Triangle; ++line)
    std::erase_if(triangle.matrix.rows[line], [&](const auto& entry) { return !belongs(options, line, entry.first); });
  write(draw, options, triangle);
  return triangle;
}

void draw_triangle_values(Draw& draw, const TriangularOptions& options, const ScalarTraits& traits,
                          HostTriangle& triangle) {
  draw_values(draw, triangle.request, traits, triangle.matrix);
  write(draw, options, triangle);
}

TriangularSystem system_of(const HostTriangle& triangle, const TriangularOptions& options, Op op) {
  TriangularSystem system;
  system.rows = op == Op::None ? triangle.rows : transposed(triangle.rows, static_cast<int>(triangle.rows.size()));
  if (op == Op::ConjugateTranspose)
    for (Row& row : system.rows)
      for (auto& entry : row) entry.second = std::conj(entry.second);
  system.is_forward = (options.uplo == Uplo::Lower) == (op == Op::None);
  system.is_unit = options.diag == Diag::Unit;
  return system;
}

TriangleFacts facts_of(const HostTriangle& triangle, const TriangularOptions& options) {
  TriangleFacts facts;
  const bool is_unit = options.diag == Diag::Unit;
  const auto note_first = [](std::optional<std::int64_t>& first, int row) {
    if (!first) first = row;
  };
  for (int line = 0; line < triangle.matrix.size(); ++line) {
    bool has_diagonal = is_unit;
    for (const auto& [index, value] : triangle.matrix.rows[line]) {
      if (!belongs(options, line, index) || (index == line && is_unit)) continue;
      if (index == line) has_diagonal = true;
      if (index == line && value == Number(0.0)) note_first(facts.zero_diagonal, line);
      if (!is_finite(value)) note_first(facts.nonfinite, line);
    }
    if (!has_diagonal) note_first(facts.missing_diagonal, line);
  }
  return facts;
}

}  // namespace terrace::fuzz
