// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, sort, groups, slices, entries.
//
// O(entries) work. The host waits twice: for what the levels and long rows come to, and for the steps and slots that
// the slices take; and once more where long rows have to be counted before the search for levels.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <terrace/error.hpp>
#include <vector>

#include "backends/cuda/analysis/find_row_levels.hpp"
#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda {

using Space = Kokkos::Cuda;

// The sort key: level first, then long rows before short ones, so that what takes longest starts first. Pieces of long
// rows lead their level, because the rows they belong to wait for them.
inline constexpr int classes_per_level = 8;
inline constexpr int class_of_pieces = 0;

/// In place of a number of entries of whole lines for each lane: what suits triangular solves.
inline constexpr int tuned_lanes = 0;

template <class Offset>
struct SortKeys {
  Items<Offset> items;
  const int* level;  // of each row
  int per_lane;
  unsigned* keys;
  int* values;
  int count;

  /// Within a level items stay in the order in which a sequential solve would come to them.
  KOKKOS_FUNCTION void operator()(int place) const {
    const int item = items.backward ? count - 1 - place : place;
    const bool is_piece = items.is_piece(item);
    const int row = is_piece ? items.row_of_piece(item) : item;
    const int kind = is_piece ? class_of_pieces : 6 - log2_lanes(item);
    keys[place] = static_cast<unsigned>(level[row]) * classes_per_level + static_cast<unsigned>(kind);
    values[place] = item;
  }

  KOKKOS_FUNCTION int log2_lanes(int item) const {
    if (per_lane == tuned_lanes) return SliceTuning::log2_lanes(items.of(item).count);
    const Offset length = items.lines.line_map[item + 1] - items.lines.line_map[item];
    return log2_lanes_for(static_cast<std::size_t>(length), static_cast<std::size_t>(per_lane));
  }
};

inline KOKKOS_FUNCTION int log2_lanes_of_key(unsigned key) {
  const int kind = static_cast<int>(key % classes_per_level);
  return kind == class_of_pieces ? 5 : 6 - kind;
}

/// What the levels and the long rows come to; zero before.
struct Summary {
  int deepest, long_rows, pieces;
};

template <class Offset>
struct Summarize {
  analysis::Pattern<int, Offset> lines;
  const int* level;
  int entries_per_piece;
  Summary* summary;
};

/// Each warp adds what it found.
template <class Offset>
__global__ void summarize_kernel(Summarize<Offset> of) {
  Summary found{0, 0, 0};
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  for (int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); row < of.lines.lines; row += threads) {
    found.deepest = max(found.deepest, of.level[row]);
    const int cut_into = pieces_of(of.lines.end(row) - of.lines.begin(row), of.entries_per_piece);
    found.long_rows += cut_into > 0 ? 1 : 0;
    found.pieces += cut_into;
  }
  found.deepest = __reduce_max_sync(all_lanes, found.deepest);
  found.long_rows = __reduce_add_sync(all_lanes, found.long_rows);
  found.pieces = __reduce_add_sync(all_lanes, found.pieces);
  if (threadIdx.x % warp_size != 0) return;
  atomicMax(&of.summary->deepest, found.deepest);
  if (found.pieces == 0) return;
  atomicAdd(&of.summary->long_rows, found.long_rows);
  atomicAdd(&of.summary->pieces, found.pieces);
}

/// The long rows with the numbers of their pieces: a scan over (long rows, pieces), packed into one number.
template <class Offset>
struct ListLongRows {
  analysis::Pattern<int, Offset> lines;
  int entries_per_piece;
  LongRow* long_rows;
  KOKKOS_FUNCTION void operator()(int row, std::uint64_t& sum, bool final) const {
    const int cut_into = pieces_of(lines.end(row) - lines.begin(row), entries_per_piece);
    if (cut_into == 0) return;
    if (final) long_rows[sum >> 32] = {row, static_cast<int>(sum & 0xffffffffu)};
    sum += (std::uint64_t(1) << 32) + static_cast<std::uint64_t>(cut_into);
  }
};

/// Positions with the same key, up to where those of the next key begin.
struct Group {
  int first_position, first_slice;
};

/// Where the items of each key begin; on the way the order is kept, and its inverse. Over all positions and their end.
struct FindGroups {
  const unsigned* keys;     // by position
  const int* sorted_items;  // by position
  int* item_at;             // likewise
  int* position;            // of each item
  Group* groups;            // of each key, and the end
  int positions;
  unsigned key_count;

  KOKKOS_FUNCTION void operator()(int place) const {
    const bool is_end = place == positions;
    if (!is_end) {
      item_at[place] = sorted_items[place];
      position[sorted_items[place]] = place;
    }
    const unsigned last = is_end ? key_count : keys[place];
    for (unsigned key = place == 0 ? 0 : keys[place - 1] + 1; key <= last; ++key) groups[key].first_position = place;
  }
};

/// The slices of each group; and the steps, which the host will read: two for each level, pieces and rows, and the end.
struct CountSlices {
  Group* groups;
  Group* steps;
  int key_count;

  KOKKOS_FUNCTION void operator()(int key, int& slices, bool final) const {
    const int kind = key % classes_per_level;
    if (final) {
      groups[key].first_slice = slices;
      if (kind <= class_of_pieces + 1) steps[key / classes_per_level * 2 + kind] = groups[key];
    }
    const int size = key == key_count ? 0 : groups[key + 1].first_position - groups[key].first_position;
    if (size == 0) return;
    const int rows_per_slice = 32 >> log2_lanes_of_key(static_cast<unsigned>(key));
    slices += (size + rows_per_slice - 1) / rows_per_slice;
  }
};

/// The rows and the depth of each slice; where its slots begin comes later.
template <class Offset>
struct ShapeSlices {
  Items<Offset> items;
  const int* item_at;   // by position
  const Group* groups;  // of each key, and the end
  int key_count;
  Slice* slices;
  int slice_count;  // or more: the end of the groups knows

  /// The last key whose slices begin at or before this one: keys without any come first among equals.
  __device__ int key_of(int slice) const {
    int low = 0, high = key_count;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (groups[middle].first_slice <= slice) low = middle;
      else high = middle;
    }
    return low;
  }
};

/// A warp for each slice.
template <class Offset>
__global__ void shape_slices_kernel(ShapeSlices<Offset> shape) {
  const int lane = threadIdx.x % warp_size;
  const int slice = static_cast<int>((blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) / warp_size);
  if (slice >= shape.groups[shape.key_count].first_slice) return;
  const int key = shape.key_of(slice);
  const Group* group = shape.groups + key;
  const int log2_lanes = log2_lanes_of_key(static_cast<unsigned>(key)), most = warp_size >> log2_lanes;
  const int first = group->first_position + (slice - group->first_slice) * most;
  const int rows = min(group[1].first_position - first, most);
  const int length = lane < rows ? shape.items.of(shape.item_at[first + lane]).count : 0;
  const int longest = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(length)));
  if (lane == 0)
    shape.slices[slice] = {0, first, Slice::pack(rows, log2_lanes, (longest + (1 << log2_lanes) - 1) >> log2_lanes)};
}

struct PlaceSlices {
  Slice* slices;
  const int* slice_count;
  std::int64_t* all_slots;

  KOKKOS_FUNCTION void operator()(int slice, std::int64_t& slots, bool final) const {
    if (slice >= *slice_count) return;
    if (final) slices[slice].start = slots;
    slots += static_cast<std::int64_t>(slices[slice].width()) * slices[slice].depth();
    if (final && slice + 1 == *slice_count) *all_slots = slots;
  }
};

/// Calls `visit(slot, entries, k)` for each slot of this lane, with k behind the entries where there is none. A warp
/// for each slice.
template <class Offset, class Visit>
__device__ void for_each_slot(const Items<Offset>& items, const Slice& slice, const int* item_at, const Visit& visit) {
  const int lane = threadIdx.x % warp_size, width = slice.width();
  if (lane >= width) return;
  const auto entries = items.of(item_at[slice.first + (lane >> slice.log2_lanes())]);
  std::int64_t slot = slice.start + lane;
  int k = lane & ((1 << slice.log2_lanes()) - 1);
  for (int step = 0; step < slice.depth(); ++step, slot += width, k += 1 << slice.log2_lanes()) visit(slot, entries, k);
}

/// The positions that the entries name.
template <class Offset>
struct FillColumns {
  Items<Offset> items;
  const Slice* slices;
  int slice_count;
  const int* item_at;
  const int* position;  // of each item
  int* columns;
};

template <class Offset>
__global__ void fill_columns_kernel(FillColumns<Offset> fill) {
  const int number = static_cast<int>((blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) / warp_size);
  if (number >= fill.slice_count) return;
  for_each_slot(fill.items, fill.slices[number], fill.item_at, [&](std::int64_t slot, const auto& entries, int k) {
    int column = no_column;
    if (k < entries.count)
      column = fill.position[entries.are_pieces ? entries.place(k) : fill.items.lines.entries[entries.place(k)]];
    fill.columns[slot] = column;
  });
}

/// The values, and the inverse diagonal.
template <class Scalar, class Offset>
struct FillSlices {
  Items<Offset> items;
  const Scalar* from;
  const Slice* slices;
  int slice_count;
  const int* item_at;
  Scalar* values;
  Scalar* inverse_diagonal;  // null for a unit diagonal
};

template <class Scalar, class Offset>
__global__ void fill_slices_kernel(FillSlices<Scalar, Offset> fill) {
  const int number = static_cast<int>((blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) / warp_size);
  if (number >= fill.slice_count) return;
  const Slice slice = fill.slices[number];
  for_each_slot(fill.items, slice, fill.item_at, [&](std::int64_t slot, const auto& entries, int k) {
    fill.values[slot] = k >= entries.count ? Scalar(0) : entries.are_pieces ? Scalar(-1) : fill.from[entries.place(k)];
  });
  const int lane = threadIdx.x % warp_size, at = slice.first + (lane >> slice.log2_lanes());
  if (!fill.inverse_diagonal || lane >= slice.width() || (lane & ((1 << slice.log2_lanes()) - 1)) != 0) return;
  const int item = fill.item_at[at];
  fill.inverse_diagonal[at] =
      fill.items.is_piece(item) ? Scalar(1) : Scalar(1) / fill.from[fill.items.lines.diagonal_position(item)];
}

/// Launches a kernel that gives each slice to a warp.
template <class Kernel, class Arguments>
void launch_for_slices(const Space& space, const char* label, Kernel kernel, const Arguments& arguments) {
  constexpr int threads = 256, slices_per_block = threads / warp_size;
  launch(space, label, kernel, (arguments.slice_count + slices_per_block - 1) / slices_per_block, threads, arguments);
}

template <class Scalar, class Offset>
void fill_slices(const Space& space, const FillSlices<Scalar, Offset>& fill) {
  launch_for_slices(space, "terrace::cuda::fill_slices", fill_slices_kernel<Scalar, Offset>, fill);
}

/// Enqueues the search for the level of each row. `arrays` has memory for it, which is free for others afterwards.
/// Waits for the number of pieces where there may be long rows.
template <class Offset>
void find_levels(const Space& space, const analysis::Lines<int, Offset, Space>& lines, bool backward, Arrays& arrays,
                 int* level) {
  auto tasks = list_tasks(space, lines.pattern(), backward, lines.entries.extent(0), TaskScratch(arrays, lines.count));
  if (lines.may_have_long_lines) count_tasks(space, tasks);
  const int pieces = tasks.piece_count;
  Arrays memory(space, "terrace::cuda::find_levels::pieces",
                Arrays::bytes<RowPiece>(static_cast<std::size_t>(pieces)) + TaskCounters<int>::bytes(pieces));
  list_pieces(space, tasks, memory.take<RowPiece>(static_cast<std::size_t>(pieces)));
  find_row_levels(space, tasks, level, TaskCounters<int>(memory, pieces));
  memory.free_on(space);
}

/// The structure of the slices. `position` of each item is needed for filling in the entries.
template <class Offset>
class SliceRows {
 public:
  using Lines = analysis::Lines<int, Offset, Space>;

  /// `level` of each row, when it is known; else it is searched for.
  SliceRows(const Space& space, const Lines& lines, bool backward, int entries_per_piece, int per_lane,
            const int* level)
      : space_(space),
        lines_(lines.pattern()),
        entries_(lines.entries.extent(0)),
        most_positions_(lines.count + static_cast<int>(2 * entries_ / static_cast<std::size_t>(entries_per_piece))),
        per_lane_(per_lane),
        sort_bytes_(sort_by_key_bytes(most_positions_)),
        scratch_(space, "terrace::cuda::slice_rows",
                 5 * Arrays::bytes<int>(most()) + Arrays::bytes<char>(sort_bytes_) + Arrays::bytes<Summary>(1) +
                     (level ? 0 : TaskScratch::bytes(lines.count))),
        level_(level) {
    rows_.rows = lines.count;
    rows_.entries_per_piece = entries_per_piece;
    rows_.backward = backward;
    if (!level) {
      auto* found = scratch_.take<int>(most());
      find_levels(space, lines, backward, scratch_, found);
      level_ = found;
    }
    cut_long_rows();
    sort();
    group();
  }

  /// What has been enqueued until then may use the scratch memory; nobody else does.
  ~SliceRows() {
    scratch_.free_on(space_);
    scratch_of_groups_.free_on(space_);
  }
  SliceRows(const SliceRows&) = delete;
  SliceRows& operator=(const SliceRows&) = delete;

  SlicedRows<Offset>& rows() { return rows_; }
  const int* position() const { return position_; }

 private:
  /// Rows and pieces; at most two pieces per piece's worth of entries.
  std::size_t most() const { return static_cast<std::size_t>(most_positions_) + 1; }
  Kokkos::RangePolicy<Space> each(int count) const { return Kokkos::RangePolicy<Space>(space_, 0, count); }
  Items<Offset> items() const { return rows_.items_of(lines_); }

  Summary summary() {
    constexpr int threads = 256, most_blocks = 512;
    auto* found = scratch_.take<Summary>(1);
    check(cudaMemsetAsync(found, 0, sizeof(Summary), space_.cuda_stream()));
    launch(space_, "terrace::cuda::summarize", summarize_kernel<Offset>,
           std::min((rows_.rows + threads - 1) / threads, most_blocks), threads,
           Summarize<Offset>{lines_, level_, rows_.entries_per_piece, found});
    return read_numbers<1>(space_, found)[0];
  }

  void cut_long_rows() {
    const auto [deepest, long_rows, pieces] = summary();
    constexpr int most_levels = (1 << 28) - 1;  // times eight they are numbers of groups
    if (deepest >= most_levels)
      throw Error(ErrorCode::InvalidOption, "the triangle has " + std::to_string(deepest + 1) +
                                                " levels; this engine takes up to " + std::to_string(most_levels) +
                                                " (rows_per_task above 1 uses another)");
    rows_.levels = deepest + 1;
    rows_.positions = rows_.rows + pieces;
    if (long_rows == 0) return;
    const auto count = static_cast<std::size_t>(long_rows);
    rows_.memory_of_long_rows =
        std::make_shared<Arrays>(space_, "terrace::cuda::long_rows", Arrays::bytes<LongRow>(count));
    rows_.long_rows = rows_.memory_of_long_rows->template take<LongRow>(count);
    rows_.long_row_count = long_rows;
    Kokkos::parallel_scan("terrace::cuda::list_long_rows", each(rows_.rows),
                          ListLongRows<Offset>{lines_, rows_.entries_per_piece, rows_.long_rows});
  }

  void sort() {
    auto *keys = scratch_.take<unsigned>(most()), *other_keys = scratch_.take<unsigned>(most());
    auto *items_by_key = scratch_.take<int>(most()), *other_items = scratch_.take<int>(most());
    Kokkos::parallel_for("terrace::cuda::sort_keys", each(rows_.positions),
                         SortKeys<Offset>{items(), level_, per_lane_, keys, items_by_key, rows_.positions});
    int bits = 3;
    while (bits < 32 && (rows_.levels - 1) >> (bits - 3)) ++bits;
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch_.take<char>(sort_bytes_), sort_bytes_, keys,
                                      other_keys, items_by_key, other_items, rows_.positions, bits);
    keys_ = in_other ? other_keys : keys;
    sorted_items_ = in_other ? other_items : items_by_key;
    position_ = in_other ? items_by_key : other_items;  // what the sort left free
  }

  /// No group begins a slice that is not full, but for its last; a row has less than twice the lanes that it needs.
  int most_slices(int key_count) const {
    const auto entries_per_lane =
        static_cast<std::size_t>(per_lane_ == tuned_lanes ? SliceTuning::entries_at_once : per_lane_);
    const auto positions = static_cast<std::size_t>(rows_.positions);
    const std::size_t lanes = positions + 2 * entries_ / entries_per_lane,
                      pieces = positions - static_cast<std::size_t>(rows_.rows);
    return static_cast<int>(std::min(positions, lanes / warp_size + pieces + static_cast<std::size_t>(key_count) + 1));
  }

  void group() {
    const int key_count = rows_.levels * classes_per_level, most = most_slices(key_count);
    const auto keys = static_cast<std::size_t>(key_count), steps = 2 * static_cast<std::size_t>(rows_.levels) + 1;
    allocate(most);
    scratch_of_groups_ = Arrays(space_, "terrace::cuda::slice_rows::groups",
                                Arrays::bytes<Group>(keys + 1) + Arrays::bytes<Group>(steps + 1));
    auto *groups = scratch_of_groups_.take<Group>(keys + 1), *step = scratch_of_groups_.take<Group>(steps + 1);
    Kokkos::parallel_for("terrace::cuda::find_groups", each(rows_.positions + 1),
                         FindGroups{keys_, sorted_items_, rows_.items, position_, groups, rows_.positions,
                                    static_cast<unsigned>(key_count)});
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(key_count + 1), CountSlices{groups, step, key_count});
    launch_for_slices(space_, "terrace::cuda::shape_slices", shape_slices_kernel<Offset>,
                      ShapeSlices<Offset>{items(), rows_.items, groups, key_count, rows_.slices, most});
    Kokkos::parallel_scan(
        "terrace::cuda::place_slices", each(most),
        PlaceSlices{rows_.slices, &groups[key_count].first_slice, reinterpret_cast<std::int64_t*>(step + steps)});
    read_steps(step, steps);
  }

  /// There is room for a few more slices than there will be; to wait for their number would take longer than anything.
  void allocate(int most_slices) {
    const auto slices = static_cast<std::size_t>(most_slices), positions = static_cast<std::size_t>(rows_.positions);
    rows_.memory = std::make_shared<Arrays>(space_, "terrace::cuda::slices",
                                            Arrays::bytes<Slice>(slices) + Arrays::bytes<int>(positions));
    rows_.slices = rows_.memory->template take<Slice>(slices);
    rows_.items = rows_.memory->template take<int>(positions);
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
    rows_.slice_count = rows_.first_slice.back();
  }

  Space space_;
  analysis::Pattern<int, Offset> lines_;
  std::size_t entries_;
  int most_positions_;
  int per_lane_;
  std::size_t sort_bytes_;
  Arrays scratch_;
  const int* level_;
  Arrays scratch_of_groups_;
  SlicedRows<Offset> rows_;
  const unsigned* keys_ = nullptr;     // by position
  const int* sorted_items_ = nullptr;  // by position
  int* position_ = nullptr;            // of each item
};

}  // namespace terrace::cuda
