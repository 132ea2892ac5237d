// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many entries the rows of each level have, and how many lanes these are worth.
#pragma once

#include "algorithms/triangular/row_lanes.hpp"
#include "parallel/copy_to_host.hpp"
#include "sparse/find_column.hpp"
#include "sparse/order_by_level.hpp"
#include "sparse/triangle.hpp"

namespace terrace::triangular {

/// For each row of a triangle in level order.
template <class Ordinal, class Offset>
struct MeasureLevels {
  sparse::TriangleView<Ordinal, Offset> rows;
  const Ordinal* level_offsets;
  Ordinal levels;
  Offset* longest;  // of each level; zeros on entry
  Offset* entries;  // of all rows of a level

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Ordinal level = sparse::place_of_column(level_offsets, Ordinal(0), levels, row + 1) - 1;
    const Ordinal first = level_offsets[level], last = level_offsets[level + 1];
    if (row == first)
      entries[level] = rows.row_map[last] - rows.row_map[first] -
                       (rows.skip_front + rows.skip_back) * static_cast<Offset>(last - first);
    const Offset length = rows.end(row) - rows.begin(row);
    if (length > Kokkos::atomic_load(&longest[level])) Kokkos::atomic_max(&longest[level], length);
  }
};

/// Without their diagonals.
template <class Ordinal, class Offset, class Space>
struct LevelLengths {
  Kokkos::View<Offset*, parallel::Device<Space>> longest_on_device;
  std::vector<Offset> longest, entries;

  /// Of rows in level order. Waits for the space.
  LevelLengths(const Space& space, const sparse::TriangleView<Ordinal, Offset>& rows,
               const sparse::LevelOrder<Ordinal, Space>& by_level)
      : longest(static_cast<std::size_t>(by_level.levels())), entries(longest.size()) {
    if (longest.empty()) return;
    longest_on_device = parallel::zeros<Offset>(space, "terrace::schedule::longest_rows", longest.size());
    const parallel::Scratch<Offset, Space> sums(space, "terrace::schedule::entries_of_levels", longest.size());
    Kokkos::parallel_for("terrace::triangular::measure_levels", Kokkos::RangePolicy<Space>(space, 0, rows.rows),
                         MeasureLevels<Ordinal, Offset>{rows, by_level.level_offsets.data(), by_level.levels(),
                                                        longest_on_device.data(), sums.data()});
    const auto read = [&](const Offset* from, std::vector<Offset>& to) {
      copy_to_host(space, parallel::Numbers<Offset>{from, to.size()}, to.data(), "terrace::triangular::level_lengths");
    };
    read(longest_on_device.data(), longest);
    read(sums.data(), entries);
  }
};

/// As chains_of, where lanes share the rows: a level is narrow when its lanes are few.
template <class Space, class Ordinal, class Offset>
std::vector<Chain<Ordinal>> chains_by_lanes(const std::vector<Ordinal>& level_offsets,
                                            const LevelLengths<Ordinal, Offset, Space>& lengths) {
  constexpr int few = 2 * LaneTuning::threads;
  const auto lanes_of = [&](Ordinal first, Ordinal last) {
    std::int64_t entries = 0;
    for (Ordinal level = first; level < last; ++level) entries += static_cast<std::int64_t>(lengths.entries[level]);
    return LaneTuning::lanes<Space>(entries, static_cast<std::int64_t>(level_offsets[last] - level_offsets[first]));
  };
  auto chains = make_chains(level_offsets, [&](Ordinal level) {
    const std::int64_t width = level_offsets[level + 1] - level_offsets[level];
    return width * lanes_of(level, level + 1) <= few;
  });
  const auto has_long_rows = [&](const Chain<Ordinal>& chain) {
    for (Ordinal level = chain.first; level < chain.last; ++level)
      if (LaneTuning::is_long(static_cast<std::int64_t>(lengths.longest[level]), chain.lanes,
                              level_offsets[level + 1] - level_offsets[level]))
        return true;
    return false;
  };
  for (auto& chain : chains) {
    chain.lanes = lanes_of(chain.first, chain.last);
    chain.has_long_rows = has_long_rows(chain);
    if (!chain.has_long_rows || chain.lanes >= LaneTuning::fewest_beside_long_rows<Space>()) continue;
    chain.lanes = LaneTuning::fewest_beside_long_rows<Space>();
    chain.has_long_rows = has_long_rows(chain);
  }
  return chains;
}

}  // namespace terrace::triangular
