// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many level sets there are and how wide the widest is, without their order.
#pragma once

#include "parallel/loops.hpp"
#include "sparse/assign_levels.hpp"

namespace terrace::sparse {

struct RowLevels {
  std::int64_t levels = 0;
  std::int64_t widest = 0;
};

template <class Ordinal>
struct CountWidths {
  const Ordinal* level;
  Ordinal* widths;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { parallel::fetch_increment(widths[level[row]]); }
};

template <class Ordinal>
struct WidestLevel {
  const Ordinal* widths;
  KOKKOS_FUNCTION void operator()(Ordinal level, Ordinal& widest) const {
    if (widths[level] > widest) widest = widths[level];
  }
};

template <class Ordinal, class Space>
RowLevels measure_levels(const Space& space, const LevelAssignment<Ordinal, Space>& assigned) {
  const auto rows = static_cast<Ordinal>(assigned.level.size());
  const auto widths = parallel::scratch_of_zeros<Ordinal>(space, "terrace::sparse::widths", assigned.levels);
  parallel::for_range("terrace::sparse::count_widths", Kokkos::RangePolicy<Space>(space, 0, rows),
                      CountWidths<Ordinal>{assigned.level.data(), widths.data()});
  Ordinal widest = 0;
  parallel::reduce_range("terrace::sparse::widest_level", Kokkos::RangePolicy<Space>(space, 0, assigned.levels),
                         WidestLevel<Ordinal>{widths.data()}, Kokkos::Max<Ordinal>(widest));
  return {assigned.levels, widest};
}

template <class Ordinal>
RowLevels levels_of_offsets(const std::vector<Ordinal>& offsets) {
  RowLevels result{static_cast<std::int64_t>(offsets.size()) - 1, 0};
  for (std::size_t level = 0; level + 1 < offsets.size(); ++level)
    result.widest = std::max<std::int64_t>(result.widest, offsets[level + 1] - offsets[level]);
  return result;
}

}  // namespace terrace::sparse
