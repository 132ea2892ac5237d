// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, order, groups, slices, entries.
//
// O(entries) work. The host waits twice: for what the levels and long rows come to, and for the steps and slots that
// the slices take; and once more where long rows have to be counted before the search for levels, or row blocks may
// pay for more than a few levels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <terrace/error.hpp>
#include <vector>

#include "backends/cuda/analysis/find_row_levels.hpp"
#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/triangular/count_keys.hpp"
#include "backends/cuda/triangular/fill_slices.hpp"
#include "backends/cuda/triangular/look_at_levels.hpp"

namespace terrace::cuda::triangular {

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
                 5 * Arrays::bytes<int>(most()) + Arrays::bytes<char>(sort_bytes_) + small_bytes() +
                     (level ? 0 : TaskScratch::bytes(triangle.count))),
        level_(level) {
    rows_.rows = rows_.positions = triangle.count;
    rows_.entries_per_piece = entries_per_piece;
    rows_.backward = backward;
    if (!level) {
      auto* found = scratch_.take<int>(most());
      find_levels(space, triangle, backward, scratch_, found);
      level_ = found;
    }
    const LevelFacts facts = look_at_levels(order == Order::Best);
    cut_long_rows(facts.summary);
    if (order == Order::Best) choose_row_blocks(facts);
    group();
  }

  SlicedRows<Offset>& rows() { return rows_; }
  const int* position() const { return position_; }

 private:
  /// Rows and pieces; at most two pieces per piece's worth of entries.
  std::size_t most() const { return static_cast<std::size_t>(max_positions_) + 1; }
  static constexpr std::size_t arrivals = 2;  // of kernels whose last block goes on

  /// For look_at_levels and count_rows: taken together with the rest, since they would be as long in coming.
  static constexpr std::size_t small_bytes() {
    constexpr std::size_t keys = CountTuning::most_counts;
    return Arrays::bytes<LevelCells>(1) +
           Arrays::bytes<Share>(std::size_t(RowBlockTuning::max_row_blocks) * CountTuning::most_levels) +
           Arrays::bytes<Group>(keys + 1) + Arrays::bytes<std::uint64_t>(numbers_for_host(keys)) +
           Arrays::bytes<unsigned>(keys + arrivals);
  }
  /// Of steps, or row blocks, and the slots.
  static constexpr std::size_t numbers_for_host(std::size_t keys) {
    return std::max(2 * keys / classes_per_level, 2 * std::size_t(RowBlockTuning::max_row_blocks)) + 2;
  }
  Kokkos::RangePolicy<Space> each(int count) const { return Kokkos::RangePolicy<Space>(space_, 0, count); }
  Items<Offset> items() const { return rows_.items_of(pattern_); }
  /// None of them cut, before it is known which are long.
  Items<Offset> whole_rows() const { return {pattern_, nullptr, 0, std::numeric_limits<int>::max(), rows_.backward}; }

  /// Waits for it. Costs are those of smallest_row_blocks(CountTuning::most_levels), where it is several.
  LevelFacts look_at_levels(bool counts_row_blocks) {
    constexpr int threads = 256, max_blocks = 512;
    const RowBlocks smallest = counts_row_blocks ? smallest_row_blocks(CountTuning::most_levels) : RowBlocks{};
    const std::size_t shares = smallest.count > 1 ? shares_of(smallest, CountTuning::most_levels) : 0;
    auto* const cells = scratch_.take<LevelCells>(1);
    auto* const share = scratch_.take<Share>(shares);
    check(cudaMemsetAsync(cells, 0, Arrays::bytes<LevelCells>(1) + Arrays::bytes<Share>(shares), space_.cuda_stream()),
          "cudaMemsetAsync");
    const NumbersForHost<LevelFacts> for_host(&cells->facts, 1);
    launch(
        space_, "terrace::cuda::look_at_levels", look_at_levels_kernel<Offset>,
        std::min<std::size_t>(blocks_of(rows_.rows, threads), max_blocks), threads,
        LookAtLevels<Offset>{pattern_,
                             level_,
                             rows_.entries_per_piece,
                             {keys_of(whole_rows()), smallest, shares > 0 ? share : nullptr, CountTuning::most_levels},
                             bytes_per_lane(),
                             cells,
                             for_host.to()});
    LevelFacts facts;
    for_host.read(space_, &facts);
    return facts;
  }

  void cut_long_rows(const Summary& summary) {
    const auto [deepest, long_rows, pieces, classes, entries, lanes] = summary;
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
    if (per_lane_ == tuned_lanes) {
      kinds_ = 0;
      for (int log2_lanes = 0; log2_lanes <= 6; ++log2_lanes)  // and pieces
        if (classes >> log2_lanes & 1u) kinds_ |= 1u << class_of(log2_lanes);
      lanes_ = static_cast<std::size_t>(lanes);
    }
    if (long_rows == 0) return;
    const auto count = static_cast<std::size_t>(long_rows);
    rows_.memory_of_long_rows =
        std::make_shared<Arrays>(space_, "terrace::cuda::long_rows", Arrays::bytes<LongRow>(count));
    rows_.long_rows = rows_.memory_of_long_rows->template take<LongRow>(count);
    rows_.long_row_count = long_rows;
    Kokkos::parallel_scan("terrace::cuda::list_long_rows", each(rows_.rows),
                          ListLongRows<Offset>{pattern_, rows_.entries_per_piece, rows_.long_rows});
  }

  /// Of rows and pieces in the row blocks that were chosen.
  SortKeys<Offset> sort_keys(unsigned* keys, int* values) const {
    return {items(), level_, per_lane_, row_blocks_, rows_.levels, keys, values, rows_.positions};
  }
  /// Of which only levels and lanes are asked.
  SortKeys<Offset> keys_of(const Items<Offset>& items) const {
    return {items, level_, per_lane_, {}, 0, nullptr, nullptr, rows_.positions};
  }

  /// Rows that a row block may have: all pieces may lie in one.
  int capacity() const { return RowBlockTuning::capacity(shared_memory_of_block()) - (rows_.positions - rows_.rows); }
  RowBlocks smallest_row_blocks(int levels) const {
    return cuda::triangular::smallest_row_blocks(rows_.rows, capacity(), levels, rows_.backward);
  }
  static std::size_t shares_of(const RowBlocks& smallest, int levels) {
    return static_cast<std::size_t>(smallest.count) * static_cast<std::size_t>(levels);
  }

  double bytes_per_lane() const {
    return 12.0 * static_cast<double>(entries_) / (static_cast<double>(most_slices(most_lanes(), 0)) * warp_size);
  }

  /// Waits for the costs, where there are enough levels for row blocks to pay and they were not counted before.
  void choose_row_blocks(const LevelFacts& facts) {
    const RowBlocks smallest = smallest_row_blocks(rows_.levels);
    if (smallest.count == 1) return;
    const bool is_known = rows_.levels <= CountTuning::most_levels && rows_.positions == rows_.rows;
    const RowBlockCosts costs = is_known ? facts.costs : cost_of(smallest);
    row_blocks_ = cheapest(smallest, capacity(), rows_.levels, costs);
    rows_.widest_level = static_cast<int>(costs.widest_level);
  }

  /// Waits for the space.
  RowBlockCosts cost_of(const RowBlocks& smallest) const {
    const std::size_t shares = shares_of(smallest, rows_.levels);
    const std::size_t bytes = Arrays::bytes<RowBlockCosts>(1) + Arrays::bytes<Share>(shares);
    JoinedScratch scratch(space_, "terrace::cuda::cost_of_row_blocks", bytes);
    auto* costs = scratch.take<RowBlockCosts>(1);
    auto* share = scratch.take<Share>(shares);
    check(cudaMemsetAsync(costs, 0, bytes, space_.cuda_stream()), "cudaMemsetAsync");
    constexpr int threads = 128, levels_per_block = threads / warp_size, max_blocks = 1024;
    launch(space_, "terrace::cuda::count_shares", count_shares_kernel<Offset>, blocks_of(rows_.positions, threads),
           threads, CountShares<Offset>{keys_of(items()), smallest, share, rows_.levels});
    launch(space_, "terrace::cuda::sum_costs", sum_costs_kernel,
           std::min<std::size_t>(blocks_of(rows_.levels, levels_per_block), max_blocks), threads,
           SumCosts{share, rows_.levels, smallest.count, bytes_per_lane(), costs});
    return read_numbers<1>(space_, costs)[0];
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

  /// Of rows and pieces: a row has less than twice the lanes that it needs.
  std::size_t most_lanes() const {
    const auto entries_per_lane =
        static_cast<std::size_t>(per_lane_ == tuned_lanes ? SliceTuning::entries_at_once : per_lane_);
    return static_cast<std::size_t>(rows_.positions) + 2 * entries_ / entries_per_lane;
  }

  /// No group begins a slice that is not full, but for its last.
  int most_slices(std::size_t lanes, int groups) const {
    const auto positions = static_cast<std::size_t>(rows_.positions);
    const std::size_t pieces = positions - static_cast<std::size_t>(rows_.rows);
    return static_cast<int>(std::min(positions, lanes / warp_size + pieces + static_cast<std::size_t>(groups) + 1));
  }

  void group() {
    const int slices =
        most_slices(lanes_ > 0 ? lanes_ : most_lanes(), row_blocks_.count * rows_.levels * std::popcount(kinds_));
    const bool has_pieces = rows_.positions > rows_.rows;
    const Runs runs = has_pieces ? Runs{} : Runs::of(rows_.rows, row_blocks_, rows_.levels, kinds_, slices);
    allocate(slices);
    if (runs.count > 0) count_rows(runs, slices);
    else sort_rows(slices);
  }

  int key_count() const { return row_blocks_.count * rows_.levels * classes_per_level; }
  bool has_row_blocks() const { return row_blocks_.count > 1; }
  /// And the end.
  std::size_t steps() const { return has_row_blocks() ? 0 : 2 * static_cast<std::size_t>(rows_.levels) + 1; }

  /// By counting (count_keys.hpp).
  void count_rows(const Runs& runs, int slices) {
    constexpr int threads = CountTuning::block, runs_per_block = threads / warp_size;
    const auto keys = static_cast<std::size_t>(key_count()), row_blocks = static_cast<std::size_t>(row_blocks_.count),
               counts_of_runs = static_cast<std::size_t>(runs.counts());
    auto* const groups = scratch_.take<Group>(keys + 1);
    auto* const counts = scratch_.take<unsigned>(counts_of_runs + arrivals);
    unsigned* const arrived = counts + counts_of_runs;
    position_ = scratch_.take<int>(most());
    check(cudaMemsetAsync(counts, 0, (counts_of_runs + arrivals) * sizeof(unsigned), space_.cuda_stream()),
          "cudaMemsetAsync");

    // Steps, or row blocks; and the slots behind them.
    const std::size_t numbers = (has_row_blocks() ? 2 * row_blocks : steps()) + 1;
    const NumbersForHost<std::int64_t> for_host(scratch_.take<std::int64_t>(numbers), numbers);
    static_assert(sizeof(Group) == sizeof(std::int64_t) && sizeof(RowBlock) == 2 * sizeof(std::int64_t));
    Group* const step = has_row_blocks() ? nullptr : reinterpret_cast<Group*>(for_host.to());
    const CountKeys<Offset> count{sort_keys(nullptr, nullptr), runs, counts, {groups, step, key_count()}, arrived};
    const PlaceSlices place{rows_.slices, &groups[keys].first_slice, for_host.to() + numbers - 1};
    const FindRowBlocks find{groups, rows_.levels * classes_per_level, row_blocks_.count,
                             has_row_blocks() ? rows_.row_blocks_on_device : nullptr};
    launch(space_, "terrace::cuda::count_keys", count_keys_kernel<Offset>, blocks_of(runs.count, runs_per_block),
           threads, count);
    launch(space_, "terrace::cuda::place_rows", place_rows_kernel<Offset>, blocks_of(runs.count, runs_per_block),
           threads, count, rows_.items, position_);
    launch(space_, "terrace::cuda::shape_and_place_slices", shape_and_place_slices_kernel<Offset>,
           blocks_of(slices, runs_per_block), threads,
           ShapeSlices<Offset>{items(), rows_.items, groups, key_count(), rows_.slices, slices}, place, find,
           reinterpret_cast<RowBlock*>(for_host.to()), arrived + 1);

    std::vector<std::int64_t> found(numbers);
    for_host.read(space_, found.data());
    rows_.slots = found.back();
    if (!has_row_blocks()) return keep_steps(reinterpret_cast<const Group*>(found.data()));
    rows_.row_blocks.resize(row_blocks);
    std::memcpy(rows_.row_blocks.data(), found.data(), row_blocks * sizeof(RowBlock));
    rows_.slice_count = static_cast<int>(rows_.row_blocks.back().end_slice);
  }

  void sort_rows(int slices) {
    sort();
    const auto keys = static_cast<std::size_t>(key_count());
    JoinedScratch scratch(space_, "terrace::cuda::slice_rows::groups",
                          Arrays::bytes<Group>(keys + 1) + Arrays::bytes<Group>(steps() + 1));
    auto *groups = scratch.take<Group>(keys + 1), *step = scratch.take<Group>(steps() + 1);
    Kokkos::parallel_for("terrace::cuda::find_groups", each(rows_.positions + 1),
                         FindGroups{keys_, sorted_items_, rows_.items, position_, groups, rows_.positions,
                                    static_cast<unsigned>(key_count())});
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(key_count() + 1),
                          CountSlices{groups, has_row_blocks() ? nullptr : step, key_count()});
    launch_for_slices(space_, "terrace::cuda::shape_slices", shape_slices_kernel<Offset>,
                      ShapeSlices<Offset>{items(), rows_.items, groups, key_count(), rows_.slices, slices});
    Kokkos::parallel_scan(
        "terrace::cuda::place_slices", each(slices),
        PlaceSlices{rows_.slices, &groups[keys].first_slice,
                    has_row_blocks() ? reinterpret_cast<std::int64_t*>(rows_.row_blocks_on_device + row_blocks_.count)
                                     : reinterpret_cast<std::int64_t*>(step + steps())});
    if (has_row_blocks()) read_row_blocks(groups);
    else read_steps(step);
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
  void allocate(int most_slices) {
    const auto slices = static_cast<std::size_t>(most_slices), positions = static_cast<std::size_t>(rows_.positions),
               row_blocks = static_cast<std::size_t>(row_blocks_.count);
    rows_.memory = std::make_shared<Arrays>(
        space_, "terrace::cuda::slices",
        Arrays::bytes<Slice>(slices) + Arrays::bytes<int>(positions) + Arrays::bytes<RowBlock>(row_blocks + 1));
    rows_.slices = rows_.memory->template take<Slice>(slices);
    rows_.items = rows_.memory->template take<int>(positions);
    rows_.row_blocks_on_device = rows_.memory->template take<RowBlock>(row_blocks + 1);
  }

  /// Where each step begins, for the host, which cuts the schedule into kernels; and behind them the slots.
  void read_steps(const Group* from) {
    std::vector<Group> found(steps() + 1);
    static_assert(sizeof(Group) == sizeof(rows_.slots));
    read_numbers(space_, from, found.size(), found.data());
    std::memcpy(&rows_.slots, &found.back(), sizeof(rows_.slots));
    keep_steps(found.data());
  }

  void keep_steps(const Group* step) {
    const std::size_t count = steps();
    rows_.first_slice.reserve(count);
    rows_.first_position.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      if (k + 1 < count && step[k].first_position == step[k + 1].first_position) continue;  // no pieces
      rows_.first_slice.push_back(step[k].first_slice);
      rows_.first_position.push_back(step[k].first_position);
    }
    for (std::size_t k = 1; k < rows_.first_position.size(); ++k)
      rows_.widest_level = std::max(rows_.widest_level, rows_.first_position[k] - rows_.first_position[k - 1]);
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
  unsigned kinds_ = (1u << classes_per_level) - 1;  // that keys may have, bit by bit
  std::size_t lanes_ = 0;                           // of rows and pieces, where they have been counted
  RowBlocks row_blocks_;
  SlicedRows<Offset> rows_;
  const unsigned* keys_ = nullptr;     // by position
  const int* sorted_items_ = nullptr;  // by position
  int* position_ = nullptr;            // of each item
};

}  // namespace terrace::cuda::triangular
