// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The componentwise backward error (Oettli and Prager 1964) of a solution of op(T) X = B,
//
//     max over i of |b - op(T) x|_i / (|op(T)| |x| + |b|)_i,
//
// the smallest relative change of each entry of T and b that makes x exact. Substitution in any order
// keeps it near the unit roundoff times the number of terms in a row (Higham 2002, section 8.1), however
// ill-conditioned T is, so it tells a wrong solver from a hard system.
#pragma once

#include "support/triangular_system.hpp"

namespace terrace::tools {

/// The largest over all right-hand sides; NaN when x has a NaN. 0/0 counts as 0. Computed in double.
template <class Number>
double backward_error(const TriangularSystem<Number>& system, const std::vector<Number>& x);

/// What substitution in arithmetic with `epsilon` may at most leave, with a little air.
template <class Number>
double tolerated_backward_error(const TriangularSystem<Number>& system, double epsilon);

}  // namespace terrace::tools
