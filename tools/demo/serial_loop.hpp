// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forward substitution as one writes it down: the yardstick.
#pragma once

#include <vector>

#include "support/triangular_system.hpp"

namespace terrace::tools {

/// T x = b for a lower triangle whose diagonal is stored last in each row. x has the length of b.
template <class Number>
void solve_by_serial_loop(const TriangularSystem<Number>& system, std::vector<Number>& x);

}  // namespace terrace::tools
