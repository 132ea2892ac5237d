// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which levels share a kernel, and which kernel: the chains of Naumov (NVR-2011-001, section 3) for a GPU.
//
// A level costs a trip of the unknowns to the next one, and the work of its slices. In one block the trip is short, and
// one multiprocessor works; through L2 it is longer, and all of them work; a kernel of its own is the longest
// trip of all, and nobody spends time on waiting. (Row blocks cut rows, not levels: choose_row_blocks.hpp.) The
// cheapest cut of the levels into runs of one kind, where each kernel costs its launch, and a walk its beginning, is a
// shortest path over three states; O(levels).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "backends/cuda/triangular/tuning.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda::triangular {

struct RowBlock;

/// How the levels of a segment are solved.
enum class Kind : unsigned char {
  Chain,      ///< by one block, through shared memory
  Device,     ///< by the whole device, through L2
  Level,      ///< a kernel for each
  RowBlocks,  ///< all of them: rows in row blocks, each solved by one block
};

/// One kernel: slices first, ..., end - 1, and their positions.
struct Segment {
  Kind kind;
  int first;
  int end;
  int first_position;
  int end_position;
  int blocks;
  unsigned slices_per_claim;
  const RowBlock* row_blocks = nullptr;  // on the device
  int max_positions = 0;                 // of a row block
};

/// The levels (steps, where long rows are cut), as the host knows them.
struct LevelShape {
  const std::vector<int>& first_slice;     // and the end
  const std::vector<int>& first_position;  // and the end
  double bytes_per_slice;
  int max_unknowns;  // of a chain

  int levels() const { return static_cast<int>(first_slice.size()) - 1; }
  int slices(int level) const { return first_slice[level + 1] - first_slice[level]; }
  int positions(int level) const { return first_position[level + 1] - first_position[level]; }

  /// Microseconds.
  double cost(Kind kind, int level) const {
    const double bytes = slices(level) * bytes_per_slice;
    switch (kind) {
      case Kind::Chain:
        return positions(level) > max_unknowns
                   ? 1e30
                   : std::max(ScheduleTuning::block_trip, slices(level) * ScheduleTuning::block_slice);
      case Kind::Device: return ScheduleTuning::device_trip + bytes / ScheduleTuning::device_rate;
      default: return ScheduleTuning::kernel + bytes / ScheduleTuning::level_rate;
    }
  }
};

/// Microseconds until a run of this kind is under way, beyond a launch: what is watched is reset first, and the first
/// slices are claimed and fetched while nothing is there to solve.
constexpr double start(Kind kind) { return kind == Kind::Level ? 0.0 : ScheduleTuning::walk_start; }

/// The kind of each level on the cheapest path through those that are allowed.
inline std::vector<Kind> choose_kinds(const LevelShape& shape, const std::array<bool, 3>& allowed) {
  constexpr int kinds = 3;
  constexpr double never = 1e30;
  std::vector<std::array<unsigned char, kinds>> before(static_cast<std::size_t>(shape.levels()));
  std::array<double, kinds> cost;  // of the cheapest way to here that ends in this kind
  for (unsigned char kind = 0; kind < kinds; ++kind) cost[kind] = start(static_cast<Kind>(kind));
  for (int level = 0; level < shape.levels(); ++level) {
    const auto cheapest = static_cast<unsigned char>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    const double least = cost[cheapest] + ScheduleTuning::kernel;
    for (unsigned char kind = 0; kind < kinds; ++kind) {
      const double changed = least + start(static_cast<Kind>(kind));
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
      std::clamp(slices_per_level / SliceTuning::claims_per_level, 1, SliceTuning::max_slices_per_claim));
}

/// How many warps shall work, and wait, at once: too few leave the machine idle, too many crowd L2 with looks.
inline Segment device_segment(const LevelShape& shape, int first_level, int end_level, int resident_blocks) {
  constexpr int warps_per_block = SliceTuning::block / 32;
  const int first = shape.first_slice[first_level], end = shape.first_slice[end_level];
  const int first_position = shape.first_position[first_level], end_position = shape.first_position[end_level];
  const int levels = end_level - first_level;
  const double full = static_cast<double>(end_position - first_position) / (end - first) / 32;
  const double per_slice = (1 - full) * SliceTuning::warps_per_slice_of_one + full * SliceTuning::warps_per_slice_of_32;
  const double warps = per_slice * (end - first) / levels;
  const int wanted = static_cast<int>(std::min(warps / warps_per_block, double(resident_blocks))) + 1;
  const int useful = parallel::divide_up(end - first, warps_per_block);
  return {Kind::Device,
          first,
          end,
          first_position,
          end_position,
          std::max(1, std::min({wanted, useful, resident_blocks})),
          slices_per_claim((end - first) / levels)};
}

/// Blocks of a walk with several right-hand sides.
inline int many_columns_blocks(int warps, int levels, int resident_blocks) {
  constexpr int warps_per_block = ManyColumnsTuning::block / 32;
  const auto wanted =
      std::int64_t(ManyColumnsTuning::warps_per_warp_of_level) * std::max(1, warps / levels) / warps_per_block + 1;
  const int useful = parallel::divide_up(warps, warps_per_block);
  return static_cast<int>(std::min<std::int64_t>({wanted, useful, resident_blocks}));
}

inline Segment level_segment(const LevelShape& shape, int level) {
  constexpr int slices_per_block = LevelKernelTuning::block / 32;
  const int blocks = parallel::divide_up(shape.slices(level), slices_per_block);
  return {Kind::Level,
          shape.first_slice[level],
          shape.first_slice[level + 1],
          shape.first_position[level],
          shape.first_position[level + 1],
          blocks,
          1};
}

inline Segment chain_segment(const LevelShape& shape, int first_level, int end_level) {
  return {Kind::Chain,
          shape.first_slice[first_level],
          shape.first_slice[end_level],
          shape.first_position[first_level],
          shape.first_position[end_level],
          1,
          1};
}

inline Segment row_blocks_segment(int slices, int positions, const RowBlock* row_blocks, int count, int max_positions) {
  return {Kind::RowBlocks, 0, slices, 0, positions, count, 1, row_blocks, max_positions};
}

inline std::vector<Segment> make_segments(const LevelShape& shape, const std::vector<Kind>& kinds,
                                          int resident_blocks) {
  std::vector<Segment> segments;
  for (int first = 0, end = 1; first < shape.levels(); first = end++) {
    const Kind kind = kinds[first];
    const int most = kind == Kind::Chain ? shape.max_unknowns : shape.first_position.back();
    while (kind != Kind::Level && end < shape.levels() && kinds[end] == kind &&
           shape.first_position[end + 1] - shape.first_position[first] <= most)
      ++end;
    switch (kind) {
      case Kind::Chain: segments.push_back(chain_segment(shape, first, end)); break;
      case Kind::Device: segments.push_back(device_segment(shape, first, end, resident_blocks)); break;
      case Kind::Level: segments.push_back(level_segment(shape, first)); break;
      case Kind::RowBlocks: break;  // these have no levels
    }
  }
  return segments;
}

/// Numbers first, ..., end - 1 of an array.
struct Range {
  std::size_t first;
  std::size_t end;
};

/// Of the unknowns by position and the counters behind them: what somebody watches, and has to be reset before a solve.
/// The unknowns of a chain, or of a level with a kernel of its own, are there when that kernel has ended.
inline std::vector<Range> ranges_to_watch(const std::vector<Segment>& segments, int positions, std::size_t end) {
  std::vector<Range> ranges;
  const auto add = [&](std::size_t first_place, std::size_t end_place) {
    if (!ranges.empty() && ranges.back().end == first_place) ranges.back().end = end_place;
    else ranges.push_back({first_place, end_place});
  };
  bool counts = false;
  for (const Segment& segment : segments) {
    if (segment.kind == Kind::Chain || segment.kind == Kind::Level) continue;
    add(static_cast<std::size_t>(segment.first_position), static_cast<std::size_t>(segment.end_position));
    counts = true;
  }
  if (counts) add(static_cast<std::size_t>(positions), end);
  return ranges;
}

}  // namespace terrace::cuda::triangular
