// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows and columns of the entries of A, in the order of elimination, from their places in the panels: in the space that
// reads them, so that they need not travel there.
#pragma once

#include "algorithms/ldlt/front_plan.hpp"
#include "parallel/teams.hpp"

namespace terrace::ldlt {

/// row >= column.
template <class Space>
struct EntryLocations {
  Kokkos::View<int*, parallel::Device<Space>> row, column;
};

/// For a team for each front.
template <class Space>
struct LocateEntries {
  FrontView fronts;
  int* row;
  int* column;

  KOKKOS_FUNCTION void operator()(const parallel::TeamMember<Space>& member) const {
    const int front = member.league_rank();
    const auto rows = static_cast<std::size_t>(fronts.rows_of(front));
    const std::size_t begin = fronts.entry_map[front], count = fronts.entry_map[front + 1] - begin;
    parallel::share(member, static_cast<std::int64_t>(count), [=, this](std::int64_t k) {
      const std::size_t e = begin + static_cast<std::size_t>(k);
      const std::size_t local = fronts.entry_target[e] - fronts.panel_map[front], own = local / rows;
      row[e] = fronts.rows[fronts.row_map[front] + (local - own * rows)];
      column[e] = fronts.first_column[front] + static_cast<int>(own);
    });
  }
};

/// Waits for the space. \throws Error OutOfMemory.
template <class Space>
EntryLocations<Space> locate_entries(const Space& space, const FrontArrays<Space>& fronts) {
  const std::size_t count = fronts.entry_target.extent(0);
  const EntryLocations<Space> found{parallel::uninitialized<int>(space, "terrace::ldlt::entry_row", count),
                                    parallel::uninitialized<int>(space, "terrace::ldlt::entry_column", count)};
  const FrontView view = fronts.view();
  parallel::for_each_team("terrace::ldlt::locate_entries", space, view.fronts,
                          LocateEntries<Space>{view, found.row.data(), found.column.data()});
  space.fence("terrace::ldlt::locate_entries");
  return found;
}

}  // namespace terrace::ldlt
