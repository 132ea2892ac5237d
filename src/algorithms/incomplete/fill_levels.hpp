// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pattern of ILU(k): which entries have a level of fill of at most k.
//
// Elimination fills (i, j) exactly when the graph of A has a path from i to j whose inner vertices are all smaller than
// min(i, j) (Rose and Tarjan 1978), and the level of the entry is the length of the shortest such path less one. So a
// row can be found without the others: walk from i, at most k + 1 links far, through vertices smaller than i (Hysom
// and Pothen, "A scalable parallel algorithm for incomplete factor preconditioning", SIAM J. Sci. Comput. 22, 2001).
//
// Here one walk finds both triangles of the row. It carries the highest inner vertex of the path, `via`, and keeps for
// each vertex the lowest via that any path so far has reached it with: (i, j) is filled once that is below min(i, j).
// A vertex is walked through again only when a longer path reached it with a lower via.
//
// Cost: for each row the links within k steps, twice (count, then write). Work arrays of three numbers per row of A for
// each thread. Hosts only: a device's thousands of threads have no room for them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/incomplete/merged_pattern.hpp"

namespace terrace::incomplete {

/// The walk from one row, and the memory that it keeps from row to row.
template <class Ordinal, class Offset>
class FillSearch {
 public:
  FillSearch(const analysis::Pattern<Ordinal, Offset>& graph, int fill_level)
      : graph_(graph), fill_level_(fill_level), lowest_via_(static_cast<std::size_t>(graph.lines), graph.lines) {}

  /// The columns of the row, ascending.
  const std::vector<Ordinal>& fill_row(Ordinal row) {
    columns_.assign(1, row);
    reached_.assign(1, row);
    lowest_via_[row] = -1;
    frontier_.assign(1, {row, -1});
    for (int links = 1; links <= fill_level_ + 1 && !frontier_.empty(); ++links) {
      next_.clear();
      for (const auto& [vertex, via] : frontier_) walk_on(row, vertex, via);
      std::swap(frontier_, next_);
    }
    for (const Ordinal vertex : reached_) lowest_via_[vertex] = graph_.lines;
    std::sort(columns_.begin(), columns_.end());
    return columns_;
  }

 private:
  void walk_on(Ordinal row, Ordinal vertex, Ordinal via) {
    for (Offset k = graph_.line_map[vertex]; k < graph_.line_map[vertex + 1]; ++k) {
      const Ordinal to = graph_.entries[k];
      if (via >= lowest_via_[to]) continue;
      const Ordinal bound = std::min(row, to);
      if (lowest_via_[to] >= bound && via < bound) columns_.push_back(to);
      if (lowest_via_[to] == graph_.lines) reached_.push_back(to);
      lowest_via_[to] = via;
      if (to < row) next_.push_back({to, std::max(via, to)});
    }
  }

  analysis::Pattern<Ordinal, Offset> graph_;
  int fill_level_;
  std::vector<Ordinal> lowest_via_;  // of each vertex; the number of rows where no path has come
  std::vector<Ordinal> reached_;
  std::vector<Ordinal> columns_;
  std::vector<std::pair<Ordinal, Ordinal>> frontier_, next_;  // vertex, via
};

/// Threads take handfuls of rows; each counts the row's entries, or writes them where the count said.
template <class Ordinal, class Offset>
struct FillRows {
  static constexpr Ordinal handful = 256;

  analysis::Pattern<Ordinal, Offset> graph;
  int fill_level;
  Ordinal* next;  // the first row that nobody has taken
  std::size_t* lengths;
  const Offset* row_map;  // null while counting
  Ordinal* entries;

  void operator()(int) const {
    FillSearch<Ordinal, Offset> search(graph, fill_level);
    for (Ordinal first = take(); first < graph.lines; first = take())
      for (Ordinal row = first; row < std::min<Ordinal>(first + handful, graph.lines); ++row)
        use(row, search.fill_row(row));
  }

  /// Stays below the largest number also when all threads come once too often.
  Ordinal take() const {
    const std::atomic_ref<Ordinal> shared(*next);
    return shared.load() >= graph.lines ? graph.lines : shared.fetch_add(handful);
  }

  void use(Ordinal row, const std::vector<Ordinal>& columns) const {
    if (row_map) std::copy(columns.begin(), columns.end(), entries + row_map[row]);
    else lengths[row] = columns.size();
  }
};

/// Walks through the sorted row before fill and the row after it; what is new has no source.
template <class Ordinal, class Offset>
struct FindSources {
  const Offset* base_map;
  const Ordinal* base_entries;
  const Offset* base_source;  // null: each its own
  const Offset* row_map;
  const Ordinal* entries;
  Offset* source;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset at = base_map[row];
    for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) {
      const bool stored = at < base_map[row + 1] && base_entries[at] == entries[k];
      source[k] = !stored ? static_cast<Offset>(-1) : base_source ? base_source[at] : at;
      if (stored) ++at;
    }
  }
};

/// The row map of rows of these lengths.
template <class Offset>
void sum_lengths(const std::vector<std::size_t>& lengths, int fill_level, Offset* row_map) {
  std::size_t sum = 0;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    row_map[row] = static_cast<Offset>(sum);
    sum += lengths[row];
    if (sum > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
      throw Error(ErrorCode::OutOfMemory, "the factors of fill level " + std::to_string(fill_level) +
                                              " have more entries than the row map's type can count");
  }
  row_map[lengths.size()] = static_cast<Offset>(sum);
}

/// The pattern with all entries up to the level.
template <class Ordinal, class Offset, class Space>
MergedPattern<Ordinal, Offset, Space> fill_pattern(const Space& space, int fill_level,
                                                   const MergedPattern<Ordinal, Offset, Space>& base) {
  using Host = std::conditional_t<analysis::is_host_space<Space>, Space, Kokkos::DefaultHostExecutionSpace>;
  const auto base_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), base.line_map);
  const auto base_entries = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), base.entries);
  analysis::Pattern<Ordinal, Offset> graph;
  graph.lines = base.count;
  graph.line_map = base_map.data();
  graph.entries = base_entries.data();

  auto row_map =
      analysis::uninitialized<Offset>(space, "terrace::incomplete::row_map", static_cast<std::size_t>(base.count) + 1);
  const auto host_map = Kokkos::create_mirror_view(Kokkos::HostSpace(), row_map);
  std::vector<std::size_t> lengths(static_cast<std::size_t>(base.count));
  Host host;
  if constexpr (analysis::is_host_space<Space>) host = space;
  const Kokkos::RangePolicy<Host> each_thread(host, 0, host.concurrency());
  Ordinal next = 0;
  FillRows<Ordinal, Offset> rows{graph, fill_level, &next, lengths.data(), nullptr, nullptr};
  Kokkos::parallel_for("terrace::incomplete::count_fill", each_thread, rows);
  host.fence("terrace::incomplete::fill_pattern");
  sum_lengths(lengths, fill_level, host_map.data());

  auto entries = analysis::uninitialized<Ordinal>(space, "terrace::incomplete::entries", host_map(lengths.size()));
  const auto host_entries = Kokkos::create_mirror_view(Kokkos::HostSpace(), entries);
  next = 0;
  rows.row_map = host_map.data();
  rows.entries = host_entries.data();
  Kokkos::parallel_for("terrace::incomplete::write_fill", each_thread, rows);
  host.fence("terrace::incomplete::fill_pattern");
  Kokkos::deep_copy(space, row_map, host_map);
  Kokkos::deep_copy(space, entries, host_entries);

  auto source = analysis::uninitialized<Offset>(space, "terrace::incomplete::source", entries.extent(0));
  Kokkos::parallel_for("terrace::incomplete::find_sources", Kokkos::RangePolicy<Space>(space, 0, base.count),
                       FindSources<Ordinal, Offset>{base.line_map.data(), base.entries.data(), base.source.data(),
                                                    row_map.data(), entries.data(), source.data()});
  space.fence("terrace::incomplete::fill_pattern");
  return merged_rows<Ordinal, Offset, Space>(space, base.count, row_map, entries, source);
}

}  // namespace terrace::incomplete
