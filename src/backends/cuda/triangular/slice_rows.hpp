// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, sort, groups, slices, entries.
//
// O(entries) work; the host waits five times, each time for a number that sizes the next allocation or kernel.
#pragma once

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

/// Levels and long rows in one pass.
template <class Offset>
struct Summarize {
  analysis::Pattern<int, Offset> lines;
  const int* level;
  int entries_per_piece;
  KOKKOS_FUNCTION void operator()(int row, int& deepest, int& long_rows, int& pieces) const {
    if (level[row] > deepest) deepest = level[row];
    const int cut_into = pieces_of(lines.end(row) - lines.begin(row), entries_per_piece);
    if (cut_into > 0) ++long_rows;
    pieces += cut_into;
  }
};

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

/// Flags where each run of equal keys begins, and inverts the order on the way.
struct FlagGroups {
  const unsigned* keys;
  const int* items;
  int* position;  // of each item
  unsigned char* begins;
  KOKKOS_FUNCTION void operator()(int place) const {
    position[items[place]] = place;
    begins[place] = place == 0 || keys[place] != keys[place - 1];
  }
};

/// Positions with equal keys.
struct Group {
  unsigned key;
  int first_position, first_slice;
};

/// The groups, and behind them the end of positions and slices.
struct CountSlices {
  const unsigned* keys;       // by position
  const int* first_position;  // of each group
  Group* groups;
  int count;
  int positions;

  KOKKOS_FUNCTION void operator()(int number, int& slices, bool final) const {
    const bool is_end = number == count;
    const int first = is_end ? positions : first_position[number];
    const unsigned key = is_end ? 0 : keys[first];
    if (final) groups[number] = {key, first, slices};
    if (is_end) return;
    const int size = (number + 1 < count ? first_position[number + 1] : positions) - first;
    const int rows_per_slice = 32 >> log2_lanes_of_key(key);
    slices += (size + rows_per_slice - 1) / rows_per_slice;
  }
};

/// The rows and the depth of each slice; where its slots begin comes later.
template <class Offset>
struct ShapeSlices {
  Items<Offset> items;
  const int* item_at;   // by position
  const Group* groups;  // and the end
  int group_count;
  Slice* slices;
  int slice_count;

  /// The last group that begins at or before the slice.
  __device__ int group_of(int slice) const {
    int low = 0, high = group_count;
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
  if (slice >= shape.slice_count) return;
  const Group* group = shape.groups + shape.group_of(slice);
  const int log2_lanes = log2_lanes_of_key(group->key), most = warp_size >> log2_lanes;
  const int first = group->first_position + (slice - group->first_slice) * most;
  const int rows = min(group[1].first_position - first, most);
  const int length = lane < rows ? shape.items.of(shape.item_at[first + lane]).count : 0;
  const int longest = static_cast<int>(__reduce_max_sync(all_lanes, static_cast<unsigned>(length)));
  if (lane == 0)
    shape.slices[slice] = {0, first, Slice::pack(rows, log2_lanes, (longest + (1 << log2_lanes) - 1) >> log2_lanes)};
}

struct PlaceSlices {
  Slice* slices;
  KOKKOS_FUNCTION void operator()(int slice, std::int64_t& slots, bool final) const {
    if (final) slices[slice].start = slots;
    slots += static_cast<std::int64_t>(slices[slice].width()) * slices[slice].depth();
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
template <class Offset>
void find_levels(const Space& space, const analysis::Pattern<int, Offset>& lines, std::size_t entries, bool backward,
                 Arrays& arrays, int* level) {
  auto tasks = list_tasks(space, lines, backward, entries, TaskScratch(arrays, lines.lines));
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
        sort_bytes_(sort_by_key_bytes(most_positions_)),
        select_bytes_(list_flagged_bytes(most_positions_)),
        scratch_(space, "terrace::cuda::slice_rows",
                 6 * Arrays::bytes<int>(most()) + Arrays::bytes<Group>(most()) + Arrays::bytes<char>(most()) +
                     Arrays::bytes<int>(1) + Arrays::bytes<char>(sort_bytes_) + Arrays::bytes<char>(select_bytes_) +
                     (level ? 0 : TaskScratch::bytes(lines.count))),
        level_(level) {
    rows_.rows = lines.count;
    rows_.entries_per_piece = entries_per_piece;
    rows_.backward = backward;
    if (!level) {
      auto* found = scratch_.take<int>(most());
      find_levels(space, lines_, entries_, backward, scratch_, found);
      level_ = found;
    }
    cut_long_rows();
    sort(per_lane);
    group();
    shape();
  }

  /// What has been enqueued until then may use the scratch memory; nobody else does.
  ~SliceRows() { scratch_.free_on(space_); }
  SliceRows(const SliceRows&) = delete;
  SliceRows& operator=(const SliceRows&) = delete;

  SlicedRows<Offset>& rows() { return rows_; }
  const int* position() const { return position_; }

 private:
  /// Rows and pieces; at most two pieces per piece's worth of entries.
  std::size_t most() const { return static_cast<std::size_t>(most_positions_) + 1; }
  Kokkos::RangePolicy<Space> each(int count) const { return Kokkos::RangePolicy<Space>(space_, 0, count); }
  Items<Offset> items() const { return rows_.items_of(lines_); }

  void cut_long_rows() {
    int deepest = 0, long_rows = 0, pieces = 0;
    const int per_piece = rows_.entries_per_piece;
    Kokkos::parallel_reduce("terrace::cuda::summarize", each(rows_.rows), Summarize<Offset>{lines_, level_, per_piece},
                            Kokkos::Max<int>(deepest), long_rows, pieces);
    constexpr int most_levels = 1 << 29;  // what a sort key can number
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
                          ListLongRows<Offset>{lines_, per_piece, rows_.long_rows});
  }

  void sort(int per_lane) {
    auto *keys = scratch_.take<unsigned>(most()), *other_keys = scratch_.take<unsigned>(most());
    auto *items_by_key = scratch_.take<int>(most()), *other_items = scratch_.take<int>(most());
    Kokkos::parallel_for("terrace::cuda::sort_keys", each(rows_.positions),
                         SortKeys<Offset>{items(), level_, per_lane, keys, items_by_key, rows_.positions});
    int bits = 3;
    while (bits < 32 && (rows_.levels - 1) >> (bits - 3)) ++bits;
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch_.take<char>(sort_bytes_), sort_bytes_, keys,
                                      other_keys, items_by_key, other_items, rows_.positions, bits);
    keys_ = in_other ? other_keys : keys;
    item_at_ = in_other ? other_items : items_by_key;
    group_first_ = in_other ? items_by_key : other_items;  // what the sort left free
  }

  void group() {
    const int count = rows_.positions;
    position_ = scratch_.take<int>(most());
    groups_ = scratch_.take<Group>(most());
    auto* begins = scratch_.take<unsigned char>(most());
    auto* found = scratch_.take<int>(1);
    Kokkos::parallel_for("terrace::cuda::flag_groups", each(count), FlagGroups{keys_, item_at_, position_, begins});
    list_flagged(space_.cuda_stream(), scratch_.take<char>(select_bytes_), select_bytes_, begins, count, group_first_,
                 found);
    group_count_ = read_numbers<1>(space_, found)[0];
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(group_count_ + 1),
                          CountSlices{keys_, group_first_, groups_, group_count_, count});
    read_steps();
  }

  /// Where each step begins, for the host, which cuts the schedule into kernels.
  void read_steps() {
    std::vector<Group> groups(static_cast<std::size_t>(group_count_) + 1);
    check(cudaMemcpyAsync(groups.data(), groups_, groups.size() * sizeof(Group), cudaMemcpyDeviceToHost,
                          space_.cuda_stream()));
    space_.fence("terrace::cuda::read_steps");
    rows_.slice_count = groups.back().first_slice;
    rows_.first_slice.reserve(static_cast<std::size_t>(rows_.levels) + 1);
    rows_.first_position.reserve(static_cast<std::size_t>(rows_.levels) + 1);
    const auto level_of = [](const Group& group) { return group.key / classes_per_level; };
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      const bool same_level = g > 0 && level_of(groups[g]) == level_of(groups[g - 1]);
      if (same_level && groups[g - 1].key % classes_per_level != class_of_pieces) continue;
      rows_.first_slice.push_back(groups[g].first_slice);
      rows_.first_position.push_back(groups[g].first_position);
    }
    rows_.first_slice.push_back(rows_.slice_count);
    rows_.first_position.push_back(rows_.positions);
  }

  void shape() {
    const auto slices = static_cast<std::size_t>(rows_.slice_count);
    const auto positions = static_cast<std::size_t>(rows_.positions);
    rows_.memory = std::make_shared<Arrays>(space_, "terrace::cuda::slices",
                                            Arrays::bytes<Slice>(slices) + Arrays::bytes<int>(positions));
    rows_.slices = rows_.memory->template take<Slice>(slices);
    rows_.items = rows_.memory->template take<int>(positions);
    check(cudaMemcpyAsync(rows_.items, item_at_, positions * sizeof(int), cudaMemcpyDeviceToDevice,
                          space_.cuda_stream()));
    launch_for_slices(
        space_, "terrace::cuda::shape_slices", shape_slices_kernel<Offset>,
        ShapeSlices<Offset>{items(), rows_.items, groups_, group_count_, rows_.slices, rows_.slice_count});
    Kokkos::parallel_scan("terrace::cuda::place_slices", each(rows_.slice_count), PlaceSlices{rows_.slices},
                          rows_.slots);
  }

  Space space_;
  analysis::Pattern<int, Offset> lines_;
  std::size_t entries_;
  int most_positions_;
  std::size_t sort_bytes_, select_bytes_;
  Arrays scratch_;
  const int* level_;
  SlicedRows<Offset> rows_;
  const unsigned* keys_ = nullptr;  // by position
  const int* item_at_ = nullptr;    // by position
  int* position_ = nullptr;         // of each item
  int* group_first_ = nullptr;
  Group* groups_ = nullptr;
  int group_count_ = 0;
};

}  // namespace terrace::cuda
