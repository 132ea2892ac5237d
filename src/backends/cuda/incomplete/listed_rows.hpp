// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is listed of a pattern: the products of rows or of nodes (products.hpp, nodes.hpp), or the operations of short
// rows (short_rows.hpp). The first factor makes the lists, for all of the pattern: a symbolic phase that no factor
// follows, or a modified one, which uses none, does without.
#pragma once

#include <memory>
#include <mutex>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "backends/cuda/incomplete/claim_order.hpp"
#include "backends/cuda/incomplete/inner_products.hpp"
#include "backends/cuda/incomplete/nodes.hpp"
#include "backends/cuda/incomplete/products.hpp"
#include "backends/cuda/incomplete/row_tails.hpp"
#include "backends/cuda/incomplete/short_rows.hpp"
#include "backends/cuda/triangular/triangle_plan.hpp"

namespace terrace::cuda::incomplete {

/// Entries of a row, and steps and one more, for which a warp has shared memory: multiples of 16.
struct RowCapacity {
  int entries = 0, steps = 0;

  RowCapacity() = default;
  RowCapacity(int longest, int max_steps)
      : entries(rounded_up(std::max(longest, 1))), steps(rounded_up(std::min(max_steps + 1, entries))) {}

 private:
  static int rounded_up(int number) { return 16 * parallel::divide_up(number, 16); }
};

template <class Offset>
struct ListedRows {
  Arrays memory, words;
  RowCapacity capacity;
  ProductLists products;  // where rows are listed by products; without words where those would take too much memory
  Arrays memory_of_order;
  int* order = nullptr;  // in which rows with lists are claimed, and the tails of long ones, if not that of the plan
  unsigned order_length = 0;
  RowTail* tails = nullptr;
  int tail_count = 0;  // and of pieces of rows that are eliminated by inner products
  int most_tails_of_row = 0;
  Arrays memory_of_inner;
  InnerRows<Offset> inner;
  bool has_long_rows = false;    // with lists
  ShortRows<Offset> short_rows;  // where a lane takes each row; without sources where those would take too much memory

  bool has_long() const { return has_long_rows || tail_count > 0; }
  std::size_t bytes_held() const {
    return memory.bytes_held() + words.bytes_held() + memory_of_order.bytes_held() + memory_of_inner.bytes_held();
  }
};

/// The lists of one pattern, for all that is eliminated by it, also at the same time.
template <class Offset>
class SharedLists {
 public:
  using Pointer = std::shared_ptr<const ListedRows<Offset>>;

  /// make() makes them, and waits, so that every instance may use them.
  template <class Make>
  Pointer find_or_make(const Make& make) {
    const std::scoped_lock lock(mutex_);
    if (!lists_) lists_ = std::make_shared<const ListedRows<Offset>>(make());
    return lists_;
  }

 private:
  std::mutex mutex_;
  Pointer lists_;
};

/// What lists are made from.
template <class Offset>
struct RowsToList {
  terrace::incomplete::MergedPattern<int, Offset, Space> merged;
  SlicedRows<Offset> rows;  // by level
  std::size_t entries = 0;
  std::int64_t operations = 0;  // with the products that fall outside the pattern
  bool has_short_words = false;
  bool is_symmetric = false;
  RowCapacity most;   // of all rows that fit in shared memory
  RowCapacity usual;  // the same, or smaller, where longer ones have lists of their own
  int max_steps = 0;
  int longest = 0;                                   // entries of a row
  int longest_upper = 0;                             // of them, behind the diagonal
  std::shared_ptr<TrianglePlan<Offset>> upper_plan;  // of U
};

/// A warp for each row; where some have that many steps a block, lest the longest take long when all others are done.
inline int warps_of_list(int max_steps) {
  if (max_steps < EliminationTuning::steps_of_long_list) return 1;
  return std::min(EliminationTuning::warps_of_long_list,
                  static_cast<int>(std::bit_ceil(static_cast<unsigned>(max_steps) / warp_size)));
}

template <class Kernel, class Offset>
void launch_for_lists(const Space& space, const char* label, Kernel kernel, const ListMaking<Offset>& making) {
  const int warps = making.warps_of_row > 1 ? making.warps_of_row : EliminationTuning::block / warp_size;
  const int rows_of_block = warps / making.warps_of_row;
  const std::size_t bytes = static_cast<std::size_t>(rows_of_block) * making.bytes;
  launch_with_memory(space, label, kernel, blocks_of(making.pattern.rows, static_cast<std::size_t>(rows_of_block)),
                     warps * warp_size, bytes, making);
}

/// A place for each list; returns the bytes of all. Waits for the space.
template <class Word, class Offset>
std::size_t place_lists(const Space& space, const ListMaking<Offset>& making) {
  std::int64_t words = 0;
  Kokkos::parallel_scan("terrace::cuda::place_lists", Kokkos::RangePolicy<Space>(space, 0, making.pattern.rows),
                        PlaceLists<Offset>{making}, words);
  return static_cast<std::size_t>(words) * sizeof(Word);
}

/// Counts the words of each list but those of long rows; returns the bytes of all. Waits for the space.
template <class Word, class Offset>
std::size_t count_products(const Space& space, const ListMaking<Offset>& making) {
  const auto rows = static_cast<std::size_t>(making.pattern.rows);
  check(cudaMemsetAsync(making.lists.count, 0, rows * sizeof(int), space.cuda_stream()), "cudaMemsetAsync");
  launch_for_lists(space, "terrace::cuda::count_products", count_products_kernel<Word, Offset>, making);
  return place_lists<Word>(space, making);
}

template <class Kernel, class Offset>
void launch_for_long_rows(const Space& space, const char* label, Kernel kernel, const ListMaking<Offset>& making,
                          const LongRows& long_rows) {
  constexpr std::size_t threads = EliminationTuning::block, warps_of_block = threads / warp_size;
  launch(space, label, kernel,
         blocks_of(static_cast<std::size_t>(long_rows.count) * LongRows::warps_of_row, warps_of_block), threads, making,
         long_rows);
}

/// The same of long rows, where their lists do not take too much memory with the others. Waits for the space.
template <class Offset>
std::size_t count_products_of_long_rows(const Space& space, const ListMaking<Offset>& making, std::size_t most,
                                        LongRows& long_rows) {
  launch_for_long_rows(space, "terrace::cuda::count_products_of_long_rows", count_products_of_long_rows_kernel<Offset>,
                       making, long_rows);
  const std::size_t bytes = place_lists<std::uint32_t>(space, making);
  if (bytes <= most) return bytes;
  Kokkos::parallel_for("terrace::cuda::forget_long_rows", Kokkos::RangePolicy<Space>(space, 0, long_rows.count),
                       ForgetLists{making.lists.count, long_rows.rows});
  long_rows.count = 0;
  return place_lists<std::uint32_t>(space, making);
}

/// Lists for rows, or where they would take too much memory for nodes, or none. Operations have the products that fall
/// outside the pattern too: where they are far too many nobody counts those of rows. Waits for the space.
template <class Word, class Offset>
void list_products(const Space& space, const RowsToList<Offset>& of, ListedRows<Offset>& made) {
  const auto rows = static_cast<std::size_t>(of.merged.count);
  const auto pattern = of.merged.view();
  const std::size_t most_of_all = EliminationTuning::list_bytes_per_entry * of.entries;
  if (of.max_steps > EliminationTuning::steps_of_inner_row) {
    const ListMaking<Offset> making{pattern, {}, 0, 1, 0, nullptr};
    made.inner = ListInnerProducts<Offset>(space, making, most_of_all).list(of.entries, made.memory_of_inner);
  }
  const std::size_t most = most_of_all - std::min(most_of_all, made.memory_of_inner.bytes_held());
  made.memory =
      Arrays(space, "terrace::cuda::product_rows",
             Arrays::bytes<std::int64_t>(rows) + Arrays::bytes<int>(rows) + Arrays::bytes<unsigned char>(rows));
  const std::size_t portions = ListMaking<Offset>::portions(rows, of.entries);
  const parallel::Scratch<int, Space> portion_words(space, "terrace::cuda::portions_of_lists", portions);
  ListMaking<Offset> making{pattern, {}, 0, 1, 0, portion_words.data()};
  making.inner = made.inner;
  const auto use = [&](const RowCapacity& capacity) {
    made.capacity = capacity;
    making.capacity = capacity.entries;
    making.warps_of_row = warps_of_list(std::min(of.max_steps, capacity.entries));
    making.bytes = RowTable::bytes(capacity.entries);
  };
  use(of.usual);
  auto& lists = making.lists;
  lists.first = made.memory.template take<std::int64_t>(rows);
  lists.count = made.memory.template take<int>(rows);
  auto* widths = made.memory.template take<unsigned char>(rows);
  std::size_t bytes = static_cast<std::size_t>(of.operations) * sizeof(Word);
  if (bytes <= 2 * most) bytes = count_products<Word>(space, making);
  if (bytes > most) {
    auto* begins = reinterpret_cast<unsigned char*>(lists.count);  // which is counted anew
    const int nodes = find_nodes(space, pattern, of.entries, begins, making.portion_words, widths);
    if (EliminationTuning::rows_of_node * nodes <= pattern.rows) {
      lists.widths = widths;
      use(of.most);
      making.inner = made.inner = {};  // nodes are eliminated whole
      made.memory_of_inner.free_on(space);
      made.memory_of_inner = {};
    }
    bytes = count_products<Word>(space, making);
  }
  const bool may_have_long = sizeof(Word) == sizeof(std::uint32_t) && of.longest > of.usual.entries;
  const parallel::Scratch<int, Space> long_row_numbers(
      space, "terrace::cuda::long_rows_to_list",
      may_have_long ? of.entries / static_cast<std::size_t>(of.usual.entries) + 1 : 0);
  LongRows long_rows{long_row_numbers.data(), 0};
  if (may_have_long && bytes <= most && !lists.widths) {
    Kokkos::parallel_scan("terrace::cuda::find_long_rows", Kokkos::RangePolicy<Space>(space, 0, pattern.rows),
                          FindLongRows<Offset>{making, long_row_numbers.data()}, long_rows.count);
    if (long_rows.count > 0) bytes = count_products_of_long_rows(space, making, most, long_rows);
  }
  made.has_long_rows = long_rows.count > 0;
  if (bytes > most) {
    use(of.most);
    check(cudaMemsetAsync(lists.count, 0, rows * sizeof(int), space.cuda_stream()), "cudaMemsetAsync");
  } else {
    made.words = Arrays(space, "terrace::cuda::products", bytes + 1);
    lists.words = made.words.template take<Word>(bytes / sizeof(Word));
    check(cudaMemsetAsync(lists.words, 0, bytes, space.cuda_stream()),
          "cudaMemsetAsync");  // lists are read by whole chunks
    launch_for_lists(space, "terrace::cuda::list_products", list_products_kernel<Word, Offset>, making);
    if (long_rows.count > 0)
      launch_for_long_rows(space, "terrace::cuda::list_products_of_long_rows",
                           list_products_of_long_rows_kernel<Offset>, making, long_rows);
  }
  made.products = lists;
}

/// Waits for the space.
template <class Offset>
void choose_order(const Space& space, const RowsToList<Offset>& of, ListedRows<Offset>& made) {
  const auto rows = static_cast<std::size_t>(of.rows.rows);
  const bool has_far_longer_rows =
      static_cast<std::size_t>(of.longest) * rows > EliminationTuning::far_longer * of.entries;
  if (of.rows.rows < EliminationTuning::many_rows || !has_far_longer_rows) return;
  made.memory_of_order = Arrays(space, "terrace::cuda::order_of_rows", Arrays::bytes<int>(rows));
  made.order = made.memory_of_order.template take<int>(rows);
  made.order_length = static_cast<unsigned>(rows);
  const ClaimOrder<Offset> order(space, of.merged, of.rows.levels, made.order);
  if (of.is_symmetric || terrace::incomplete::is_symmetric(space, of.merged)) order.of_symmetric(*of.upper_plan);
  else order.of_general();
}

/// Where rows are long, a new order, with their tails and pieces in it. Waits for the space.
template <class Offset>
void cut_rows(const Space& space, const RowsToList<Offset>& of, ListedRows<Offset>& made) {
  const bool are_there_pieces = made.inner.count > 0;
  made.most_tails_of_row =
      std::max(count_tails(of.longest_upper),
               are_there_pieces ? parallel::divide_up(of.longest, InnerRows<Offset>::entries_of_piece) : 0);
  if (made.most_tails_of_row == 0) return;
  const int items = made.order ? of.rows.rows : of.rows.positions;
  const std::size_t most = max_tails(of.entries) + (are_there_pieces ? max_pieces<Offset>(of.entries) : 0);
  Arrays memory(space, "terrace::cuda::tails_of_rows",
                Arrays::bytes<int>(static_cast<std::size_t>(items) + most) + Arrays::bytes<RowTail>(most));
  auto* order = memory.take<int>(static_cast<std::size_t>(items) + most);
  made.tails = memory.take<RowTail>(most);
  Kokkos::parallel_scan(
      "terrace::cuda::cut_rows", Kokkos::RangePolicy<Space>(space, 0, items),
      CutRows<Offset>{of.merged.view(), made.order ? made.order : of.rows.items, order, made.tails, made.inner},
      made.tail_count);
  made.order = order;
  made.order_length = static_cast<unsigned>(items) + static_cast<unsigned>(made.tail_count);
  made.memory_of_order.free_on(space);
  made.memory_of_order = std::move(memory);
}

/// Lists for rows that a lane takes each; none where they would take too much memory. Waits for the space.
template <class Offset>
void list_operations(const Space& space, const RowsToList<Offset>& of, ListedRows<Offset>& made) {
  const auto slices = static_cast<std::size_t>(of.rows.slice_count);
  made.memory = Arrays(space, "terrace::cuda::short_rows", Arrays::bytes<Slice>(slices));
  ShortRows<Offset> rows{made.memory.template take<Slice>(slices), nullptr, nullptr, of.longest};
  launch_for_slices(
      space, "terrace::cuda::shape_operations", shape_operations_kernel<Offset>,
      ShapeOperations<Offset>{of.merged.view(), of.rows.slices, of.rows.slice_count, of.rows.items, rows.slices});
  std::int64_t count = 0;
  Kokkos::parallel_scan("terrace::cuda::place_operations", Kokkos::RangePolicy<Space>(space, 0, of.rows.slice_count),
                        PlaceOperations{rows.slices}, count);
  const auto slots = static_cast<std::size_t>(count);
  const std::size_t bytes = Arrays::bytes<Offset>(slots) + Arrays::bytes<std::uint16_t>(slots);
  if (bytes > EliminationTuning::list_bytes_per_entry * of.entries) return;
  made.words = Arrays(space, "terrace::cuda::operations", bytes);
  rows.sources = made.words.template take<Offset>(slots);
  rows.targets = made.words.template take<std::uint16_t>(slots);
  launch_for_slices(space, "terrace::cuda::fill_operations", fill_operations_kernel<Offset>,
                    FillOperations<Offset>{of.merged.view(), rows, of.rows.slice_count, of.rows.items});
  made.short_rows = rows;
}

/// By operations, where a lane takes each row, or by products. Waits for the space.
template <class Offset>
ListedRows<Offset> list_rows(const Space& space, const RowsToList<Offset>& of, bool by_operations) {
  ListedRows<Offset> made;
  if (by_operations) list_operations(space, of, made);
  else {
    if (of.has_short_words) list_products<std::uint16_t>(space, of, made);
    else list_products<std::uint32_t>(space, of, made);
    if (made.products.words && !made.products.widths) choose_order(space, of, made);
    if (!made.products.widths) cut_rows(space, of, made);
  }
  space.fence("terrace::cuda::list_rows");
  return made;
}

}  // namespace terrace::cuda::incomplete
