// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in the slots of slices: the positions that the entries name, and their values. A warp for each slice.
#pragma once

#include "backends/cuda/early_launch.hpp"
#include "backends/cuda/triangular/slices.hpp"
#include "backends/cuda/watch.hpp"

namespace terrace::cuda::triangular {

using Space = Kokkos::Cuda;

/// Calls store(slot, load(entries, k)) for each slot of this lane, with k behind the entries where there is none. A
/// warp for each slice. Loads some before it stores any: the compiler, for which the two might overlap, would not.
template <class Offset, class Load, class Store>
__device__ void for_each_slot(const Items<Offset>& items, const Slice& slice, const int* item_at, const Load& load,
                              const Store& store) {
  constexpr int at_once = 4;
  const int lane = threadIdx.x % warp_size, width = slice.width(), log2_lanes = slice.log2_lanes();
  if (lane >= width) return;
  const auto entries = items.of(item_at[slice.first + (lane >> log2_lanes)]);
  std::int64_t slot = slice.start + lane;
  int k = lane & ((1 << log2_lanes) - 1);
  for (int left = slice.depth(); left > 0; left -= at_once) {
    decltype(load(entries, k)) loaded[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w)
      if (w < left) loaded[w] = load(entries, k + (w << log2_lanes));
#pragma unroll
    for (int w = 0; w < at_once; ++w)
      if (w < left) store(slot + w * width, loaded[w]);
    slot += at_once * width;
    k += at_once << log2_lanes;
  }
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
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(fill.slice_count)) return;
  for_each_slot(
      fill.items, fill.slices[number], fill.item_at,
      [&](const auto& entries, int k) {
        if (k >= entries.count) return no_column;
        return fill.position[entries.are_pieces ? entries.place(k) : fill.items.pattern.entries[entries.place(k)]];
      },
      [&](std::int64_t slot, int column) { fill.columns[slot] = column; });
}

/// The values, and the inverse diagonal.
template <class Scalar, class Offset>
struct FillSlices {
  Items<Offset> items;
  const Scalar* from;
  const Slice* slices;
  int slice_count = 0;
  const int* item_at;
  Scalar* values;
  Scalar* inverse_diagonal;  // null for a unit diagonal
};

template <class Scalar, class Offset>
__device__ void fill_slice(const FillSlices<Scalar, Offset>& fill, std::size_t number) {
  const Slice slice = fill.slices[number];
  for_each_slot(
      fill.items, slice, fill.item_at,
      [&](const auto& entries, int k) {
        return k >= entries.count ? Scalar(0) : entries.are_pieces ? Scalar(-1) : fill.from[entries.place(k)];
      },
      [&](std::int64_t slot, const Scalar& value) { fill.values[slot] = value; });
  const int lane = threadIdx.x % warp_size, at = slice.first + (lane >> slice.log2_lanes());
  if (!fill.inverse_diagonal || lane >= slice.width() || (lane & ((1 << slice.log2_lanes()) - 1)) != 0) return;
  const int item = fill.item_at[at];
  fill.inverse_diagonal[at] =
      fill.items.is_piece(item) ? Scalar(1) : Scalar(1) / fill.from[fill.items.pattern.diagonal_position(item)];
}

/// Launches a kernel that gives each slice to a warp.
template <class Kernel, class Arguments>
void launch_for_slices(const Space& space, const char* label, Kernel kernel, const Arguments& arguments,
                       Begin begin = Begin::InTurn) {
  constexpr int threads = 256, slices_per_block = threads / warp_size;
  launch_when(begin, space, label, kernel, blocks_of(arguments.slice_count, slices_per_block), threads, 0, arguments);
}

/// One triangle, or two.
template <class Scalar, class Offset>
struct FillBoth {
  FillSlices<Scalar, Offset> first, second;
  std::int64_t slice_count;  // of both
};

template <class Scalar, class Offset>
__global__ void fill_slices_kernel(const __grid_constant__ FillBoth<Scalar, Offset> fill) {
  await_predecessor();
  const std::size_t number = number_of_warp(), of_first = static_cast<std::size_t>(fill.first.slice_count);
  if (number < of_first) fill_slice(fill.first, number);
  else if (number < static_cast<std::size_t>(fill.slice_count)) fill_slice(fill.second, number - of_first);
}

template <class Scalar, class Offset>
void fill_slices(const Space& space, const FillSlices<Scalar, Offset>& first,
                 const FillSlices<Scalar, Offset>& second = {}) {
  launch_for_slices(space, "terrace::cuda::fill_slices", fill_slices_kernel<Scalar, Offset>,
                    FillBoth<Scalar, Offset>{first, second, std::int64_t(first.slice_count) + second.slice_count},
                    Begin::Early);
}

}  // namespace terrace::cuda::triangular
