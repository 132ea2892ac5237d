// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The products l_ik u_kj that fall in the pattern, listed once for all factors: the numeric phase searches nothing, and
// its lanes take neighbouring products, whatever lies between them in row k.
//
// The list of a row runs through its steps in order, and through row k by ascending columns. A product is one word: how
// far behind the pivot u_kj stands, the place in row i where the product falls, and a bit that says that a new step
// begins. Every step has at least one word; zero, where no product falls, is the place of a word that is none.
// Where rows come in nodes (nodes.hpp) a node has one list for its rows, and a step takes the columns of a node: first
// a word for each of them, with that bit, then the products behind them. u_kj stands for those of all rows of node k.
// The words have 16 bits where rows are short, and 32 elsewhere. Long rows, which do not fit in shared memory, have
// words that are divided otherwise, and before them where each of their rows of U begins (UpperRow); of a row that is
// cut (row_tails.hpp) the head alone is listed. Rows that need a row of U too long for a word have no list, and no row
// has one where all lists together would outweigh the factor by far: there places are searched each time.
#pragma once

#include <limits>

#include "backends/cuda/incomplete/nodes.hpp"
#include "backends/cuda/incomplete/row_table.hpp"
#include "backends/cuda/incomplete/row_tails.hpp"
#include "backends/cuda/incomplete/tuning.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/watch.hpp"
#include "sparse/find_column.hpp"
#include "sparse/triangle.hpp"

namespace terrace::cuda::incomplete {

template <int SourceBits, int TargetBits>
struct ProductBits {
  static constexpr int source_bits = SourceBits, target_bits = TargetBits;
  static constexpr int longest_row = 1 << target_bits, longest_upper = (1 << source_bits) - 1;
  static constexpr unsigned begins_step = 1u << (source_bits + target_bits);

  __device__ static unsigned source(unsigned word) { return word & ((1u << source_bits) - 1); }
  __device__ static unsigned target(unsigned word) { return word >> source_bits & ((1u << target_bits) - 1); }
  __device__ static bool begins(unsigned word) { return (word & begins_step) != 0; }
};

template <class Word>
using Product = std::conditional_t<sizeof(Word) == 2, ProductBits<7, 8>, ProductBits<21, 10>>;
using LongProduct = ProductBits<16, 15>;  // in words of 32 bits

/// Where row k of U begins.
template <class Offset>
struct alignas(2 * sizeof(Offset)) UpperRow {
  Offset pivot;
  int row;
};

/// The kernels' side.
struct ProductLists {
  /// Lists begin where 16 bytes begin.
  static constexpr int alignment = 8;

  void* words = nullptr;
  std::int64_t* first = nullptr;          // by row: its first word
  int* count = nullptr;                   // by row; none without a list, or without steps
  const unsigned char* widths = nullptr;  // by row, if there are nodes: of the node that begins here

  /// Columns of a step.
  __device__ int width(int column) const { return widths ? widths[column] : 1; }
  __device__ bool is_listed(int row) const { return !widths || widths[row] > 0; }

  /// So many words, and those that are left free before the next list.
  KOKKOS_FUNCTION static std::int64_t aligned(std::int64_t words) {
    return alignment * parallel::divide_up<std::int64_t>(words, alignment);
  }

  /// Words before those of the products of a long row with so many steps.
  template <class Offset>
  KOKKOS_FUNCTION static std::int64_t words_of_steps(int steps) {
    return aligned(static_cast<std::int64_t>(steps) *
                   static_cast<std::int64_t>(sizeof(UpperRow<Offset>) / sizeof(std::uint32_t)));
  }
};

/// How lists are made: a warp takes a row, or a block where some rows are long. The warps of a row share its portions,
/// 32 steps each.
template <class Offset>
struct ListMaking {
  sparse::TriangleView<int, Offset> pattern;
  ProductLists lists;
  int capacity;               // entries of a row that is not long
  int warps_of_row;           // 1, or those of a block
  std::size_t bytes;          // of a row's table
  int* portion_words;         // in the end, of each portion of each row
  InnerRows<Offset> inner{};  // have no list here

  static constexpr int steps_of_portion = warp_size;
  static constexpr int any_length = std::numeric_limits<int>::max();
  static constexpr int without_list = std::numeric_limits<int>::min();  // less than any count that is added to it

  static std::size_t portions(std::size_t rows, std::size_t entries) { return entries / steps_of_portion + rows + 1; }

  /// Portions of a row are neighbours; between those of one row and the next some numbers may stay unused.
  __device__ int* portion_words_of(int row) const {
    return portion_words + static_cast<std::size_t>(pattern.row_map[row]) / steps_of_portion +
           static_cast<std::size_t>(row);
  }
  KOKKOS_FUNCTION int steps(int row) const { return static_cast<int>(pattern.diagonal[row] - pattern.row_map[row]); }
  KOKKOS_FUNCTION int length(int row) const {
    return static_cast<int>(pattern.row_map[row + 1] - pattern.row_map[row]);
  }
  KOKKOS_FUNCTION bool is_long(int row) const { return length(row) > capacity; }
  KOKKOS_FUNCTION bool is_inner(int row) const {
    return steps(row) > EliminationTuning::steps_of_inner_row && inner.number_of(row) < inner.count;
  }
  /// Entries of a long row that its list is for.
  KOKKOS_FUNCTION int listed_length(int row) const { return length_without_tails(steps(row), length(row)); }
};

/// The row of this warp, and its share of the portions.
template <class Offset>
__device__ ShareOfRow share_of_warp(const ListMaking<Offset>& making) {
  return ShareOfRow::of_warp(number_of_warp(), making.warps_of_row, making.pattern.rows);
}

/// Rows of U with so few entries behind the pivot are never searched.
inline constexpr int never_much_longer = 32;

/// Whether a row of U with so many entries behind the pivot is searched for what is left of a row, and not the row for
/// it.
KOKKOS_INLINE_FUNCTION bool is_much_longer(int count, int left) {
  return count > never_much_longer && count > 4 * left;
}

/// A step of a row as its list has it: which columns, and where row k of U begins.
template <class Offset>
struct ListedStep {
  int first, width;  // among the row's columns
  Offset pivot;
  int count;  // of entries of row k, with the pivot
};

/// Where columns stand in a row, as RowTable says, of a row that is too long for a table.
struct SearchedRow {
  const int* columns;
  int entries;

  __device__ int length() const { return entries; }
  __device__ int find(int column) const { return sparse::find_column(columns, 0, entries, column); }
};

/// Calls body(is a product, source, target) for 32 candidates at a time, in the order of the columns. `columns` are
/// those of the row that is eliminated, `row` their places.
template <class Offset, class Places, class Body>
__device__ void for_products_of_step(const sparse::TriangleView<int, Offset>& pattern, const int* columns,
                                     const Places& row, const ListedStep<Offset>& step, const Body& body) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int* upper = pattern.entries + step.pivot;
  const int behind = step.first + step.width;
  const bool searches_upper = is_much_longer(step.count - step.width, row.length() - behind);
  const int first = searches_upper ? behind : step.width, last = searches_upper ? row.length() : step.count;
  for (int base = first; base < last; base += warp_size) {
    const int at = base + lane;
    int found = 0, limit = 0;
    if (at < last) {
      limit = searches_upper ? step.count : row.length();
      found = searches_upper ? sparse::find_column(upper, step.width, step.count, columns[at]) : row.find(upper[at]);
    }
    body(found < limit, searches_upper ? found : at, searches_upper ? at : found);
  }
}

/// Calls body(step) for each step of a portion, by the whole warp, whose lanes have looked them up. False, and nothing
/// is called, when a row of U is longer than `longest_upper`.
template <class Offset, class Body>
__device__ bool for_steps_of_portion(const ListMaking<Offset>& making, int row, int portion, int longest_upper,
                                     const Body& body) {
  const auto& pattern = making.pattern;
  const int first = portion * ListMaking<Offset>::steps_of_portion;
  ListedStep<Offset> own{first + static_cast<int>(threadIdx.x) % warp_size, 0, 0, 0};
  if (own.first < making.steps(row)) {
    const int k = pattern.entries[pattern.row_map[row] + static_cast<Offset>(own.first)];
    own.width = making.lists.width(k);
    own.pivot = pattern.diagonal[k];
    own.count = static_cast<int>(pattern.row_map[k + 1] - own.pivot);
  }
  if (__any_sync(all_lanes, own.count > longest_upper)) return false;
  for (unsigned left = __ballot_sync(all_lanes, own.width > 0); left != 0; left &= left - 1) {
    const int from = __ffs(static_cast<int>(left)) - 1;
    body(ListedStep<Offset>{first + from, __shfl_sync(all_lanes, own.width, from),
                            __shfl_sync(all_lanes, own.pivot, from), __shfl_sync(all_lanes, own.count, from)});
  }
  return true;
}

/// Calls body(portion, table) for the portions of a row that are this warp's.
template <class Offset, class Body>
__device__ void for_portions(const ListMaking<Offset>& making, const ShareOfRow& warp, const Body& body) {
  extern __shared__ __align__(16) unsigned char memory_of_tables[];
  constexpr int steps_of_portion = ListMaking<Offset>::steps_of_portion;
  const int portions = (making.steps(warp.row) + steps_of_portion - 1) / steps_of_portion;
  if (portions == 0) return;
  const bool by_block = making.warps_of_row > 1;
  RowTable table(memory_of_tables + (by_block ? 0 : threadIdx.x / warp_size * making.bytes));
  table.fill(making.pattern.entries + making.pattern.row_map[warp.row], making.length(warp.row), by_block);
  for (int portion = warp.share; portion < portions; portion += making.warps_of_row) body(portion, table);
}

/// The words of a portion.
template <class Of, class Offset, class Places>
__device__ void count_portion(const ListMaking<Offset>& making, int row, int portion, const Places& places) {
  const int* columns = making.pattern.entries + making.pattern.row_map[row];
  int count = 0;
  const bool is_complete =
      for_steps_of_portion(making, row, portion, Of::longest_upper, [&](const ListedStep<Offset>& step) {
        int products = 0;
        for_products_of_step(making.pattern, columns, places, step, [&](bool is_product, int, int) {
          products += __popc(__ballot_sync(all_lanes, is_product));
        });
        count += making.lists.widths ? step.width + products : products > 0 ? products : 1;
      });
  if (threadIdx.x % warp_size != 0) return;
  making.portion_words_of(row)[portion] = count;
  if (is_complete) atomicAdd(&making.lists.count[row], count);
  else atomicMin(&making.lists.count[row], ListMaking<Offset>::without_list);
}

/// Writes them; `words` are those of the row.
template <class Of, class Word, class Offset, class Places>
__device__ void list_portion(const ListMaking<Offset>& making, int row, int portion, const Places& places,
                             Word* words) {
  const auto& lists = making.lists;
  const unsigned lane = threadIdx.x % warp_size, below = (1u << lane) - 1;
  const auto word = [](unsigned source, unsigned target, unsigned begins) {
    return static_cast<Word>(source | target << Of::source_bits | begins);
  };
  const int* columns = making.pattern.entries + making.pattern.row_map[row];
  int before = 0;
  for (int other = static_cast<int>(lane); other < portion; other += warp_size)
    before += making.portion_words_of(row)[other];
  Word* at = words + __reduce_add_sync(all_lanes, before);
  for_steps_of_portion(making, row, portion, Of::longest_upper, [&](const ListedStep<Offset>& step) {
    if (lists.widths) {
      if (lane < static_cast<unsigned>(step.width))
        at[lane] = word(lane, static_cast<unsigned>(step.first) + lane, Of::begins_step);
      at += step.width;
    }
    bool is_first = !lists.widths;
    for_products_of_step(making.pattern, columns, places, step, [&](bool is_product, int source, int target) {
      const unsigned products = __ballot_sync(all_lanes, is_product);
      const unsigned begins = is_first && (products & below) == 0 ? Of::begins_step : 0u;
      if (is_product)
        at[__popc(products & below)] = word(static_cast<unsigned>(source), static_cast<unsigned>(target), begins);
      at += __popc(products);
      is_first = is_first && products == 0;
    });
    if (is_first && lane == 0) *at = static_cast<Word>(Of::begins_step);
    if (is_first) ++at;
  });
}

/// Counts the words of each list, in `count`, zero before, and those of its portions.
template <class Word, class Offset>
__global__ void count_products_kernel(const __grid_constant__ ListMaking<Offset> making) {
  const ShareOfRow warp = share_of_warp(making);
  if (warp.row >= making.pattern.rows || !making.lists.is_listed(warp.row) || making.is_long(warp.row) ||
      making.is_inner(warp.row))
    return;
  for_portions(making, warp, [&](int portion, const RowTable& table) {
    count_portion<Product<Word>>(making, warp.row, portion, table);
  });
}

template <class Word, class Offset>
__global__ void list_products_kernel(const __grid_constant__ ListMaking<Offset> making) {
  const ShareOfRow warp = share_of_warp(making);
  const auto& lists = making.lists;
  if (warp.row >= making.pattern.rows || lists.count[warp.row] == 0 || making.is_long(warp.row)) return;
  for_portions(making, warp, [&](int portion, const RowTable& table) {
    list_portion<Product<Word>>(making, warp.row, portion, table,
                                static_cast<Word*>(lists.words) + lists.first[warp.row]);
  });
}

/// The long rows of a pattern that may have lists, each the work of so many warps of any blocks.
struct LongRows {
  static constexpr int warps_of_row = 64;

  const int* rows;
  int count;
};

/// Calls body(row, portion, its places) for the portions of long rows that are this warp's.
template <class Offset, class Body>
__device__ void for_portions_of_long_rows(const ListMaking<Offset>& making, const LongRows& long_rows,
                                          const Body& body) {
  const ShareOfRow warp = ShareOfRow::of_warp(number_of_warp(), LongRows::warps_of_row, long_rows.count);
  if (warp.row >= long_rows.count) return;
  const int row = long_rows.rows[warp.row];
  const SearchedRow places{making.pattern.entries + making.pattern.row_map[row], making.listed_length(row)};
  constexpr int steps_of_portion = ListMaking<Offset>::steps_of_portion;
  const int portions = (making.steps(row) + steps_of_portion - 1) / steps_of_portion;
  for (int portion = warp.share; portion < portions; portion += LongRows::warps_of_row) body(row, portion, places);
}

template <class Offset>
__global__ void count_products_of_long_rows_kernel(const __grid_constant__ ListMaking<Offset> making,
                                                   LongRows long_rows) {
  for_portions_of_long_rows(making, long_rows, [&](int row, int portion, const SearchedRow& places) {
    count_portion<LongProduct>(making, row, portion, places);
  });
}

template <class Offset>
__global__ void list_products_of_long_rows_kernel(const __grid_constant__ ListMaking<Offset> making,
                                                  LongRows long_rows) {
  for_portions_of_long_rows(making, long_rows, [&](int row, int portion, const SearchedRow& places) {
    if (making.lists.count[row] == 0) return;
    auto* const list = static_cast<std::uint32_t*>(making.lists.words) + making.lists.first[row];
    const int step = portion * ListMaking<Offset>::steps_of_portion + static_cast<int>(threadIdx.x) % warp_size;
    if (step < making.steps(row)) {
      const int k = places.columns[step];
      reinterpret_cast<UpperRow<Offset>*>(list)[step] = {making.pattern.diagonal[k], k};
    }
    list_portion<LongProduct>(making, row, portion, places,
                              list + ProductLists::words_of_steps<Offset>(making.steps(row)));
  });
}

/// Rows that are long, and no longer than a word can say, as a scan.
template <class Offset>
struct FindLongRows {
  ListMaking<Offset> making;
  int* rows;

  KOKKOS_FUNCTION void operator()(int row, int& sum, bool final) const {
    const bool may_have_list = making.is_long(row) && making.steps(row) > 0 && !making.is_inner(row) &&
                               making.listed_length(row) <= LongProduct::longest_row;
    if (may_have_list && final) rows[sum] = row;
    sum += may_have_list ? 1 : 0;
  }
};

/// Of these rows.
struct ForgetLists {
  int* count;
  const int* rows;
  KOKKOS_FUNCTION void operator()(int k) const { count[rows[k]] = 0; }
};

/// The lists one after the other, as a scan.
template <class Offset>
struct PlaceLists {
  ListMaking<Offset> making;

  KOKKOS_FUNCTION void operator()(int row, std::int64_t& sum, bool final) const {
    const ProductLists& lists = making.lists;
    const int count = Kokkos::max(lists.count[row], 0);
    if (final) lists.first[row] = sum;
    if (final) lists.count[row] = count;
    sum += ProductLists::aligned(count);
    if (count > 0 && making.is_long(row)) sum += ProductLists::words_of_steps<Offset>(making.steps(row));
  }
};

}  // namespace terrace::cuda::incomplete
