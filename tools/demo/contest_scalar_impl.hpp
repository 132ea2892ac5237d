// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contests for one scalar type on every execution space.
#pragma once

#include <built_types.hpp>

#include "demo/contest_on.hpp"
#include "demo/contest_scalar.hpp"

namespace terrace::tools {

template <class Scalar, class... Spaces>
auto make_contests_on(const TriangularSystem<HostNumberOf<Scalar>>& system, std::tuple<Spaces...>*) {
  using Offset = std::tuple_element_t<0, BuiltOffsets>;
  std::vector<std::unique_ptr<Contest<HostNumberOf<Scalar>>>> contests;
  (contests.push_back(std::make_unique<ContestOn<Scalar, Offset, Spaces>>(system)), ...);
  return contests;
}

template <class Scalar>
std::vector<std::unique_ptr<Contest<HostNumberOf<Scalar>>>> make_contests_in(
    const TriangularSystem<HostNumberOf<Scalar>>& system) {
  return make_contests_on<Scalar>(system, static_cast<BuiltSpaces*>(nullptr));
}

}  // namespace terrace::tools
