// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many entries the rows of each level have, and how many lanes these are worth.
#pragma once

#include "algorithms/triangular/row_lanes.hpp"
#include "parallel/copy_to_host.hpp"
#include "parallel/index_arithmetic.hpp"
#include "parallel/loops.hpp"
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
    parallel::for_range("terrace::triangular::measure_levels", Kokkos::RangePolicy<Space>(space, 0, rows.rows),
                        MeasureLevels<Ordinal, Offset>{rows, by_level.level_offsets.data(), by_level.levels(),
                                                       longest_on_device.data(), sums.data()});
    const auto read = [&](const Offset* from, std::vector<Offset>& to) {
      copy_to_host(space, parallel::Numbers<Offset>{from, to.size()}, to.data(), "terrace::triangular::level_lengths");
    };
    read(longest_on_device.data(), longest);
    read(sums.data(), entries);
  }
};

template <class Ordinal, class Offset, class Space>
class LaneChooser {
 public:
  LaneChooser(const std::vector<Ordinal>& level_offsets, const LevelLengths<Ordinal, Offset, Space>& lengths)
      : level_offsets_(level_offsets), lengths_(lengths) {}

  /// A level is narrow when the lanes of its rows are few.
  bool is_narrow(Ordinal level) const {
    return width(level) * lanes_of_mean_row(level, level + 1) <= 2 * LaneTuning::threads;
  }

  void choose(Chain<Ordinal>& chain) const {
    const int most = lanes_of_mean_row(chain.first, chain.last);
    chain.lanes = most;
    for (int lanes = most / 2; chain.is_narrow && lanes >= 1; lanes /= 2)
      if (steps(chain, lanes) < steps(chain, chain.lanes)) chain.lanes = lanes;
    if (has_long_rows(chain)) chain.lanes = std::max(chain.lanes, LaneTuning::fewest_beside_long_rows<Space>());
    chain.has_long_rows = has_long_rows(chain);
  }

 private:
  std::int64_t width(Ordinal level) const { return level_offsets_[level + 1] - level_offsets_[level]; }

  int lanes_of_mean_row(Ordinal first, Ordinal last) const {
    std::int64_t entries = 0;
    for (Ordinal level = first; level < last; ++level) entries += static_cast<std::int64_t>(lengths_.entries[level]);
    return LaneTuning::lanes<Space>(entries, level_offsets_[last] - level_offsets_[first]);
  }

  /// Of the team that walks a chain, about. A few long levels have a large share in its mean row, and others many
  /// short rows, for which so many lanes are too many.
  std::int64_t steps(const Chain<Ordinal>& chain, int lanes) const {
    std::int64_t sum = 0;
    for (Ordinal level = chain.first; level < chain.last; ++level) {
      const std::int64_t mean = static_cast<std::int64_t>(lengths_.entries[level]) / width(level);
      const std::int64_t shared = std::min(mean, std::int64_t(LaneTuning::entries_for_lane) * lanes);
      sum += parallel::divide_up(width(level) * lanes, std::int64_t(LaneTuning::threads)) * (shared / lanes + 1);
    }
    return sum;
  }

  bool has_long_rows(const Chain<Ordinal>& chain) const {
    for (Ordinal level = chain.first; level < chain.last; ++level)
      if (LaneTuning::is_long(static_cast<std::int64_t>(lengths_.longest[level]), chain.lanes, width(level)))
        return true;
    return false;
  }

  const std::vector<Ordinal>& level_offsets_;
  const LevelLengths<Ordinal, Offset, Space>& lengths_;
};

/// As chains_of, where lanes share the rows.
template <class Space, class Ordinal, class Offset>
std::vector<Chain<Ordinal>> chains_by_lanes(const std::vector<Ordinal>& level_offsets,
                                            const LevelLengths<Ordinal, Offset, Space>& lengths) {
  const LaneChooser<Ordinal, Offset, Space> chooser(level_offsets, lengths);
  auto chains = make_chains(level_offsets, [&](Ordinal level) { return chooser.is_narrow(level); });
  for (auto& chain : chains) chooser.choose(chain);
  return chains;
}

}  // namespace terrace::triangular
