// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence along slices as a few kernels: which segments the levels make, and their launches.
#pragma once

#include <algorithm>
#include <array>

#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/schedule.hpp"
#include "backends/cuda/triangular/solve_level.hpp"
#include "backends/cuda/triangular/solve_row_blocks.hpp"
#include "backends/cuda/triangular/solve_slices.hpp"

namespace terrace::cuda::triangular {

/// The kernels that walk a system along these rows, of the kinds that are allowed.
template <class System, class Offset>
std::vector<Segment> segments_of(const SlicedRows<Offset>& rows, const std::array<bool, 3>& allowed) {
  using Scalar = typename System::Scalar;
  const int capacity = RowBlockTuning::capacity(shared_memory_of_block());
  if (!rows.row_blocks.empty())
    return {row_blocks_segment(rows.slice_count, rows.positions, rows.row_blocks_on_device,
                               static_cast<int>(rows.row_blocks.size()), rows.max_positions_of_row_block())};
  const double bytes =
      static_cast<double>(rows.slots) / rows.slice_count * (sizeof(typename System::Entry) + sizeof(int)) +
      static_cast<double>(rows.positions) / rows.slice_count * (4 * sizeof(Scalar) + sizeof(int));
  const LevelShape shape{rows.first_slice, rows.first_position, bytes, capacity};
  return make_segments(shape, choose_kinds(shape, allowed),
                       resident_blocks(solve_slices_kernel<System>, SliceTuning::block));
}

/// Unsigned numbers that the counters of the segments take.
inline std::size_t counters_of(const std::vector<Segment>& segments) {
  const auto walks = std::count_if(segments.begin(), segments.end(), [](const Segment& segment) {
    return segment.kind == Kind::Device || segment.kind == Kind::RowBlocks;
  });
  return static_cast<std::size_t>(walks) * Claims<1>::memory;
}

/// Enqueues the kernels. The unknowns that are watched are pending; `claimed` has counters_of(segments) numbers, filled
/// with ones.
template <class System>
void run_segments(const Kokkos::Cuda& space, const System& system, const std::vector<Segment>& segments,
                  unsigned* claimed) {
  using Scalar = typename System::Scalar;
  for (const Segment& segment : segments) {
    const auto run = [&](const char* label, auto kernel, int threads, std::size_t bytes, const auto&... more) {
      launch_with_memory(space, label, kernel, segment.blocks, threads, bytes, system, more...);
    };
    switch (segment.kind) {
      case Kind::Chain:
        run(System::names.chain, solve_chain_kernel<System>, RowBlockTuning::block<System>,
            bytes_of_row_block<Scalar>(segment.end_position - segment.first_position),
            RowBlock{static_cast<unsigned>(segment.first), static_cast<unsigned>(segment.end), segment.first_position,
                     segment.end_position});
        break;
      case Kind::RowBlocks:
        run(System::names.row_blocks, solve_row_blocks_kernel<System>, RowBlockTuning::block<System>,
            bytes_of_row_block<Scalar>(segment.max_positions), segment.row_blocks, claimed);
        claimed += Claims<1>::memory;
        break;
      case Kind::Device:
        run(System::names.device, solve_slices_kernel<System>, SliceTuning::block, 0, segment.first, segment.end,
            segment.slices_per_claim, claimed);
        claimed += Claims<1>::memory;
        break;
      case Kind::Level:
        run(System::names.level, solve_level_kernel<System>, LevelKernelTuning::block, 0, segment.first, segment.end);
    }
  }
}

}  // namespace terrace::cuda::triangular
