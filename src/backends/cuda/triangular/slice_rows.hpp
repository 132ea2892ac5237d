// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, sort, groups, slices, entries.
//
// O(entries) work; the host waits four times, each time for a number that sizes the next allocation.
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

struct CountSlices {
  const unsigned* keys;    // by position
  const int* group_first;  // the first position of each group
  unsigned* group_key;
  int* group_slice;  // the first slice of each group, and the number of all
  int groups;
  int positions;

  KOKKOS_FUNCTION int size(int group) const {
    return (group + 1 < groups ? group_first[group + 1] : positions) - group_first[group];
  }
  KOKKOS_FUNCTION void operator()(int group, int& slices, bool final) const {
    if (final) group_slice[group] = slices;
    if (group == groups) return;
    const unsigned key = keys[group_first[group]];
    if (final) group_key[group] = key;
    const int rows_per_slice = 32 >> log2_lanes_of_key(key);
    slices += (size(group) + rows_per_slice - 1) / rows_per_slice;
  }
};

/// The rows and the depth of each slice; where its slots begin comes later.
template <class Offset>
struct ShapeSlices {
  Items<Offset> items;
  const int* item_at;  // by position
  const unsigned* group_key;
  const int* group_first;
  const int* group_slice;
  int groups;
  int positions;
  Slice* slices;
  int slice_count;

  /// The last group that begins at or before the slice.
  __device__ int group_of(int slice) const {
    int low = 0, high = groups;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (group_slice[middle] <= slice) low = middle;
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
  const int group = shape.group_of(slice), log2_lanes = log2_lanes_of_key(shape.group_key[group]);
  const int most = warp_size >> log2_lanes;
  const int group_end = group + 1 < shape.groups ? shape.group_first[group + 1] : shape.positions;
  const int first = shape.group_first[group] + (slice - shape.group_slice[group]) * most;
  const int rows = min(group_end - first, most);
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

/// Fills in the columns, the values and the inverse diagonal: a warp per slice. Without `columns` only the numbers.
template <class Scalar, class Offset>
struct FillSlices {
  Items<Offset> items;
  const Scalar* from;
  const Slice* slices;
  int slice_count;
  const int* item_at;
  const int* position;  // of each item
  int* columns;
  Scalar* values;
  Scalar* inverse_diagonal;  // null for a unit diagonal
};

template <class Scalar, class Offset>
__global__ void fill_slices_kernel(FillSlices<Scalar, Offset> fill) {
  const int lane = threadIdx.x % warp_size;
  const int number = static_cast<int>((blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x) / warp_size);
  if (number >= fill.slice_count) return;
  const Slice slice = fill.slices[number];
  const int log2_lanes = slice.log2_lanes(), width = slice.width(), depth = slice.depth();
  if (lane >= width) return;
  const int at = slice.first + (lane >> log2_lanes), item = fill.item_at[at];
  const auto entries = fill.items.of(item);
  std::int64_t slot = slice.start + lane;
  int k = lane & ((1 << log2_lanes) - 1);
  for (int step = 0; step < depth; ++step, slot += width, k += 1 << log2_lanes) {
    const bool is_entry = k < entries.count;
    if (fill.columns)
      fill.columns[slot] = !is_entry            ? no_column
                           : entries.are_pieces ? fill.position[entries.place(k)]
                                                : fill.position[fill.items.lines.entries[entries.place(k)]];
    fill.values[slot] = !is_entry ? Scalar(0) : entries.are_pieces ? Scalar(-1) : fill.from[entries.place(k)];
  }
  if (fill.inverse_diagonal && (lane & ((1 << log2_lanes) - 1)) == 0)
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

/// The structure of the slices. `position` of each item is needed for filling in the entries.
template <class Offset>
class SliceRows {
 public:
  using Lines = analysis::Lines<int, Offset, Space>;

  SliceRows(const Space& space, const Lines& lines, bool backward, int entries_per_piece, int per_lane = tuned_lanes)
      : space_(space),
        lines_(lines.pattern()),
        entries_(lines.entries.extent(0)),
        most_positions_(lines.count + static_cast<int>(2 * entries_ / static_cast<std::size_t>(entries_per_piece))),
        sort_bytes_(sort_by_key_bytes(most_positions_)),
        select_bytes_(list_flagged_bytes(most_positions_)),
        scratch_(space, "terrace::cuda::slice_rows",
                 7 * Arrays::bytes<int>(most()) + Arrays::bytes<char>(most()) + Arrays::bytes<int>(1) +
                     Arrays::bytes<char>(sort_bytes_) + Arrays::bytes<char>(select_bytes_) +
                     TaskScratch::bytes(lines.count)),
        level_(scratch_.take<int>(most())) {
    rows_.rows = lines.count;
    rows_.entries_per_piece = entries_per_piece;
    rows_.backward = backward;
    find_levels(backward);
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

  void find_levels(bool backward) {
    const TaskScratch scratch(scratch_, lines_.lines);
    const auto tasks = list_tasks(space_, lines_, backward, entries_, scratch);
    find_row_levels(space_, tasks, level_, reinterpret_cast<unsigned*>(scratch.found));
  }

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
    rows_.memory_of_long_rows = Arrays(space_, "terrace::cuda::long_rows", Arrays::bytes<LongRow>(count));
    rows_.long_rows = rows_.memory_of_long_rows.template take<LongRow>(count);
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
    // What the sort left free.
    group_key_ = in_other ? keys : other_keys;
    group_first_ = in_other ? items_by_key : other_items;
  }

  void group() {
    const int count = rows_.positions;
    position_ = scratch_.take<int>(most());
    group_slice_ = scratch_.take<int>(most());
    auto* begins = scratch_.take<unsigned char>(most());
    auto* found = scratch_.take<int>(1);
    Kokkos::parallel_for("terrace::cuda::flag_groups", each(count), FlagGroups{keys_, item_at_, position_, begins});
    groups_ = list_flagged(space_.cuda_stream(), scratch_.take<char>(select_bytes_), select_bytes_, begins, count,
                           group_first_, found);
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(groups_ + 1),
                          CountSlices{keys_, group_first_, group_key_, group_slice_, groups_, count});
    read_steps();
  }

  /// Where each step begins, for the host, which cuts the schedule into kernels.
  void read_steps() {
    const auto copy = [&](const auto* from, int size) {
      std::vector<std::remove_const_t<std::remove_pointer_t<decltype(from)>>> to(static_cast<std::size_t>(size));
      check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(to[0]), cudaMemcpyDeviceToHost, space_.cuda_stream()));
      return to;
    };
    const auto key = copy(group_key_, groups_);
    const auto first = copy(group_first_, groups_), slice = copy(group_slice_, groups_ + 1);
    space_.fence("terrace::cuda::read_steps");
    rows_.slice_count = slice.back();
    rows_.first_slice.reserve(static_cast<std::size_t>(rows_.levels) + 1);
    rows_.first_position.reserve(static_cast<std::size_t>(rows_.levels) + 1);
    const auto is_pieces = [&](int group) { return key[group] % classes_per_level == class_of_pieces; };
    for (int group = 0; group < groups_; ++group) {
      const bool same_level = group > 0 && key[group] / classes_per_level == key[group - 1] / classes_per_level;
      if (same_level && !is_pieces(group - 1)) continue;
      rows_.first_slice.push_back(slice[group]);
      rows_.first_position.push_back(first[group]);
    }
    rows_.first_slice.push_back(rows_.slice_count);
    rows_.first_position.push_back(rows_.positions);
  }

  void shape() {
    const auto slices = static_cast<std::size_t>(rows_.slice_count);
    const auto positions = static_cast<std::size_t>(rows_.positions);
    rows_.memory =
        Arrays(space_, "terrace::cuda::slices", Arrays::bytes<Slice>(slices) + Arrays::bytes<int>(positions));
    rows_.slices = rows_.memory.template take<Slice>(slices);
    rows_.items = rows_.memory.template take<int>(positions);
    check(cudaMemcpyAsync(rows_.items, item_at_, positions * sizeof(int), cudaMemcpyDeviceToDevice,
                          space_.cuda_stream()));
    launch_for_slices(space_, "terrace::cuda::shape_slices", shape_slices_kernel<Offset>,
                      ShapeSlices<Offset>{items(), rows_.items, group_key_, group_first_, group_slice_, groups_,
                                          rows_.positions, rows_.slices, rows_.slice_count});
    Kokkos::parallel_scan("terrace::cuda::place_slices", each(rows_.slice_count), PlaceSlices{rows_.slices},
                          rows_.slots);
  }

  Space space_;
  analysis::Pattern<int, Offset> lines_;
  std::size_t entries_;
  int most_positions_;
  std::size_t sort_bytes_, select_bytes_;
  Arrays scratch_;
  int* level_;
  SlicedRows<Offset> rows_;
  const unsigned* keys_ = nullptr;  // by position
  const int* item_at_ = nullptr;    // by position
  int* position_ = nullptr;         // of each item
  unsigned* group_key_ = nullptr;
  int* group_first_ = nullptr;
  int* group_slice_ = nullptr;
  int groups_ = 0;
};

}  // namespace terrace::cuda
