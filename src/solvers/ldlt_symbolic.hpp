// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::LdltSymbolic: check, order, fronts, plan.
#pragma once

#include <algorithm>
#include <mutex>
#include <terrace/ldlt.hpp>
#include <utility>

#include "algorithms/ldlt/locate_entries.hpp"
#include "algorithms/ldlt/long_rows.hpp"
#include "algorithms/ordering/given_order.hpp"
#include "backends/failures.hpp"
#include "backends/ldlt.hpp"
#include "backends/structure_checks.hpp"
#include "parallel/patient_loops.hpp"
#include "solvers/ldlt_order.hpp"
#include "sparse/elimination_tree.hpp"
#include "sparse/make_triangle.hpp"
#include "sparse/order_cost.hpp"

namespace terrace::ldlt {

/// The whole matrix by rows, for residuals.
template <class Offset, class Space>
struct WholePattern {
  Kokkos::View<std::size_t*, parallel::Device<Space>> row_map;
  Kokkos::View<int*, parallel::Device<Space>> columns;
  Kokkos::View<Offset*, parallel::Device<Space>> source;
  LongRows<Space> long_rows;
};

template <class Ordinal, class Offset, class Space>
struct SymbolicState {
  template <class T>
  using Array = Kokkos::View<T*, parallel::Device<Space>>;

  LdltSymbolicOptions options;
  LdltSymbolicInfo info;
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;  // the caller's
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  std::shared_ptr<SymbolicFronts<Space>> fronts;  // none for a matrix of size 0
  LdltPlanPointer<Space> plan;
  Array<int> original;              // row of each row in the order of elimination
  Array<int> place;                 // its inverse, on hosts
  Array<Offset> source;             // of the entries of the fronts
  EntryLocations<Space> locations;  // of the same
  Array<Offset> read, mirrored;     // with check_symmetry
  Array<int> mirrored_row;

  int rows() const { return static_cast<int>(info.rows); }

  /// Of a matrix that has rows. Waits for the space.
  HostTriangle<Ordinal, Offset, Space> triangle(const Space& space) const {
    return {space, row_map, entries, options.uplo == Uplo::Lower};
  }

  /// Made when the first residual is asked for. Waits for the space then.
  const WholePattern<Offset, Space>& whole(const Space& space) const {
    const std::lock_guard<std::mutex> lock(whole_mutex_);
    if (whole_.row_map.extent(0) == 0) {
      auto host = whole_matrix(triangle(space).view);
      std::vector<Offset> places(host.source.begin(), host.source.end());
      WholePattern<Offset, Space> made;
      made.columns = parallel::from_host_vector(space, "terrace::ldlt::whole_columns", host.columns);
      made.source = parallel::from_host_vector(space, "terrace::ldlt::whole_source", places);
      made.long_rows = LongRows<Space>(space, host.row_map, longest_row<Space>());
      made.row_map = parallel::from_host_vector(space, "terrace::ldlt::whole_row_map", host.row_map);
      whole_ = made;
    }
    return whole_;
  }

 private:
  mutable std::mutex whole_mutex_;
  mutable WholePattern<Offset, Space> whole_;
};

inline void check_symbolic_options(const LdltSymbolicOptions& options) {
  if (!(options.amalgamation >= 0 && options.amalgamation <= 1000))
    throw Error(ErrorCode::InvalidOption, "amalgamation must lie between 0 and 1000");
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  if (options.analysis_threads < 0) throw Error(ErrorCode::InvalidOption, "analysis_threads must be at least 0");
}

/// The rows and entries that the numeric phases read, checked. Waits for the space.
template <class Ordinal, class Offset, class Space>
void check_pattern(const Space& space, const SymbolicState<Ordinal, Offset, Space>& state) {
  const std::size_t rows = state.row_map.extent(0) == 0 ? 0 : state.row_map.extent(0) - 1;
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()) - 1)
    throw Error(ErrorCode::SizeMismatch,
                "the matrix has " + std::to_string(rows) + " rows; the index type cannot count them");
  if (rows == 0 && state.entries.extent(0) > 0)
    throw Error(ErrorCode::InvalidRowMap, "row_map has no rows, but there are entries");
  if (rows == 0) return;
  const TriangularOptions full{.stored = Stored::Full, .check_structure = state.options.check_structure};
  sparse::check_input<Ordinal, Offset, Space>(space, state.row_map, state.entries, static_cast<Ordinal>(rows), full);
}

template <class Ordinal, class Offset, class Space>
void upload_mirrored(const Space& space, const HostTriangleView<Offset>& triangle,
                     SymbolicState<Ordinal, Offset, Space>& state) {
  auto found = find_mirrored(triangle);
  if (found.first_without_partner)
    throw Error(ErrorCode::NotSymmetric,
                "row " + std::to_string(*found.first_without_partner) +
                    " has an entry whose mirror image is not stored, in a matrix with both triangles",
                found.first_without_partner);
  std::vector<Offset> read(found.read.begin(), found.read.end()),
      mirrored(found.mirrored.begin(), found.mirrored.end());
  state.read = parallel::from_host_vector(space, "terrace::ldlt::read", read);
  state.mirrored = parallel::from_host_vector(space, "terrace::ldlt::mirrored", mirrored);
  state.mirrored_row = parallel::from_host_vector(space, "terrace::ldlt::mirrored_row", found.row);
}

inline void describe_tree(const FrontPlan& plan, LdltSymbolicInfo& info) {
  const FrontTree& tree = plan.tree;
  info.factor_entries = tree.entries;
  info.stored_entries = tree.stored_entries;
  info.operations = tree.operations;
  info.stored_operations = tree.stored_operations;
  info.fronts = tree.fronts();
  info.levels = plan.levels();
  std::vector<std::int64_t> path(tree.fronts(), 0);
  for (int f = 0; f < tree.fronts(); ++f) {
    info.largest_front = std::max<std::int64_t>(info.largest_front, tree.rows_of(f));
    path[f] += tree.columns_of(f);
    info.longest_path = std::max(info.longest_path, path[f]);
    if (tree.parent[f] >= 0) path[tree.parent[f]] = std::max(path[tree.parent[f]], path[f]);
  }
  info.factor_bytes = (plan.panel_numbers() + static_cast<std::size_t>(tree.unknowns())) * sizeof(double);
}

inline std::vector<LdltFront> list_fronts(const FrontPlan& plan) {
  const FrontTree& tree = plan.tree;
  std::vector<LdltFront> fronts(static_cast<std::size_t>(tree.fronts()));
  for (int f = 0; f < tree.fronts(); ++f) fronts[f] = {tree.rows_of(f), tree.columns_of(f), tree.parent[f], 0};
  for (int level = 0; level < plan.levels(); ++level)
    for (int place = plan.level_map[level]; place < plan.level_map[level + 1]; ++place)
      fronts[plan.by_level[place]].level = level;
  return fronts;
}

/// Options and pattern checked, and nothing else done. Waits for the space.
template <class Ordinal, class Offset, class Space>
auto checked_state(const Space& space, const Kokkos::View<const Offset*, parallel::Device<Space>>& row_map,
                   const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries,
                   const LdltSymbolicOptions& options) {
  check_symbolic_options(options);
  using State = SymbolicState<Ordinal, Offset, Space>;
  const std::shared_ptr<State> state(new State, [](const State* last) {
    const typename parallel::Runtime<Space>::BesideOthers beside;
    delete last;
  });
  state->options = options;
  state->row_map = row_map;
  state->entries = entries;
  check_pattern(space, *state);
  state->info.rows = row_map.extent(0) == 0 ? 0 : static_cast<std::int64_t>(row_map.extent(0)) - 1;
  state->info.ordering_reason = state->info.algorithm_reason = "the matrix has size 0";
  ordering::check_given_order(options.ordering, options.permutation, state->info.rows);
  return state;
}

/// The order and what it costs, for a matrix that has rows.
template <class Ordinal, class Offset, class Space>
void count_only(const Space& space, SymbolicState<Ordinal, Offset, Space>& state) {
  auto& info = state.info;
  const auto triangle = state.triangle(space);
  const auto ordered = order_triangle(triangle.view, state.options, parallel::is_host_space<Space>, info);
  const sparse::OrderCost cost = sparse::cost_of(ordered.vertices);
  info.factor_entries = cost.entries;
  info.operations = cost.operations;
  const bool by_columns = state.options.algorithm == LdltAlgorithm::Columns;
  info.algorithm = by_columns ? LdltAlgorithm::Columns : LdltAlgorithm::Multifrontal;
  info.algorithm_reason = state.options.algorithm == LdltAlgorithm::Automatic
                              ? "fronts were faster on every matrix that was measured"
                              : "the options ask for it";
  info.factor_bytes = static_cast<std::size_t>(cost.entries + info.rows) * sizeof(double);
}

/// Everything behind the check, for a matrix that has rows.
template <class Ordinal, class Offset, class Space>
void analyze(const Space& space, SymbolicState<Ordinal, Offset, Space>& state) {
  auto& info = state.info;
  const auto triangle = state.triangle(space);
  if (state.options.check_symmetry) upload_mirrored(space, triangle.view, state);
  const auto [graph, vertices] = order_triangle(triangle.view, state.options, parallel::is_host_space<Space>, info);

  state.fronts = std::make_shared<SymbolicFronts<Space>>();
  FrontPlan& plan = state.fronts->plan;
  const int threads = threads_for_loops(state.options, triangle.view);
  const Amalgamation amalgamation = tuned_amalgamation(
      state.options.amalgamation, parallel::is_host_space<Space> ? FrontUser::Host : FrontUser::Device);
  plan = plan_fronts(sum_children(build_fronts(graph, vertices, amalgamation, threads)), threads,
                     parallel::is_host_space<Space> ? PanelOrder::Fronts : PanelOrder::Levels);
  parallel::HostArray<Offset> source;
  plan.entries = assemble_entries(plan, triangle.view, threads, source);
  describe_tree(plan, info);
  const bool by_columns = state.options.algorithm == LdltAlgorithm::Columns;
  info.algorithm = by_columns ? LdltAlgorithm::Columns : LdltAlgorithm::Multifrontal;
  info.algorithm_reason = state.options.algorithm == LdltAlgorithm::Automatic
                              ? "fronts were faster on every matrix that was measured"
                              : "the options ask for it";

  state.fronts->arrays = FrontArrays<Space>(space, plan);
  state.original = parallel::from_host_vector(space, "terrace::ldlt::original", plan.tree.original);
  if (parallel::is_host_space<Space>) {
    auto place = sparse::inverse_permutation(plan.tree.original);
    state.place = parallel::from_host_vector(space, "terrace::ldlt::place", place);
  }
  state.source = parallel::from_host_vector(space, "terrace::ldlt::source", source);
  state.locations = locate_entries(space, state.fronts->arrays);
  state.plan = make_ldlt_plan(space, std::shared_ptr<const SymbolicFronts<Space>>(state.fronts), state.options);
  const std::size_t entries = static_cast<std::size_t>(info.matrix_entries);
  info.bytes_held = state.fronts->arrays.bytes_held() + state.plan->bytes_held() +
                    (state.original.span() + state.place.span()) * sizeof(int) +
                    entries * (sizeof(Offset) + 2 * sizeof(int));
  const int right_hand_sides = state.options.right_hand_sides;
  const auto columns = static_cast<std::size_t>(state.plan->columns_at_once(right_hand_sides));
  info.peak_bytes = state.plan->bytes_of_engine(sizeof(double), right_hand_sides) + info.bytes_held +
                    std::max(entries, static_cast<std::size_t>(info.rows) * columns) * sizeof(double);
}

}  // namespace terrace::ldlt

namespace terrace {

template <class Ordinal, class Offset, class Space>
LdltSymbolic<Ordinal, Offset, Space>::LdltSymbolic(const Space& space, row_map_type row_map, entries_type entries,
                                                   const LdltSymbolicOptions& options) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(entries.extent(0));
  const Kokkos::Timer time;
  const auto state = ldlt::checked_state<Ordinal, Offset, Space>(space, row_map, entries, options);
  if (state->info.rows > 0) ldlt::analyze(space, *state);
  state->info.seconds = time.seconds();
  state_ = state;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::LdltSymbolic");
}

template <class Ordinal, class Offset, class Space>
LdltSymbolicInfo LdltSymbolic<Ordinal, Offset, Space>::predict(const Space& space, row_map_type row_map,
                                                               entries_type entries,
                                                               const LdltSymbolicOptions& options) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(entries.extent(0));
  const Kokkos::Timer time;
  const auto state = ldlt::checked_state<Ordinal, Offset, Space>(space, row_map, entries, options);
  if (state->info.rows > 0) ldlt::count_only(space, *state);
  state->info.seconds = time.seconds();
  return state->info;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::LdltSymbolic::predict");
}

template <class Ordinal, class Offset, class Space>
auto LdltSymbolic<Ordinal, Offset, Space>::permutation() const -> entries_type {
  return state_->original;
}

template <class Ordinal, class Offset, class Space>
std::vector<LdltFront> LdltSymbolic<Ordinal, Offset, Space>::fronts() const {
  if (!state_->fronts) return {};
  return ldlt::list_fronts(state_->fronts->plan);
}

template <class Ordinal, class Offset, class Space>
const LdltSymbolicOptions& LdltSymbolic<Ordinal, Offset, Space>::options() const {
  return state_->options;
}

template <class Ordinal, class Offset, class Space>
const LdltSymbolicInfo& LdltSymbolic<Ordinal, Offset, Space>::info() const {
  return state_->info;
}

}  // namespace terrace
