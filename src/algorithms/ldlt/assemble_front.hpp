// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a front begins with: the entries of A in its own columns, and what its children hand to it, gathered in the
// order of the children whoever gathers and however the front is cut.
#pragma once

#include "algorithms/ldlt/host_schedule.hpp"

namespace terrace::ldlt {

/// A contribution block, and where its rows stand in the parent.
template <class Scalar>
struct HandedBlock {
  ContributionLayout layout;
  const Scalar* values;
  const int* place;    // of its rows in the parent, ascending
  const int* run_end;  // see HostSchedule

  /// Adds its columns with places from `begin` to `end`. Row p of the parent's column c lies at to[column_begin(c) +
  /// p].
  template <class ColumnBegin>
  void add_to(Scalar* to, int begin, int end, const ColumnBegin& column_begin) const {
    const auto rows = static_cast<int>(layout.rows);
    if (rows == 0 || place[rows - 1] < begin) return;
    for (auto c = static_cast<int>(std::lower_bound(place, place + rows, begin) - place); c < rows && place[c] < end;
         ++c)
      add_column(values + layout.column_begin(c), c, to + column_begin(place[c]));
  }

 private:
  void add_column(const Scalar* from, int first, Scalar* to) const {
    for (int r = first; r < static_cast<int>(layout.rows);) {
      const int run = run_end[r];
      Scalar* const there = to + place[r];
      const Scalar* const here = from + r;
      for (int k = 0; k < run - r; ++k) there[k] += here[k];
      r = run;
    }
  }
};

/// The own columns from `begin` to `end`: what lies on and below the diagonal of the block. `children` calls a function
/// for each HandedBlock.
template <class Scalar, class Children>
void assemble_columns(const FrontPlan& plan, int front, int begin, int end, const Scalar* entries, Scalar* panels,
                      const Children& children) {
  const auto rows = static_cast<std::size_t>(plan.tree.rows_of(front));
  const std::size_t at = plan.panel_map[front];
  Scalar* const panel = panels + at;
  for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c)
    std::fill(panel + c * rows + begin, panel + (c + 1) * rows, Scalar(0));
  const auto& target = plan.entries.target;
  const auto first = target.begin() + static_cast<std::ptrdiff_t>(plan.entries.map[front]);
  const auto last = target.begin() + static_cast<std::ptrdiff_t>(plan.entries.map[front + 1]);
  const auto from = std::lower_bound(first, last, at + static_cast<std::size_t>(begin) * rows);
  for (auto e = from; e != last && *e < at + static_cast<std::size_t>(end) * rows; ++e)
    panels[*e] += entries[e - target.begin()];
  const auto column_begin = [&](int c) { return static_cast<std::ptrdiff_t>(rows) * c; };
  children([&](const HandedBlock<Scalar>& child) { child.add_to(panel, begin, end, column_begin); });
}

/// A block column of the contribution block.
template <class Scalar, class Children>
void assemble_contribution(const FrontTiles& tiles, int block, Scalar* contribution, const Children& children) {
  const ContributionLayout layout(tiles);
  const int below = tiles.rows - tiles.columns;
  const int begin = block * tiles.width, end = std::min(below, begin + tiles.width);
  Scalar* const first = contribution + layout.block_begin(block);
  std::fill_n(first, std::ptrdiff_t(layout.leading_dimension(block)) * (end - begin), Scalar(0));
  const auto column_begin = [&](int c) { return layout.column_begin(c - tiles.columns) - tiles.columns; };
  children([&](const HandedBlock<Scalar>& child) {
    child.add_to(contribution, tiles.columns + begin, tiles.columns + end, column_begin);
  });
}

}  // namespace terrace::ldlt
