// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nested dissection of a graph without dense rows, by the METIS that this build has: see nested_dissection.cpp.
#pragma once

#include "sparse/host_graph.hpp"

namespace terrace::ordering {

/// The vertices in their order. `weights` may be empty: ones. The order does not depend on `threads`.
std::vector<int> dissect(const sparse::HostGraph& graph, const std::vector<int>& weights, int threads);

}  // namespace terrace::ordering
