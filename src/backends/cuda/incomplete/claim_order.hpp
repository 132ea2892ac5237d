// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which warps claim rows, where some rows are far longer than most: those first that begin the longest
// chain of rows that wait for each other (T. C. Hu, "Parallel sequencing and assembly line problems", 1961).
//
// In level order the warps fill up with rows that wait, and a long row of a late level, which others wait for in turn,
// is claimed when those have ended. Where all rows are alike the orders differ little, and levels are known already.
//
// The height of a row, the rows of that chain behind it, is its level in the walk from the last row to the first along
// L^T. Of a symmetric pattern that is U, whose levels the solves need too. What waits for a row has a smaller height,
// so that the first unfinished row of the order waits for nothing.
#pragma once

#include <bit>

#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/triangular/triangle_plan.hpp"
#include "sparse/sort_rows.hpp"
#include "sparse/transpose.hpp"

namespace terrace::cuda::incomplete {

struct HeightKeys {
  const int* height;
  int highest;
  unsigned* keys;
  int* rows;

  KOKKOS_FUNCTION void operator()(int row) const {
    keys[row] = static_cast<unsigned>(highest - height[row]);
    rows[row] = row;
  }
};

/// Into `order`, which has a number for each row. Waits for the space.
template <class Offset>
class ClaimOrder {
  using Triangle = sparse::Triangle<int, Offset, Space>;

 public:
  /// A chain has at most `levels` rows.
  ClaimOrder(const Space& space, const Triangle& merged, int levels, int* order)
      : space_(space), merged_(merged), levels_(levels), order_(order) {}

  /// `upper` is the plan of U.
  void of_symmetric(TrianglePlan<Offset>& upper) const {
    Triangle upper_triangle = merged_;
    upper_triangle.behind_diagonal = true;
    upper.with_levels(space_, upper_triangle, true, [&](const int* height) { sort(height); });
  }

  void of_general() const {
    parallel::ScratchArrays<Space> transposed;
    const auto dependents = sparse::transpose<int, Offset>(space_, merged_.view(), merged_.count, transposed);
    sparse::sort_rows(space_, dependents);
    Triangle waiting;  // the rows that wait for each row
    waiting.count = merged_.count;
    waiting.row_map = dependents.row_map;
    waiting.entries = dependents.entries;
    JoinedScratch memory(space_, "terrace::cuda::heights",
                         Arrays::bytes<int>(rows()) + TaskScratch::bytes(merged_.count));
    auto* height = memory.take<int>(rows());
    find_levels(space_, waiting, true, memory, height);
    sort(height);
    space_.fence("terrace::cuda::claim_order");
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(merged_.count); }

  void sort(const int* height) const {
    const int count = merged_.count;
    const std::size_t sort_bytes = sort_by_key_bytes(count);
    JoinedScratch scratch(space_, "terrace::cuda::claim_order",
                          4 * Arrays::bytes<int>(rows()) + Arrays::bytes<char>(sort_bytes));
    auto *keys = scratch.take<unsigned>(rows()), *other_keys = scratch.take<unsigned>(rows());
    auto *by_key = scratch.take<int>(rows()), *other_by_key = scratch.take<int>(rows());
    Kokkos::parallel_for("terrace::cuda::height_keys", Kokkos::RangePolicy<Space>(space_, 0, count),
                         HeightKeys{height, levels_ - 1, keys, by_key});
    const int bits = std::bit_width(static_cast<unsigned>(levels_));
    const bool in_other = sort_by_key(space_.cuda_stream(), scratch.take<char>(sort_bytes), sort_bytes, keys,
                                      other_keys, by_key, other_by_key, count, bits);
    check(cudaMemcpyAsync(order_, in_other ? other_by_key : by_key, rows() * sizeof(int), cudaMemcpyDeviceToDevice,
                          space_.cuda_stream()),
          "cudaMemcpyAsync");
  }

  Space space_;
  Triangle merged_;
  int levels_;
  int* order_;
};

}  // namespace terrace::cuda::incomplete
