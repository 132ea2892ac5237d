// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a triangular system out of any square matrix whose solution exists and can be represented.
//
// The lower triangle of a real matrix is often no system that anyone would solve: its diagonal may have
// zeros, and its solution may grow from row to row until it overflows. Two remedies, each used only when
// it is needed: a diagonal of ones, and rows scaled so that what stands left of the diagonal adds up to no
// more than the diagonal itself. After the second, |x_i| <= |b_i / d_i| + max |x_j|, which cannot explode.
#pragma once

#include <string>

#include "support/triangular_system.hpp"

namespace terrace::tools {

/// `remark` becomes a sentence on what was changed, or stays as it is.
template <class Number>
TriangularSystem<Number> make_well_posed(HostTriangle<Number> triangle, unsigned seed, std::string& remark);

}  // namespace terrace::tools
