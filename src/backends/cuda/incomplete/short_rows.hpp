// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the elimination of short rows does, listed once for all factors: a lane for each row, and for each row its
// divisions and products in their order, as slots of slices (triangular/slices.hpp).
//
// An operation names the entry of U that it takes and the place in the row where its result goes:
//     division by u_kk:  l_ik = w_k / u_kk;     product:  w_j -= l_ik u_kj  with the l_ik found last.
// So a lane searches nothing, and knows where to look before its turn. Beside longer rows a lane for each row would
// wait for the longest of its slice; those have lists of products for the lanes of a warp (products.hpp).
#pragma once

#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/read_numbers.hpp"
#include "backends/cuda/triangular/fill_slices.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::incomplete {

/// Where the result of an operation goes.
struct ShortTarget {
  static constexpr int longest_row = 1 << 14;
  static constexpr std::uint16_t none = 0xffff, division = 1 << 15;

  __device__ static bool is_operation(std::uint16_t target) { return target != none; }
  __device__ static bool divides(std::uint16_t target) { return is_operation(target) && (target & division) != 0; }
  __device__ static int place(std::uint16_t target) { return is_operation(target) ? target & (division - 1) : 0; }
};

/// The kernels' side. Slots and depths of the slices are those of operations.
template <class Offset>
struct ShortRows {
  Slice* slices = nullptr;
  Offset* sources = nullptr;  // by slot: the entry of the factor
  std::uint16_t* targets = nullptr;
  int longest = 0;  // entries of a row
};

/// Calls visit(source, target) for the row's operations, in their order.
template <class Offset, class Visit>
__device__ void for_operations(const sparse::TriangleView<int, Offset>& pattern, int row, const Visit& visit) {
  const Offset begin = pattern.row_map[row], end = pattern.row_map[row + 1], diagonal = pattern.diagonal[row];
  for (Offset step = begin; step < diagonal; ++step) {
    const int k = pattern.entries[step];
    const Offset pivot = pattern.diagonal[k], end_of_k = pattern.row_map[k + 1];
    visit(pivot, static_cast<std::uint16_t>(static_cast<unsigned>(step - begin) | ShortTarget::division));
    Offset upper = pivot + 1, at = step + 1;
    while (upper < end_of_k && at < end) {
      const int theirs = pattern.entries[upper], ours = pattern.entries[at];
      if (theirs == ours) visit(upper, static_cast<std::uint16_t>(at - begin));
      upper += theirs <= ours ? 1 : 0;
      at += ours <= theirs ? 1 : 0;
    }
  }
}

template <class Offset>
struct ShapeOperations {
  sparse::TriangleView<int, Offset> pattern;
  const Slice* rows;  // a lane for each row
  int slice_count;
  const int* items;
  Slice* slices;
};

/// A warp for each slice.
template <class Offset>
__global__ void shape_operations_kernel(ShapeOperations<Offset> shape) {
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(shape.slice_count)) return;
  const int lane = threadIdx.x % warp_size;
  const Slice slice = shape.rows[number];
  unsigned count = 0;
  if (lane < slice.rows())
    for_operations(shape.pattern, shape.items[slice.first + lane], [&](Offset, std::uint16_t) { ++count; });
  const unsigned depth = __reduce_max_sync(all_lanes, count);
  if (lane == 0) shape.slices[number] = {0, slice.first, Slice::pack(slice.rows(), 0, static_cast<int>(depth))};
}

/// As a scan.
struct PlaceOperations {
  Slice* slices;

  KOKKOS_FUNCTION void operator()(int slice, std::int64_t& slots, bool final) const {
    if (final) slices[slice].start = slots;
    slots += static_cast<std::int64_t>(slices[slice].width()) * slices[slice].depth();
  }
};

template <class Offset>
struct FillOperations {
  sparse::TriangleView<int, Offset> pattern;
  ShortRows<Offset> rows;
  int slice_count;
  const int* items;
};

/// A warp for each slice.
template <class Offset>
__global__ void fill_operations_kernel(FillOperations<Offset> fill) {
  const std::size_t number = number_of_warp();
  if (number >= static_cast<std::size_t>(fill.slice_count)) return;
  const Slice slice = fill.rows.slices[number];
  const int lane = threadIdx.x % warp_size;
  if (lane >= slice.rows()) return;
  std::int64_t slot = slice.start + lane;
  const std::int64_t end = slot + static_cast<std::int64_t>(slice.width()) * slice.depth();
  for_operations(fill.pattern, fill.items[slice.first + lane], [&](Offset source, std::uint16_t target) {
    fill.rows.sources[slot] = source;
    fill.rows.targets[slot] = target;
    slot += slice.width();
  });
  for (; slot < end; slot += slice.width()) {
    fill.rows.sources[slot] = 0;
    fill.rows.targets[slot] = ShortTarget::none;
  }
}

}  // namespace terrace::cuda::incomplete
