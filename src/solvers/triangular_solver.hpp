// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::TriangularSolver: check once, dispatch once.
#pragma once

#include <terrace/triangular_solver.hpp>

#include "algorithms/triangular/check_values.hpp"
#include "algorithms/triangular/check_vectors.hpp"
#include "algorithms/triangular/paired_engine.hpp"
#include "backends/failures.hpp"
#include "backends/triangular.hpp"
#include "parallel/patient_loops.hpp"

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct TriangularSolver<Scalar, Ordinal, Offset, Space>::State {
  triangular::Problem<Scalar, Ordinal, Offset, Space> problem;
  std::unique_ptr<triangular::Engine<Scalar, Space>> engine;  // none for a matrix of size 0
  TriangularInfo info;
  bool looks_at_values = false;
  bool is_unchecked = false;        // there are values that info() has not yet looked at,
  parallel::Moment<Space> updated;  // and they are there from then on

  void values_are_new(const Space& space) {
    if (!looks_at_values) return;
    updated.mark(space);
    is_unchecked = true;
  }

  /// Only info() asks, so a solver whose info() is not looked at pays nothing. On an instance of its own: the caller's
  /// may be gone.
  void check_values() {
    if (!is_unchecked) return;
    constexpr auto label = "terrace::TriangularSolver::info";
    updated.wait(label);
    const Space space;
    auto& cells = problem.input.cells;
    if (cells.extent(0) == 0)
      cells = parallel::uninitialized<Ordinal>(space, "terrace::sparse::diagnostics", triangular::ValueDiagnostics);
    triangular::check_values(space, problem, cells);
    const auto first = parallel::read_cells<triangular::ValueDiagnostics>(space, cells.data(), label);
    is_unchecked = false;
    const auto found = [&](int kind) {
      return first[kind] == problem.input.count ? std::nullopt : std::optional<std::int64_t>(first[kind]);
    };
    info.first_zero_diagonal = found(triangular::ZeroDiagonal);
    info.first_nonfinite_row = found(triangular::NonFinite);
  }
};

namespace triangular {

inline void check_storage(const TriangularOptions& options) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::InvalidOption, std::string("storage is ") + to_string(options.storage) + ", " + what);
  };
  const bool has_levels = options.algorithm == Algorithm::Automatic || options.algorithm == Algorithm::LevelScheduled;
  if (options.storage == Storage::Hec && !has_levels)
    fail(std::string("which level-scheduled substitution has; the algorithm is ") + to_string(options.algorithm));
  if (options.storage == Storage::Hec && options.rows_per_task > 1)
    fail("whose rows are solved one by one; rows_per_task is " + std::to_string(options.rows_per_task));
  if (options.storage == Storage::Crs && options.algorithm == Algorithm::Blocked)
    fail("and the blocked algorithm has tiles");
}

inline void check_options(const TriangularOptions& options) {
  if (options.rows_per_task < 0 || options.rows_per_task > (1 << 20))
    throw Error(ErrorCode::InvalidOption, "rows_per_task is " + std::to_string(options.rows_per_task) +
                                              "; it must lie between 0 (automatic) and 1048576");
  if (options.right_hand_sides < 1)
    throw Error(ErrorCode::InvalidOption,
                "right_hand_sides is " + std::to_string(options.right_hand_sides) + "; it must be at least 1");
  if (options.deterministic && options.algorithm == Algorithm::SyncFreeColumns)
    throw Error(ErrorCode::InvalidOption, "sync-free-columns adds in the order of arrival; it is not deterministic");
  check_storage(options);
}

/// One engine, or two when the transpose needs its own.
template <class Space, class Problem>
EnginePointer<Problem> make_engines(const Space& space, const Problem& problem) {
  const TriangularOptions& options = problem.options();
  auto engine = make_triangular_engine(space, problem);
  if (!(options.prepare_transpose || options.deterministic) || engine->is_made_for_transpose()) return engine;
  return std::make_unique<PairedEngine<Problem>>(options.op, std::move(engine),
                                                 make_triangular_engine(space, transposed(problem)));
}

}  // namespace triangular

template <class Scalar, class Ordinal, class Offset, class Space>
TriangularSolver<Scalar, Ordinal, Offset, Space>::TriangularSolver(const Space& space, row_map_type row_map,
                                                                   entries_type entries, values_type values,
                                                                   const TriangularOptions& options) try
    : state_(std::make_unique<State>()) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(entries.extent(0));
  triangular::check_options(options);
  const std::size_t rows = row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1;
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()) - 1)
    throw Error(ErrorCode::SizeMismatch,
                "the matrix has " + std::to_string(rows) + " rows; the index type cannot count them");
  const auto count = static_cast<Ordinal>(rows);
  triangular::check_number_of_values(values.extent(0), entries.extent(0));
  if (count == 0 && entries.extent(0) > 0)
    throw Error(ErrorCode::InvalidRowMap, "row_map has no rows, but there are entries");
  state_->problem.input.options = options;
  state_->info.reason = "the matrix has size 0";
  if (count == 0) return;

  std::shared_ptr<triangular::TrianglePlan<Ordinal, Offset, Space>> plan;
  state_->problem.input = sparse::check_input<Ordinal, Offset, Space>(
      space, row_map, entries, count, options,
      [&](const auto& unchecked) { plan = triangular::plan_ahead(space, unchecked); });
  state_->problem.values = values;
  if (state_->problem.input.facts.are_as_expected()) state_->problem.plan = plan;
  state_->engine = triangular::make_engines(space, state_->problem);
  state_->problem.plan.reset();

  auto& info = state_->info;
  info.rows = count;
  state_->engine->describe(info);
  info.bytes_held += (state_->problem.input.diagonal.span() * sizeof(Offset)) * (info.copies_matrix ? 1u : 0u) +
                     state_->problem.input.cells.span() * sizeof(Ordinal);
  if (options.diag == Diag::NonUnit) info.first_missing_diagonal = state_->problem.input.facts.first_missing_diagonal;
  state_->looks_at_values = state_->is_unchecked = true;
  space.fence("terrace::TriangularSolver");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::TriangularSolver");
}

template <class Scalar, class Ordinal, class Offset, class Space>
TriangularSolver<Scalar, Ordinal, Offset, Space>::TriangularSolver(const Space& space, const Shared& shared,
                                                                   values_type values, int right_hand_sides,
                                                                   bool prepare_transpose) try
    : state_(std::make_unique<State>()) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(shared.input.entries.extent(0));
  triangular::check_number_of_values(values.extent(0), shared.input.entries.extent(0));
  state_->problem = {shared.input, values, shared.plan};
  state_->problem.input.options.right_hand_sides = right_hand_sides;
  state_->problem.input.options.prepare_transpose = prepare_transpose;
  triangular::check_options(state_->problem.options());
  state_->engine = triangular::make_engines(space, state_->problem);
  state_->info.rows = shared.input.count;
  state_->engine->describe(state_->info);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::TriangularSolver");
}

template <class Scalar, class Ordinal, class Offset, class Space>
TriangularSolver<Scalar, Ordinal, Offset, Space>::~TriangularSolver() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
TriangularSolver<Scalar, Ordinal, Offset, Space>::TriangularSolver(TriangularSolver&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto TriangularSolver<Scalar, Ordinal, Offset, Space>::operator=(TriangularSolver&& other) noexcept
    -> TriangularSolver& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void TriangularSolver<Scalar, Ordinal, Offset, Space>::solve(const Space& space, const_vectors b, vectors x,
                                                             Op op) const {
  triangular::check_vectors(static_cast<std::size_t>(state_->info.rows), b.rows, b.columns, x.rows, x.columns);
  if (state_->engine && b.columns > 0) state_->engine->solve(space, b, x, op);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void TriangularSolver<Scalar, Ordinal, Offset, Space>::update_values(const Space& space, values_type values) {
  triangular::check_number_of_values(values.extent(0), state_->problem.input.entries.extent(0));
  if (!state_->engine) return;
  const parallel::PatientLoops loops(values.extent(0));
  state_->problem.values = values;
  state_->engine->update_values(space, values);
  state_->values_are_new(space);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void TriangularSolver<Scalar, Ordinal, Offset, Space>::update_values(const Space& space, TriangularSolver& first,
                                                                     TriangularSolver& second, values_type values) {
  for (const TriangularSolver* solver : {&first, &second})
    triangular::check_number_of_values(values.extent(0), solver->state_->problem.input.entries.extent(0));
  const auto &one = first.state_->engine, &other = second.state_->engine;
  if (!one || !other) {
    first.update_values(space, values);
    return second.update_values(space, values);
  }
  const parallel::PatientLoops loops(values.extent(0));
  one->update_values_with(space, *other, values);
  for (TriangularSolver* solver : {&first, &second}) {
    solver->state_->problem.values = values;
    solver->state_->values_are_new(space);
  }
}

template <class Scalar, class Ordinal, class Offset, class Space>
TriangularInfo TriangularSolver<Scalar, Ordinal, Offset, Space>::info() const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_->check_values();
  if (state_->engine) state_->engine->describe_changes(state_->info);
  return state_->info;
} catch (...) {
  parallel::rethrow_as_error(Space(), "terrace::TriangularSolver::info");
}

}  // namespace terrace
