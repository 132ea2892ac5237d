// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The filled rows of a symmetric pattern, by one thread of a host: it finds the rows of U, each from the rows of U
// before it, and mirrors them.
//
// level(i, j) is the least level(k, i) + level(k, j) + 1 over the rows k before i that have both (Saad, "Iterative
// Methods for Sparse Linear Systems", 2003, section 10.3.3); this is the length of the shortest path of fill_search.hpp
// less one (Hysom and Pothen 2001), so both find the same rows. Entries of the last level lead to no others. Each row k
// stands in the list of the row at which its next entry points, as in symbolic Cholesky factorizations (George and Liu,
// "Computer Solution of Large Sparse Positive Definite Systems", 1981, section 5.4): a row is merged with those in its
// list, and then hands them on.
//
// Cost: the products of L L^T whose levels are not too high; a search (fill_search.hpp) goes the same ways for each row
// anew, but for all rows at once. Memory: U with the levels of the entries that lead to others, and the filled rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "algorithms/incomplete/fill_rows.hpp"
#include "parallel/run_alone.hpp"

namespace terrace::incomplete {

/// Level: a type that counts to the level of fill and one further.
template <class Ordinal, class Offset, class Level>
class MirroredFill {
 public:
  /// `lengths`, of zeros, become those of the rows of L + U.
  MirroredFill(const FillSearch<Ordinal, Offset>& search, Offset* lengths)
      : search_(search), rows_(static_cast<std::size_t>(search.graph.rows)), lengths_(lengths) {}

  /// Stops where there are too many entries.
  void find() {
    upper_map_.assign(rows_ + 1, 0);
    leading_map_.assign(rows_ + 1, 0);
    level_.assign(rows_, none);
    first_.assign(rows_, Ordinal(-1));
    after_.assign(rows_, Ordinal(-1));
    next_.assign(rows_, 0);
    // Memory that is never touched costs nothing, and to grow copies all that there is.
    const auto likely = static_cast<std::size_t>(search_.graph.row_map[rows_]);
    upper_.reserve(2 * likely);
    leading_.reserve(likely);
    leading_level_.reserve(likely);
    for (Ordinal row = 0; row < search_.graph.rows && !has_too_many(); ++row) find_row(row);
  }

  bool has_too_many() const { return entries_ > search_.max_entries; }

  /// Of all rows, in order, each with its diagonal.
  void write(const Offset* row_map, Ordinal* entries) {
    std::vector<Offset> next(row_map, row_map + rows_);
    for (std::size_t row = 0; row < rows_; ++row) {
      Offset at = next[row];  // behind the entries of L, which the rows before have written
      entries[at++] = static_cast<Ordinal>(row);
      for (std::size_t p = upper_map_[row]; p < upper_map_[row + 1]; ++p) {
        const Ordinal column = upper_[p];
        entries[at++] = column;
        entries[next[column]++] = static_cast<Ordinal>(row);
      }
    }
  }

 private:
  static constexpr Level none = std::numeric_limits<Level>::max();

  void find_row(Ordinal row) {
    const auto& graph = search_.graph;
    const Ordinal *begin = graph.entries + graph.diagonal[row] + 1, *end = graph.entries + graph.row_map[row + 1];
    for (const Ordinal* column = begin; column < end; ++column) level_[*column] = 0;
    fill_.clear();
    for (Ordinal before = first_[row]; before >= 0;) {
      const Ordinal following = after_[before];
      add_products(before);
      before = following;
    }
    std::sort(fill_.begin(), fill_.end());
    keep(row, begin, end);
  }

  /// Of the row `before`, whose next entry is in the column of the row that is found.
  void add_products(Ordinal before) {
    const std::size_t at = next_[before], end = leading_map_[before + 1];
    for (std::size_t p = at + 1; p < end; ++p) {
      const int level = leading_level_[at] + leading_level_[p] + 1;
      if (level > search_.fill_level) continue;
      const Ordinal column = leading_[p];
      if (level_[column] == none) fill_.push_back(column);
      else if (level_[column] <= level) continue;
      level_[column] = static_cast<Level>(level);
    }
    next_[before] = at + 1;
    hand_on(before);
  }

  void hand_on(Ordinal row) {
    if (next_[row] == leading_map_[row + 1]) return;
    const Ordinal column = leading_[next_[row]];
    after_[row] = first_[column];
    first_[column] = row;
  }

  /// Writes down the row, the columns of A from `begin` to `end` and its fill.
  void keep(Ordinal row, const Ordinal* begin, const Ordinal* end) {
    const std::size_t before = upper_.size();
    upper_.resize(before + static_cast<std::size_t>(end - begin) + fill_.size());
    std::merge(begin, end, fill_.begin(), fill_.end(), upper_.begin() + static_cast<std::ptrdiff_t>(before));
    for (std::size_t p = before; p < upper_.size(); ++p) {
      const Ordinal column = upper_[p];
      ++lengths_[column];
      if (level_[column] < search_.fill_level) {
        leading_.push_back(column);
        leading_level_.push_back(level_[column]);
      }
      level_[column] = none;
    }
    const std::size_t found = upper_.size() - before;
    lengths_[row] += static_cast<Offset>(found + 1);
    entries_ += static_cast<std::int64_t>(2 * found + 1);
    upper_map_[row + 1] = upper_.size();
    leading_map_[row + 1] = leading_.size();
    next_[row] = leading_map_[row];
    hand_on(row);
  }

  FillSearch<Ordinal, Offset> search_;
  std::size_t rows_;
  Offset* lengths_;
  std::int64_t entries_ = 0;            // of L + U, of the rows that were found and their mirror images
  std::vector<std::size_t> upper_map_;  // U without its diagonal
  std::vector<Ordinal> upper_;
  std::vector<std::size_t> leading_map_;  // its entries that lead to others, and their levels
  std::vector<Ordinal> leading_;
  std::vector<Level> leading_level_;
  std::vector<Level> level_;            // by column, of the row that is found
  std::vector<Ordinal> fill_;           // columns of that row that A has not
  std::vector<Ordinal> first_, after_;  // lists of rows, by the column of their next entry
  std::vector<std::size_t> next_;       // places of these entries
};

template <class Level, class Ordinal, class Offset, class Space>
sparse::CrsGraph<Ordinal, Offset, Space> fill_mirrored_rows_up_to(const Space& space,
                                                                  const FillSearch<Ordinal, Offset>& search) {
  const auto lengths = parallel::scratch_of_zeros<Offset>(space, "terrace::incomplete::lengths",
                                                          static_cast<std::size_t>(search.graph.rows));
  MirroredFill<Ordinal, Offset, Level> fill(search, lengths.data());
  parallel::FirstFailure failure;
  const auto alone = [&](const char* label, const auto& work) {
    parallel::run_alone(space, label, [&](int) { failure.guard(work); });
    space.fence(label);
    failure.rethrow("the fill of the factors");
  };
  alone("terrace::incomplete::find_fill", [&] { fill.find(); });
  if (fill.has_too_many()) throw_too_much_fill(space, lengths);
  sparse::CrsGraph<Ordinal, Offset, Space> filled;
  allocate_rows(space, lengths, search, filled);
  alone("terrace::incomplete::place_fill", [&] { fill.write(filled.row_map.data(), filled.entries.data()); });
  return filled;
}

/// \throws TooMuchFill; Error OutOfMemory.
template <class Ordinal, class Offset, class Space>
sparse::CrsGraph<Ordinal, Offset, Space> fill_mirrored_rows(const Space& space,
                                                            const FillSearch<Ordinal, Offset>& search) {
  return search.fill_level < std::numeric_limits<std::uint8_t>::max()
             ? fill_mirrored_rows_up_to<std::uint8_t>(space, search)
             : fill_mirrored_rows_up_to<int>(space, search);
}

}  // namespace terrace::incomplete
