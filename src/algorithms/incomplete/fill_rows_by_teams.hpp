// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All filled rows, on a device: vector lanes share a row, and rows are searched twice, to count and to write.
//
// Rows are taken in rounds. In the first all rows are searched with tables of a size that most will need, in the team's
// scratch memory; rows that reach more vertices than fit are left to the next round, whose tables are larger, and lie
// in an array where they are too large for scratch memory, as many as `max_bytes` allow. In the end a table has a slot
// for every vertex, so that there is a last round. Memory: the filled pattern, two numbers for each row, and that
// array.
//
// A row is sorted on the way out: each lane looks for how many columns stand before its own. Where that would be too
// many, the sort of long rows follows.
//
// For any space; a host is better served by threads that search once (fill_rows.hpp).
#pragma once

#include "algorithms/incomplete/fill_rows.hpp"
#include "sparse/sort_rows.hpp"

namespace terrace::incomplete {

struct FillTuning {
  static constexpr int threads_per_team = 128, warp = 32;
  static constexpr std::size_t max_bytes = std::size_t(256) << 20;
  static constexpr unsigned growth = 8;             // of the tables, from round to round
  static constexpr unsigned longest_ranked = 1024;  // the longest row that is sorted by counting
  static constexpr std::int64_t long_row = 512;     // entries from which on a row is added to the sum

  /// Vertices that rows with so many entries are expected to reach; on grids about the square of the distance.
  static std::size_t vertices_expected(std::size_t entries_per_row, int fill_level) {
    const auto distance = static_cast<std::size_t>(fill_level < 30 ? fill_level : 30) + 1;
    return entries_per_row * distance * distance;
  }
};

/// Rows that are searched with tables of one size.
template <class Ordinal, class Space>
struct FillRound {
  unsigned slots;
  Ordinal count;
  Kokkos::View<Ordinal*, parallel::Device<Space>> rows;  // none: all
};

template <class Ordinal, class Offset, class Space>
struct SearchRows {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;

  FillSearch<Ordinal, Offset> search;
  unsigned slots;
  Ordinal count;
  const Ordinal* rows;  // null: all
  char* memory;         // for each searcher; null: in scratch memory
  int round;
  int* round_of;  // of each row; -1 until its columns could be counted
  Offset* lengths;
  FillSum sum;
  const Offset* row_map;  // null while counting
  Ordinal* entries;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const VectorLanes<Team> lanes{team};
    const std::size_t bytes = SearchTable<Ordinal>::bytes(slots, search.graph.rows);
    const auto number = static_cast<std::size_t>(team.league_rank()) * team.team_size() + team.team_rank();
    const auto searchers = static_cast<std::size_t>(team.league_size()) * team.team_size();
    char* const own =
        memory ? memory + number * bytes : static_cast<char*>(team.thread_scratch(0).get_shmem_aligned(bytes, 16));
    const SearchTable<Ordinal> table(lanes, own, slots, search.graph.rows);
    for (std::size_t place = number; place < static_cast<std::size_t>(count); place += searchers) {
      const Ordinal row = rows ? rows[place] : static_cast<Ordinal>(place);
      if (row_map && round_of[row] != round) continue;
      if (!row_map && sum.is_over_limit()) {
        record(lanes, row, 0);
        continue;
      }
      use(lanes, row, search.list_columns(lanes, row, table), table);
      table.forget(lanes);
    }
  }

 private:
  KOKKOS_FUNCTION void use(const VectorLanes<Team>& lanes, Ordinal row, std::int64_t found,
                           const SearchTable<Ordinal>& table) const {
    if (found < 0) return;
    if (row_map) return write(lanes, entries + row_map[row], static_cast<unsigned>(found), table);
    record(lanes, row, found);
  }

  KOKKOS_FUNCTION void record(const VectorLanes<Team>& lanes, Ordinal row, std::int64_t found) const {
    lanes.for_each(0, 1, [&](unsigned) {
      lengths[row] = static_cast<Offset>(found);
      round_of[row] = round;
      if (found >= FillTuning::long_row) sum.add(found);
    });
  }

  KOKKOS_FUNCTION void write(const VectorLanes<Team>& lanes, Ordinal* to, unsigned found,
                             const SearchTable<Ordinal>& table) const {
    lanes.for_each(0, found, [&](unsigned k) {
      const Ordinal column = table.listed(k).vertex;
      unsigned place = k;
      if (found <= FillTuning::longest_ranked) {
        place = 0;
        for (unsigned other = 0; other < found; ++other) place += table.listed(other).vertex < column ? 1 : 0;
      }
      to[place] = column;
    });
  }
};

/// The rows that no round has counted yet.
template <class Ordinal>
struct ListUncounted {
  const int* round_of;
  Ordinal* rows;  // null while counting them
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& sum, bool final) const {
    if (round_of[row] >= 0) return;
    if (final && rows) rows[sum] = row;
    ++sum;
  }
};

template <class Ordinal, class Offset, class Space>
class FillByTeams {
  using Search = SearchRows<Ordinal, Offset, Space>;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Table = SearchTable<Ordinal>;
  using Round = FillRound<Ordinal, Space>;
  template <class T>
  using View = Kokkos::View<T*, parallel::Device<Space>>;

 public:
  /// `vertices_at_first`: capacity in the tables of the first round.
  FillByTeams(const Space& space, const FillSearch<Ordinal, Offset>& search, std::size_t entries,
              std::size_t vertices_at_first)
      : space_(space),
        search_(search),
        log2_lanes_(log2_lanes(entries)),
        round_of_(space, "terrace::incomplete::round_of", static_cast<std::size_t>(search.graph.rows)),
        lengths_(space, "terrace::incomplete::lengths", static_cast<std::size_t>(search.graph.rows)),
        sum_(space, "terrace::incomplete::sum", 1) {
    round_of_.fill(-1);
    sum_.fill(0);
    count(Table::slots_for(vertices_at_first));
  }

  sparse::CrsGraph<Ordinal, Offset, Space> write() {
    sparse::CrsGraph<Ordinal, Offset, Space> filled;
    const auto found = allocate_rows(space_, lengths_, search_, filled);
    for (std::size_t round = 0; round < rounds_.size(); ++round)
      run("terrace::incomplete::write_fill", static_cast<int>(round), filled.row_map.data(), filled.entries.data());
    if (found.most > FillTuning::longest_ranked) sparse::sort_rows(space_, filled);
    return filled;
  }

  int rounds() const { return static_cast<int>(rounds_.size()); }

 private:
  /// As many lanes as an average row has links. Those left to later rounds have a warp each.
  int log2_lanes(std::size_t entries) const {
    if (parallel::is_host_space<Space>) return 0;
    int log2_lanes = 0;
    while (log2_lanes < 5 && (static_cast<std::size_t>(search_.graph.rows) << log2_lanes) < entries) ++log2_lanes;
    return log2_lanes;
  }

  Ordinal list_uncounted(Ordinal* rows) const {
    Ordinal uncounted = 0;
    Kokkos::parallel_scan("terrace::incomplete::list_uncounted",
                          Kokkos::RangePolicy<Space>(space_, 0, search_.graph.rows),
                          ListUncounted<Ordinal>{round_of_.data(), rows}, uncounted);
    return uncounted;
  }

  void count(unsigned slots) {
    const unsigned slots_for_all = Table::slots_for(static_cast<std::size_t>(search_.graph.rows));
    Round round{slots, search_.graph.rows, {}};
    for (;; round.slots *= FillTuning::growth) {
      if (round.slots >= slots_for_all / FillTuning::growth) round.slots = slots_for_all;
      rounds_.push_back(round);
      run("terrace::incomplete::count_fill", static_cast<int>(rounds_.size()) - 1, nullptr, nullptr);
      round.count = list_uncounted(nullptr);
      if (round.count == 0) return;
      round.rows = parallel::uninitialized<Ordinal>(space_, "terrace::incomplete::rows_left", round.count);
      list_uncounted(round.rows.data());
    }
  }

  static int max_searchers(int lanes) {
    return parallel::is_host_space<Space> ? 1 : FillTuning::threads_per_team / lanes;
  }

  /// Those of a team whose tables fit in its scratch memory; on a device whole warps, or none.
  static int searchers_in_scratch(std::size_t bytes, int lanes) {
    const auto fitting = static_cast<std::size_t>(Policy::scratch_size_max(0)) / bytes;
    const int fewest = parallel::is_host_space<Space> ? 1 : FillTuning::warp / lanes;
    for (int searchers = max_searchers(lanes); searchers >= fewest; searchers /= 2)
      if (static_cast<std::size_t>(searchers) <= fitting) return searchers;
    return 0;
  }

  /// Searches the rows of a round, and counts or writes what it finds.
  void run(const char* label, int number, const Offset* row_map, Ordinal* entries) {
    const Round& round = rounds_[number];
    const std::size_t bytes = Table::bytes(round.slots, search_.graph.rows) + Table::alignment;
    const int lanes = number == 0 || parallel::is_host_space<Space> ? 1 << log2_lanes_ : FillTuning::warp;
    const int in_scratch = searchers_in_scratch(bytes, lanes);
    const std::size_t per_team = in_scratch > 0 ? in_scratch : max_searchers(lanes);
    const auto wanted = (static_cast<std::size_t>(round.count) + per_team - 1) / per_team;
    const auto resident = static_cast<std::size_t>(space_.concurrency()) / (per_team * lanes) + 1;
    const std::size_t affordable = in_scratch > 0 ? wanted : FillTuning::max_bytes / (bytes * per_team) + 1;
    const auto teams = std::min({wanted, resident, affordable});
    if (in_scratch == 0 && memory_.extent(0) < teams * per_team * bytes)
      memory_ = parallel::uninitialized<char>(space_, "terrace::incomplete::search_tables", teams * per_team * bytes);

    Policy policy(space_, static_cast<int>(teams), static_cast<int>(per_team), lanes);
    if (in_scratch > 0) policy.set_scratch_size(0, Kokkos::PerThread(static_cast<int>(bytes)));
    Kokkos::parallel_for(label, policy,
                         Search{search_,
                                round.slots,
                                round.count,
                                round.rows.data(),
                                in_scratch > 0 ? nullptr : memory_.data(),
                                number,
                                round_of_.data(),
                                lengths_.data(),
                                {search_.max_entries, sum_.data()},
                                row_map,
                                entries});
  }

  Space space_;
  FillSearch<Ordinal, Offset> search_;
  int log2_lanes_;
  parallel::Scratch<int, Space> round_of_;
  parallel::Scratch<Offset, Space> lengths_;
  parallel::Scratch<std::int64_t, Space> sum_;
  View<char> memory_;  // the tables that are too large for scratch memory
  std::vector<Round> rounds_;
};

template <class Ordinal, class Offset, class Space>
sparse::CrsGraph<Ordinal, Offset, Space> fill_rows_by_teams(const Space& space,
                                                            const FillSearch<Ordinal, Offset>& search,
                                                            std::size_t entries) {
  const auto rows = static_cast<std::size_t>(search.graph.rows);
  const std::size_t expected = FillTuning::vertices_expected(entries / rows + 1, search.fill_level);
  return FillByTeams<Ordinal, Offset, Space>(space, search, entries, std::min(expected, rows)).write();
}

}  // namespace terrace::incomplete
