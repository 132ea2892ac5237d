// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses offset and execution space for one scalar type.
#pragma once

#include "support/choose_type.hpp"
#include "trisolve/measure_scalar.hpp"
#include "trisolve/run_solver.hpp"

namespace terrace::tools {

template <class Scalar>
Measurement<HostNumberOf<Scalar>> measure_scalar(const Request& request,
                                                 const TriangularSystem<HostNumberOf<Scalar>>& system,
                                                 ProgressLine& progress) {
  Measurement<HostNumberOf<Scalar>> result;
  const std::string space(request.space.empty() ? name_of<Kokkos::DefaultExecutionSpace> : request.space);
  choose_type(static_cast<BuiltOffsets*>(nullptr), "offset", request.offset, [&]<class Offset>(Offset*) {
    choose_type(static_cast<BuiltSpaces*>(nullptr), "space", space,
                [&]<class Space>(Space*) { run_solver<Scalar, Offset, Space>(request, system, progress, result); });
  });
  return result;
}

}  // namespace terrace::tools
