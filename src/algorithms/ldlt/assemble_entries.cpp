// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows come in the order of elimination, in which neighbours are near, and hand each entry to its column. Then each
// front sorts its own by two counting sorts, the rows of the front first and its columns last: which thread came first
// does not matter.
#include <algorithm>

#include "algorithms/ldlt/assembled_entries.hpp"
#include "parallel/host_ranges.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::ldlt {
namespace {

using parallel::HostArray;
using sparse::HostTriangleView;

template <class Offset>
struct EntryOfFront {
  int column, row;  // places in the front
  Offset source;
};

/// What one thread needs for its fronts.
template <class Offset>
struct FrontWorkspace {
  HostArray<int> place;           // in the front, of its rows
  std::vector<std::size_t> next;  // of each row of the front, then of each column
  HostArray<EntryOfFront<Offset>> by_row;
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
      return [&, work = FrontWorkspace<Offset>{HostArray<int>(tree_.original.size()), {}, {}}](int first,
                                                                                               int end) mutable {
        for (int f = first; f < end; ++f) {
          list_by_rows(f, work);
          write_by_columns(f, work);
        }
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
    row_.resize(count);
    source_.resize(count);
  }

  void hand_to_columns() {
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_read([&](std::size_t k, int row, int column) {
      const std::size_t e = parallel::add_shared<std::size_t>(threads_, next[column], 1);
      row_[e] = row;
      source_[e] = static_cast<Offset>(k);
    });
  }

  void list_by_rows(int f, FrontWorkspace<Offset>& work) const {
    const int rows = tree_.rows_of(f), first = tree_.first_column[f];
    const std::size_t begin = entries_.map[f], end = entries_.map[f + 1];
    const int* const row_of = tree_.rows_begin(f);
    for (int i = 0; i < rows; ++i) work.place[row_of[i]] = i;
    work.next.assign(static_cast<std::size_t>(rows) + 1, 0);
    for (std::size_t e = begin; e < end; ++e) ++work.next[work.place[row_[e]] + 1];
    for (int i = 0; i < rows; ++i) work.next[i + 1] += work.next[i];
    work.by_row.resize(end - begin);
    for (int j = first; j < tree_.first_column[f + 1]; ++j)
      for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) {
        const int row = work.place[row_[e]];
        work.by_row[work.next[row]++] = {j - first, row, source_[e]};
      }
  }

  void write_by_columns(int f, FrontWorkspace<Offset>& work) {
    const auto rows = static_cast<std::size_t>(tree_.rows_of(f));
    const int first = tree_.first_column[f], end = tree_.first_column[f + 1];
    work.next.resize(static_cast<std::size_t>(end - first));
    for (int j = first; j < end; ++j) work.next[j - first] = begin_[j];
    for (const auto& [column, row, source] : work.by_row) {
      const std::size_t e = work.next[column]++;
      const std::size_t target =
          panel_map_[f] + static_cast<std::size_t>(column) * rows + static_cast<std::size_t>(row);
      entries_.target[e] = target;
      std::size_t at = e;  // those of the same place keep their order
      for (; at > begin_[first + column] && entries_.target[at - 1] == target && source_[at - 1] > source; --at)
        source_[at] = source_[at - 1];
      source_[at] = source;
    }
  }

  const FrontTree& tree_;
  const std::vector<std::size_t>& panel_map_;
  const HostTriangleView<Offset>& triangle_;
  const int threads_;
  std::vector<int> place_;
  std::vector<std::size_t> begin_;  // of each column
  HostArray<int> row_;              // of each entry, in no order within its column
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
