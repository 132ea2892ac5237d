// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contests for one scalar type. CMake writes a source for each double-precision one.
#pragma once

#include "demo/contest.hpp"
#include "support/device_copy.hpp"

namespace terrace::tools {

template <class Scalar>
std::vector<std::unique_ptr<Contest<HostNumberOf<Scalar>>>> make_contests_in(
    const TriangularSystem<HostNumberOf<Scalar>>& system);

}  // namespace terrace::tools
