// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern of ILU(k): which entries have a level of fill of at most k, and which of the caller's values each takes.
// Rows are searched for, each by itself (fill_search.hpp), by threads on a host and by teams on a device; one thread of
// a host finds those of a symmetric pattern sooner one after the other (fill_mirrored_rows.hpp), also where it has a
// second one beside it.
#pragma once

#include "algorithms/incomplete/fill_mirrored_rows.hpp"
#include "algorithms/incomplete/fill_rows_by_teams.hpp"
#include "algorithms/incomplete/merged_pattern.hpp"
#include "parallel/loops.hpp"

namespace terrace::incomplete {

/// Walks through the sorted row before fill and the row after it; what is new has no source.
template <class Ordinal, class Offset>
struct FindSources {
  const Offset* base_map;
  const Ordinal* base_entries;
  const Offset* base_source;  // null: each its own
  const Offset* row_map;
  const Ordinal* entries;
  Offset* source;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset at = base_map[row];
    for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
      const bool stored = at < base_map[row + 1] && base_entries[at] == entries[k];
      source[k] = !stored ? sparse::no_source<Offset> : base_source ? base_source[at] : at;
      if (stored) ++at;
    }
  }
};

/// On a host. One thread that mirrors is 1.4 to 4.3 times as fast as one that searches
/// (docs/results/incomplete-host.md).
template <class Ordinal, class Offset, class Space>
sparse::CrsGraph<Ordinal, Offset, Space> fill_on_host(const Space& space, const FillSearch<Ordinal, Offset>& search,
                                                      const MergedPattern<Ordinal, Offset, Space>& base,
                                                      bool is_known_symmetric) {
  constexpr int threads_that_pay_for_searching = 3;
  if (space.concurrency() < threads_that_pay_for_searching && (is_known_symmetric || is_symmetric(space, base)))
    return fill_mirrored_rows<Ordinal, Offset, Space>(space, search);
  return fill_rows_by_threads<Ordinal, Offset, Space>(space, search);
}

/// The pattern with all entries up to the level. \throws TooMuchFill; Error OutOfMemory.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> fill_pattern(const Space& space, int fill_level, double max_fill,
                                                   const MergedPattern<Ordinal, Offset, Space>& base,
                                                   [[maybe_unused]] bool is_known_symmetric) {
  const int longest_path = static_cast<int>(std::min<std::int64_t>(fill_level, base.count));  // has no vertex twice
  const FillSearch<Ordinal, Offset> search{base.view(), longest_path, max_entries_of(max_fill, base.entries.extent(0))};
  sparse::CrsGraph<Ordinal, Offset, Space> filled;
  if constexpr (parallel::is_host_space<Space>) filled = fill_on_host(space, search, base, is_known_symmetric);
  else filled = fill_rows_by_teams<Ordinal, Offset, Space>(space, search, base.entries.extent(0));

  filled.source = parallel::uninitialized<Offset>(space, "terrace::incomplete::source", filled.entries.extent(0));
  parallel::for_range("terrace::incomplete::find_sources", Kokkos::RangePolicy<Space>(space, 0, base.count),
                      FindSources<Ordinal, Offset>{base.row_map.data(), base.entries.data(), base.source.data(),
                                                   filled.row_map.data(), filled.entries.data(), filled.source.data()});
  space.fence("terrace::incomplete::fill_pattern");
  return merged_rows(space, filled);
}

}  // namespace terrace::incomplete
