// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows come in the order of elimination, in which neighbours are near, and hand each entry to its column. A column has
// few entries, so that it is sorted afterwards: who came first does not matter, and threads share the rows.
#include <algorithm>
#include <atomic>
#include <memory>

#include "algorithms/ldlt/assembled_entries.hpp"
#include "parallel/host_tasks.hpp"
#include "sparse/elimination_tree.hpp"

namespace terrace::ldlt {
namespace {

template <class Offset>
struct ColumnEntry {
  int row;
  Offset source;

  friend bool operator<(const ColumnEntry& a, const ColumnEntry& b) {
    return a.row != b.row ? a.row < b.row : a.source < b.source;
  }
};

template <class Offset>
class EntryAssembler {
 public:
  EntryAssembler(const FrontTree& tree, const std::vector<std::size_t>& panel_map, const std::vector<Offset>& row_map,
                 const std::vector<int>& columns, bool lower, int threads)
      : tree_(tree),
        panel_map_(panel_map),
        row_map_(row_map),
        columns_(columns),
        lower_(lower),
        threads_(threads),
        place_(sparse::inverse_permutation(tree.original)),
        begin_(tree.original.size() + 1, 0) {}

  AssembledEntries take() {
    const auto unknowns = static_cast<int>(tree_.original.size());
    in_ranges(unknowns, [&](int first, int end) {
      for_each_read(first, end, [&](Offset, int, int column) { add_one(begin_[column + 1]); });
    });
    for (std::size_t j = 1; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    const std::size_t count = begin_.back();
    found_ = std::make_unique_for_overwrite<ColumnEntry<Offset>[]>(count);
    in_ranges(unknowns, [&](int first, int end) {
      for_each_read(first, end,
                    [&](Offset k, int row, int column) { found_[add_one(next[column])] = {row, k}; });
    });
    for (int f = 0; f < tree_.fronts(); ++f) entries_.map.push_back(begin_[tree_.first_column[f + 1]]);
    entries_.source.resize(count);
    entries_.target.resize(count);
    entries_.row.resize(count);
    entries_.column.resize(count);
    in_ranges(tree_.fronts(), [&](int first, int end) {
      const auto local = std::make_unique_for_overwrite<int[]>(static_cast<std::size_t>(unknowns));
      for (int f = first; f < end; ++f) place_front(f, local.get());
    });
    return std::move(entries_);
  }

 private:
  /// work(first, end) for some ranges of [0, count), by several threads.
  template <class Work>
  void in_ranges(int count, const Work& work) const {
    const int pieces = threads_ == 1 ? 1 : std::clamp(count / 1024, 1, 8 * threads_);
    const auto begin_of = [&](int piece) { return static_cast<int>(static_cast<std::int64_t>(count) * piece / pieces); };
    parallel::HostTasks tasks(threads_);
    tasks.run([&] { tasks.each(0, pieces, [&](int piece) { work(begin_of(piece), begin_of(piece + 1)); }); });
  }

  std::size_t add_one(std::size_t& counter) const {
    if (threads_ == 1) return counter++;
    return std::atomic_ref<std::size_t>(counter).fetch_add(1, std::memory_order_relaxed);
  }

  /// visit(entry, row, column), row >= column in the order of elimination.
  template <class Visit>
  void for_each_read(int first, int end, const Visit& visit) const {
    for (int a = first; a < end; ++a) {
      const int row = tree_.original[a];
      for (Offset k = row_map_[row]; k < row_map_[row + 1]; ++k) {
        const int column = columns_[k];
        if (lower_ ? column > row : column < row) continue;
        const int b = place_[column];
        visit(k, std::max(a, b), std::min(a, b));
      }
    }
  }

  /// `local`: memory for the places of rows in a front.
  void place_front(int f, int* local) {
    const auto rows = static_cast<std::size_t>(tree_.rows_of(f));
    for (std::size_t i = 0; i < rows; ++i) local[tree_.rows_begin(f)[i]] = static_cast<int>(i);
    std::size_t panel_column = panel_map_[f];
    for (int j = tree_.first_column[f]; j < tree_.first_column[f + 1]; ++j, panel_column += rows) {
      std::sort(found_.get() + begin_[j], found_.get() + begin_[j + 1]);
      for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) {
        entries_.source[e] = static_cast<std::size_t>(found_[e].source);
        entries_.row[e] = found_[e].row;
        entries_.column[e] = j;
        entries_.target[e] = panel_column + static_cast<std::size_t>(local[found_[e].row]);
      }
    }
  }

  const FrontTree& tree_;
  const std::vector<std::size_t>& panel_map_;
  const std::vector<Offset>& row_map_;
  const std::vector<int>& columns_;
  const bool lower_;
  const int threads_;
  std::vector<int> place_;
  std::vector<std::size_t> begin_;  // of each column
  std::unique_ptr<ColumnEntry<Offset>[]> found_;
  AssembledEntries entries_;
};

}  // namespace

template <class Offset>
AssembledEntries assemble_entries(const FrontTree& tree, const std::vector<std::size_t>& panel_map,
                                  const std::vector<Offset>& row_map, const std::vector<int>& columns, bool lower,
                                  int threads) {
  return EntryAssembler<Offset>(tree, panel_map, row_map, columns, lower, threads).take();
}

template AssembledEntries assemble_entries(const FrontTree&, const std::vector<std::size_t>&, const std::vector<int>&,
                                           const std::vector<int>&, bool, int);
template AssembledEntries assemble_entries(const FrontTree&, const std::vector<std::size_t>&,
                                           const std::vector<std::size_t>&, const std::vector<int>&, bool, int);

}  // namespace terrace::ldlt
