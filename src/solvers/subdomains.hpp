// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::Subdomains: check, enlarge, extract.
#pragma once

#include <sstream>
#include <terrace/subdomains.hpp>

#include "algorithms/incomplete/check_matrix.hpp"
#include "algorithms/schwarz/members.hpp"
#include "backends/failures.hpp"
#include "backends/structure_checks.hpp"
#include "parallel/loops.hpp"
#include "parallel/patient_loops.hpp"
#include "sparse/extract_blocks.hpp"
#include "sparse/transpose.hpp"

namespace terrace::schwarz {

template <class Ordinal, class Offset, class Space>
struct SubdomainState {
  Partition<Ordinal, Space> partition;
  SubdomainInfo info;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> block_map;  // blocks + 1
  Kokkos::View<const Ordinal*, parallel::Device<Space>> owned_row;  // of each place; ~row where another block owns it
  sparse::CrsGraph<Ordinal, Offset, Space> matrix;                  // M, with the places of its entries in A
  sparse::StructureFacts facts;                                     // of A

  BlockOf<Ordinal> block_of() const { return {block_map.data(), static_cast<Ordinal>(block_map.extent(0)) - 1}; }
};

/// Row numbers without the mark of those that another block owns.
template <class Ordinal>
struct PlainRows {
  const Ordinal* owned_row;
  Ordinal* row;
  KOKKOS_FUNCTION void operator()(Ordinal place) const { row[place] = plain_row(owned_row[place]); }
};

struct RowLength {
  std::int64_t length;
  std::int64_t row;
};

template <class Ordinal, class Offset>
struct FindLongestRow {
  const Offset* row_map;
  using Reduced = Kokkos::MaxLoc<std::int64_t, Ordinal>;
  KOKKOS_FUNCTION void operator()(Ordinal row, typename Reduced::value_type& longest) const {
    const auto length = static_cast<std::int64_t>(row_map[row + 1] - row_map[row]);
    if (length > longest.val || (length == longest.val && row < longest.loc)) longest = {length, row};
  }
};

/// Waits for the space.
template <class Ordinal, class Offset, class Space>
RowLength longest_row(const Space& space, const sparse::GraphView<Ordinal, Offset>& graph) {
  typename FindLongestRow<Ordinal, Offset>::Reduced::value_type found{-1, 0};
  parallel::reduce_range("terrace::schwarz::longest_row", Kokkos::RangePolicy<Space>(space, 0, graph.rows),
                         FindLongestRow<Ordinal, Offset>{graph.row_map},
                         typename FindLongestRow<Ordinal, Offset>::Reduced(found));
  return {found.val, found.loc};
}

/// What the enlarged blocks may be at most.
template <class Ordinal, class Offset, class Space>
class GrowthLimit {
 public:
  GrowthLimit(const Space& space, const sparse::GraphView<Ordinal, Offset>& graph, std::size_t entries, double growth)
      : space_(space), graph_(graph), entries_(static_cast<std::int64_t>(entries)), growth_(growth) {}

  bool exceeds(std::int64_t entries) const {
    const double most = std::min(growth_ * static_cast<double>(std::max<std::int64_t>(entries_, 1)),
                                 static_cast<double>(std::numeric_limits<Offset>::max()) - 1);
    return static_cast<double>(entries) > most;
  }
  void check_entries(std::int64_t entries, std::int64_t places, const char* at_least) const {
    if (exceeds(entries)) fail(entries, places, at_least);
  }
  void check_places(std::int64_t places) const {
    if (places > std::int64_t(std::numeric_limits<Ordinal>::max()) - 1) fail(places, places, "at least ");
  }

 private:
  [[noreturn]] void fail(std::int64_t entries, std::int64_t places, const char* at_least) const {
    const RowLength longest = longest_row<Ordinal, Offset>(space_, graph_);
    std::ostringstream what;
    what << "the enlarged blocks have " << at_least << places << " rows and " << at_least << entries
         << " entries, where the matrix has " << graph_.rows << " and " << entries_ << "; max_growth is " << growth_
         << ", and the index types have their limits. Row " << longest.row
         << " has most neighbours: " << longest.length;
    throw Error(ErrorCode::OutOfMemory, what.str(), longest.row);
  }

  Space space_;
  sparse::GraphView<Ordinal, Offset> graph_;
  std::int64_t entries_;
  double growth_;
};

/// The members of all blocks with so many layers.
template <class Ordinal, class Offset, class Space>
Keys<Space> enlarge(const Space& space, const sparse::GraphView<Ordinal, Offset>& graph, std::size_t entries,
                    const Kokkos::View<const Ordinal*, parallel::Device<Space>>& block_numbers, int overlap,
                    const GrowthLimit<Ordinal, Offset, Space>& limit) {
  Keys<Space> members = owned_members<Space, Ordinal>(space, block_numbers);
  const auto check = [&](std::int64_t candidates) {
    limit.check_entries(candidates / 2, static_cast<std::int64_t>(members.extent(0)), "at least ");
  };
  if (overlap == 0) return members;
  Keys<Space> newest = new_members(space,
                                   list_candidates(space, static_cast<std::size_t>(graph.rows), entries,
                                                   FirstLayer<Ordinal, Offset>{graph, block_numbers.data()}, check),
                                   members);
  members = merge_members(space, members, newest);
  if (overlap == 1) return members;
  parallel::ScratchArrays<Space> scratch;
  const auto transposed = sparse::transpose<Ordinal, Offset>(space, graph, graph.rows, scratch);
  for (int layer = 1; layer < overlap && newest.extent(0) > 0; ++layer) {
    const NextLayer<Ordinal, Offset> next{graph, transposed.view(), block_numbers.data(), newest.data()};
    const std::size_t entries_of_row = 2 * entries / static_cast<std::size_t>(graph.rows);
    newest = new_members(
        space, list_candidates(space, newest.extent(0), entries_of_row * newest.extent(0), next, check), members);
    limit.check_places(static_cast<std::int64_t>(members.extent(0) + newest.extent(0)));
    members = merge_members(space, members, newest);
  }
  return members;
}

template <class Ordinal>
struct SplitKeys {
  const Key* keys;
  const Ordinal* block_numbers;
  Ordinal* block_of;
  Ordinal* row;
  Ordinal* owned_row;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    const auto block = block_of_key<Ordinal>(keys[place]), at = row_of_key<Ordinal>(keys[place]);
    block_of[place] = block;
    row[place] = at;
    owned_row[place] = block_numbers[at] == block ? at : ~at;
  }
};

template <class Ordinal>
struct FindBlockStarts {
  const Key* keys;
  std::size_t count;
  Ordinal* block_map;
  KOKKOS_FUNCTION void operator()(Ordinal block) const {
    block_map[block] = static_cast<Ordinal>(place_of_key(keys, count, static_cast<Key>(block) << 32));
  }
};

struct BlockSizes {
  std::int64_t smallest, largest, empty;
};

template <class Ordinal>
struct MeasureBlocks {
  const Ordinal* block_map;
  KOKKOS_FUNCTION void operator()(Ordinal block, std::int64_t& smallest, std::int64_t& largest,
                                  std::int64_t& empty) const {
    const std::int64_t size = block_map[block + 1] - block_map[block];
    if (size == 0) ++empty;
    else if (size < smallest) smallest = size;
    if (size > largest) largest = size;
  }
};

template <class Ordinal>
struct CountCopies {
  const Ordinal* row;
  Ordinal* copies;
  KOKKOS_FUNCTION void operator()(Ordinal place) const { parallel::fetch_increment(copies[row[place]]); }
};

template <class Ordinal>
struct LargestCount {
  const Ordinal* counts;
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& largest) const {
    if (counts[row] > largest) largest = counts[row];
  }
};

template <class Ordinal, class Offset>
struct SumRowLengths {
  const Ordinal* row;
  const Offset* row_map;
  KOKKOS_FUNCTION void operator()(Ordinal place, std::int64_t& sum) const {
    sum += static_cast<std::int64_t>(row_map[row[place] + 1] - row_map[row[place]]);
  }
};

template <class Ordinal, class Offset>
struct CountBlockEntries {
  sparse::VisitBlocks<Ordinal, Offset> visit;
  KOKKOS_FUNCTION void operator()(Ordinal place, std::int64_t& sum) const {
    visit(place, [&](Ordinal, Ordinal, Offset) { ++sum; });
  }
};

/// Everything but the checks, for a matrix that has rows.
template <class Ordinal, class Offset, class Space>
void make_subdomains(const Space& space, const sparse::GraphView<Ordinal, Offset>& graph, std::size_t entries,
                     const SubdomainOptions& options, SubdomainState<Ordinal, Offset, Space>& state) {
  const GrowthLimit<Ordinal, Offset, Space> limit(space, graph, entries, options.max_growth);
  const auto block_numbers = state.partition.block_numbers();
  const Ordinal blocks = state.partition.blocks();
  const Keys<Space> members = enlarge(space, graph, entries, block_numbers, options.overlap, limit);
  limit.check_places(static_cast<std::int64_t>(members.extent(0)));
  const auto places = static_cast<Ordinal>(members.extent(0));
  const Kokkos::RangePolicy<Space> each_place(space, 0, places);

  const auto block_map =
      parallel::uninitialized<Ordinal>(space, "terrace::schwarz::block_map", static_cast<std::size_t>(blocks) + 1);
  const parallel::Scratch<Ordinal, Space> scratch_of_blocks(space, "terrace::schwarz::block_of", members.extent(0)),
      scratch_of_rows(space, "terrace::schwarz::row", members.extent(0));
  const auto block_of = scratch_of_blocks.view(), row = scratch_of_rows.view();
  const auto owned_row = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::owned_row", members.extent(0));
  parallel::for_range(
      "terrace::schwarz::split_keys", each_place,
      SplitKeys<Ordinal>{members.data(), block_numbers.data(), block_of.data(), row.data(), owned_row.data()});
  parallel::for_range("terrace::schwarz::find_block_starts", Kokkos::RangePolicy<Space>(space, 0, blocks + 1),
                      FindBlockStarts<Ordinal>{members.data(), members.extent(0), block_map.data()});
  state.block_map = block_map;
  state.owned_row = owned_row;

  const sparse::RowLists<Ordinal, Space> lists{block_map, row, block_of};
  if constexpr (parallel::is_host_space<Space>) {
    state.matrix = sparse::extract_blocks_by_list<Ordinal, Offset>(
        space, graph, entries, lists, state.facts.is_sorted,
        [&](std::int64_t exact) { limit.check_entries(exact, places, ""); });
  } else {
    std::int64_t most = 0;
    parallel::reduce_range("terrace::schwarz::sum_row_lengths", each_place,
                           SumRowLengths<Ordinal, Offset>{row.data(), graph.row_map}, most);
    if (limit.exceeds(most)) {  // of these some leave their block
      std::int64_t exact = 0;
      parallel::reduce_range("terrace::schwarz::count_block_entries", each_place,
                             CountBlockEntries<Ordinal, Offset>{
                                 {graph, block_map.data(), row.data(), block_of.data(), state.facts.is_sorted}},
                             exact);
      limit.check_entries(exact, places, "");
    }
    state.matrix = sparse::extract_blocks<Ordinal, Offset>(space, graph, lists, state.facts.is_sorted);
  }
  if (!state.facts.is_sorted) sparse::sort_rows(space, state.matrix);

  auto& info = state.info;
  BlockSizes sizes{std::numeric_limits<std::int64_t>::max(), 0, 0};
  parallel::reduce_range("terrace::schwarz::measure_blocks", Kokkos::RangePolicy<Space>(space, 0, blocks),
                         MeasureBlocks<Ordinal>{block_map.data()}, Kokkos::Min<std::int64_t>(sizes.smallest),
                         Kokkos::Max<std::int64_t>(sizes.largest), Kokkos::Sum<std::int64_t>(sizes.empty));
  const auto copies = parallel::zeros<Ordinal>(space, "terrace::schwarz::copies", static_cast<std::size_t>(graph.rows));
  parallel::for_range("terrace::schwarz::count_copies", each_place, CountCopies<Ordinal>{row.data(), copies.data()});
  Ordinal max_copies = 0;
  parallel::reduce_range("terrace::schwarz::max_copies", Kokkos::RangePolicy<Space>(space, 0, graph.rows),
                         LargestCount<Ordinal>{copies.data()}, Kokkos::Max<Ordinal>(max_copies));
  info.places = places;
  info.block_entries = static_cast<std::int64_t>(state.matrix.entries.extent(0));
  info.smallest_block = sizes.smallest;
  info.largest_block = sizes.largest;
  info.empty_blocks = sizes.empty;
  info.max_copies = max_copies;
  info.bytes_held =
      state.matrix.bytes_held() + (block_map.span() + owned_row.span() + block_numbers.span()) * sizeof(Ordinal);
}

inline void check_subdomain_options(const SubdomainOptions& options) {
  if (options.overlap < 0)
    throw Error(ErrorCode::InvalidOption, "overlap is " + std::to_string(options.overlap) + "; it must be at least 0");
  if (!(options.max_growth >= 1))
    throw Error(ErrorCode::InvalidOption,
                "max_growth is " + std::to_string(options.max_growth) + "; it must be at least 1");
}

}  // namespace terrace::schwarz

namespace terrace {

template <class Ordinal, class Offset, class Space>
Subdomains<Ordinal, Offset, Space>::Subdomains(const Space& space, row_map_type row_map, entries_type entries,
                                               const Partition<Ordinal, Space>& partition,
                                               const SubdomainOptions& options) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(entries.extent(0));
  using State = schwarz::SubdomainState<Ordinal, Offset, Space>;
  schwarz::check_subdomain_options(options);
  const std::shared_ptr<State> state(new State{partition, {}, {}, {}, {}, {}}, [](const State* last) {
    const typename parallel::Runtime<Space>::BesideOthers beside;
    delete last;
  });
  const std::size_t rows = row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1;
  if (rows != static_cast<std::size_t>(partition.rows()))
    throw Error(ErrorCode::SizeMismatch, "the partition has " + std::to_string(partition.rows()) +
                                             " rows; the matrix has " + std::to_string(rows));
  const auto input = incomplete::check_matrix<Ordinal, Offset, Space>(
      space, row_map, entries, {.insert_missing_diagonal = true, .check_structure = options.check_structure});
  state->facts = input.facts;
  state->info.rows = static_cast<std::int64_t>(rows);
  state->info.entries = static_cast<std::int64_t>(entries.extent(0));
  state->info.blocks = partition.blocks();
  state->info.overlap = options.overlap;
  if (rows > 0) {
    schwarz::make_subdomains(space, input.whole(), entries.extent(0), options, *state);
  } else {
    state->block_map = parallel::zeros<Ordinal>(space, "terrace::schwarz::block_map",
                                                static_cast<std::size_t>(partition.blocks()) + 1);
    state->matrix.row_map = parallel::zeros<Offset>(space, "terrace::schwarz::row_map", 1);
    state->info.empty_blocks = partition.blocks();
  }
  space.fence("terrace::Subdomains");
  state_ = state;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::Subdomains");
}

template <class Ordinal, class Offset, class Space>
auto Subdomains<Ordinal, Offset, Space>::block_map() const -> entries_type {
  return state_->block_map;
}

template <class Ordinal, class Offset, class Space>
auto Subdomains<Ordinal, Offset, Space>::rows() const -> entries_type try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const Space space;
  const auto& owned_row = state_->owned_row;
  const auto row = parallel::uninitialized<Ordinal>(space, "terrace::Subdomains::rows", owned_row.extent(0));
  parallel::for_range("terrace::schwarz::plain_rows",
                      Kokkos::RangePolicy<Space>(space, 0, static_cast<Ordinal>(owned_row.extent(0))),
                      schwarz::PlainRows<Ordinal>{owned_row.data(), row.data()});
  space.fence("terrace::Subdomains::rows");
  return row;
} catch (...) {
  parallel::rethrow_as_error(Space(), "terrace::Subdomains::rows");
}

template <class Ordinal, class Offset, class Space>
auto Subdomains<Ordinal, Offset, Space>::row_map() const -> row_map_type {
  return state_->matrix.row_map;
}

template <class Ordinal, class Offset, class Space>
auto Subdomains<Ordinal, Offset, Space>::entries() const -> entries_type {
  return state_->matrix.entries;
}

template <class Ordinal, class Offset, class Space>
auto Subdomains<Ordinal, Offset, Space>::source() const -> row_map_type {
  return state_->matrix.source;
}

template <class Ordinal, class Offset, class Space>
const Partition<Ordinal, Space>& Subdomains<Ordinal, Offset, Space>::partition() const {
  return state_->partition;
}

template <class Ordinal, class Offset, class Space>
const SubdomainInfo& Subdomains<Ordinal, Offset, Space>::info() const {
  return state_->info;
}

}  // namespace terrace
