// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in the slots of the stream: cells of columns, which the plan fills in, and values, which come with each
// update. A warp for each slice. A row's entries stand together in the pattern, so nothing maps slots to entries; only
// transposes have a map from the entries of their rows to those of L and U.
#pragma once

#include "algorithms/schwarz/engine.hpp"
#include "backends/cuda/schwarz/cut_chunks.hpp"

namespace terrace::cuda::schwarz {

template <class Offset>
struct FillStream {
  OrderedTriangle<Offset> triangles[2];
  const StreamSlice* slices;
  std::int64_t slice_count;
  const Offset* source;  // where entries of transposes stand in L and U; null: the pattern is that of L and U

  __device__ Offset stored(Offset entry) const { return source ? source[entry] : entry; }
};

/// Calls store(slot, load(item, k)) for each slot of this lane, with k behind the entries of the item where there is
/// none. Loads some before it stores any: the compiler, for which the two might overlap, would not.
template <class Item, class Load, class Store>
__device__ void for_each_slot(const Item& item, const StreamSlice& slice, const Load& load, const Store& store) {
  constexpr int at_once = 4;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int log2_lanes = slice.shape().log2_lanes(), width = slice.shape().width();
  std::int64_t slot = slice.start + lane;
  int k = lane & ((1 << log2_lanes) - 1);
  for (int left = slice.shape().depth(); left > 0; left -= at_once) {
    decltype(load(item, k)) loaded[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w)
      if (w < left) loaded[w] = load(item, k + (w << log2_lanes));
#pragma unroll
    for (int w = 0; w < at_once; ++w)
      if (w < left) store(slot + w * width, loaded[w]);
    slot += at_once * width;
    k += at_once << log2_lanes;
  }
}

/// load(triangle, item, k) for the entries, diagonal(triangle, item) for the slot of the diagonal, where there is one.
template <class Offset, class Load, class Diagonal, class Store>
__device__ void fill_slice(const FillStream<Offset>& fill, const Load& load, const Diagonal& diagonal,
                           const Store& store) {
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(fill.slice_count)) return;
  const StreamSlice slice = fill.slices[number];
  const SliceShape shape = slice.shape();
  const int lane = static_cast<int>(threadIdx.x) % warp_size, row = lane >> shape.log2_lanes();
  if (lane >= shape.width()) return;
  const OrderedTriangle<Offset>& triangle = fill.triangles[slice.triangle()];
  const auto item = triangle.of.of(triangle.items[slice.first + row]);
  for_each_slot(
      item, slice, [&](const auto& of, int k) { return load(triangle, of, k); }, store);
  const bool leads = (lane & ((1 << shape.log2_lanes()) - 1)) == 0;
  if (shape.has_diagonal() && leads) store(slice.start + shape.width() * shape.depth() + row, diagonal(triangle, item));
}

template <class Offset>
struct FillColumns {
  FillStream<Offset> fill;
  terrace::schwarz::BlockOf<int> block_of;
  const Cell* cells;
  Cell* columns;
};

template <class Offset>
__global__ void fill_columns_kernel(const __grid_constant__ FillColumns<Offset> columns) {
  fill_slice(
      columns.fill,
      [&](const auto& triangle, const auto& item, int k) {
        if (k < item.count) return columns.cells[triangle.of.pattern.entries[item.begin + static_cast<Offset>(k)]];
        const int block = columns.block_of[item.row];
        return static_cast<Cell>(columns.block_of.size(block));
      },
      [&](const auto&, const auto& item) { return columns.cells[item.row]; },
      [&](std::int64_t slot, Cell cell) { columns.columns[slot] = cell; });
}

template <class Scalar, class Factor, class Offset>
struct FillValues {
  FillStream<Offset> fill;
  const Scalar* from;
  Factor* values;
};

template <class Scalar, class Factor, class Offset>
__global__ void fill_values_kernel(const __grid_constant__ FillValues<Scalar, Factor, Offset> values) {
  fill_slice(
      values.fill,
      [&](const auto&, const auto& item, int k) {
        if (k >= item.count) return Factor(0);
        return static_cast<Factor>(values.from[values.fill.stored(item.begin + static_cast<Offset>(k))]);
      },
      [&](const auto& triangle, const auto& item) {
        if (!item.is_last || triangle.is_unit) return Factor(1);
        const Offset stored = values.fill.stored(triangle.of.pattern.diagonal_position(item.row));
        return static_cast<Factor>(Scalar(1) / values.from[stored]);
      },
      [&](std::int64_t slot, const Factor& value) { values.values[slot] = value; });
}

/// Launches a kernel that gives each slice to a warp.
template <class Kernel, class Arguments>
void launch_for_slices(const Kokkos::Cuda& space, const char* label, Kernel kernel, const Arguments& arguments) {
  constexpr int threads = 256;
  if (arguments.fill.slice_count > 0)
    launch(space, label, kernel, blocks_of(arguments.fill.slice_count, threads / warp_size), threads, arguments);
}

}  // namespace terrace::cuda::schwarz
