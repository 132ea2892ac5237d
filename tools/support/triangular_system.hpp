// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// op(T) X = B on the host, with right-hand sides whose solution exists because they were made from one.
#pragma once

#include <complex>
#include <vector>

#include "support/host_triangle.hpp"

namespace terrace::tools {

template <class Number>
struct TriangularSystem {
  HostTriangle<Number> triangle;
  Diag diag = Diag::NonUnit;  ///< Unit: ones on the diagonal, whatever is stored there
  Op op = Op::None;
  int columns = 1;        ///< right-hand sides
  std::vector<Number> b;  ///< one right-hand side after the other
};

/// Calls visit(row, column, value) for every term of op(T), the ones of a unit diagonal included.
template <class Number, class Visit>
void for_each_term(const TriangularSystem<Number>& system, Visit visit);

/// Fills system.b with op(T) X for a seeded random X with parts in [-1, 1].
template <class Number>
void make_right_hand_sides(TriangularSystem<Number>& system, unsigned seed);

/// Replaces every number by the nearest one that fits into single precision.
template <class Number>
void round_to_single(std::vector<Number>& numbers);

template <class Number, class Visit>
void for_each_term(const TriangularSystem<Number>& system, Visit visit) {
  const HostTriangle<Number>& T = system.triangle;
  for (int row = 0; row < T.rows; ++row) {
    if (system.diag == Diag::Unit) visit(row, row, Number(1));
    for (std::size_t k = T.row_map[row]; k < T.row_map[row + 1]; ++k) {
      const int column = T.entries[k];
      if (system.diag == Diag::Unit && column == row) continue;
      Number value = T.values[k];
      if constexpr (!std::is_same_v<Number, double>) {
        if (system.op == Op::ConjugateTranspose) value = std::conj(value);
      }
      system.op == Op::None ? visit(row, column, value) : visit(column, row, value);
    }
  }
}

}  // namespace terrace::tools
