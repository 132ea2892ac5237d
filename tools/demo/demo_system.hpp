// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lower triangular system that the demo solves: of a Poisson matrix, or of any square matrix, made such that its
// solution exists and can be represented.
//
// The lower triangle of a real matrix is often no system that anyone would solve: its diagonal may have
// zeros, and its solution may grow from row to row until it overflows. Two remedies, each used only when
// it is needed: a diagonal of ones, and rows scaled so that what stands left of the diagonal adds up to no
// more than the diagonal itself. After the second, |x_i| <= |b_i / d_i| + max |x_j|, which cannot explode.
#pragma once

#include <variant>

#include "system/triangular_system.hpp"

namespace terrace::tools {

/// The diagonal is stored in every row, as its last entry: the peers need it, a unit one is never read by Terrace.
struct DemoSystem {
  std::string title;
  std::string remark;  ///< what was changed to make the system well-posed; empty when nothing was
  std::variant<TriangularSystem<double>, TriangularSystem<std::complex<double>>> system;
};

/// Of the 7-point finite-difference Laplacian on a cube.
DemoSystem make_poisson_system(int size);

/// T x = b for a lower triangle whose diagonal is stored last in each row. x has the length of b.
template <class Number>
void solve_by_serial_loop(const TriangularSystem<Number>& system, std::vector<Number>& x);

/// \throws Error
DemoSystem read_demo_system(const std::string& path, ProgressLine& progress);

}  // namespace terrace::tools
