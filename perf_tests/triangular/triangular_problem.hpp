// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One triangular system L X = B, or L^T X = B, on the host and in the memory of the execution space that is measured.
// Methods get plain pointers, so that a peer's source needs nothing but the peer's own header.
#pragma once

#include "common/harness/case.hpp"
#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// Whether a method works on host memory or on the memory of the benchmark's execution space.
enum class Place { Host, Space };

/// Whether a method is given the matrix in compressed rows or in compressed columns.
enum class Input { CompressedRows, CompressedColumns };

/// How several right-hand sides lie, in Kokkos' words: one behind the other, or side by side.
enum class Layout { Left, Right };

/// A triangular matrix with a stored diagonal, its rows or its columns, and the vectors. Not owned.
struct SystemView {
  int n;
  std::size_t nnz;
  const int* row_map;
  const int* entries;  ///< ascending in each row
  const Real* values;
  bool is_upper;
  int columns;  ///< right-hand sides
  Layout layout;
  const Real* b;
  Real* x;
};

/// What forget_solution() leaves in x.
inline constexpr Real not_a_solution = Real(1e30);

/// On a host space both places are the same memory.
class TriangularProblem : public Problem {
 public:
  TriangularProblem(LowerTriangle L, bool is_upper, int columns, Layout layout);

  /// The matrix as rows or as columns; the columns are made when they are first asked for.
  virtual SystemView view(Place place, Input input) = 0;

  /// Overwrites x with a number that is no solution's, so that a method that leaves rows out, or reads them too
  /// early, is found out. Not NaN: MKL's parallel solve reads x before it writes it, harmlessly otherwise.
  virtual void forget_solution(Place place) = 0;

  /// One column behind the other, whatever the layout.
  virtual std::vector<double> solution(Place place) = 0;

  /// n, nnz, right_hand_sides, levels, rows_per_level.
  Counters counters() const override { return counters_; }
  double check(const std::string& algorithm, Phase phase, const std::vector<double>& x) override;
  Limit limit(Phase phase) const override;
  double bytes() const override;

 protected:
  std::vector<double> by_columns(std::vector<double> numbers) const;

  bool is_upper_;
  int columns_;
  Layout layout_;
  Counters counters_;
  Rows L_;  ///< of an upper triangle the transpose
  std::vector<Real> b_, x_;
};

}  // namespace terrace::perf
