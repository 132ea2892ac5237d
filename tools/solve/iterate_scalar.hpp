// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration for one scalar type. CMake writes a source for each that the library was built for.
#pragma once

#include "solve/iteration.hpp"
#include "support/device_copy.hpp"

namespace terrace::tools {

template <class Scalar>
Iteration<HostNumberOf<Scalar>> iterate_scalar(const Request& request, const LinearSystem<HostNumberOf<Scalar>>& system,
                                               ProgressLine& progress);

}  // namespace terrace::tools
