// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The direct factorizations on an execution space.
#pragma once

#include "direct/cases.hpp"
#include "direct/terrace_ldlt.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {

template <class Space>
Entry::Make make_ldlt(const LdltSettings& settings) {
  return [settings](Problem& problem) -> std::unique_ptr<Method> {
    if (const auto* of_real = dynamic_cast<const DirectProblem<Real>*>(&problem))
      return std::make_unique<TerraceLdlt<Space, Real>>(*of_real, settings);
    if constexpr (has_complex_scalars)
      return std::make_unique<TerraceLdlt<Space, Complex>>(dynamic_cast<const DirectProblem<Complex>&>(problem),
                                                           settings);
    else throw LeftOut("this build has no complex scalars");
  };
}

/// So many host threads do the peers have: those of --threads, or of the host's space.
template <class Space>
int peer_threads(const Flags& flags) {
  using Host = std::conditional_t<Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible, Space,
                                  Kokkos::DefaultHostExecutionSpace>;
  return flags.threads > 0 ? flags.threads : static_cast<int>(Host().concurrency());
}

/// What --ordering says. \throws UsageError
inline Ordering parse_ordering(const std::string& name) {
  if (const auto ordering = from_string<Ordering>(name); ordering && *ordering != Ordering::Given) return *ordering;
  throw UsageError("--ordering=" + name + " does not exist; choose from: automatic nd amd rcm natural multicolor");
}

/// What --scaling says; empty: nothing. \throws UsageError
inline std::optional<Scaling> parse_scaling(const std::string& name) {
  if (name.empty()) return {};
  if (const auto scaling = from_string<Scaling>(name)) return scaling;
  throw UsageError("--scaling=" + name + " does not exist; choose from: none diagonal equilibrate");
}

template <class Space>
std::vector<Case> cases_on(const Flags& flags, const std::vector<Entry>& vendors) {
  LdltSettings same;
  same.symbolic.ordering = parse_ordering(flags.ordering);
  same.symbolic.amalgamation = flags.amalgamation;
  same.symbolic.right_hand_sides = many_columns;
  same.symbolic.analysis_threads = flags.threads;
  same.scaling = parse_scaling(flags.scaling);
  LdltSettings single = same, columns = same;
  single.precision = FactorPrecision::Single;
  columns.symbolic.algorithm = LdltAlgorithm::Columns;
  std::vector<Phase> with_refinement = direct_phases;
  with_refinement.insert(with_refinement.end() - 1, Phase::Refine);

  std::vector<Entry> algorithms{{"automatic", "same", with_refinement, make_ldlt<Space>(same)}};
  if (sizeof(Real) == sizeof(double))
    algorithms.push_back({"single", "single", with_refinement, make_ldlt<Space>(single)});
  algorithms.push_back({"columns", "same", direct_phases, make_ldlt<Space>(columns)});
  return direct_cases(flags, Space::name(), algorithms, vendors,
                      {count_by_nested_dissection<Space, Real>, count_by_nested_dissection<Space, Complex>});
}

}  // namespace terrace::perf
