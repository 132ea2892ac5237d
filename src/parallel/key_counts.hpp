// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two passes of a counting sort that threads of the host share: what the entries of each key add up to, and then
// where each entry goes in the list of its key.
//
// Where there are many entries for each key, ranges of the items have tables of their own. In a dense matrix, or behind
// a hub, all threads name the same few keys, and wait for each other's cache lines. Otherwise they share one table, by
// atomic additions, and the order within a list is that in which threads came.
#pragma once

#include "parallel/host_array.hpp"
#include "parallel/host_ranges.hpp"

namespace terrace::parallel {

template <class Number>
class KeyCounts {
 public:
  /// For loops over `items` that name so many keys, each from 0 to keys - 1.
  KeyCounts(int threads, int items, std::size_t keys, std::size_t entries)
      : threads_(threads), items_(items), keys_(keys), tables_(count_tables(threads, keys, entries)) {
    table_.resize(static_cast<std::size_t>(tables_) * keys);
    for_keys([&](std::size_t key) {
      for (int k = 0; k < tables_; ++k) in_table(k, key) = 0;
    });
  }

  /// work(first, end, add) for ranges that make up the items, the same in each loop. add(key, more) adds to what the
  /// key has, and returns what that was: of the range, or of all.
  template <class Work>
  void for_ranges(const Work& work) {
    if (tables_ == 1)
      return parallel::for_ranges(threads_, items_, [&](int first, int end) {
        work(first, end, [this](int key, Number more) {
          return add_shared(threads_, table_[static_cast<std::size_t>(key)], more);
        });
      });
    const auto bound = [&](int table) { return static_cast<int>(static_cast<std::int64_t>(items_) * table / tables_); };
    const auto take = [&](int table, int) {
      Number* const counts = &in_table(table, 0);
      work(bound(table), bound(table + 1), [counts](int key, Number more) {
        const Number before = counts[key];
        counts[key] = before + more;
        return before;
      });
    };
    share_ranges(
        threads_, tables_, [](int table) { return table; }, [&] { return take; });
  }

  /// write(key, sum) for each key.
  template <class Write>
  void total(const Write& write) {
    for_keys([&](std::size_t key) {
      Number sum = 0;
      for (int k = 0; k < tables_; ++k) sum += in_table(k, key);
      write(key, sum);
    });
  }

  /// After counts: the list of a key begins at first(key), and add(key, 1) says where its next entry goes.
  template <class First>
  void make_lists(const First& first) {
    for_keys([&](std::size_t key) {
      Number next = first(key);
      for (int k = 0; k < tables_; ++k) {
        const Number count = in_table(k, key);
        in_table(k, key) = next;
        next += count;
      }
    });
  }

 private:
  static int count_tables(int threads, std::size_t keys, std::size_t entries) {
    constexpr std::size_t entries_of_key = 2;  // that a table must have on average
    const std::size_t affordable = entries / (entries_of_key * std::max<std::size_t>(keys, 1));
    const auto wanted = static_cast<std::size_t>(threads);
    return threads == 1 || affordable < wanted ? 1 : static_cast<int>(std::min(affordable, 8 * wanted));
  }

  Number& in_table(int table, std::size_t key) { return table_[static_cast<std::size_t>(table) * keys_ + key]; }

  template <class Work>
  void for_keys(const Work& work) {
    parallel::for_ranges(threads_, static_cast<int>(keys_), [&](int first, int end) {
      for (int key = first; key < end; ++key) work(static_cast<std::size_t>(key));
    });
  }

  const int threads_, items_;
  const std::size_t keys_;
  const int tables_;
  HostArray<Number> table_;
};

}  // namespace terrace::parallel
