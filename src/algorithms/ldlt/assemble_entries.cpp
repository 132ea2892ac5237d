// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the entries of A go: an entry belongs to the front that owns its column in the order of elimination. Two
// distributions bring them into the order of their places, first by rows and then, each column keeping that order, by
// columns: nothing is compared.
#include <cstddef>
#include <vector>

#include "algorithms/ldlt/front_plan.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::ldlt {
namespace {

/// The caller's triangle in the order of elimination.
template <class Offset>
struct OrderedTriangle {
  const std::vector<Offset>& row_map;
  const std::vector<int>& columns;
  bool lower;
  const std::vector<int>& original;
  std::vector<int> place;

  /// visit(entry, row, column), row >= column. Rows come in the order of elimination, in which neighbours are near: the
  /// numbers that a visit touches are in cache.
  template <class Visit>
  void for_each_read(const Visit& visit) const {
    for (int a = 0; a < static_cast<int>(original.size()); ++a) {
      const int row = original[a];
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
        const int column = columns[k];
        if (lower ? column > row : column < row) continue;
        const int b = place[column];
        if (a > b) visit(static_cast<std::size_t>(k), a, b);
        else visit(static_cast<std::size_t>(k), b, a);
      }
    }
  }
};

/// Counts at place k + 1 become where k begins.
void sum_up(std::vector<std::size_t>& counts) {
  for (std::size_t k = 1; k < counts.size(); ++k) counts[k] += counts[k - 1];
}

template <class Offset>
struct RowEntry {
  Offset source;
  int column;
};

}  // namespace

template <class Offset>
AssembledEntries assemble_entries(const FrontPlan& plan, const std::vector<Offset>& row_map,
                                  const std::vector<int>& columns, bool lower) {
  const FrontTree& tree = plan.tree;
  const OrderedTriangle<Offset> triangle{row_map, columns, lower, tree.original,
                                         sparse::inverse_permutation(tree.original)};
  const std::size_t unknowns = tree.original.size();
  std::vector<std::size_t> row_begin(unknowns + 1, 0), column_begin(unknowns + 1, 0);
  triangle.for_each_read([&](std::size_t, int i, int j) {
    ++row_begin[i + 1];
    ++column_begin[j + 1];
  });
  sum_up(row_begin);
  sum_up(column_begin);
  const std::size_t count = row_begin.back();
  std::vector<RowEntry<Offset>> by_rows(count);
  std::vector<std::size_t> next(row_begin.begin(), row_begin.end() - 1);
  triangle.for_each_read([&](std::size_t k, int i, int j) { by_rows[next[i]++] = {static_cast<Offset>(k), j}; });

  AssembledEntries entries;
  entries.source.resize(count);
  entries.target.resize(count);
  entries.row.resize(count);
  entries.column.resize(count);
  next.assign(column_begin.begin(), column_begin.end() - 1);
  for (std::size_t i = 0; i < unknowns; ++i)
    for (std::size_t k = row_begin[i]; k < row_begin[i + 1]; ++k) {
      const std::size_t e = next[by_rows[k].column]++;
      entries.source[e] = static_cast<std::size_t>(by_rows[k].source);
      entries.row[e] = static_cast<int>(i);
      entries.column[e] = by_rows[k].column;
    }
  by_rows = {};
  std::vector<int> local(unknowns);
  for (int f = 0; f < tree.fronts(); ++f) {
    const auto rows = static_cast<std::size_t>(tree.rows_of(f));
    for (std::size_t i = 0; i < rows; ++i) local[tree.rows_begin(f)[i]] = static_cast<int>(i);
    const std::size_t end = column_begin[tree.first_column[f + 1]];
    for (std::size_t e = column_begin[tree.first_column[f]]; e < end; ++e)
      entries.target[e] = plan.panel_map[f] + static_cast<std::size_t>(local[entries.row[e]]) +
                          static_cast<std::size_t>(entries.column[e] - tree.first_column[f]) * rows;
    entries.map.push_back(end);
  }
  return entries;
}

template AssembledEntries assemble_entries(const FrontPlan&, const std::vector<int>&, const std::vector<int>&, bool);
template AssembledEntries assemble_entries(const FrontPlan&, const std::vector<std::size_t>&, const std::vector<int>&,
                                           bool);

}  // namespace terrace::ldlt
