// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows come in the order of elimination, in which neighbours are near, and hand each entry to its column. Then each
// column is sorted: which thread came first does not matter. Where a column's entries come in order it gets what its
// own row stores, in any order, and then the entries of later rows in theirs: what comes first is sorted, and merged
// with the rest.
#include <algorithm>

#include "algorithms/ldlt/assembled_entries.hpp"
#include "parallel/key_counts.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::ldlt {
namespace {

using parallel::HostArray;
using sparse::HostTriangleView;

/// In order: by its row, and those of one place as they are stored.
template <class Offset>
struct EntryOfColumn {
  int row;
  Offset source;

  bool operator<(const EntryOfColumn& other) const {
    return row != other.row ? row < other.row : source < other.source;
  }
};

template <class Offset>
class EntryAssembler {
 public:
  EntryAssembler(const FrontTree& tree, const std::vector<std::size_t>& panel_map,
                 const HostTriangleView<Offset>& triangle, int threads, HostArray<Offset>& source)
      : tree_(tree),
        panel_map_(panel_map),
        triangle_(triangle),
        threads_(threads),
        place_(sparse::inverse_permutation(tree.original)),
        of_column_(threads, tree.unknowns(), place_.size(), triangle.stored()),
        begin_(place_.size() + 1, 0),
        source_(source) {}

  AssembledEntries take() {
    count_columns();
    make_room();
    hand_to_columns();
    parallel::share_items(threads_, begin_, [&] {
      return [&, place_in_front = HostArray<int>(place_.size())](int first, int end) mutable {
        write_columns(first, end, place_in_front);
      };
    });
    return std::move(entries_);
  }

 private:
  /// visit(place, row, column, add), row >= column in the order of elimination; add counts for a column.
  template <class Visit>
  void for_each_read(const Visit& visit) {
    of_column_.for_ranges([&](int first, int end, const auto& add) {
      for (int a = first; a < end; ++a) {
        const int row = tree_.original[a];
        triangle_.for_each_read(row, row + 1, [&](int, int column, std::size_t k) {
          const int b = place_[column];
          visit(k, std::max(a, b), std::min(a, b), add);
        });
      }
    });
  }

  void count_columns() {
    for_each_read([](std::size_t, int, int column, const auto& add) { add(column, 1); });
    of_column_.total([&](std::size_t column, std::size_t count) { begin_[column + 1] = count; });
    for (std::size_t j = 1; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
    of_column_.make_lists([&](std::size_t column) { return begin_[column]; });
  }

  void make_room() {
    const std::size_t count = begin_.back();
    entries_.map.resize(tree_.parent.size() + 1);
    for (int f = 0; f < tree_.fronts(); ++f) entries_.map[f + 1] = begin_[tree_.first_column[f + 1]];
    entries_.target.resize(count);
    of_columns_.resize(count);
    source_.resize(count);
  }

  void hand_to_columns() {
    for_each_read([&](std::size_t k, int row, int column, const auto& add) {
      of_columns_[add(column, 1)] = {row, static_cast<Offset>(k)};
    });
  }

  void write_columns(int first, int end, HostArray<int>& place_in_front) {
    const auto* const after =
        std::upper_bound(tree_.first_column.data(), tree_.first_column.data() + tree_.fronts(), first);
    for (auto f = static_cast<int>(after - tree_.first_column.data()) - 1; first < end; ++f) {
      const int own_end = std::min(end, tree_.first_column[f + 1]);
      write_columns_of(f, first, own_end, place_in_front);
      first = own_end;
    }
  }

  void write_columns_of(int f, int first, int end, HostArray<int>& place_in_front) {
    const auto rows = static_cast<std::size_t>(tree_.rows_of(f));
    const int* const row_of = tree_.rows_begin(f);
    for (std::size_t i = 0; i < rows; ++i) place_in_front[row_of[i]] = static_cast<int>(i);
    std::size_t column = panel_map_[f] + rows * static_cast<std::size_t>(first - tree_.first_column[f]);
    for (int j = first; j < end; ++j, column += rows) {
      std::size_t e = begin_[j];
      for_each_in_order(of_columns_.data() + begin_[j], of_columns_.data() + begin_[j + 1],
                        [&](const EntryOfColumn<Offset>& entry) {
                          entries_.target[e] = column + static_cast<std::size_t>(place_in_front[entry.row]);
                          source_[e++] = entry.source;
                        });
    }
  }

  /// Sorts what comes before the ascending end.
  template <class Visit>
  static void for_each_in_order(EntryOfColumn<Offset>* begin, EntryOfColumn<Offset>* end, const Visit& visit) {
    EntryOfColumn<Offset>* ascending = end;
    while (ascending > begin && (ascending == end || ascending[-1] < ascending[0])) --ascending;
    std::sort(begin, ascending);
    const EntryOfColumn<Offset>*first = begin, *second = ascending;
    while (first < ascending && second < end) visit(*second < *first ? *second++ : *first++);
    while (first < ascending) visit(*first++);
    while (second < end) visit(*second++);
  }

  const FrontTree& tree_;
  const std::vector<std::size_t>& panel_map_;
  const HostTriangleView<Offset>& triangle_;
  const int threads_;
  std::vector<int> place_;
  parallel::KeyCounts<std::size_t> of_column_;
  std::vector<std::size_t> begin_;  // of each column
  HostArray<EntryOfColumn<Offset>> of_columns_;
  HostArray<Offset>& source_;
  AssembledEntries entries_;
};

}  // namespace

template <class Offset>
AssembledEntries assemble_entries(const FrontTree& tree, const std::vector<std::size_t>& panel_map,
                                  const HostTriangleView<Offset>& triangle, int threads, HostArray<Offset>& source) {
  return EntryAssembler<Offset>(tree, panel_map, triangle, threads, source).take();
}

template AssembledEntries assemble_entries(const FrontTree&, const std::vector<std::size_t>&,
                                           const HostTriangleView<int>&, int, HostArray<int>&);
template AssembledEntries assemble_entries(const FrontTree&, const std::vector<std::size_t>&,
                                           const HostTriangleView<std::size_t>&, int, HostArray<std::size_t>&);

}  // namespace terrace::ldlt
