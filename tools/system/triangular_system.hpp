// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// op(T) X = B on the host, with right-hand sides whose solution exists because they were made from one, and the
// componentwise backward error of a solution (common/backward_error.hpp).
#pragma once

#include "system/host_matrix.hpp"

namespace terrace::tools {

template <class Number>
struct TriangularSystem {
  HostMatrix<Number> triangle;
  Diag diag = Diag::NonUnit;  ///< Unit: ones on the diagonal, whatever is stored there
  Op op = Op::None;
  int columns = 1;        ///< right-hand sides
  std::vector<Number> b;  ///< one right-hand side after the other
};

/// Fills system.b with op(T) X for a seeded random X with parts in [-1, 1].
template <class Number>
void make_right_hand_sides(TriangularSystem<Number>& system, unsigned seed);

/// The largest over all right-hand sides; NaN when x has a NaN. 0/0 counts as 0. Computed in double.
template <class Number>
double backward_error(const TriangularSystem<Number>& system, const std::vector<Number>& x);

/// What substitution in arithmetic with `epsilon` may at most leave, with a little air.
template <class Number>
double tolerated_backward_error(const TriangularSystem<Number>& system, double epsilon);

}  // namespace terrace::tools
