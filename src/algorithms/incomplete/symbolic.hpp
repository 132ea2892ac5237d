// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IluSymbolic: check, merge, fill, schedule.
#pragma once

#include <algorithm>
#include <terrace/ilu.hpp>
#include <utility>

#include "algorithms/analysis/failures.hpp"
#include "algorithms/incomplete/fill_levels.hpp"
#include "algorithms/ordering/permute_pattern.hpp"
#include "backends/dispatch.hpp"

namespace terrace::incomplete {

/// What a space's elimination knows of the pattern.
template <class Ordinal, class Offset, class Space>
using Plan = decltype(plan_elimination(
    std::declval<const Space&>(), std::declval<const MergedPattern<Ordinal, Offset, Space>&>(),
    std::declval<const IluSymbolicOptions&>(), KnownTriangle<Ordinal, Offset, Space>(),
    KnownTriangle<Ordinal, Offset, Space>()));

template <class Ordinal, class Offset, class Space>
struct SymbolicState {
  IluSymbolicOptions options;
  IluSymbolicInfo info;
  ordering::Renumbering<Ordinal, Space> renumbering;
  MergedPattern<Ordinal, Offset, Space> merged;  // renumbered
  Plan<Ordinal, Offset, Space> plan;
  triangular::SharedTriangle<Ordinal, Offset, Space> lower, upper;  // of the merged pattern (ADR 17)
};

inline void check_symbolic_options(const IluSymbolicOptions& options) {
  if (options.fill_level < 0)
    throw Error(ErrorCode::InvalidOption,
                "fill_level is " + std::to_string(options.fill_level) + "; it must not be negative");
  if (options.rows_per_task < 0 || options.rows_per_task > (1 << 20))
    throw Error(ErrorCode::InvalidOption, "rows_per_task is " + std::to_string(options.rows_per_task) +
                                              "; it must lie between 0 (automatic) and 1048576");
  if (options.algorithm == Algorithm::SyncFreeColumns || options.algorithm == Algorithm::Blocked)
    throw Error(ErrorCode::InvalidOption,
                std::string("a factorization by rows has no ") + to_string(options.algorithm) + " algorithm");
}

inline void check_square(std::int64_t rows, std::int64_t columns) {
  if (rows != columns)
    throw Error(ErrorCode::NotSquare, "the matrix is " + std::to_string(rows) + "x" + std::to_string(columns) +
                                          "; a factorization needs a square matrix");
}

inline void check_number_of_values(std::size_t values, std::int64_t entries) {
  if (static_cast<std::int64_t>(values) != entries)
    throw Error(ErrorCode::SizeMismatch,
                "there are " + std::to_string(values) + " values for " + std::to_string(entries) + " entries");
}

inline void check_diagonals(const analysis::StructureFindings& findings, const IluSymbolicOptions& options) {
  const auto row = findings.first[analysis::StructureFindings::MissingDiagonal];
  if (row >= 0 && !options.insert_missing_diagonal)
    throw Error(ErrorCode::MissingDiagonal,
                "row " + std::to_string(row) + " stores no diagonal entry (insert_missing_diagonal gives it a zero)",
                row);
}

/// The mirrored triangle may hold nearly twice as many entries as were given.
template <class Offset>
void check_countable(std::size_t entries, std::size_t rows) {
  if (2 * entries + rows > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
    throw Error(ErrorCode::OutOfMemory, "the factors have more entries than the row map's type can count");
}

template <class Ordinal, class Offset, class Space>
analysis::CheckedInput<Ordinal, Offset, Space> check_matrix(
    const Space& space, const Kokkos::View<const Offset*, analysis::Device<Space>>& row_map,
    const Kokkos::View<const Ordinal*, analysis::Device<Space>>& entries, const IluSymbolicOptions& options) {
  const std::size_t rows = row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1;
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()) - 1)
    throw Error(ErrorCode::SizeMismatch,
                "the matrix has " + std::to_string(rows) + " rows; the index type cannot count them");
  const auto count = static_cast<Ordinal>(rows);
  if (count == 0 && entries.extent(0) > 0)
    throw Error(ErrorCode::InvalidRowMap, "row_map has no rows, but there are entries");
  const TriangularOptions full{.stored = Stored::Full, .check_structure = options.check_structure};
  if (count == 0) return {0, row_map, entries, {}, {}, full, {}};
  const auto input = analysis::check_input<Ordinal, Offset, Space>(space, row_map, entries, count, full);
  check_diagonals(input.findings, options);
  if (is_symmetric(options.factorization) || options.insert_missing_diagonal)
    check_countable<Offset>(entries.extent(0), rows);
  return input;
}

/// Orders the rows of a pattern without fill, whose values each entry remembers.
template <class Ordinal, class Offset, class Space>
ordering::Renumbering<Ordinal, Space> renumber(const Space& space, Ordering order,
                                               MergedPattern<Ordinal, Offset, Space>& merged) {
  const auto renumbering = ordering::order_rows(space, order, merged);
  if (renumbering.is_natural()) return renumbering;
  const auto permuted = ordering::permute_pattern(space, merged, renumbering.original);
  merged =
      merged_rows<Ordinal, Offset, Space>(space, merged.count, permuted.line_map, permuted.entries, permuted.source);
  return renumbering;
}

/// A triangle of the merged pattern, which is in order.
template <class Ordinal, class Offset, class Space>
triangular::SharedTriangle<Ordinal, Offset, Space> triangle_of(const MergedPattern<Ordinal, Offset, Space>& merged,
                                                               Uplo uplo, Diag diag) {
  triangular::SharedTriangle<Ordinal, Offset, Space> triangle;
  auto& input = triangle.input;
  input.count = merged.count;
  input.line_map = merged.line_map;
  input.entries = merged.entries;
  input.diagonal = merged.diagonal;
  std::fill(std::begin(input.findings.first), std::end(input.findings.first), -1);
  input.findings.first[analysis::StructureFindings::StoredDiagonal] = 0;
  input.options = TriangularOptions{.uplo = uplo, .diag = diag, .stored = Stored::Full, .check_structure = false};
  return triangle;
}

/// Everything but the check, for a matrix that has rows.
template <class Ordinal, class Offset, class Space>
void analyze(const Space& space, const analysis::CheckedInput<Ordinal, Offset, Space>& input,
             SymbolicState<Ordinal, Offset, Space>& state) {
  state.merged = merge_pattern(space, input, state.options);
  state.renumbering = renumber(space, state.options.ordering, state.merged);
  state.info.colours = state.renumbering.colours;
  if (state.options.fill_level > 0) state.merged = fill_pattern(space, state.options.fill_level, state.merged);
  const bool is_unit = !is_symmetric(state.options.factorization);
  state.lower = triangle_of(state.merged, Uplo::Lower, is_unit ? Diag::Unit : Diag::NonUnit);
  state.upper = triangle_of(state.merged, Uplo::Upper, Diag::NonUnit);
  auto& info = state.info;
  state.plan = plan_elimination(space, state.merged, state.options, state.lower.known, state.upper.known);

  const auto missing = input.findings.first[analysis::StructureFindings::MissingDiagonal];
  if (missing >= 0) info.first_inserted_diagonal = missing;
  info.factor_entries = static_cast<std::int64_t>(state.merged.entries.extent(0));
  info.bytes_held = state.merged.bytes_held() + state.renumbering.bytes_held();
  state.plan.describe(info);
}

}  // namespace terrace::incomplete

namespace terrace {

template <class Ordinal, class Offset, class Space>
IluSymbolic<Ordinal, Offset, Space>::IluSymbolic(const Space& space, row_map_type row_map, entries_type entries,
                                                 const IluSymbolicOptions& options) try {
  const typename analysis::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_symbolic_options(options);
  const std::shared_ptr<State> state(new State, [](const State* last) {
    const typename analysis::Runtime<Space>::BesideOthers beside;
    delete last;
  });
  state->options = options;
  const auto input = incomplete::check_matrix<Ordinal, Offset, Space>(space, row_map, entries, options);
  state->info.rows = input.count;
  state->info.matrix_entries = static_cast<std::int64_t>(entries.extent(0));
  state->info.reason = "the matrix has size 0";
  state->merged.line_map = row_map;
  state->merged.entries = entries;
  if (input.count > 0) incomplete::analyze(space, input, *state);
  space.fence("terrace::IluSymbolic");
  state_ = state;
} catch (...) {
  analysis::rethrow_as_error(space, "terrace::IluSymbolic");
}

template <class Ordinal, class Offset, class Space>
auto IluSymbolic<Ordinal, Offset, Space>::check_square(std::int64_t rows, std::int64_t columns, row_map_type row_map)
    -> row_map_type {
  incomplete::check_square(rows, columns);
  return row_map;
}

template <class Ordinal, class Offset, class Space>
auto IluSymbolic<Ordinal, Offset, Space>::row_map() const -> row_map_type {
  return state_->merged.line_map;
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
