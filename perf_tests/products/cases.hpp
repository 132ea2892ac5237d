// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of products y = A x: every matrix with every way to keep it.
#pragma once

#include "harness/flags.hpp"
#include "products/product_problem.hpp"

namespace terrace::perf {

/// product/SPACE/MATRIX for the matrices, methods and peers that the flags ask for: making the storage, one vector,
/// eight columns at once.
std::vector<Case> product_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& methods,
                                const std::vector<Entry>& peers);

}  // namespace terrace::perf
