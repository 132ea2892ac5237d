// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One linear system L x = b, or L^T x = b, on the host and in the memory of the execution space that is measured.
#pragma once

#include <memory>
#include <vector>

#include "harness/lower_triangle.hpp"
#include "peers/triangular_method.hpp"

namespace terrace::perf {

struct SystemViews {
  MatrixView matrix;
  const Real* b;
  Real* x;
};

/// What forget_solution() leaves in x.
inline constexpr Real not_a_solution = Real(1e30);

/// On a host space both places are the same memory.
class System {
 public:
  virtual ~System() = default;

  /// The matrix as rows or as columns; the columns are made when they are first asked for.
  virtual SystemViews views(Place place, Input input) = 0;

  /// Overwrites x with a number that is no solution's, so that a method that leaves rows out, or reads them too
  /// early, is found out. Not NaN: MKL's parallel solve reads x before it writes it, harmlessly otherwise.
  virtual void forget_solution(Place place) = 0;
  virtual std::vector<Real> solution(Place place) = 0;

  virtual const LowerTriangle& matrix() const = 0;
  /// Whether it is the transpose of matrix() that is solved with.
  virtual bool is_upper() const = 0;
  /// Of all columns, one behind the other; as solution().
  virtual const std::vector<Real>& right_hand_side() const = 0;
};

/// Seeded numbers between -1 and 1.
std::vector<Real> make_right_hand_side(std::size_t n);

/// The row map in ints, as the peers want it.
std::vector<int> narrow_row_map(const LowerTriangle& L);

/// The arrays of a matrix in compressed columns.
struct Columns {
  std::vector<int> column_map;
  std::vector<int> entries;
  std::vector<Real> values;
};
Columns to_columns(const LowerTriangle& L);

}  // namespace terrace::perf
