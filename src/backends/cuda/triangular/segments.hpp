// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recurrence along slices as a few kernels: which segments the levels make, and their launches.
#pragma once

#include <algorithm>
#include <array>

#include "backends/cuda/launch.hpp"
#include "backends/cuda/triangular/schedule.hpp"
#include "backends/cuda/triangular/solve_chain.hpp"
#include "backends/cuda/triangular/solve_level.hpp"
#include "backends/cuda/triangular/solve_slices.hpp"

namespace terrace::cuda {

/// Blocks that the device holds at once.
template <class Kernel>
int resident_blocks(Kernel kernel, int threads, std::size_t dynamic_bytes = 0) {
  int blocks_per_multiprocessor = 0, device = 0, multiprocessors = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor, kernel, threads, dynamic_bytes));
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return blocks_per_multiprocessor * multiprocessors;
}

/// The kernels that walk a system along these rows, of the kinds that are allowed.
template <class System, class Offset>
std::vector<Segment> segments_of(const SlicedRows<Offset>& rows, const std::array<bool, 3>& allowed) {
  using Scalar = typename System::Scalar;
  const double bytes =
      static_cast<double>(rows.slots) / rows.slice_count * (sizeof(typename System::Entry) + sizeof(int)) +
      static_cast<double>(rows.positions) / rows.slice_count * (4 * sizeof(Scalar) + sizeof(int));
  const LevelShape shape{rows.first_slice, rows.first_position, bytes, ChainTuning::ring_size<Scalar> / 2};
  return make_segments(shape, choose_kinds(shape, allowed),
                       resident_blocks(solve_slices_kernel<System>, SliceTuning::block));
}

/// Unsigned numbers that the counters of the segments take.
inline std::size_t counters_of(const std::vector<Segment>& segments) {
  const auto walks = std::count_if(segments.begin(), segments.end(),
                                   [](const Segment& segment) { return segment.kind == Kind::Device; });
  return static_cast<std::size_t>(walks) * Claims<1>::memory;
}

/// Enqueues the kernels. The unknowns that are watched are pending; `claimed` has counters_of(segments) numbers, filled
/// with ones.
template <class System>
void run_segments(const Kokkos::Cuda& space, const System& system, const std::vector<Segment>& segments,
                  unsigned* claimed) {
  for (const Segment& segment : segments) {
    const auto run = [&](const char* label, auto kernel, const auto&... more) {
      launch(space, label, kernel, segment.blocks, segment.block_size, system, segment.first, segment.end, more...);
    };
    switch (segment.kind) {
      case Kind::Chain: run(System::names.chain, solve_chain_kernel<System>); break;
      case Kind::Device:
        run(System::names.device, solve_slices_kernel<System>, segment.slices_per_claim, claimed);
        claimed += Claims<1>::memory;
        break;
      case Kind::Level: run(System::names.level, solve_level_kernel<System>);
    }
  }
}

}  // namespace terrace::cuda
