// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many entries the rows of ILU(k) may have in all. One row that all others know, and that is eliminated before
// them, fills everything: without a limit the search takes minutes, and then all memory.
//
// Searches add the rows that they have found to one sum and stop when it is over the limit; rows that nobody has
// searched count as empty then. A row with few entries may stay out of the sum: those together are no danger.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "parallel/concurrency.hpp"

namespace terrace::incomplete {

/// Of an unset max_fill: so many times the entries of A, and never less than so many entries.
inline constexpr double usual_max_fill = 100.0;
inline constexpr std::int64_t always_allowed_entries = 10'000'000;

/// max_fill as a number of entries.
inline std::int64_t max_entries_of(double max_fill, std::size_t entries) {
  const double wanted = (max_fill > 0 ? max_fill : usual_max_fill) * static_cast<double>(entries);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t allowed = wanted < 9e18 ? static_cast<std::int64_t>(std::ceil(wanted)) : most;
  return max_fill > 0 ? allowed : std::max(allowed, always_allowed_entries);
}

/// Thrown when there are more. Rows in the order of elimination.
struct TooMuchFill {
  std::int64_t row;  ///< of those that were searched the one with most entries
  std::int64_t row_entries;
};

/// The sum.
struct FillSum {
  std::int64_t max_entries;
  std::int64_t* entries;

  KOKKOS_FUNCTION bool is_over_limit() const { return Kokkos::atomic_load(entries) > max_entries; }
  KOKKOS_FUNCTION void add(std::int64_t found) const { Kokkos::atomic_add(entries, found); }
};

}  // namespace terrace::incomplete
