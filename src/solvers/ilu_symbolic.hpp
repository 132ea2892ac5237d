// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IluSymbolic: check, merge, fill, schedule.
#pragma once

#include <algorithm>
#include <terrace/ilu.hpp>
#include <utility>

#include "algorithms/incomplete/check_matrix.hpp"
#include "algorithms/incomplete/fill_levels.hpp"
#include "algorithms/incomplete/renumber.hpp"
#include "backends/elimination.hpp"
#include "backends/failures.hpp"
#include "parallel/patient_loops.hpp"

namespace terrace::incomplete {

template <class Ordinal, class Offset, class Space>
struct SymbolicState {
  IluSymbolicOptions options;
  IluSymbolicInfo info;
  ordering::Renumbering<Ordinal, Space> renumbering;
  MergedPattern<Ordinal, Offset, Space> merged;                     // renumbered
  EliminationPlanPointer<Ordinal, Offset, Space> plan;              // none for a matrix of size 0
  triangular::SharedTriangle<Ordinal, Offset, Space> lower, upper;  // of the merged pattern (ADR 17)
};

inline void check_symbolic_options(const IluSymbolicOptions& options) {
  if (options.fill_level < 0)
    throw Error(ErrorCode::InvalidOption,
                "fill_level is " + std::to_string(options.fill_level) + "; it must not be negative");
  if (!(options.max_fill >= 0)) throw Error(ErrorCode::InvalidOption, "max_fill must not be negative");
  if (options.rows_per_task < 0 || options.rows_per_task > (1 << 20))
    throw Error(ErrorCode::InvalidOption, "rows_per_task is " + std::to_string(options.rows_per_task) +
                                              "; it must lie between 0 (automatic) and 1048576");
  if (options.algorithm == Algorithm::SyncFreeColumns || options.algorithm == Algorithm::Blocked)
    throw Error(ErrorCode::InvalidOption,
                std::string("a factorization by rows has no ") + to_string(options.algorithm) + " algorithm");
}

/// A triangle of the merged pattern, which is in order.
template <class Ordinal, class Offset, class Space>
triangular::SharedTriangle<Ordinal, Offset, Space> triangle_of(const Space& space,
                                                               const MergedPattern<Ordinal, Offset, Space>& merged,
                                                               Uplo uplo, Diag diag) {
  triangular::SharedTriangle<Ordinal, Offset, Space> triangle;
  triangle.plan = triangular::make_triangle_plan<Ordinal, Offset>(space);
  auto& input = triangle.input;
  input.count = merged.count;
  input.row_map = merged.row_map;
  input.entries = merged.entries;
  input.diagonal = merged.diagonal;
  input.memory = merged.diagonal_memory;
  input.facts.may_have_long_rows = merged.may_have_long_rows;
  input.options = TriangularOptions{.uplo = uplo, .diag = diag, .stored = Stored::Full, .check_structure = false};
  return triangle;
}

/// Whether one thread will take the rows as they come, and find the mirror images of a symmetric matrix on its way.
template <class Space>
sparse::Sources sources_for(const Space& space, const IluSymbolicOptions& options) {
  const bool is_one_thread = options.algorithm == Algorithm::Sequential || options.algorithm == Algorithm::Automatic;
  const bool stay_in_place = options.fill_level == 0 && options.ordering == Ordering::Natural;
  if constexpr (parallel::is_host_space<Space>)
    if (space.concurrency() == 1 && is_one_thread && stay_in_place) return sparse::Sources::Forget;
  return sparse::Sources::Keep;
}

template <class Ordinal, class Offset, class Space>
std::shared_ptr<SymbolicState<Ordinal, Offset, Space>> make_symbolic_state() {
  return {new SymbolicState<Ordinal, Offset, Space>, [](const SymbolicState<Ordinal, Offset, Space>* last) {
            const typename parallel::Runtime<Space>::BesideOthers beside;
            delete last;
          }};
}

/// \throws Error OutOfMemory, with the caller's number of the row with most entries where there are too many.
template <class Ordinal, class Offset, class Space>
void fill_up(const Space& space, SymbolicState<Ordinal, Offset, Space>& state) try {
  const auto& options = state.options;
  if (options.fill_level == 0) return;
  state.merged =
      fill_pattern(space, options.fill_level, options.max_fill, state.merged, is_symmetric(options.factorization));
  parallel::PatientLoops::expect(state.merged.entries.extent(0));
} catch (const TooMuchFill& fill) {
  auto row = static_cast<Ordinal>(fill.row);
  if (!state.renumbering.is_natural())
    row = parallel::to_host_vector<Ordinal>(space, state.renumbering.original)[static_cast<std::size_t>(row)];
  const std::size_t entries = state.merged.entries.extent(0);
  throw Error(ErrorCode::OutOfMemory,
              "the factors of fill level " + std::to_string(state.options.fill_level) + " have more than " +
                  std::to_string(max_entries_of(state.options.max_fill, entries)) +
                  " entries, which is what max_fill allows where the pattern has " + std::to_string(entries) +
                  "; row " + std::to_string(row) + " alone has " + std::to_string(fill.row_entries) +
                  ": take a lower fill level, an ordering that eliminates such rows late, or a larger max_fill",
              row);
}

/// What follows from the merged pattern, in the order of elimination and before fill, but for the plan.
template <class Ordinal, class Offset, class Space>
void analyze_pattern(const Space& space, const sparse::CheckedInput<Ordinal, Offset, Space>& input,
                     SymbolicState<Ordinal, Offset, Space>& state) {
  state.info.colors = state.renumbering.colors;
  fill_up(space, state);
  const bool is_unit = !is_symmetric(state.options.factorization);
  state.lower = triangle_of(space, state.merged, Uplo::Lower, is_unit ? Diag::Unit : Diag::NonUnit);
  state.upper = triangle_of(space, state.merged, Uplo::Upper, Diag::NonUnit);
  auto& info = state.info;
  info.first_inserted_diagonal = input.facts.first_missing_diagonal;
  info.factor_entries = static_cast<std::int64_t>(state.merged.entries.extent(0));
  info.bytes_held = state.merged.bytes_held() + state.renumbering.bytes_held();
}

template <class Ordinal, class Offset, class Space>
void plan_elimination(const Space& space, SymbolicState<Ordinal, Offset, Space>& state) {
  state.plan = make_elimination_plan(space, state.merged, state.options, state.lower.plan, state.upper.plan);
  state.plan->describe(state.info);
}

}  // namespace terrace::incomplete

namespace terrace {

template <class Ordinal, class Offset, class Space>
IluSymbolic<Ordinal, Offset, Space>::IluSymbolic(const Space& space, row_map_type row_map, entries_type entries,
                                                 const IluSymbolicOptions& options) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(entries.extent(0));
  incomplete::check_symbolic_options(options);
  const auto state = incomplete::make_symbolic_state<Ordinal, Offset, Space>();
  state->options = options;
  auto input = incomplete::check_matrix<Ordinal, Offset, Space>(space, row_map, entries, options);
  const parallel::ScratchShare of_input(space, input.memory);
  ordering::check_given_order(options.ordering, options.permutation, input.count);
  state->info.rows = input.count;
  state->info.matrix_entries = static_cast<std::int64_t>(entries.extent(0));
  state->info.reason = "the matrix has size 0";
  state->merged.row_map = row_map;
  state->merged.entries = entries;
  if (input.count > 0) {
    state->merged = incomplete::merge_pattern(space, input, options, incomplete::sources_for(space, options));
    state->renumbering = incomplete::renumber(space, options, state->merged);
    incomplete::analyze_pattern(space, input, *state);
    incomplete::plan_elimination(space, *state);
  }
  space.fence("terrace::IluSymbolic");
  state_ = state;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IluSymbolic");
}

template <class Ordinal, class Offset, class Space>
auto IluSymbolic<Ordinal, Offset, Space>::row_map() const -> row_map_type {
  return state_->merged.row_map;
}

template <class Ordinal, class Offset, class Space>
auto IluSymbolic<Ordinal, Offset, Space>::entries() const -> entries_type {
  return state_->merged.entries;
}

template <class Ordinal, class Offset, class Space>
auto IluSymbolic<Ordinal, Offset, Space>::permutation() const -> entries_type {
  return state_->renumbering.original;
}

template <class Ordinal, class Offset, class Space>
const IluSymbolicOptions& IluSymbolic<Ordinal, Offset, Space>::options() const {
  return state_->options;
}

template <class Ordinal, class Offset, class Space>
const IluSymbolicInfo& IluSymbolic<Ordinal, Offset, Space>::info() const {
  return state_->info;
}

}  // namespace terrace
