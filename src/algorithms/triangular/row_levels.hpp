// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many level sets the rows have and how wide the widest is, without keeping the order.
#pragma once

#include "algorithms/analysis/task_schedule.hpp"

namespace terrace::triangular {

struct RowLevels {
  std::int64_t levels = 0;
  std::int64_t widest = 0;
};

template <class Ordinal>
struct CountWidths {
  const Ordinal* level;
  Ordinal* widths;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { analysis::fetch_increment(widths[level[row]]); }
};

template <class Ordinal>
struct WidestLevel {
  const Ordinal* widths;
  KOKKOS_FUNCTION void operator()(Ordinal level, Ordinal& widest) const {
    if (widths[level] > widest) widest = widths[level];
  }
};

template <class Ordinal, class Offset, class Space>
RowLevels row_levels(const Space& space, const analysis::Lines<Ordinal, Offset, Space>& lines, bool backward) {
  const auto assigned =
      analysis::assign_levels<Ordinal, Offset, Space>(space, lines.pattern(), lines.gathers, backward);
  auto widths = analysis::zeros<Ordinal>(space, "terrace::analysis::widths", assigned.levels);
  Kokkos::parallel_for("terrace::analysis::count_widths", Kokkos::RangePolicy<Space>(space, 0, lines.count),
                       CountWidths<Ordinal>{assigned.level.data(), widths.data()});
  Ordinal widest = 0;
  Kokkos::parallel_reduce("terrace::analysis::widest_level", Kokkos::RangePolicy<Space>(space, 0, assigned.levels),
                          WidestLevel<Ordinal>{widths.data()}, Kokkos::Max<Ordinal>(widest));
  return {assigned.levels, widest};
}

}  // namespace terrace::triangular
