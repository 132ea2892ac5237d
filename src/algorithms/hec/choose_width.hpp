// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many entries of each row the ELL part of a HEC matrix takes (Liu et al. 2014, equation 9).
//
// The width l minimizes w(l) = l n + p_r nz(l), where nz(l) entries are left to the compressed rows, and p_r says how
// much longer one of them takes than a place of the ELL part. One more place for each row takes one entry away from
// each row that is longer than l, so w(l + 1) - w(l) = n - p_r r(l), where r(l) rows are longer than l. That never
// falls as l grows: w is convex, and the first l with p_r r(l) <= n is its minimum, the smallest if there are several.
//
// The lengths are counted, a scan of the counts is r, and the first l is a minimum over it: O(rows + longest row).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "parallel/concurrency.hpp"

namespace terrace::hec {

struct WidthRule {
  double relative_performance = 20.0;      ///< p_r
  std::optional<std::int64_t> width = {};  ///< the caller's
};

/// p_r nz, which is nothing where nothing is left, even for an infinite p_r.
KOKKOS_INLINE_FUNCTION double cost_of(double relative_performance, double entries) {
  return entries == 0.0 ? 0.0 : relative_performance * entries;
}

/// `Rows` knows length(row), without the entry that the compressed rows end with.
template <class Ordinal, class Rows>
struct LongestRow {
  static constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()) - 1;

  Rows rows;

  KOKKOS_FUNCTION Ordinal length(Ordinal row) const {
    const auto length = static_cast<std::int64_t>(rows.length(row));
    return static_cast<Ordinal>(length < most ? length : most);
  }
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& longest) const {
    if (length(row) > longest) longest = length(row);
  }
};

template <class Ordinal, class Rows>
struct CountLengths {
  LongestRow<Ordinal, Rows> rows;
  Ordinal* counts;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { parallel::fetch_increment(counts[rows.length(row)]); }
};

/// In place: how many rows have a length becomes how many are longer.
template <class Ordinal>
struct ScanLonger {
  Ordinal* counts;
  Ordinal rows;
  KOKKOS_FUNCTION void operator()(Ordinal length, Ordinal& sum, bool final) const {
    sum += counts[length];
    if (final) counts[length] = rows - sum;
  }
};

template <class Ordinal>
struct FirstThatPays {
  const Ordinal* longer;
  double rows;
  double relative_performance;
  KOKKOS_FUNCTION void operator()(Ordinal length, Ordinal& first) const {
    if (length < first && cost_of(relative_performance, static_cast<double>(longer[length])) <= rows) first = length;
  }
};

template <class Ordinal>
struct ChosenWidth {
  Ordinal width = 0;
  Ordinal longest = 0;  // row, without the entry that the compressed rows end with
};

/// Waits for the space.
template <class Ordinal, class Space, class Rows>
ChosenWidth<Ordinal> choose_width(const Space& space, const Rows& rows, Ordinal count, const WidthRule& rule) {
  const Kokkos::RangePolicy<Space> each_row(space, 0, count);
  const LongestRow<Ordinal, Rows> lengths{rows};
  ChosenWidth<Ordinal> chosen;
  Kokkos::parallel_reduce("terrace::hec::longest_row", each_row, lengths, Kokkos::Max<Ordinal>(chosen.longest));
  if (rule.width) {
    chosen.width = static_cast<Ordinal>(*rule.width);
    return chosen;
  }
  const auto counts =
      parallel::zeros<Ordinal>(space, "terrace::hec::row_lengths", static_cast<std::size_t>(chosen.longest) + 1);
  const Kokkos::RangePolicy<Space> each_length(space, 0, chosen.longest + 1);
  Kokkos::parallel_for("terrace::hec::count_lengths", each_row, CountLengths<Ordinal, Rows>{lengths, counts.data()});
  Kokkos::parallel_scan("terrace::hec::scan_longer", each_length, ScanLonger<Ordinal>{counts.data(), count});
  Kokkos::parallel_reduce("terrace::hec::choose_width", each_length,
                          FirstThatPays<Ordinal>{counts.data(), static_cast<double>(count), rule.relative_performance},
                          Kokkos::Min<Ordinal>(chosen.width));
  return chosen;
}

}  // namespace terrace::hec
