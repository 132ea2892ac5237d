// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of structured grids on an execution space.
#pragma once

#include "grids/cases.hpp"
#include "grids/csr_tools.hpp"
#include "grids/structured_methods.hpp"
#include "grids/textbook_method.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {

template <class Space>
std::vector<Case> cases_on(const Flags& flags, const std::vector<Entry>& vendors) {
  std::vector<Entry> methods{
      {"structured",
       "",
       {Phase::Numeric, Phase::Apply, Phase::ApplyEight, Phase::Multiply, Phase::ConjugateGradients},
       make_on<GridProblem, StructuredMethod<Space>>()},
      textbook_entry<CsrTools<Space>>("csr"),
      grid_serial_loop()};
  methods.insert(methods.end(), vendors.begin(), vendors.end());
  const auto solver = [](const char* name, double relaxation) {
    return Entry{name, "", {Phase::Solve}, make_on<GridProblem, StructuredSolve<Space>>(relaxation)};
  };
  constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;
  return grid_cases(flags, Space::name(), is_host, std::move(methods), {solver("ic0", 0.0), solver("mic", 1.0)});
}

}  // namespace terrace::perf
