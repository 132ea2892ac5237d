// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which levels share a kernel, and which kernel: the chains of Naumov (NVR-2011-001, section 3) for a GPU.
//
// A level costs a trip of the unknowns to the next one, and the work of its slices. In one block the trip is short, and
// one multiprocessor works; through L2 it is longer, and all of them work; a kernel of its own is the longest
// trip of all, and nobody spends time on waiting. The cheapest cut of the levels into runs of one kind, where each
// kernel costs its launch, is a shortest path over three states; O(levels).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "backends/cuda/triangular/tuning.hpp"

namespace terrace::cuda {

/// How the levels of a segment are solved.
enum class Kind : unsigned char {
  Chain,   ///< by one block, through shared memory
  Device,  ///< by the whole device, through L2
  Level,   ///< a kernel for each
};

/// One kernel: slices first, ..., end - 1.
struct Segment {
  Kind kind;
  int first;
  int end;
  int blocks;
  int block_size;
  unsigned slices_per_claim;
};

/// The levels (steps, where long rows are cut), as the host knows them.
struct LevelShape {
  const std::vector<int>& first_slice;     // and the end
  const std::vector<int>& first_position;  // and the end
  double bytes_per_slice;
  int widest_chain;  // positions of a level that fit in a chain's ring

  int levels() const { return static_cast<int>(first_slice.size()) - 1; }
  int slices(int level) const { return first_slice[level + 1] - first_slice[level]; }
  int positions(int level) const { return first_position[level + 1] - first_position[level]; }

  /// Microseconds.
  double cost(Kind kind, int level) const {
    const double bytes = slices(level) * bytes_per_slice;
    switch (kind) {
      case Kind::Chain:
        return positions(level) > widest_chain
                   ? 1e30
                   : slices(level) * ScheduleTuning::chain_slice + bytes / ScheduleTuning::chain_rate;
      case Kind::Device: return ScheduleTuning::device_trip + bytes / ScheduleTuning::device_rate;
      default: return ScheduleTuning::kernel + bytes / ScheduleTuning::level_rate;
    }
  }
};

/// The kind of each level on the cheapest path through those that are allowed.
inline std::vector<Kind> choose_kinds(const LevelShape& shape, const std::array<bool, 3>& allowed) {
  constexpr int kinds = 3;
  constexpr double never = 1e30;
  std::vector<std::array<unsigned char, kinds>> before(static_cast<std::size_t>(shape.levels()));
  std::array<double, kinds> cost{};  // of the cheapest way to here that ends in this kind
  for (int level = 0; level < shape.levels(); ++level) {
    const auto cheapest = static_cast<unsigned char>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    const double changed = cost[cheapest] + ScheduleTuning::kernel;
    for (unsigned char kind = 0; kind < kinds; ++kind) {
      const bool stays = cost[kind] <= changed;
      before[level][kind] = stays ? kind : cheapest;
      cost[kind] = std::min(cost[kind], changed) + (allowed[kind] ? shape.cost(static_cast<Kind>(kind), level) : never);
    }
  }
  std::vector<Kind> chosen(static_cast<std::size_t>(shape.levels()));
  auto kind = static_cast<unsigned char>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  for (int level = shape.levels() - 1; level >= 0; --level) {
    chosen[level] = static_cast<Kind>(kind);
    kind = before[level][kind];
  }
  return chosen;
}

/// The counter serves one claim in a nanosecond or two, so wide levels are claimed in handfuls.
inline unsigned slices_per_claim(int slices_per_level) {
  return static_cast<unsigned>(
      std::clamp(slices_per_level / SliceTuning::claims_per_level, 1, SliceTuning::most_slices_per_claim));
}

/// How many warps shall work, and wait, at once: too few leave the machine idle, too many crowd L2 with looks.
inline Segment device_segment(int first, int end, int levels, double rows_per_slice, int resident_blocks) {
  constexpr int warps_per_block = SliceTuning::block / 32;
  const double full = rows_per_slice / 32;
  const double per_slice = (1 - full) * SliceTuning::warps_per_slice_of_one + full * SliceTuning::warps_per_slice_of_32;
  const double warps = per_slice * (end - first) / levels;
  const int wanted = static_cast<int>(warps / warps_per_block) + 1;
  const int useful = (end - first + warps_per_block - 1) / warps_per_block;
  return {Kind::Device,
          first,
          end,
          std::max(1, std::min({wanted, useful, resident_blocks})),
          SliceTuning::block,
          slices_per_claim((end - first) / levels)};
}

/// Blocks of a walk with many right-hand sides.
inline int pack_blocks(int rows, int levels, int resident_blocks) {
  constexpr int warps_per_block = PackTuning::block / 32;
  const auto wanted = std::int64_t(PackTuning::warps_per_row) * std::max(1, rows / levels) / warps_per_block + 1;
  const int useful = (rows + warps_per_block - 1) / warps_per_block;
  return static_cast<int>(std::min<std::int64_t>({wanted, useful, resident_blocks}));
}

inline Segment level_segment(int first, int end) {
  constexpr int slices_per_block = LevelKernelTuning::block / 32;
  return {
      Kind::Level, first, end, (end - first + slices_per_block - 1) / slices_per_block, LevelKernelTuning::block, 1};
}

inline std::vector<Segment> make_segments(const LevelShape& shape, const std::vector<Kind>& kinds,
                                          int resident_blocks) {
  std::vector<Segment> segments;
  for (int first = 0, end = 1; first < shape.levels(); first = end++) {
    const Kind kind = kinds[first];
    while (kind != Kind::Level && end < shape.levels() && kinds[end] == kind) ++end;
    const int first_slice = shape.first_slice[first], end_slice = shape.first_slice[end];
    if (kind == Kind::Chain) segments.push_back({kind, first_slice, end_slice, 1, ChainTuning::block, 1});
    else if (kind == Kind::Device) {
      const double positions = shape.first_position[end] - shape.first_position[first];
      segments.push_back(
          device_segment(first_slice, end_slice, end - first, positions / (end_slice - first_slice), resident_blocks));
    } else segments.push_back(level_segment(first_slice, end_slice));
  }
  return segments;
}

}  // namespace terrace::cuda
