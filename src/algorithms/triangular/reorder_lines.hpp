// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies lines into level order, so that the lines of a level are contiguous (Naumov 2011, section 3).
#pragma once

#include "algorithms/analysis/copy_lines.hpp"

namespace terrace::triangular {

template <class Ordinal, class Offset>
struct ReorderedLengths {
  analysis::Pattern<Ordinal, Offset> from;
  const Ordinal* order;
  Offset* lengths;
  Offset diagonal;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    lengths[place] = from.end(order[place]) - from.begin(order[place]) + diagonal;
  }
};

template <class Ordinal, class Offset>
struct ReorderLine {
  analysis::Pattern<Ordinal, Offset> from;
  const Ordinal* order;
  const Offset* old_source;  // null when the lines are the caller's
  const Offset* line_map;
  Ordinal* entries;
  Offset* source;
  bool diagonal;

  KOKKOS_FUNCTION void copy(Offset from_position, Offset& to) const {
    entries[to] = from.entries[from_position];
    source[to] = old_source ? old_source[from_position] : from_position;
    ++to;
  }
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    const Ordinal line = order[place];
    Offset to = line_map[place];
    for (Offset k = from.begin(line); k < from.end(line); ++k) copy(k, to);
    if (diagonal) copy(from.diagonal_position(line), to);
  }
};

/// `order` lists the lines by level. The copy's line p is line order(p); its entries keep their numbers.
template <class Ordinal, class Offset, class Space>
analysis::Lines<Ordinal, Offset, Space> reorder_lines(const Space& space,
                                                      const analysis::Lines<Ordinal, Offset, Space>& lines,
                                                      const Kokkos::View<Ordinal*, analysis::Device<Space>>& order,
                                                      bool diagonal) {
  const Ordinal n = lines.count;
  const Kokkos::RangePolicy<Space> each(space, 0, n);
  auto lengths = analysis::uninitialized<Offset>(space, "terrace::analysis::lengths", n);
  Kokkos::parallel_for("terrace::triangular::reordered_lengths", each,
                       ReorderedLengths<Ordinal, Offset>{lines.pattern(), order.data(), lengths.data(), diagonal});
  auto line_map = analysis::uninitialized<Offset>(space, "terrace::lines::line_map", static_cast<std::size_t>(n) + 1);
  const Offset total = analysis::start_lines<Ordinal, Offset, Space>(space, lengths, line_map);
  auto entries = analysis::uninitialized<Ordinal>(space, "terrace::lines::entries", total);
  auto source = analysis::uninitialized<Offset>(space, "terrace::lines::source", total);
  Kokkos::parallel_for("terrace::triangular::reorder_line", each,
                       ReorderLine<Ordinal, Offset>{lines.pattern(), order.data(), lines.source.data(), line_map.data(),
                                                    entries.data(), source.data(), diagonal});
  analysis::Lines<Ordinal, Offset, Space> reordered;
  reordered.count = n;
  reordered.line_map = line_map;
  reordered.entries = entries;
  reordered.source = source;
  reordered.is_copy = true;
  reordered.gathers = lines.gathers;
  reordered.skip_back = diagonal ? 1 : 0;
  return reordered;
}

}  // namespace terrace::triangular
