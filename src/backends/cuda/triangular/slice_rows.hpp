// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, order, groups, slices, entries.
//
// O(entries) work. The host waits once for a small triangle, of which the device puts the rows in order as it sees fit
// (choose_order.hpp). Else it waits for what the levels and long rows come to, and for the steps and slots that the
// slices take; and once more where long rows have to be counted before the search for levels, or row blocks may pay for
// more than a few levels.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
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
        scratch_(space, "terrace::cuda::slice_rows",
                 2 * Arrays::bytes<int>(most()) + small_bytes() + (level ? 0 : TaskScratch::bytes(triangle.count))),
        level_(level) {
    rows_.rows = rows_.positions = triangle.count;
    rows_.entries_per_piece = entries_per_piece;
    rows_.backward = backward;
    if (!level) {
      auto* found = scratch_.take<int>(most());
      find_levels(space, triangle, backward, scratch_, found);
      level_ = found;
    }
    look_at_levels(order == Order::Best);
    const bool is_small = SmallMatrix::is(triangle.count, entries_);
    if (is_small) {
      allocate(std::min(triangle.count, CountTuning::most_counts));
      order_rows({}, &cells_->facts.choice);
    }
    const LevelFacts facts = read_facts();
    cut_long_rows(facts.summary);
    if (is_small && facts.choice.is_made) {
      choice_ = facts.choice;
      rows_.widest_level = static_cast<int>(facts.costs.widest_level);
      keep_order();
    } else {
      if (order == Order::Best) choose_row_blocks(facts);
      group();
    }
  }

  SlicedRows<Offset>& rows() { return rows_; }
  const int* position() const { return position_; }

 private:
  /// Rows and pieces; at most two pieces per piece's worth of entries.
  std::size_t most() const { return static_cast<std::size_t>(max_positions_) + 1; }

  /// For look_at_levels and order_rows: taken together with the rest, since they would be as long in coming.
  static constexpr std::size_t small_bytes() {
    constexpr std::size_t keys = CountTuning::most_counts;
    return bytes_of_counts() +
           Arrays::bytes<Share>(std::size_t(RowBlockTuning::max_row_blocks) * CountTuning::most_levels) +
           Arrays::bytes<Group>(keys + 1) + Arrays::bytes<int>(2 * CountTuning::most_shares) +
           Arrays::bytes<std::int64_t>(numbers_for_host);
  }
  /// Of what begins as zero whatever will be counted.
  static constexpr std::size_t bytes_of_counts() {
    return Arrays::bytes<LevelCells>(1) + Arrays::bytes<unsigned>(counts());
  }
  static constexpr std::size_t counts() {
    return CountTuning::most_counts + SharedSteps::counters(OrderRows<Offset>::steps);
  }
  /// The facts; slots, and steps or row blocks.
  static constexpr std::size_t words_of_facts = sizeof(LevelFacts) / sizeof(std::int64_t);
  static constexpr std::size_t numbers_for_host =
      words_of_facts + 2 +
      std::max<std::size_t>(2 * CountTuning::most_counts / classes_per_level, 2 * RowBlockTuning::max_row_blocks);
  static_assert(sizeof(LevelFacts) % sizeof(std::int64_t) == 0);
  Kokkos::RangePolicy<Space> each(int count) const { return Kokkos::RangePolicy<Space>(space_, 0, count); }
  Items<Offset> items() const { return rows_.items_of(pattern_); }
  /// None of them cut, before it is known which are long.
  Items<Offset> whole_rows() const { return {pattern_, nullptr, 0, std::numeric_limits<int>::max(), rows_.backward}; }

  /// Enqueued. Costs are those of smallest_row_blocks(CountTuning::most_levels), where it is several.
  void look_at_levels(bool counts_row_blocks) {
    constexpr int threads = 256, max_blocks = 512;
    const RowBlocks smallest = counts_row_blocks ? smallest_row_blocks(CountTuning::most_levels)
                                                 : RowBlocks{1, rows_.rows, rows_.rows, rows_.backward};
    const std::size_t shares = smallest.count > 1 ? shares_of(smallest, CountTuning::most_levels) : 0;
    cells_ = scratch_.take<LevelCells>(1);
    counts_ = scratch_.take<unsigned>(counts());
    auto* const share = scratch_.take<Share>(shares);
    check(cudaMemsetAsync(cells_, 0, bytes_of_counts() + Arrays::bytes<Share>(shares), space_.cuda_stream()),
          "cudaMemsetAsync");
    for_host_.emplace(scratch_.take<std::int64_t>(numbers_for_host), numbers_for_host);
    launch(
        space_, "terrace::cuda::look_at_levels", look_at_levels_kernel<Offset>,
        std::min<std::size_t>(blocks_of(rows_.rows, threads), max_blocks), threads,
        LookAtLevels<Offset>{pattern_,
                             level_,
                             rows_.entries_per_piece,
                             {keys_of(whole_rows()), smallest, shares > 0 ? share : nullptr, CountTuning::most_levels},
                             bytes_per_lane(),
                             {smallest, capacity()},
                             cells_,
                             reinterpret_cast<LevelFacts*>(for_host_->to())});
  }

  /// Waits for the space.
  LevelFacts read_facts() const {
    check(cudaStreamSynchronize(space_.cuda_stream()), "cudaStreamSynchronize");
    LevelFacts facts;
    for_host_->read_part(space_, 0, words_of_facts, reinterpret_cast<std::int64_t*>(&facts));
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
    choice_.levels = rows_.levels;
    choice_.row_blocks = {1, rows_.rows, rows_.rows, rows_.backward};
    choice_.kinds = ChooseOrder::kinds_of(classes);
    lanes_ = static_cast<std::int64_t>(lanes);
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
    return {items(), level_, per_lane_, choice_.row_blocks, choice_.levels, keys, values, rows_.positions};
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
    const int slices = ChooseOrder::most_slices(rows_.positions, rows_.positions - rows_.rows,
                                                static_cast<std::int64_t>(most_lanes()), 0);
    return 12.0 * static_cast<double>(entries_) / (static_cast<double>(slices) * warp_size);
  }

  /// Waits for the costs, where there are enough levels for row blocks to pay and they were not counted before.
  void choose_row_blocks(const LevelFacts& facts) {
    const RowBlocks smallest = smallest_row_blocks(rows_.levels);
    if (smallest.count == 1) return;
    const bool is_known = rows_.levels <= CountTuning::most_levels && rows_.positions == rows_.rows;
    const RowBlockCosts costs = is_known ? facts.costs : cost_of(smallest);
    choice_.row_blocks = cheapest(smallest, capacity(), rows_.levels, costs);
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

  /// Of rows and pieces: a row has less than twice the lanes that it needs.
  std::size_t most_lanes() const {
    const auto entries_per_lane =
        static_cast<std::size_t>(per_lane_ == tuned_lanes ? SliceTuning::entries_at_once : per_lane_);
    return static_cast<std::size_t>(rows_.positions) + 2 * entries_ / entries_per_lane;
  }

  void group() {
    const int pieces = rows_.positions - rows_.rows;
    choice_.slices = ChooseOrder::most_slices(
        rows_.positions, pieces, lanes_, choice_.row_blocks.count * rows_.levels * Kokkos::popcount(choice_.kinds));
    if (pieces == 0)
      choice_.runs = Runs::of(rows_.rows, choice_.row_blocks, rows_.levels, choice_.kinds, choice_.slices);
    allocate(choice_.slices);
    if (choice_.runs.count == 0) return sort_rows(choice_.slices);
    choice_.is_made = true;
    order_rows(choice_, nullptr);
    check(cudaStreamSynchronize(space_.cuda_stream()), "cudaStreamSynchronize");
    keep_order();
  }

  int key_count() const { return choice_.key_count(); }
  bool has_row_blocks() const { return choice_.row_blocks.count > 1; }
  /// And the end.
  std::size_t steps() const { return has_row_blocks() ? 0 : 2 * static_cast<std::size_t>(rows_.levels) + 1; }

  void take_position() {
    if (!position_) position_ = scratch_.take<int>(most());
  }

  /// By counting (count_keys.hpp), as somebody has chosen. Enqueued.
  void order_rows(const OrderChoice& choice, const OrderChoice* chosen) {
    if (!groups_) {
      groups_ = scratch_.take<Group>(CountTuning::most_counts + 1);
      sums_of_shares_ = scratch_.take<int>(2 * CountTuning::most_shares);
    }
    take_position();
    const std::size_t shares =
        rows_.rows <= CountTuning::rows_of_one_block
            ? 1
            : std::min<std::size_t>(blocks_of(rows_.rows, CountTuning::fewest_places), CountTuning::most_shares);
    launch(space_, "terrace::cuda::order_rows", order_rows_kernel<Offset>, shares, CountTuning::block,
           OrderRows<Offset>{sort_keys(nullptr, nullptr), choice, chosen, groups_, counts_,
                             counts_ + CountTuning::most_counts, sums_of_shares_, rows_.items, position_, rows_.slices,
                             rows_.row_blocks_on_device, for_host_->to() + words_of_facts});
  }

  /// When the space has been waited for.
  void keep_order() {
    static_assert(sizeof(Group) == sizeof(std::int64_t) && sizeof(RowBlock) == 2 * sizeof(std::int64_t));
    const auto row_blocks = static_cast<std::size_t>(choice_.row_blocks.count);
    std::vector<std::int64_t> found(1 + (has_row_blocks() ? 2 * row_blocks : steps()));
    for_host_->read_part(space_, words_of_facts, found.size(), found.data());
    rows_.slots = found.front();
    if (!has_row_blocks()) return keep_steps(reinterpret_cast<const Group*>(found.data() + 1));
    rows_.row_blocks.resize(row_blocks);
    std::memcpy(rows_.row_blocks.data(), found.data() + 1, row_blocks * sizeof(RowBlock));
    rows_.slice_count = static_cast<int>(rows_.row_blocks.back().end_slice);
  }

  void sort_rows(int slices) {
    const auto keys = static_cast<std::size_t>(key_count());
    const std::size_t bytes = sort_by_key_bytes(rows_.positions);
    JoinedScratch scratch(space_, "terrace::cuda::slice_rows::sort",
                          4 * Arrays::bytes<int>(most()) + Arrays::bytes<char>(bytes) + Arrays::bytes<Group>(keys + 1) +
                              Arrays::bytes<Group>(steps() + 1));
    auto *key = scratch.take<unsigned>(most()), *other_key = scratch.take<unsigned>(most());
    auto *item = scratch.take<int>(most()), *other_item = scratch.take<int>(most());
    Kokkos::parallel_for("terrace::cuda::sort_keys", each(rows_.positions), sort_keys(key, item));
    int bits = 3;
    while (bits < 32 && (choice_.row_blocks.count * rows_.levels - 1) >> (bits - 3)) ++bits;
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch.take<char>(bytes), bytes, key, other_key, item,
                                      other_item, rows_.positions, bits);
    auto *groups = scratch.take<Group>(keys + 1), *step = scratch.take<Group>(steps() + 1);
    take_position();
    Kokkos::parallel_for("terrace::cuda::find_groups", each(rows_.positions + 1),
                         FindGroups{in_other ? other_key : key, in_other ? other_item : item, rows_.items, position_,
                                    groups, rows_.positions, static_cast<unsigned>(key_count())});
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(key_count() + 1),
                          CountSlices{groups, has_row_blocks() ? nullptr : step, key_count()});
    launch_for_slices(space_, "terrace::cuda::shape_slices", shape_slices_kernel<Offset>,
                      ShapeSlices<Offset>{items(), rows_.items, groups, key_count(), rows_.slices, slices});
    Kokkos::parallel_scan("terrace::cuda::place_slices", each(slices),
                          PlaceSlices{rows_.slices, &groups[keys].first_slice,
                                      has_row_blocks() ? reinterpret_cast<std::int64_t*>(rows_.row_blocks_on_device +
                                                                                         choice_.row_blocks.count)
                                                       : reinterpret_cast<std::int64_t*>(step + steps())});
    if (has_row_blocks()) read_row_blocks(groups);
    else read_steps(step);
  }

  void read_row_blocks(const Group* groups) {
    const auto count = static_cast<std::size_t>(choice_.row_blocks.count);
    Kokkos::parallel_for(
        "terrace::cuda::find_row_blocks", each(choice_.row_blocks.count + 1),
        FindRowBlocks{groups, rows_.levels * classes_per_level, choice_.row_blocks.count, rows_.row_blocks_on_device});
    rows_.row_blocks.resize(count + 1);
    read_numbers(space_, rows_.row_blocks_on_device, count + 1, rows_.row_blocks.data());
    std::memcpy(&rows_.slots, &rows_.row_blocks[count], sizeof(rows_.slots));
    rows_.row_blocks.pop_back();
    rows_.slice_count = static_cast<int>(rows_.row_blocks.back().end_slice);
  }

  /// There is capacity for more slices than there will be; to wait for their number would take longer than anything.
  void allocate(int most_slices) {
    if (rows_.memory) rows_.memory->free_on(space_);
    const auto slices = static_cast<std::size_t>(most_slices), positions = static_cast<std::size_t>(rows_.positions);
    constexpr std::size_t row_blocks = RowBlockTuning::max_row_blocks;
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
  JoinedScratch scratch_;
  const int* level_;
  std::int64_t lanes_ = 0;  // of rows and pieces
  OrderChoice choice_;
  SlicedRows<Offset> rows_;
  int* position_ = nullptr;  // of each item
  LevelCells* cells_ = nullptr;
  unsigned* counts_ = nullptr;  // for order_rows, zero
  Group* groups_ = nullptr;     // likewise
  int* sums_of_shares_ = nullptr;
  std::optional<NumbersForHost<std::int64_t>> for_host_;
};

}  // namespace terrace::cuda::triangular
