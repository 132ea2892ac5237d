// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the elimination on an NVIDIA GPU knows of a pattern: rows in level order, in slices, and which of three ways
// suits.
//
// Pivots alone. Where elimination changes nothing but the diagonal (incomplete/row_changes.hpp), it is a recurrence
// that looks like a triangular solve and is walked like one (pivot_system.hpp). Rows must be so short that one lane
// takes them, so that the sum has the order of the pattern. What is dropped for a modified factorization is not in it;
// then another way is taken. The slices are those of the solves with L, and shared with them (ADR 17).
//
// Tiles. Where neighbouring rows have nearly the same long runs of columns, groups of them are eliminated together
// (tiles.hpp). Nothing else is listed then.
//
// Rows. Anything else (eliminate_rows.hpp), with the products of each listed (products.hpp). Where the lists would take
// too much memory, one list serves the rows of a node (nodes.hpp). Where rows are short and levels wide, a lane takes
// each by a list of its own (short_rows.hpp). The levels of the rows are left to the solves with L.
#pragma once

#include "algorithms/incomplete/elimination_engine.hpp"
#include "backends/cuda/incomplete/claim_order.hpp"
#include "backends/cuda/incomplete/products.hpp"
#include "backends/cuda/incomplete/row_classes.hpp"
#include "backends/cuda/incomplete/short_rows.hpp"
#include "backends/cuda/incomplete/tiles.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda {

template <class Offset>
struct EliminationPlan : incomplete::EliminationPlan<int, Offset, Space> {
  std::size_t entries = 0;
  std::int64_t operations = 0;
  bool only_pivots_change = false;
  bool has_lists = false;  // a warp for each row; a list may be missing
  bool has_short_words = false;
  int capacity = 0;       // entries of the longest row that may have a list, a multiple of 16
  int step_capacity = 0;  // and steps, and one more; likewise
  int longest = 0;        // entries of a row
  SlicedRows<Offset> rows;
  incomplete::MergedPattern<int, Offset, Space>
      lines;  // where `rows` are those of the solves, which may be in row blocks, or there are tiles
  std::shared_ptr<Arrays> memory_of_columns;
  Arrays memory, words;
  ProductLists products;  // where rows are eliminated
  Arrays memory_of_order;
  int* order = nullptr;          // of rows with lists, by row, if not that of `rows`
  ShortRows<Offset> short_rows;  // where all rows are so short that a lane takes each; none without sources
  TiledRows<Offset> tiles;       // none without columns
  const int* columns = nullptr;  // positions, by slot, where only pivots change
  Offset* mirrors = nullptr;  // by slot: where a_ki stands for an entry a_ik, or no_mirror; null where A is symmetric
  static constexpr Offset no_mirror = static_cast<Offset>(-1);

  std::size_t bytes_held() const {
    return (tiles.are_there() ? 0 : rows.bytes_held()) + (memory_of_columns ? memory_of_columns->bytes_held() : 0) +
           memory.bytes_held() + words.bytes_held() + memory_of_order.bytes_held() + tiles.bytes_held();
  }

  /// The rows as elimination takes them by row, if not only pivots change: by level. Waits for the space if they are in
  /// row blocks, or in tiles, which do without them.
  SlicedRows<Offset> rows_by_level(const Space& space) const {
    if (rows.row_blocks.empty() && !tiles.are_there()) return rows;
    return std::move(SliceRows<Offset>(space, lines, false, SliceTuning::entries_per_piece,
                                       EliminationTuning::entries_per_lane, nullptr)
                         .rows());
  }

  void describe(IluSymbolicInfo& info) const override {
    info.algorithm = Algorithm::SyncFreeRows;
    info.reason = only_pivots_change
                      ? "elimination changes only the diagonal of this pattern, which is walked as a solve with L is"
                  : tiles.are_there()  ? "neighbouring rows have nearly the same columns: tiles pass through L2"
                  : short_rows.sources ? "rows pass through L2, each of them one lane's"
                  : products.widths    ? "rows pass through L2, those with the same columns together"
                                       : "rows pass through L2";
    info.levels = rows.levels;
    info.operations = operations;
    info.bytes_held += bytes_held();
  }
};

template <class Offset>
struct FillMirrors {
  sparse::Pattern<int, Offset> lines;
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
  const Offset begin = fill.lines.begin(row);
  const int length = static_cast<int>(fill.lines.end(row) - begin);
  std::int64_t slot = slice.start + lane;
  for (int step = 0; step < slice.depth(); ++step, slot += slice.width()) {
    const bool is_entry = step < length;
    const int k = is_entry ? fill.lines.entries[begin + static_cast<Offset>(step)] : 0;
    const Offset last = fill.lines.line_map[k + 1];
    const Offset mirror =
        is_entry ? sparse::find_column(fill.lines.entries, fill.lines.diagonal[k] + 1, last, row) : last;
    fill.mirrors[slot] = mirror == last ? EliminationPlan<Offset>::no_mirror : mirror;
  }
}

/// The slices of L, and where the mirror images of its entries stand unless the matrix is symmetric.
template <class Offset>
void add_couplings(const Space& space, const incomplete::MergedPattern<int, Offset, Space>& merged,
                   const SlicedTriangle<Offset>& lower, bool symmetric, EliminationPlan<Offset>& plan) {
  plan.lines = merged;
  plan.rows = lower.rows;
  plan.memory_of_columns = lower.memory;
  plan.columns = lower.columns;
  if (symmetric) return;
  const auto slots = static_cast<std::size_t>(plan.rows.slots);
  plan.memory = Arrays(space, "terrace::cuda::mirrors", Arrays::bytes<Offset>(slots));
  plan.mirrors = plan.memory.template take<Offset>(slots);
  launch_for_slices(
      space, "terrace::cuda::fill_mirrors", fill_mirrors_kernel<Offset>,
      FillMirrors<Offset>{merged.pattern(), plan.rows.slices, plan.rows.slice_count, plan.rows.items, plan.mirrors});
}

/// A warp for each row; where some have that many steps a block, lest the longest take long when all others are done.
inline int warps_of_list(int max_steps) {
  if (max_steps < EliminationTuning::steps_of_long_list) return 1;
  return std::min(EliminationTuning::warps_of_long_list,
                  static_cast<int>(std::bit_ceil(static_cast<unsigned>(max_steps) / warp_size)));
}

template <class Kernel, class Offset>
void launch_for_lists(const Space& space, const char* label, Kernel kernel, const ListMaking<Offset>& making) {
  const int warps = making.warps_of_row > 1 ? making.warps_of_row : EliminationTuning::block / warp_size;
  const int rows_of_block = warps / making.warps_of_row;
  const std::size_t bytes = static_cast<std::size_t>(rows_of_block) * making.bytes;
  launch_with_memory(space, label, kernel, blocks_of(making.lines.lines, static_cast<std::size_t>(rows_of_block)),
                     warps * warp_size, bytes, making);
}

/// Counts the words of each list; returns the bytes of all. Waits for the space.
template <class Word, class Offset>
std::size_t count_products(const Space& space, const ListMaking<Offset>& making) {
  const auto rows = static_cast<std::size_t>(making.lines.lines);
  check(cudaMemsetAsync(making.lists.count, 0, rows * sizeof(int), space.cuda_stream()), "cudaMemsetAsync");
  launch_for_lists(space, "terrace::cuda::count_products", count_products_kernel<Word, Offset>, making);
  std::int64_t words = 0;
  Kokkos::parallel_scan("terrace::cuda::place_lists", Kokkos::RangePolicy<Space>(space, 0, making.lines.lines),
                        PlaceLists{making.lists}, words);
  return static_cast<std::size_t>(words) * sizeof(Word);
}

/// Lists for rows, or where they would take too much memory for nodes, or none. Operations have the products that fall
/// outside the pattern too: where they are far too many nobody counts those of rows. Waits for the space.
template <class Word, class Offset>
void add_lists(const Space& space, const incomplete::MergedPattern<int, Offset, Space>& merged, int max_steps,
               EliminationPlan<Offset>& plan) {
  const auto rows = static_cast<std::size_t>(merged.count);
  const std::size_t most = EliminationTuning::list_bytes_per_entry * plan.entries;
  const auto lines = merged.pattern();
  plan.has_lists = true;
  plan.memory =
      Arrays(space, "terrace::cuda::product_rows",
             Arrays::bytes<std::int64_t>(rows) + Arrays::bytes<int>(rows) + Arrays::bytes<unsigned char>(rows));
  const std::size_t portions = ListMaking<Offset>::portions(rows, plan.entries);
  Arrays scratch(space, "terrace::cuda::portions_of_lists", Arrays::bytes<int>(portions));
  ListMaking<Offset> making{lines,
                            {},
                            plan.capacity,
                            warps_of_list(std::min(max_steps, plan.capacity)),
                            RowTable::bytes(plan.capacity),
                            scratch.take<int>(portions)};
  auto& lists = making.lists;
  lists.first = plan.memory.template take<std::int64_t>(rows);
  lists.count = plan.memory.template take<int>(rows);
  auto* widths = plan.memory.template take<unsigned char>(rows);
  std::size_t bytes = static_cast<std::size_t>(plan.operations) * sizeof(Word);
  if (bytes <= 2 * most) bytes = count_products<Word>(space, making);
  if (bytes > most) {
    auto* begins = reinterpret_cast<unsigned char*>(lists.count);  // which is counted anew
    const int nodes = find_nodes(space, lines, begins, widths);
    if (EliminationTuning::rows_of_node * nodes <= lines.lines) lists.widths = widths;
    bytes = count_products<Word>(space, making);
  }
  if (bytes > most) check(cudaMemsetAsync(lists.count, 0, rows * sizeof(int), space.cuda_stream()), "cudaMemsetAsync");
  else {
    plan.words = Arrays(space, "terrace::cuda::products", bytes + 1);
    lists.words = plan.words.template take<Word>(bytes / sizeof(Word));
    check(cudaMemsetAsync(lists.words, 0, bytes, space.cuda_stream()),
          "cudaMemsetAsync");  // lists are read by whole chunks
    launch_for_lists(space, "terrace::cuda::list_products", list_products_kernel<Word, Offset>, making);
  }
  plan.products = lists;
  scratch.free_on(space);
}

/// The plans of L and U, whose solves share slices and levels with the elimination.
template <class Offset>
struct TrianglePlans {
  TrianglePlan<Offset>&lower, &upper;
};

/// Waits for the space.
template <class Offset>
void choose_order(const Space& space, const incomplete::MergedPattern<int, Offset, Space>& merged, bool symmetric,
                  const TrianglePlans<Offset>& triangles, EliminationPlan<Offset>& plan) {
  const bool has_far_longer_rows =
      static_cast<std::size_t>(plan.longest) * plan.rows.rows > EliminationTuning::far_longer * plan.entries;
  if (plan.rows.rows < EliminationTuning::many_rows || !has_far_longer_rows) return;
  const auto rows = static_cast<std::size_t>(plan.rows.rows);
  plan.memory_of_order = Arrays(space, "terrace::cuda::order_of_rows", Arrays::bytes<int>(rows));
  plan.order = plan.memory_of_order.template take<int>(rows);
  const ClaimOrder<Offset> order(space, merged, plan.rows.levels, plan.order);
  if (symmetric || incomplete::is_symmetric(space, merged)) order.of_symmetric(triangles.upper);
  else order.of_general();
}

/// Lists for rows that a lane takes each; none where they would take too much memory. Waits for the space.
template <class Offset>
void add_operations(const Space& space, const incomplete::MergedPattern<int, Offset, Space>& merged,
                    EliminationPlan<Offset>& plan) {
  const auto slices = static_cast<std::size_t>(plan.rows.slice_count);
  plan.memory = Arrays(space, "terrace::cuda::short_rows", Arrays::bytes<Slice>(slices));
  ShortRows<Offset> rows{plan.memory.template take<Slice>(slices), nullptr, nullptr, plan.longest};
  launch_for_slices(
      space, "terrace::cuda::shape_operations", shape_operations_kernel<Offset>,
      ShapeOperations<Offset>{merged.pattern(), plan.rows.slices, plan.rows.slice_count, plan.rows.items, rows.slices});
  std::int64_t count = 0;
  Kokkos::parallel_scan("terrace::cuda::place_operations", Kokkos::RangePolicy<Space>(space, 0, plan.rows.slice_count),
                        PlaceOperations{rows.slices}, count);
  const auto slots = static_cast<std::size_t>(count);
  const std::size_t bytes = Arrays::bytes<Offset>(slots) + Arrays::bytes<std::uint16_t>(slots);
  if (bytes > EliminationTuning::list_bytes_per_entry * plan.entries) return;
  plan.words = Arrays(space, "terrace::cuda::operations", bytes);
  rows.sources = plan.words.template take<Offset>(slots);
  rows.targets = plan.words.template take<std::uint16_t>(slots);
  launch_for_slices(space, "terrace::cuda::fill_operations", fill_operations_kernel<Offset>,
                    FillOperations<Offset>{merged.pattern(), rows, plan.rows.slice_count, plan.rows.items});
  plan.short_rows = rows;
}

template <class Offset>
EliminationPlan<Offset> plan_rows(const Space& space, const incomplete::MergedPattern<int, Offset, Space>& merged,
                                  bool symmetric, const TrianglePlans<Offset>& triangles) {
  EliminationPlan<Offset> plan;
  plan.entries = merged.entries.extent(0);
  const RowClasses found = classify_rows(space, merged.pattern());
  plan.operations = static_cast<std::int64_t>(found.operations);
  plan.only_pivots_change = found.max_steps <= longest_row_of_pivots && found.changed == 0;
  const auto rounded_up = [](int number) { return (number + 15) / 16 * 16; };
  plan.capacity = rounded_up(std::max(found.longest_that_fits, 1));
  plan.step_capacity = rounded_up(std::min(found.max_steps + 1, plan.capacity));
  plan.longest = found.longest;
  using Short = Product<std::uint16_t>;
  plan.has_short_words = plan.capacity <= Short::longest_row && found.longest_upper < Short::longest_upper;
  if (plan.only_pivots_change) {
    add_couplings(space, merged, triangles.lower.slices(space, merged, false), symmetric, plan);
    space.fence("terrace::cuda::plan_rows");
    return plan;
  }
  if (found.runs > 0 && found.steps >= EliminationTuning::entries_of_run * found.runs)
    plan.tiles = FindTiles<Offset>(space, merged).find();
  if (plan.tiles.are_there()) {
    plan.lines = merged;
    space.fence("terrace::cuda::plan_rows");
    return plan;
  }
  const bool rows_are_short = plan.entries <= EliminationTuning::short_row * static_cast<std::size_t>(merged.count);
  const bool may_be_alone = rows_are_short && found.longest <= EliminationTuning::longest_short_row;
  triangles.lower.with_levels(space, merged, false, [&](const int* level) {
    plan.rows = std::move(SliceRows<Offset>(space, merged, false, SliceTuning::entries_per_piece,
                                            may_be_alone ? found.longest : EliminationTuning::entries_per_lane, level)
                              .rows());
  });
  const bool are_levels_wide = plan.rows.rows / plan.rows.levels >= EliminationTuning::wide_level;
  if (are_levels_wide && may_be_alone) add_operations(space, merged, plan);
  else if (!(are_levels_wide && rows_are_short)) {
    if (plan.has_short_words) add_lists<std::uint16_t>(space, merged, found.max_steps, plan);
    else add_lists<std::uint32_t>(space, merged, found.max_steps, plan);
    if (plan.products.words && !plan.products.widths) choose_order(space, merged, symmetric, triangles, plan);
  }
  space.fence("terrace::cuda::plan_rows");
  return plan;
}

}  // namespace terrace::cuda
