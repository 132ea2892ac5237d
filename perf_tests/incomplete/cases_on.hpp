// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The incomplete factorizations and the iterations with them on an execution space.
#pragma once

#include "incomplete/cases.hpp"
#include "incomplete/terrace_factors.hpp"
#include "peers/kokkos_kernels_iterations.hpp"
#include "peers/peers.hpp"
#include "peers/spiluk.hpp"

namespace terrace::perf {

template <class Space>
Entry terrace_factor(const std::string& name, const IluSymbolicOptions& options, const IluFactorOptions& numeric = {}) {
  return applied_factor_entry(name, name, make_on<FactorProblem, TerraceFactor<Space>>(options, numeric, Op::None));
}

template <class Space>
Entry terrace_ilu0() {
  return started_factor_entry(
      "ilu0", "ilu0", make_on<FactorProblem, TerraceFactor<Space>>(IluSymbolicOptions{}, IluFactorOptions{}, Op::None));
}

/// The transpose is applied, which of a symmetric matrix finds the same.
template <class Space>
Entry terrace_transposed_ilu0(const std::string& name, bool prepare_transpose) {
  const IluFactorOptions numeric{.prepare_transpose = prepare_transpose};
  return applied_factor_entry(
      name, "ilu0", make_on<FactorProblem, TerraceFactor<Space>>(IluSymbolicOptions{}, numeric, Op::Transpose));
}

template <class Space>
Entry terrace_thresholds(const std::string& name, Factorization factorization) {
  const IlutOptions options{.factorization = factorization, .fill = 10, .drop_tolerance = 1e-3};
  return factor_entry(name, name, make_on<FactorProblem, TerraceThresholds<Space>>(options));
}

template <class Space>
Entry spiluk(int fill_level) {
  const std::string level = std::to_string(fill_level);
  return factor_entry("spiluk" + level, "ilu" + level, make_on<FactorProblem, Spiluk<Space>>(fill_level));
}

/// With so many right-hand sides.
template <class Space>
Entry terrace_iteration(Phase phase, int columns) {
  const std::string of = columns == 1 ? "" : "_of_" + std::to_string(columns);
  return iteration_entry((phase == Phase::BiCGStab ? "bicgstab_ilu0" : "pcg_ic0") + of, phase,
                         make_on<FactorProblem, TerraceIteration<Space>>(phase, columns));
}

template <class Space>
std::vector<Case> cases_on(const Flags& flags, const std::vector<Entry>& vendors) {
  constexpr auto pcg = Phase::ConjugateGradients, bicgstab = Phase::BiCGStab;
  std::vector<Entry> methods{
      serial_ilu0(),
      terrace_ilu0<Space>(),
      terrace_transposed_ilu0<Space>("ilu0_transposed", false),
      terrace_transposed_ilu0<Space>("ilu0_prepared", true),
      terrace_factor<Space>("ic0", {.factorization = Factorization::Cholesky}),
      terrace_factor<Space>("milu0", {}, {.relaxation = 1.0}),
      terrace_factor<Space>("mic0", {.factorization = Factorization::Cholesky}, {.relaxation = 1.0}),
      terrace_factor<Space>("ilu1", {.fill_level = 1}),
      terrace_factor<Space>("ilu2", {.fill_level = 2}),
      terrace_factor<Space>("ic1", {.factorization = Factorization::Cholesky, .fill_level = 1}),
      terrace_factor<Space>("ic2", {.factorization = Factorization::Cholesky, .fill_level = 2}),
      spiluk<Space>(0),
      spiluk<Space>(1),
      spiluk<Space>(2),
      serial_ilut(10, 1e-3),
      terrace_thresholds<Space>("ilut", Factorization::Lu),
      terrace_thresholds<Space>("ict", Factorization::Cholesky),
      serial_iteration(pcg)};
  for (const int columns : {1, 8, 32}) methods.push_back(terrace_iteration<Space>(pcg, columns));
  methods.push_back(serial_iteration(bicgstab));
  for (const int columns : {1, 8, 32}) methods.push_back(terrace_iteration<Space>(bicgstab, columns));
  for (const Phase phase : {pcg, bicgstab}) methods.push_back(kokkos_kernels_iteration<Space>(phase));
  methods.insert(methods.end(), vendors.begin(), vendors.end());
  return incomplete_cases(flags, Space::name(), std::move(methods));
}

}  // namespace terrace::perf
