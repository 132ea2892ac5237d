// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the rows of a triangle to slices in level order, on the device: levels, sort, groups, slices, entries.
//
// O(entries) work; the host waits four times, each time for a number that sizes the next allocation.
#pragma once

#include <optional>
#include <string>
#include <terrace/error.hpp>
#include <vector>

#include "backends/cuda/analysis/find_row_levels.hpp"
#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/scratch.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda {

using Space = Kokkos::Cuda;

// The sort key: level first, then long rows before short ones, so that what takes longest starts first. Pieces of long
// rows lead their level, because the rows they belong to wait for them.
inline constexpr int classes_per_level = 8;
inline constexpr int class_of_pieces = 0;

template <class Offset>
struct SortKeys {
  Items<Offset> items;
  const int* level;  // of each row
  unsigned* keys;
  int* values;

  KOKKOS_FUNCTION void operator()(int item) const {
    const bool is_piece = items.is_piece(item);
    const int row = is_piece ? items.row_of_piece(item) : item;
    const int kind = is_piece ? class_of_pieces : 6 - SliceTuning::log2_lanes(items.of(item).count);
    keys[item] = static_cast<unsigned>(level[row]) * classes_per_level + static_cast<unsigned>(kind);
    values[item] = item;
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

/// Where each run of equal keys begins, and the inverse of the order on the way.
struct FindGroups {
  const unsigned* keys;
  const int* items;
  int* position;  // of each item
  unsigned* group_key;
  int* group_first;
  KOKKOS_FUNCTION void operator()(int place, int& groups, bool final) const {
    const bool begins = place == 0 || keys[place] != keys[place - 1];
    if (final) {
      position[items[place]] = place;
      if (begins) {
        group_key[groups] = keys[place];
        group_first[groups] = place;
      }
    }
    if (begins) ++groups;
  }
};

struct CountSlices {
  const unsigned* group_key;
  int* group_first;  // gets the end of the last group
  int* group_slice;  // the first slice of each group, and the number of all
  int groups;
  int positions;

  KOKKOS_FUNCTION int size(int group) const {
    return (group + 1 < groups ? group_first[group + 1] : positions) - group_first[group];
  }
  KOKKOS_FUNCTION void operator()(int group, int& slices, bool final) const {
    if (final) group_slice[group] = slices;
    if (group == groups) return;
    const int rows_per_slice = 32 >> log2_lanes_of_key(group_key[group]);
    slices += (size(group) + rows_per_slice - 1) / rows_per_slice;
  }
};

/// One slice of a group: its rows, its depth, and, in a scan over the slices, where its slots begin.
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

  KOKKOS_FUNCTION void operator()(int slice) const {
    int low = 0, high = groups;  // the last group that begins at or before this slice
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (group_slice[middle] <= slice) low = middle;
      else high = middle;
    }
    const int log2_lanes = log2_lanes_of_key(group_key[low]), most = 32 >> log2_lanes;
    const int group_end = low + 1 < groups ? group_first[low + 1] : positions;
    const int first = group_first[low] + (slice - group_slice[low]) * most;
    const int rows = group_end - first < most ? group_end - first : most;
    int longest = 0;
    for (int row = 0; row < rows; ++row) {
      const int length = items.of(item_at[first + row]).count;
      if (length > longest) longest = length;
    }
    slices[slice] = {0, first, Slice::pack(rows, log2_lanes, (longest + (1 << log2_lanes) - 1) >> log2_lanes)};
  }
};

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
                           : entries.are_pieces ? fill.position[entries.begin + k]
                                                : fill.position[fill.items.lines.entries[entries.begin + k]];
    fill.values[slot] = !is_entry ? Scalar(0) : entries.are_pieces ? Scalar(-1) : fill.from[entries.begin + k];
  }
  if (fill.inverse_diagonal && (lane & ((1 << log2_lanes) - 1)) == 0)
    fill.inverse_diagonal[at] =
        fill.items.is_piece(item) ? Scalar(1) : Scalar(1) / fill.from[fill.items.lines.diagonal_position(item)];
}

template <class Scalar, class Offset>
void fill_slices(const Space& space, const FillSlices<Scalar, Offset>& fill) {
  constexpr int threads = 256, slices_per_block = threads / warp_size;
  launch(space, "terrace::cuda::fill_slices", fill_slices_kernel<Scalar, Offset>,
         (fill.slice_count + slices_per_block - 1) / slices_per_block, threads, fill);
}

/// The structure of the slices. `position` of each item is needed for filling in the entries.
template <class Offset>
class SliceRows {
 public:
  using Lines = analysis::Lines<int, Offset, Space>;

  SliceRows(const Space& space, const Lines& lines, bool backward)
      : space_(space), lines_(lines.pattern()), by_row_(space, 2 * Scratch::bytes<int>(row_count() + 1)) {
    rows_.rows = lines.count;
    rows_.entries_per_piece = SliceTuning::entries_per_piece;
    level_ = by_row_.template take<int>(row_count() + 1);
    find_row_levels(space_, lines_, backward, lines.entries.extent(0), level_,
                    by_row_.template take<int>(row_count() + 1));
    cut_long_rows();
    const auto count = static_cast<std::size_t>(rows_.positions);
    const std::size_t sort_bytes = sort_by_key_bytes(rows_.positions);
    by_position_.emplace(space, 6 * Scratch::bytes<int>(count) + 2 * Scratch::bytes<int>(most_groups() + 1) +
                                    Scratch::bytes<char>(sort_bytes));
    sort(by_position_->template take<char>(sort_bytes), sort_bytes);
    group();
    shape();
  }

  SlicedRows<Offset>& rows() { return rows_; }
  const int* position() const { return position_; }

 private:
  template <class T>
  DeviceArray<T> array(const char* label, std::size_t size) const {
    return analysis::uninitialized<T>(space_, label, size);
  }
  std::size_t row_count() const { return static_cast<std::size_t>(lines_.lines); }
  Kokkos::RangePolicy<Space> each(int count) const { return Kokkos::RangePolicy<Space>(space_, 0, count); }
  Items<Offset> items() const { return rows_.items_of(lines_); }

  /// A level has at most one group for each class.
  std::size_t most_groups() const {
    return static_cast<std::size_t>(
        std::min<std::int64_t>(rows_.positions, static_cast<std::int64_t>(rows_.levels) * (classes_per_level - 1)));
  }

  void cut_long_rows() {
    int deepest = 0, long_rows = 0, pieces = 0;
    const int per_piece = rows_.entries_per_piece;
    Kokkos::parallel_reduce("terrace::cuda::summarize", each(rows_.rows), Summarize<Offset>{lines_, level_, per_piece},
                            Kokkos::Max<int>(deepest), long_rows, pieces);
    space_.fence("terrace::cuda::summarize");
    constexpr int most_levels = 1 << 29;  // what a sort key can number
    if (deepest >= most_levels)
      throw Error(ErrorCode::InvalidOption, "the triangle has " + std::to_string(deepest + 1) +
                                                " levels; this engine " + "takes up to " + std::to_string(most_levels) +
                                                " (rows_per_task above 1 uses another)");
    rows_.levels = deepest + 1;
    rows_.positions = rows_.rows + pieces;
    if (long_rows == 0) return;
    rows_.long_rows = array<LongRow>("terrace::cuda::long_rows", static_cast<std::size_t>(long_rows));
    Kokkos::parallel_scan("terrace::cuda::list_long_rows", each(rows_.rows),
                          ListLongRows<Offset>{lines_, per_piece, rows_.long_rows.data()});
  }

  void sort(char* scratch, std::size_t bytes) {
    const auto count = static_cast<std::size_t>(rows_.positions);
    auto* keys = by_position_->template take<unsigned>(count);
    auto* other_keys = by_position_->template take<unsigned>(count);
    auto* other_items = by_position_->template take<int>(count);
    rows_.items = array<int>("terrace::cuda::items", count);
    Kokkos::parallel_for("terrace::cuda::sort_keys", each(rows_.positions),
                         SortKeys<Offset>{items(), level_, keys, rows_.items.data()});
    int bits = 3;
    while (bits < 32 && (rows_.levels - 1) >> (bits - 3)) ++bits;
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch, bytes, keys, other_keys, rows_.items.data(),
                                      other_items, rows_.positions, bits);
    keys_ = in_other ? other_keys : keys;
    if (in_other)
      check(cudaMemcpyAsync(rows_.items.data(), other_items, count * sizeof(int), cudaMemcpyDeviceToDevice,
                            space_.cuda_stream()));
  }

  void group() {
    const int count = rows_.positions;
    position_ = by_position_->template take<int>(static_cast<std::size_t>(count));
    group_key_ = by_position_->template take<unsigned>(most_groups());
    group_first_ = by_position_->template take<int>(most_groups());
    group_slice_ = by_position_->template take<int>(most_groups() + 1);
    Kokkos::parallel_scan("terrace::cuda::find_groups", each(count),
                          FindGroups{keys_, rows_.items.data(), position_, group_key_, group_first_}, groups_);
    Kokkos::parallel_scan("terrace::cuda::count_slices", each(groups_ + 1),
                          CountSlices{group_key_, group_first_, group_slice_, groups_, count}, rows_.slice_count);
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
    rows_.slices = array<Slice>("terrace::cuda::slices", static_cast<std::size_t>(rows_.slice_count));
    Kokkos::parallel_for("terrace::cuda::shape_slices", each(rows_.slice_count),
                         ShapeSlices<Offset>{items(), rows_.items.data(), group_key_, group_first_, group_slice_,
                                             groups_, rows_.positions, rows_.slices.data()});
    Kokkos::parallel_scan("terrace::cuda::place_slices", each(rows_.slice_count), PlaceSlices{rows_.slices.data()},
                          rows_.slots);
    rows_.columns = array<int>("terrace::cuda::columns", static_cast<std::size_t>(rows_.slots));
  }

  Space space_;
  analysis::Pattern<int, Offset> lines_;
  SlicedRows<Offset> rows_;
  Scratch by_row_;
  std::optional<Scratch> by_position_;
  int* level_ = nullptr;
  unsigned* keys_ = nullptr;
  int* position_ = nullptr;  // of each item
  unsigned* group_key_ = nullptr;
  int* group_first_ = nullptr;
  int* group_slice_ = nullptr;
  int groups_ = 0;
};

}  // namespace terrace::cuda
