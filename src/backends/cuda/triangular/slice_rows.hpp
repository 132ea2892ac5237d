// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, sort, groups, slices, entries.
//
// O(entries) work. The host waits twice: for what the levels and long rows come to, and for the steps and slots that
// the slices take; and once more where long rows have to be counted before the search for levels, or row blocks may
// pay.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <terrace/error.hpp>
#include <vector>

#include "backends/cuda/analysis/find_row_levels.hpp"
#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/triangular/count_row_blocks.hpp"
#include "backends/cuda/triangular/fill_slices.hpp"
#include "backends/cuda/triangular/shape_slices.hpp"

namespace terrace::cuda {

/// Rows by level, or also by row block and level where that makes the solves faster.
enum class Order { Levels, Best };

/// The structure of the slices. `position` of each item is needed for filling in the entries.
template <class Offset>
class SliceRows {
 public:
  using Triangle = sparse::Triangle<int, Offset, Space>;

  /// `level` of each row, when it is known; else it is searched for.
  SliceRows(const Space& space, const Triangle& triangle, bool backward, int entries_per_piece, int per_lane,
            const int* level, Order order = Order::Levels)
      : space_(space),
        pattern_(triangle.view()),
        entries_(triangle.entries.extent(0)),
        max_positions_(max_rows_and_pieces(triangle.count, entries_, entries_per_piece)),
        per_lane_(per_lane),
        sort_bytes_(sort_by_key_bytes(max_positions_)),
        scratch_(space, "terrace::cuda::slice_rows",
                 5 * Arrays::bytes<int>(most()) + Arrays::bytes<char>(sort_bytes_) + Arrays::bytes<Summary>(1) +
                     (level ? 0 : TaskScratch::bytes(triangle.count))),
        level_(level) {
    rows_.rows = triangle.count;
    rows_.entries_per_piece = entries_per_piece;
    rows_.backward = backward;
    if (!level) {
      auto* found = scratch_.take<int>(most());
      find_levels(space, triangle, backward, scratch_, found);
      level_ = found;
    }
    cut_long_rows();
    if (order == Order::Best) choose_row_blocks();
    sort();
    group();
  }

  SlicedRows<Offset>& rows() { return rows_; }
  const int* position() const { return position_; }

 private:
  /// Rows and pieces; at most two pieces per piece's worth of entries.
  std::size_t most() const { return static_cast<std::size_t>(max_positions_) + 1; }
  Kokkos::RangePolicy<Space> each(int count) const { return Kokkos::RangePolicy<Space>(space_, 0, count); }
  Items<Offset> items() const { return rows_.items_of(pattern_); }

  Summary summary() {
    constexpr int threads = 256, max_blocks = 512;
    auto* found = scratch_.take<Summary>(1);
    check(cudaMemsetAsync(found, 0, sizeof(Summary), space_.cuda_stream()), "cudaMemsetAsync");
    launch(space_, "terrace::cuda::summarize", summarize_kernel<Offset>,
           std::min<std::size_t>(blocks_of(rows_.rows, threads), max_blocks), threads,
           Summarize<Offset>{pattern_, level_, rows_.entries_per_piece, found});
    return read_numbers<1>(space_, found)[0];
  }

  void cut_long_rows() {
    const auto [deepest, long_rows, pieces, classes, entries] = summary();
    constexpr int max_levels = (1 << 28) - 1;  // times eight they are numbers of groups
    if (deepest >= max_levels)
      throw Error(ErrorCode::InvalidOption, "the triangle has " + std::to_string(deepest + 1) +
                                                " levels; this engine takes up to " + std::to_string(max_levels) +
                                                " (rows_per_task above 1 uses another)");
    if (pieces > max_numbered - rows_.rows)
      throw Error(ErrorCode::OutOfMemory, "the triangle has " + std::to_string(rows_.rows) +
                                              " rows, the longest of them in " + std::to_string(pieces) +
                                              " pieces; this engine counts up to " + std::to_string(max_numbered) +
                                              " of both together");
    rows_.levels = deepest + 1;
    rows_.positions = rows_.rows + pieces;
    rows_.entries = static_cast<std::int64_t>(entries);
    classes_ = per_lane_ == tuned_lanes ? std::popcount(classes) : classes_per_level;
    if (long_rows == 0) return;
    const auto count = static_cast<std::size_t>(long_rows);
    rows_.memory_of_long_rows =
        std::make_shared<Arrays>(space_, "terrace::cuda::long_rows", Arrays::bytes<LongRow>(count));
    rows_.long_rows = rows_.memory_of_long_rows->template take<LongRow>(count);
    rows_.long_row_count = long_rows;
    Kokkos::parallel_scan("terrace::cuda::list_long_rows", each(rows_.rows),
                          ListLongRows<Offset>{pattern_, rows_.entries_per_piece, rows_.long_rows});
  }

  SortKeys<Offset> sort_keys(unsigned* keys, int* values) const {
    return {items(), level_, per_lane_, row_blocks_, rows_.levels, keys, values, rows_.positions};
  }

  /// Waits for the costs, where there are enough levels for row blocks to pay.
  void choose_row_blocks() {
    const int pieces = rows_.positions - rows_.rows;  // all may lie in one row block
    const int capacity = RowBlockTuning::capacity(shared_memory_of_block()) - pieces;
    const RowBlocks smallest = smallest_row_blocks(rows_.rows, capacity, rows_.levels, rows_.backward);
    if (smallest.count == 1) return;
    const auto counts = static_cast<std::size_t>(smallest.count) * static_cast<std::size_t>(rows_.levels);
    const std::size_t bytes = Arrays::bytes<RowBlockCosts>(1) + Arrays::bytes<Share>(counts);
    JoinedScratch scratch(space_, "terrace::cuda::choose_row_blocks", bytes);
    auto* costs = scratch.take<RowBlockCosts>(1);
    auto* shares = scratch.take<Share>(counts);
    check(cudaMemsetAsync(costs, 0, bytes, space_.cuda_stream()), "cudaMemsetAsync");
    constexpr int threads = 128, levels_per_block = threads / warp_size, max_blocks = 1024;
    launch(space_, "terrace::cuda::count_shares", count_shares_kernel<Offset>, blocks_of(rows_.positions, threads),
           threads, CountShares<Offset>{sort_keys(nullptr, nullptr), smallest, shares});
    const double lanes = static_cast<double>(max_slices(0)) * warp_size;
    launch(space_, "terrace::cuda::sum_costs", sum_costs_kernel,
           std::min<std::size_t>(blocks_of(rows_.levels, levels_per_block), max_blocks), threads,
           SumCosts{shares, rows_.levels, smallest.count, 12.0 * static_cast<double>(entries_) / lanes, costs});
    const RowBlockCosts found = read_numbers<1>(space_, costs)[0];
    row_blocks_ = cheapest(smallest, capacity, rows_.levels, found);
    rows_.widest_level = static_cast<int>(found.widest_level);
  }

  void sort() {
    auto *keys = scratch_.take<unsigned>(most()), *other_keys = scratch_.take<unsigned>(most());
    auto *items_by_key = scratch_.take<int>(most()), *other_items = scratch_.take<int>(most());
    Kokkos::parallel_for("terrace::cuda::sort_keys", each(rows_.positions), sort_keys(keys, items_by_key));
    int bits = 3;
    while (bits < 32 && (row_blocks_.count * rows_.levels - 1) >> (bits - 3)) ++bits;
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch_.take<char>(sort_bytes_), sort_bytes_, keys,
                                      other_keys, items_by_key, other_items, rows_.positions, bits);
    keys_ = in_other ? other_keys : keys;
    sorted_items_ = in_other ? other_items : items_by_key;
    position_ = in_other ? items_by_key : other_items;  // what the sort left free
  }

  /// No group begins a slice that is not full, but for its last; a row has less than twice the lanes that it needs.
  int max_slices(int groups) const {
    const auto entries_per_lane =
        static_cast<std::size_t>(per_lane_ == tuned_lanes ? SliceTuning::entries_at_once : per_lane_);
    const auto positions = static_cast<std::size_t>(rows_.positions);
    const std::size_t lanes = positions + 2 * entries_ / entries_per_lane,
                      pieces = positions - static_cast<std::size_t>(rows_.rows);
    return static_cast<int>(std::min(positions, lanes / warp_size + pieces + static_cast<std::size_t>(groups) + 1));
  }

  void group() {
    const bool has_row_blocks = row_blocks_.count > 1;
    const int key_count = row_blocks_.count * rows_.levels * classes_per_level;
    const int most = max_slices(row_blocks_.count * rows_.levels * classes_);
    const auto keys = static_cast<std::size_t>(key_count),
               steps = has_row_blocks ? 0 : 2 * static_cast<std::size_t>(rows_.levels) + 1;
    allocate(most);
    JoinedScratch scratch(space_, "terrace::cuda::slice_rows::groups",
                          Arrays::bytes<Group>(keys + 1) + Arrays::bytes<Group>(steps + 1));
    auto *groups = scratch.take<Group>(keys + 1), *step = scratch.take<Group>(steps + 1);
    Kokkos::parallel_for("terrace::cuda::find_groups", each(rows_.positions + 1),
                         FindGroups{keys_, sorted_items_, rows_.items, position_, groups, rows_.positions,
                                    static_cast<unsigned>(key_count)});
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(key_count + 1),
                          CountSlices{groups, has_row_blocks ? nullptr : step, key_count});
    launch_for_slices(space_, "terrace::cuda::shape_slices", shape_slices_kernel<Offset>,
                      ShapeSlices<Offset>{items(), rows_.items, groups, key_count, rows_.slices, most});
    Kokkos::parallel_scan(
        "terrace::cuda::place_slices", each(most),
        PlaceSlices{rows_.slices, &groups[key_count].first_slice,
                    has_row_blocks ? reinterpret_cast<std::int64_t*>(rows_.row_blocks_on_device + row_blocks_.count)
                                   : reinterpret_cast<std::int64_t*>(step + steps)});
    if (has_row_blocks) read_row_blocks(groups);
    else read_steps(step, steps);
  }

  void read_row_blocks(const Group* groups) {
    const auto count = static_cast<std::size_t>(row_blocks_.count);
    Kokkos::parallel_for(
        "terrace::cuda::find_row_blocks", each(row_blocks_.count + 1),
        FindRowBlocks{groups, rows_.levels * classes_per_level, row_blocks_.count, rows_.row_blocks_on_device});
    rows_.row_blocks.resize(count + 1);
    read_numbers(space_, rows_.row_blocks_on_device, count + 1, rows_.row_blocks.data());
    std::memcpy(&rows_.slots, &rows_.row_blocks[count], sizeof(rows_.slots));
    rows_.row_blocks.pop_back();
    rows_.slice_count = static_cast<int>(rows_.row_blocks.back().end_slice);
  }

  /// There is capacity for a few more slices than there will be; to wait for their number would take longer than
  /// anything.
  void allocate(int max_slices) {
    const auto slices = static_cast<std::size_t>(max_slices), positions = static_cast<std::size_t>(rows_.positions),
               row_blocks = static_cast<std::size_t>(row_blocks_.count);
    rows_.memory = std::make_shared<Arrays>(
        space_, "terrace::cuda::slices",
        Arrays::bytes<Slice>(slices) + Arrays::bytes<int>(positions) + Arrays::bytes<RowBlock>(row_blocks + 1));
    rows_.slices = rows_.memory->template take<Slice>(slices);
    rows_.items = rows_.memory->template take<int>(positions);
    rows_.row_blocks_on_device = rows_.memory->template take<RowBlock>(row_blocks + 1);
  }

  /// Where each step begins, for the host, which cuts the schedule into kernels; and behind them the slots.
  void read_steps(const Group* from, std::size_t count) {
    std::vector<Group> steps(count + 1);
    static_assert(sizeof(Group) == sizeof(rows_.slots));
    read_numbers(space_, from, steps.size(), steps.data());
    std::memcpy(&rows_.slots, &steps[count], sizeof(rows_.slots));
    rows_.first_slice.reserve(count);
    rows_.first_position.reserve(count);
    for (std::size_t step = 0; step < count; ++step) {
      if (step + 1 < count && steps[step].first_position == steps[step + 1].first_position) continue;  // no pieces
      rows_.first_slice.push_back(steps[step].first_slice);
      rows_.first_position.push_back(steps[step].first_position);
    }
    for (std::size_t step = 1; step < rows_.first_position.size(); ++step)
      rows_.widest_level = std::max(rows_.widest_level, rows_.first_position[step] - rows_.first_position[step - 1]);
    rows_.slice_count = rows_.first_slice.back();
  }

  Space space_;
  sparse::TriangleView<int, Offset> pattern_;
  std::size_t entries_;
  int max_positions_;
  int per_lane_;
  std::size_t sort_bytes_;
  JoinedScratch scratch_;
  const int* level_;
  int classes_ = 0;  // of lanes that share a row
  RowBlocks row_blocks_;
  SlicedRows<Offset> rows_;
  const unsigned* keys_ = nullptr;     // by position
  const int* sorted_items_ = nullptr;  // by position
  int* position_ = nullptr;            // of each item
};

}  // namespace terrace::cuda
