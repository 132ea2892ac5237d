// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows a warp solves together where it has several right-hand sides (solve_many_columns.hpp): those of a slice,
// or some of them, so that they are of one level, and no lane waits for another of its warp. A row has a lane for each
// right-hand side, and as many such parts of the warp as it has lanes of its slice, or as fit; but one, where levels
// are so wide that there is work for all lanes anyway, and the row is not among the long ones.
#pragma once

#include <bit>

#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda::triangular {

/// What the lanes of one part solve: a row, or a piece of one, and its position. No item (-1): nothing.
struct alignas(8) RowOfPart {
  int item;
  int position;
};

/// How the rows of slices are given to warps that have `width` lanes for each part.
struct WarpShape {
  int log2_parts_of_warp;
  bool has_wide_levels;

  template <class Offset>
  WarpShape(const SlicedRows<Offset>& rows, int width)
      : log2_parts_of_warp(std::countr_zero(32u / static_cast<unsigned>(width))),
        has_wide_levels(rows.rows / rows.levels > ManyColumnsTuning::lanes_of_wide_level / width) {}

  KOKKOS_FUNCTION int parts_of_warp() const { return 1 << log2_parts_of_warp; }
  KOKKOS_FUNCTION int log2_parts(const Slice& slice) const {
    if (has_wide_levels && slice.log2_lanes() < ManyColumnsTuning::log2_lanes_of_long_row) return 0;
    return Kokkos::min(slice.log2_lanes(), log2_parts_of_warp);
  }
  KOKKOS_FUNCTION int rows_of_warp(const Slice& slice) const { return parts_of_warp() >> log2_parts(slice); }
  KOKKOS_FUNCTION int warps(const Slice& slice) const { return parallel::divide_up(slice.rows(), rows_of_warp(slice)); }
};

/// The warps before each slice. Over the slices and their end.
struct CountWarps {
  WarpShape shape;
  const Slice* slices;
  int slice_count;
  int* first_warp;

  KOKKOS_FUNCTION void operator()(int slice, int& warps, bool final) const {
    if (final) first_warp[slice] = warps;
    if (slice < slice_count) warps += shape.warps(slices[slice]);
  }
};

/// For each part of each warp. Over 32 places for each slice, one for each warp that it can have at most.
struct FillWarpRows {
  WarpShape shape;
  const Slice* slices;
  const int* first_warp;
  const int* item_at;  // by position
  RowOfPart* rows;
  unsigned char* log2_parts;  // of a row

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const Slice slice = slices[place / 32];
    const int warp = first_warp[place / 32] + static_cast<int>(place % 32), end = first_warp[place / 32 + 1];
    if (warp >= end) return;
    const int parts = shape.log2_parts(slice), first = static_cast<int>(place % 32) * shape.rows_of_warp(slice);
    log2_parts[warp] = static_cast<unsigned char>(parts);
    for (int part = 0; part < shape.parts_of_warp(); ++part) {
      const int row = first + (part >> parts), position = slice.first + row;
      const bool is_there = row < slice.rows();
      rows[static_cast<std::int64_t>(warp) * shape.parts_of_warp() + part] = {is_there ? item_at[position] : -1,
                                                                              is_there ? position : 0};
    }
  }
};

/// The rows of all warps, in the order of the slices.
class WarpRows {
 public:
  WarpRows() = default;

  /// Waits for the space.
  template <class Offset>
  WarpRows(const Kokkos::Cuda& space, const SlicedRows<Offset>& sliced, int width) {
    const WarpShape shape(sliced, width);
    const auto slices = static_cast<std::size_t>(sliced.slice_count);
    JoinedScratch scratch(space, "terrace::cuda::first_warps", Arrays::bytes<int>(slices + 1));
    auto* first_warp = scratch.take<int>(slices + 1);
    Kokkos::parallel_scan("terrace::cuda::count_warps",
                          Kokkos::RangePolicy<Kokkos::Cuda>(space, 0, sliced.slice_count + 1),
                          CountWarps{shape, sliced.slices, sliced.slice_count, first_warp});
    count_ = read_numbers<1>(space, first_warp + slices)[0];
    const auto warps = static_cast<std::size_t>(count_),
               parts = warps * static_cast<std::size_t>(shape.parts_of_warp());
    memory_ = Arrays(space, "terrace::cuda::warp_rows",
                     Arrays::bytes<RowOfPart>(parts) + Arrays::bytes<unsigned char>(warps));
    rows_ = memory_.take<RowOfPart>(parts);
    log2_parts_ = memory_.take<unsigned char>(warps);
    using Places = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("terrace::cuda::fill_warp_rows", Places(space, 0, std::int64_t(sliced.slice_count) * 32),
                         FillWarpRows{shape, sliced.slices, first_warp, sliced.items, rows_, log2_parts_});
  }

  int count() const { return count_; }
  const RowOfPart* rows() const { return rows_; }
  const unsigned char* log2_parts() const { return log2_parts_; }
  std::size_t bytes_held() const { return memory_.bytes_held(); }

 private:
  int count_ = 0;
  Arrays memory_;
  RowOfPart* rows_ = nullptr;
  unsigned char* log2_parts_ = nullptr;
};

}  // namespace terrace::cuda::triangular
