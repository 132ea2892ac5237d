// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of rows in level order without barriers (the sums of incomplete/elimination.hpp, in the same order):
// warps take rows into shared memory, and every number that they need of U is its own flag (watch.hpp).
//
// Four kernels: a warp for each row, by its list of products (eliminate_listed.hpp), also where it is too long for
// shared memory; for each node of rows with the same columns (eliminate_nodes.hpp), or for each slice of rows, by lists
// (eliminate_short.hpp) or without (eliminate_slices.hpp). Very long rows are cut, and a warp takes each piece
// (row_tails.hpp, eliminate_tails.hpp, eliminate_inner.hpp). Rows and slices are claimed (claims.hpp) in level order,
// or rows in another in which the first unfinished one waits for nothing either (claim_order.hpp).
//
// The factor has the bits of one thread. Only the norm of a row and what modified factorizations drop are summed over
// lanes, so a pivot that is replaced, or modified, may differ from the generic one in its last bits.
#pragma once

#include "backends/cuda/incomplete/eliminate_inner.hpp"
#include "backends/cuda/incomplete/eliminate_listed.hpp"
#include "backends/cuda/incomplete/eliminate_nodes.hpp"
#include "backends/cuda/incomplete/eliminate_short.hpp"
#include "backends/cuda/incomplete/eliminate_slices.hpp"
#include "backends/cuda/incomplete/eliminate_tails.hpp"
#include "backends/cuda/triangular/segments.hpp"

namespace terrace::cuda::incomplete {

/// Of one warp, where rows are eliminated by lists.
template <class Scalar, class Offset, class Word>
std::size_t bytes_of_warp(const ListedRows<Offset>& lists, int max_steps) {
  const std::size_t bytes = RowMemory<Scalar, Offset, Word>::bytes(lists.capacity.entries, lists.capacity.steps);
  return lists.has_long_rows ? std::max(bytes, LongRowMemory<Scalar, Offset>::bytes(max_steps)) : bytes;
}

/// Of the longest rows: all fit, or some are in device memory or have tails, or some are eliminated by inner products.
enum class Length { Usual, Long, ByPieces };

/// Rows without a list have the memory of one that has; their columns stand in place of the divisors. They are searched
/// one step at a time, which takes no more registers than the lists do. Tails have the memory for products.
///
/// Whether there are long rows, and pieces, is known when the kernel is compiled: what few rows need takes registers
/// from all.
template <class Scalar, class Offset, class Word, Length Longest>
__global__ void __launch_bounds__(EliminationTuning::block, EliminationTuning::blocks_of_rows)
    eliminate_rows_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system) {
  await_predecessor();
  let_successor_begin();
  using Memory = RowMemory<Scalar, Offset, Word>;
  using Real = terrace::incomplete::RealOf<Scalar>;
  extern __shared__ __align__(16) unsigned char memory_of_block[];
  unsigned char* const memory_of_warp = memory_of_block + threadIdx.x / warp_size * system.bytes_of_warp;
  const Memory memory(memory_of_warp, system.capacity, system.step_capacity);
  const ListedElimination<Scalar, Offset, Word> listed(system, memory);
  static_assert(sizeof(UpperPart<Offset>) == sizeof(UpperRow<Offset>) && sizeof(Divisor<Scalar>) >= sizeof(int));
  constexpr bool has_long = Longest != Length::Usual;
  SliceElimination<1, Scalar, Offset, has_long> searched(
      system, {memory.w, reinterpret_cast<UpperPart<Offset>*>(memory.upper), reinterpret_cast<int*>(memory.divisors),
               system.capacity});
  static_assert(Memory::values_held >= RowTail::most_entries &&
                Memory::words_held * sizeof(Word) >= RowTail::most_entries * sizeof(int));
  static_assert(Memory::values_held >= InnerElimination<Scalar, Offset>::numbers_in_memory);
  TailElimination<Scalar, Offset> tails(system, memory.values, reinterpret_cast<int*>(memory.words));
  auto claims = [&] {
    if constexpr (has_long) return LateClaims(system.item_count, system.claimed);
    else return Claims<1>(0, system.item_count, 1, system.claimed);
  }();
  for (;;) {
    const unsigned number = __shfl_sync(all_lanes, claims.next(), 0);  // so that nvcc knows that lanes stay together
    if (number >= claims.end()) return;
    const int item = system.items[number];
    if constexpr (has_long) {
      if (item < 0) {
        const RowTail tail = system.tails[tail_of_item(item)];
        if constexpr (Longest == Length::ByPieces) {
          if (tail.is_piece()) {
            eliminate_piece(system, tail, memory.values);
            continue;
          }
        }
        tails.eliminate(tail);
        continue;
      }
    }
    if (item >= system.elimination.pattern.rows) continue;
    const auto row = open_row(system, item);
    if constexpr (has_long) {
      if (row.length > system.capacity) {
        const LongRowMemory<Scalar, Offset> memory_of_long(memory_of_warp);
        const ListedElimination<Scalar, Offset, Word, true> long_rows(system, memory_of_long);
        const int tail_count = count_tails(row.length - row.steps - 1);
        auto head = row;
        head.length = length_without_tails(row.steps, row.length);
        const auto norm =
            tail_count > 0 ? norm_of_tails(system, tail_of_item(system.items[number + 1]), tail_count) : Real(0);
        if (system.products.count[item] > 0) long_rows.eliminate(head, norm);
        else searched.eliminate(head, norm);
        continue;
      }
    }
    const bool has_list = row.length <= system.capacity && (row.steps == 0 || system.products.count[item] > 0);
    if (has_list) listed.eliminate(row);
    else searched.eliminate(item, 5);
  }
}

/// The same for nodes, each under the number of its first row.
template <class Scalar, class Offset, class Word>
__global__ void __launch_bounds__(EliminationTuning::block, EliminationTuning::blocks_of_nodes)
    eliminate_nodes_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system) {
  await_predecessor();
  let_successor_begin();
  using Memory = NodeMemory<Scalar, Offset, Word>;
  extern __shared__ __align__(16) unsigned char memory_of_block[];
  const Memory memory(memory_of_block + threadIdx.x / warp_size * Memory::bytes(system.capacity), system.capacity);
  const NodeElimination<Scalar, Offset, Word> listed(system, memory);
  static_assert(sizeof(UpperPart<Offset>) <= sizeof(UpperNode<Offset>) && sizeof(Scalar) >= sizeof(int));
  SliceElimination<1, Scalar, Offset> searched(system, {memory.w(0), reinterpret_cast<UpperPart<Offset>*>(memory.upper),
                                                        reinterpret_cast<int*>(memory.w(1)), system.capacity});
  Claims<1> claims(0, system.item_count, 1, system.claimed);
  for (;;) {
    const unsigned number = __shfl_sync(all_lanes, claims.next(), 0);
    if (number >= claims.end()) return;
    const int item = system.items[number];
    const int width = item < system.elimination.pattern.rows ? system.products.widths[item] : 0;
    if (width == 0) continue;
    const auto row = open_row(system, item);
    const bool has_list = row.length <= system.capacity && (row.steps == 0 || system.products.count[item] > 0);
    if (has_list) listed.eliminate(row, width);
    else
      for (int r = 0; r < width; ++r) searched.eliminate(item + r, 5);
  }
}

/// How a kernel is launched.
struct RowsLaunch {
  int blocks = 1;
  int threads = EliminationTuning::block;
  std::size_t bytes_per_block = 0;
  Length longest = Length::Usual;
};

/// Warps of a block that share the memory of a multiprocessor, each with so many bytes.
inline int warps_that_fit(std::size_t bytes_per_warp) {
  const auto bytes = static_cast<std::size_t>(shared_memory_of_block());
  int warps = EliminationTuning::block / warp_size;
  while (warps > 1 && static_cast<std::size_t>(warps) * bytes_per_warp > bytes) warps /= 2;
  return warps;
}

/// A warp for each of so many units of work, of which those of `ahead` average levels are under way at once, and
/// `together` at least.
template <class Kernel>
RowsLaunch launch_of_warps(Kernel kernel, int units, int levels, int ahead, std::size_t bytes_per_warp = 0,
                           int together = 0) {
  const int warps = warps_that_fit(bytes_per_warp), threads = warps * warp_size;
  const std::size_t bytes_per_block = static_cast<std::size_t>(warps) * bytes_per_warp;
  const int resident = resident_blocks(kernel, threads, bytes_per_block);
  const std::int64_t wanted =
      std::max<std::int64_t>(std::int64_t(ahead) * std::max(1, units / levels), together) / warps + 1;
  const int useful = parallel::divide_up(units, warps);
  return {static_cast<int>(std::min<std::int64_t>({wanted, useful, resident})), threads, bytes_per_block};
}

/// By nodes, or by rows. Where some are long, words have 32 bits.
template <class Word, class Scalar, class Offset>
auto kernel_of_rows(const ProductLists& products, Length longest) {
  if (products.widths) return eliminate_nodes_kernel<Scalar, Offset, Word>;
  if constexpr (sizeof(Word) == sizeof(std::uint32_t)) {
    if (longest == Length::Long) return eliminate_rows_kernel<Scalar, Offset, Word, Length::Long>;
    if (longest == Length::ByPieces) return eliminate_rows_kernel<Scalar, Offset, Word, Length::ByPieces>;
  }
  return eliminate_rows_kernel<Scalar, Offset, Word, Length::Usual>;
}

/// Of the tails of a row, all may be under way at once.
template <class Scalar, class Offset, class Word>
RowsLaunch launch_of_rows(const RowsToList<Offset>& of, const ListedRows<Offset>& lists) {
  const auto& products = lists.products;
  const Length longest = lists.inner.count > 0 ? Length::ByPieces : lists.has_long() ? Length::Long : Length::Usual;
  const std::size_t bytes = products.widths ? NodeMemory<Scalar, Offset, Word>::bytes(lists.capacity.entries)
                                            : bytes_of_warp<Scalar, Offset, Word>(lists, of.max_steps);
  RowsLaunch how = launch_of_warps(kernel_of_rows<Word, Scalar, Offset>(products, longest), of.rows.rows,
                                   of.rows.levels, EliminationTuning::levels_of_rows, bytes, lists.most_tails_of_row);
  how.longest = longest;
  return how;
}

template <class Scalar, class Offset>
auto kernel_of_slices(bool modified) {
  return modified ? eliminate_slices_kernel<Scalar, Offset, true> : eliminate_slices_kernel<Scalar, Offset, false>;
}

template <class Scalar, class Offset>
RowsLaunch launch_of_slices(const SlicedRows<Offset>& rows, bool modified) {
  return launch_of_warps(kernel_of_slices<Scalar, Offset>(modified), rows.slice_count, rows.levels,
                         EliminationTuning::levels_of_slices);
}

/// The rows are those of the slices, whose operations are listed.
template <class Scalar, class Offset>
RowsLaunch launch_of_short_rows(const SlicedRows<Offset>& rows, const ShortRows<Offset>& listed) {
  const auto words = static_cast<std::size_t>(ShortElimination<Scalar, Offset>::words_of_row(listed.longest));
  return launch_of_warps(eliminate_short_kernel<Scalar, Offset>, rows.slice_count, rows.levels,
                         EliminationTuning::levels_of_slices, warp_size * words * sizeof(Scalar));
}

/// Enqueue the elimination; values, divisors and the counter must be pending, and norms of tails be found.
template <class Word, class Scalar, class Offset>
void eliminate_rows(const Space& space, RowsSystem<Scalar, Offset> system, const RowsLaunch& how) {
  system.bytes_of_warp = static_cast<unsigned>(how.bytes_per_block) / (static_cast<unsigned>(how.threads) / warp_size);
  launch_when(Begin::Early, space,
              system.products.widths ? "terrace::cuda::eliminate_nodes" : "terrace::cuda::eliminate_rows",
              kernel_of_rows<Word, Scalar, Offset>(system.products, how.longest), how.blocks, how.threads,
              how.bytes_per_block, system);
}

template <class Scalar, class Offset>
void eliminate_slices(const Space& space, const RowsSystem<Scalar, Offset>& system, const RowsLaunch& how) {
  const bool modified = system.elimination.relaxation != 0;
  launch_when(Begin::Early, space, "terrace::cuda::eliminate_slices", kernel_of_slices<Scalar, Offset>(modified),
              how.blocks, EliminationTuning::block, 0, system);
}

template <class Scalar, class Offset>
void eliminate_short_rows(const Space& space, const RowsSystem<Scalar, Offset>& system, const ShortRows<Offset>& rows,
                          const RowsLaunch& how) {
  launch_when(Begin::Early, space, "terrace::cuda::eliminate_short", eliminate_short_kernel<Scalar, Offset>, how.blocks,
              how.threads, how.bytes_per_block, system, rows);
}

}  // namespace terrace::cuda::incomplete
