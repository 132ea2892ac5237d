// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the elimination on an NVIDIA GPU knows of a pattern: rows in level order, in slices, and which of three ways
// suits.
//
// Pivots alone. Where elimination changes nothing but the diagonal (incomplete/row_changes.hpp), it is a recurrence
// that looks like a triangular solve and is walked like one (pivot_system.hpp). A lane takes a row, so that the sum has
// the order of the pattern. What is dropped for a modified factorization is not in it; then another way is taken. Where
// rows are so short that the solves with L have a lane for each too, the slices are theirs (ADR 17); longer rows, in
// wide levels, have slices of their own.
//
// Tiles. Where neighbouring rows have nearly the same long runs of columns, groups of them are eliminated together
// (tiles.hpp). Nothing else is listed then.
//
// Rows. Anything else (eliminate_rows.hpp), with the products of each listed (listed_rows.hpp) by the first factor.
// Where the lists would take too much memory, one list serves the rows of a node (nodes.hpp). Rows that are very long
// behind the diagonal are cut (row_tails.hpp), and those that are before it are eliminated by inner products
// (inner_rows.hpp). Where rows are short and levels wide, a lane takes each by a list of its own (short_rows.hpp). The
// levels of the rows are left to the solves with L.
#pragma once

#include "algorithms/incomplete/elimination_engine.hpp"
#include "backends/cuda/incomplete/listed_rows.hpp"
#include "backends/cuda/incomplete/row_classes.hpp"
#include "backends/cuda/incomplete/tiles.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::incomplete {

/// By what rows are eliminated when they are listed.
enum class RowLists { None, Products, Operations };

template <class Offset>
struct EliminationPlan : terrace::incomplete::EliminationPlan<int, Offset, Space> {
  std::size_t entries = 0;
  std::int64_t operations = 0;
  bool only_pivots_change = false;
  int longest = 0;        // entries of a row
  int longest_upper = 0;  // of them, behind the diagonal
  SlicedRows<Offset> rows;
  terrace::incomplete::MergedPattern<int, Offset, Space> merged;
  std::shared_ptr<Arrays> memory_of_columns;
  Arrays memory;
  RowLists row_lists = RowLists::None;
  RowsToList<Offset> to_list;  // where there may be lists
  std::shared_ptr<SharedLists<Offset>> lists;
  TiledRows<Offset> tiles;       // none without columns
  const int* columns = nullptr;  // positions, by slot, where only pivots change
  Offset* mirrors = nullptr;  // by slot: where a_ki stands for an entry a_ik, or no_mirror; null where A is symmetric
  static constexpr Offset no_mirror = static_cast<Offset>(-1);

  std::size_t bytes_held() const {
    return (tiles.are_there() ? 0 : rows.bytes_held()) + (memory_of_columns ? memory_of_columns->bytes_held() : 0) +
           memory.bytes_held() + tiles.bytes_held();
  }

  /// Whether only pivots change where what is dropped matters, too: a lane walks the rows that its row needs.
  bool may_be_modified_pivots() const {
    return only_pivots_change && longest_upper <= EliminationTuning::longest_row_of_wide_pivots;
  }

  /// Where rows are listed. Waits for the space where it makes them.
  std::shared_ptr<const ListedRows<Offset>> find_or_make_lists(const Space& space) const {
    return lists->find_or_make([&] { return list_rows(space, to_list, row_lists == RowLists::Operations); });
  }

  /// The rows as elimination takes them by row, if not only pivots change: by level. Waits for the space if they are in
  /// row blocks, or in tiles, which do without them.
  SlicedRows<Offset> rows_by_level(const Space& space) const {
    if (rows.row_blocks.empty() && !tiles.are_there()) return rows;
    return std::move(SliceRows<Offset>(space, merged, false, SliceTuning::entries_per_piece,
                                       EliminationTuning::entries_per_lane, nullptr)
                         .rows());
  }

  void describe(IluSymbolicInfo& info) const override {
    info.algorithm = Algorithm::SyncFreeRows;
    info.reason = only_pivots_change
                      ? "elimination changes only the diagonal of this pattern, which is walked as a solve with L is"
                  : tiles.are_there() ? "neighbouring rows have nearly the same columns: tiles pass through L2"
                  : row_lists == RowLists::Operations ? "rows pass through L2, each of them one lane's"
                                                      : "rows pass through L2";
    info.levels = rows.levels;
    info.operations = operations;
    info.bytes_held += bytes_held();
  }
};

template <class Offset>
struct FillMirrors {
  sparse::TriangleView<int, Offset> pattern;
  const Slice* slices;
  int slice_count;
  const int* items;
  Offset* mirrors;
};

/// A warp for each slice, a lane for each row.
template <class Offset>
__global__ void fill_mirrors_kernel(FillMirrors<Offset> fill) {
  const int lane = threadIdx.x % warp_size;
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(fill.slice_count)) return;
  const Slice slice = fill.slices[number];
  if (lane >= slice.width()) return;
  const int row = fill.items[slice.first + lane];
  const Offset begin = fill.pattern.begin(row);
  const int length = static_cast<int>(fill.pattern.end(row) - begin);
  std::int64_t slot = slice.start + lane;
  for (int step = 0; step < slice.depth(); ++step, slot += slice.width()) {
    const bool is_entry = step < length;
    const int k = is_entry ? fill.pattern.entries[begin + static_cast<Offset>(step)] : 0;
    const Offset last = fill.pattern.row_map[k + 1];
    const Offset mirror =
        is_entry ? sparse::find_column(fill.pattern.entries, fill.pattern.diagonal[k] + 1, last, row) : last;
    fill.mirrors[slot] = mirror == last ? EliminationPlan<Offset>::no_mirror : mirror;
  }
}

/// The slices of L, and where the mirror images of its entries stand unless the matrix is symmetric.
template <class Offset>
void add_couplings(const Space& space, const terrace::incomplete::MergedPattern<int, Offset, Space>& merged,
                   const SlicedTriangle<Offset>& lower, bool symmetric, EliminationPlan<Offset>& plan) {
  plan.rows = lower.rows;
  plan.memory_of_columns = lower.memory;
  plan.columns = lower.columns;
  if (symmetric) return;
  const auto slots = static_cast<std::size_t>(plan.rows.slots);
  plan.memory = Arrays(space, "terrace::cuda::mirrors", Arrays::bytes<Offset>(slots));
  plan.mirrors = plan.memory.template take<Offset>(slots);
  launch_for_slices(
      space, "terrace::cuda::fill_mirrors", fill_mirrors_kernel<Offset>,
      FillMirrors<Offset>{merged.view(), plan.rows.slices, plan.rows.slice_count, plan.rows.items, plan.mirrors});
}

/// The plans of L and U, whose solves share slices and levels with the elimination.
template <class Offset>
struct TrianglePlans {
  std::shared_ptr<TrianglePlan<Offset>> lower, upper;
};

/// Entries for which a warp has shared memory, where some rows may lie in device memory.
inline int capacity_of_most(const RowClasses& found, int rows) {
  if (found.longest <= EliminationTuning::capacity_of_all) return found.longest;
  for (int k = 0; k < EliminationTuning::capacities; ++k)
    if (static_cast<std::int64_t>(found.longer[k]) * EliminationTuning::rows_for_a_long_one <= rows)
      return std::min(EliminationTuning::capacity(k), found.longest_that_fits);
  return found.longest_that_fits;
}

template <class Offset>
void plan_lists(const RowClasses& found, EliminationPlan<Offset>& plan) {
  auto& of = plan.to_list;
  of.merged = plan.merged;
  of.rows = plan.rows;
  of.entries = plan.entries;
  of.operations = plan.operations;
  of.max_steps = found.max_steps;
  of.longest = found.longest;
  of.longest_upper = found.longest_upper;
  of.most = RowCapacity(found.longest_that_fits, found.max_steps);
  using Short = Product<std::uint16_t>;
  of.has_short_words = found.longest <= of.most.entries && of.most.entries <= Short::longest_row &&
                       found.longest_upper < Short::longest_upper;
  of.usual = of.has_short_words ? of.most : RowCapacity(capacity_of_most(found, plan.merged.count), found.max_steps);
  plan.lists = std::make_shared<SharedLists<Offset>>();
}

/// Slices with a lane for each row, where elimination changes only the diagonal and levels are wide.
template <class Offset>
void add_wide_pivots(const Space& space, const RowClasses& found, bool symmetric,
                     const TrianglePlans<Offset>& triangles, EliminationPlan<Offset>& plan) {
  SlicedTriangle<Offset> sliced;
  triangles.lower->with_levels(space, plan.merged, false, [&](const int* level) {
    sliced =
        slice_triangle(space, plan.merged, false, SliceTuning::entries_per_piece, level, Order::Levels, found.longest);
  });
  plan.only_pivots_change = true;
  add_couplings(space, plan.merged, sliced, symmetric, plan);
}

/// What is enqueued last is not waited for: the plan is for `space`, and for others when that has been.
template <class Offset>
EliminationPlan<Offset> plan_rows(const Space& space,
                                  const terrace::incomplete::MergedPattern<int, Offset, Space>& merged, bool symmetric,
                                  const TrianglePlans<Offset>& triangles) {
  EliminationPlan<Offset> plan;
  plan.entries = merged.entries.extent(0);
  const RowClasses found = classify_rows(space, merged.view(), plan.entries);
  plan.operations = static_cast<std::int64_t>(found.operations);
  const bool may_be_pivots = found.changed == 0 && found.max_steps <= EliminationTuning::longest_row_of_wide_pivots;
  plan.only_pivots_change = may_be_pivots && found.max_steps <= longest_row_of_pivots;
  plan.longest = found.longest;
  plan.longest_upper = found.longest_upper;
  plan.merged = merged;
  if (plan.only_pivots_change) {
    add_couplings(space, merged, triangles.lower->slices(space, merged, false), symmetric, plan);
    return plan;
  }
  if (found.runs > 0 && found.steps >= EliminationTuning::entries_of_run * found.runs &&
      found.steps >= EliminationTuning::steps_of_tiled_row * static_cast<unsigned long long>(merged.count))
    plan.tiles = FindTiles<Offset>(space, merged, found.longest).find();
  if (plan.tiles.are_there()) return plan;
  if (may_be_pivots &&
      merged.count / triangles.lower->count_levels(space, merged, false) >= EliminationTuning::wide_level) {
    add_wide_pivots(space, found, symmetric, triangles, plan);
    return plan;
  }
  const bool rows_are_short = plan.entries <= EliminationTuning::short_row * static_cast<std::size_t>(merged.count);
  const bool may_be_alone = rows_are_short && found.longest <= EliminationTuning::longest_short_row;
  triangles.lower->with_levels(space, merged, false, [&](const int* level) {
    plan.rows = std::move(SliceRows<Offset>(space, merged, false, SliceTuning::entries_per_piece,
                                            may_be_alone ? found.longest : EliminationTuning::entries_per_lane, level)
                              .rows());
  });
  const bool are_levels_wide = plan.rows.rows / plan.rows.levels >= EliminationTuning::wide_level;
  const bool are_products_few = plan.operations <= EliminationTuning::few_products * merged.count;
  const bool are_rows_cut =  // which only those with lists are
      count_tails(found.longest_upper) > 0 || found.max_steps > EliminationTuning::steps_of_inner_row;
  if (are_levels_wide && may_be_alone) plan.row_lists = RowLists::Operations;
  else if (are_rows_cut || !(are_levels_wide && rows_are_short && are_products_few))
    plan.row_lists = RowLists::Products;
  plan.to_list.is_symmetric = symmetric;
  plan.to_list.upper_plan = triangles.upper;
  if (plan.row_lists != RowLists::None) plan_lists(found, plan);
  return plan;
}

}  // namespace terrace::cuda::incomplete
