// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The demo's evening: the system, the picture, one table per execution space, and what it all meant.
#pragma once

#include "demo/demo_system.hpp"
#include "support/terminal.hpp"

namespace terrace::tools {

/// Returns whether every solution was right: a backward error of at most 1e-10.
template <class Number>
bool show(const DemoSystem& demo, const TriangularSystem<Number>& system, const Terminal& terminal);

}  // namespace terrace::tools
