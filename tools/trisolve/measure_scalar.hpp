// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The measurement for one scalar type. CMake writes a source for each that the library was built for.
#pragma once

#include "support/device_copy.hpp"
#include "trisolve/measurement.hpp"

namespace terrace::tools {

template <class Scalar>
Measurement<HostNumberOf<Scalar>> measure_scalar(const Request& request,
                                                 const TriangularSystem<HostNumberOf<Scalar>>& system,
                                                 ProgressLine& progress);

}  // namespace terrace::tools
