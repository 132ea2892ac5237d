// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows come in the order of elimination, in which neighbours are near, and hand each entry to its column. Then each
// column is sorted: which thread came first does not matter. By one thread a column gets what its own row stores, in
// any order, and then the entries of later rows in theirs: what comes first is sorted, and merged with the rest.
#include <algorithm>

#include "algorithms/ldlt/assembled_entries.hpp"
#include "parallel/host_ranges.hpp"
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
        begin_(tree.original.size() + 1, 0),
        source_(source) {}

  AssembledEntries take() {
    count_columns();
    make_room();
    hand_to_columns();
    parallel::share_items(threads_, entries_.map, [&] {
      return [&, place_in_front = HostArray<int>(tree_.original.size())](int first, int end) mutable {
        for (int f = first; f < end; ++f) write_front(f, place_in_front);
      };
    });
    return std::move(entries_);
  }

 private:
  /// visit(place, row, column), row >= column in the order of elimination.
  template <class Visit>
  void for_each_read(const Visit& visit) const {
    parallel::for_ranges(threads_, tree_.unknowns(), [&](int first, int end) {
      for (int a = first; a < end; ++a) {
        const int row = tree_.original[a];
        triangle_.for_each_read(row, row + 1, [&](int, int column, std::size_t k) {
          const int b = place_[column];
          visit(k, std::max(a, b), std::min(a, b));
        });
      }
    });
  }

  void count_columns() {
    for_each_read(
        [&](std::size_t, int, int column) { parallel::add_shared<std::size_t>(threads_, begin_[column + 1], 1); });
    for (std::size_t j = 1; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
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
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_read([&](std::size_t k, int row, int column) {
      const std::size_t e = parallel::add_shared<std::size_t>(threads_, next[column], 1);
      of_columns_[e] = {row, static_cast<Offset>(k)};
    });
  }

  void write_front(int f, HostArray<int>& place_in_front) {
    const auto rows = static_cast<std::size_t>(tree_.rows_of(f));
    const int* const row_of = tree_.rows_begin(f);
    for (std::size_t i = 0; i < rows; ++i) place_in_front[row_of[i]] = static_cast<int>(i);
    std::size_t column = panel_map_[f];
    for (int j = tree_.first_column[f]; j < tree_.first_column[f + 1]; ++j, column += rows) {
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
