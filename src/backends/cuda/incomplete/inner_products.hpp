// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of the products of rows that are eliminated by inner products (inner_rows.hpp): found step by step as those of
// other rows are (products.hpp), and sorted by entry.
#pragma once

#include <bit>

#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/incomplete/products.hpp"

namespace terrace::cuda::incomplete {

/// Rows that have so many steps, as a scan.
template <class Offset>
struct FindInnerRows {
  ListMaking<Offset> making;
  int* rows;

  KOKKOS_FUNCTION void operator()(int row, int& sum, bool final) const {
    const bool is_inner = making.steps(row) > EliminationTuning::steps_of_inner_row;
    if (is_inner && final) rows[sum] = row;
    sum += is_inner ? 1 : 0;
  }
};

/// Of them those that have not too many products for their steps, as a scan.
template <class Offset>
struct KeepInnerRows {
  ListMaking<Offset> making;
  InnerRows<Offset> found;
  const unsigned long long* products;  // by row
  int* rows;

  KOKKOS_FUNCTION void operator()(int number, int& sum, bool final) const {
    const int length = found.first[number + 1] - found.first[number];
    const auto few = static_cast<unsigned long long>(EliminationTuning::inner_products_of_entry) *
                     static_cast<unsigned long long>(length);
    const bool is_kept =
        products[number] <= few || making.steps(found.rows[number]) > EliminationTuning::many_steps_of_inner_row;
    if (is_kept && final) rows[sum] = found.rows[number];
    sum += is_kept ? 1 : 0;
  }
};

/// As a scan, of one number more than there are rows.
template <class Offset>
struct PlaceInnerEntries {
  ListMaking<Offset> making;
  const int* rows;
  int count;
  int* first;

  KOKKOS_FUNCTION void operator()(int number, std::int64_t& sum, bool final) const {
    if (final) first[number] = static_cast<int>(sum);
    if (number < count) sum += making.length(rows[number]);
  }
};

/// The portions of all rows, 32 steps each: the row of a warp, and its portion.
template <class Offset>
struct InnerPortion {
  int number, row, portion;

  __device__ static int first_of(const InnerRows<Offset>& inner, int number) {
    return inner.first[number] / ListMaking<Offset>::steps_of_portion + number;
  }
  static std::size_t most(std::size_t entries, int rows) {
    return entries / ListMaking<Offset>::steps_of_portion + static_cast<std::size_t>(rows) + 1;
  }
  __device__ static InnerPortion of(const InnerRows<Offset>& inner, int at) {
    int low = 0, high = inner.count;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (first_of(inner, middle) <= at ? low : high) = middle;
    }
    return {low, inner.rows[low], at - first_of(inner, low)};
  }
};

/// Calls body(step, is a product, source, target) for the products of a warp's portion, 32 at a time.
template <class Offset, class Body>
__device__ void for_inner_products(const ListMaking<Offset>& making, const InnerPortion<Offset>& of, const Body& body) {
  const int* const columns = making.pattern.entries + making.pattern.row_map[of.row];
  const SearchedRow places{columns, making.length(of.row)};
  for_steps_of_portion(making, of.row, of.portion, ListMaking<Offset>::any_length, [&](const ListedStep<Offset>& step) {
    for_products_of_step(making.pattern, columns, places, step,
                         [&](bool is_product, int source, int target) { body(step, is_product, source, target); });
  });
}

/// A warp for each portion.
template <class Offset>
__global__ void count_inner_products_kernel(const __grid_constant__ ListMaking<Offset> making, InnerRows<Offset> inner,
                                            int portions, int* counts, unsigned long long* of_rows) {
  const auto at = static_cast<int>(number_of_warp());
  if (at >= portions) return;
  const auto of = InnerPortion<Offset>::of(inner, at);
  int count = 0;
  for_inner_products(making, of, [&](const auto&, bool is_product, int, int) {
    count += __popc(__ballot_sync(all_lanes, is_product));
  });
  if (threadIdx.x % warp_size != 0) return;
  counts[at] = count;
  if (count > 0) atomicAdd(of_rows + of.number, static_cast<unsigned long long>(count));
}

/// What is sorted: each product under the number of its entry among those of all rows, in the order of the steps.
template <class Offset>
struct UnsortedProducts {
  unsigned* entries;
  int* order;
  InnerProduct<Offset>* products;
};

/// `begins`: of each portion.
template <class Offset>
__global__ void list_inner_products_kernel(const __grid_constant__ ListMaking<Offset> making, InnerRows<Offset> inner,
                                           int portions, const int* begins, UnsortedProducts<Offset> to) {
  const auto portion = static_cast<int>(number_of_warp());
  if (portion >= portions) return;
  const auto of = InnerPortion<Offset>::of(inner, portion);
  const unsigned below = (1u << threadIdx.x % warp_size) - 1;
  int begin = begins[portion];
  for_inner_products(making, of, [&](const ListedStep<Offset>& step, bool is_product, int source, int target) {
    const unsigned products = __ballot_sync(all_lanes, is_product);
    if (is_product) {
      const int at = begin + __popc(products & below);
      to.entries[at] = static_cast<unsigned>(inner.first[of.number] + target);
      to.order[at] = at;
      to.products[at] = {step.pivot + static_cast<Offset>(source), step.first};
    }
    begin += __popc(products);
  });
}

/// Numbers to where they begin, as a scan.
struct PlacePortions {
  int* counts;

  KOKKOS_FUNCTION void operator()(int at, std::int64_t& sum, bool final) const {
    const int count = counts[at];
    if (final) counts[at] = static_cast<int>(sum);
    sum += count;
  }
};

template <class Offset>
struct SortedProducts {
  const InnerProduct<Offset>* unsorted;
  const int* order;
  InnerProduct<Offset>* products;

  KOKKOS_FUNCTION void operator()(int at) const { products[at] = unsorted[order[at]]; }
};

struct BeginsOfEntries {
  const unsigned* entries;  // of the sorted products
  int products;
  int* begins;

  KOKKOS_FUNCTION void operator()(int entry) const {
    begins[entry] = sparse::place_of_column(entries, 0, products, static_cast<unsigned>(entry));
  }
};

/// Lists the products of rows with so many steps; of none where they would take more memory than `most`. Waits for the
/// space.
template <class Offset>
class ListInnerProducts {
 public:
  ListInnerProducts(const Space& space, const ListMaking<Offset>& making, std::size_t most)
      : space_(space), making_(making), most_(most) {}

  /// `memory` will hold them.
  InnerRows<Offset> list(std::size_t entries, Arrays& memory) {
    const std::size_t most_rows = entries / EliminationTuning::steps_of_inner_row + 1;
    JoinedScratch scratch(space_, "terrace::cuda::inner_rows",
                          2 * Arrays::bytes<int>(most_rows) + Arrays::bytes<int>(most_rows + 1) +
                              Arrays::bytes<unsigned long long>(most_rows));
    auto *rows = scratch.take<int>(most_rows), *kept = scratch.take<int>(most_rows);
    first_ = scratch.take<int>(most_rows + 1);
    of_rows_ = scratch.take<unsigned long long>(most_rows);
    int count = 0;
    Kokkos::parallel_scan("terrace::cuda::find_inner_rows", policy(making_.pattern.rows),
                          FindInnerRows<Offset>{making_, rows}, count);
    if (count == 0) return {};
    InnerRows<Offset> inner = place(rows, count);
    if (entries_ >= std::numeric_limits<int>::max()) return {};
    const parallel::Scratch<int, Space> counts(space_, "terrace::cuda::inner_portions",
                                               static_cast<std::size_t>(portions_of(inner)));
    count_products(inner, counts.data());
    Kokkos::parallel_scan("terrace::cuda::keep_inner_rows", policy(inner.count),
                          KeepInnerRows<Offset>{making_, inner, of_rows_, kept}, count);
    if (count == 0) return {};
    if (count < inner.count) {
      inner = place(kept, count);
      count_products(inner, counts.data());
    }
    return list(inner, counts.data(), memory);
  }

 private:
  Kokkos::RangePolicy<Space> policy(int count) const { return {space_, 0, count}; }

  /// The rows, with their entries one behind the other.
  InnerRows<Offset> place(const int* rows, int count) {
    Kokkos::parallel_scan("terrace::cuda::place_inner_entries", policy(count + 1),
                          PlaceInnerEntries<Offset>{making_, rows, count, first_}, entries_);
    return {rows, count, first_, nullptr, nullptr};
  }

  int portions_of(const InnerRows<Offset>& inner) const {
    return static_cast<int>(InnerPortion<Offset>::most(static_cast<std::size_t>(entries_), inner.count));
  }

  void count_products(const InnerRows<Offset>& inner, int* counts) {
    check(cudaMemsetAsync(of_rows_, 0, static_cast<std::size_t>(inner.count) * sizeof(unsigned long long),
                          space_.cuda_stream()),
          "cudaMemsetAsync");
    launch_for_portions("terrace::cuda::count_inner_products", count_inner_products_kernel<Offset>, inner, counts,
                        of_rows_);
  }

  InnerRows<Offset> list(const InnerRows<Offset>& inner, int* counts, Arrays& memory) {
    std::int64_t products = 0;
    Kokkos::parallel_scan("terrace::cuda::place_inner_portions", policy(portions_of(inner)), PlacePortions{counts},
                          products);
    const auto rows = static_cast<std::size_t>(inner.count), entries = static_cast<std::size_t>(entries_);
    const std::size_t bytes = Arrays::bytes<int>(rows) + Arrays::bytes<int>(rows + 1) +
                              Arrays::bytes<int>(entries + 1) +
                              Arrays::bytes<InnerProduct<Offset>>(static_cast<std::size_t>(products));
    if (products > std::numeric_limits<int>::max() || bytes > most_) return {};
    memory = Arrays(space_, "terrace::cuda::inner_products", bytes);
    InnerRows<Offset> made;
    made.count = inner.count;
    made.rows = copy(inner.rows, rows, memory);
    made.first = copy(inner.first, rows + 1, memory);
    sort(made, counts, static_cast<int>(entries), static_cast<int>(products), memory);
    return made;
  }

  template <class Kernel, class... Arguments>
  void launch_for_portions(const char* label, Kernel kernel, const InnerRows<Offset>& inner,
                           const Arguments&... arguments) {
    constexpr std::size_t threads = EliminationTuning::block;
    const int portions = portions_of(inner);
    launch(space_, label, kernel, blocks_of(portions, threads / warp_size), threads, making_, inner, portions,
           arguments...);
  }

  const int* copy(const int* from, std::size_t count, Arrays& memory) const {
    auto* to = memory.take<int>(count);
    check(cudaMemcpyAsync(to, from, count * sizeof(int), cudaMemcpyDeviceToDevice, space_.cuda_stream()),
          "cudaMemcpyAsync");
    return to;
  }

  void sort(InnerRows<Offset>& made, const int* begins_of_portions, int entries, int products, Arrays& memory) {
    const auto count = static_cast<std::size_t>(products);
    const std::size_t sort_bytes = sort_by_key_bytes(products);
    JoinedScratch scratch(
        space_, "terrace::cuda::unsorted_inner_products",
        4 * Arrays::bytes<int>(count) + Arrays::bytes<InnerProduct<Offset>>(count) + Arrays::bytes<char>(sort_bytes));
    UnsortedProducts<Offset> unsorted{scratch.take<unsigned>(count), scratch.take<int>(count),
                                      scratch.take<InnerProduct<Offset>>(count)};
    auto* other_entries = scratch.take<unsigned>(count);
    auto* other_order = scratch.take<int>(count);
    launch_for_portions("terrace::cuda::list_inner_products", list_inner_products_kernel<Offset>, made,
                        begins_of_portions, unsorted);
    const bool in_other = products > 0 && sort_by_key(space_.cuda_stream(), scratch.take<char>(sort_bytes), sort_bytes,
                                                      unsorted.entries, other_entries, unsorted.order, other_order,
                                                      products, std::bit_width(static_cast<unsigned>(entries)));
    auto* begins = memory.take<int>(static_cast<std::size_t>(entries) + 1);
    auto* sorted = memory.take<InnerProduct<Offset>>(count);
    Kokkos::parallel_for("terrace::cuda::sorted_inner_products", policy(products),
                         SortedProducts<Offset>{unsorted.products, in_other ? other_order : unsorted.order, sorted});
    Kokkos::parallel_for("terrace::cuda::begins_of_inner_entries", policy(entries + 1),
                         BeginsOfEntries{in_other ? other_entries : unsorted.entries, products, begins});
    made.begins = begins;
    made.products = sorted;
  }

  Space space_;
  ListMaking<Offset> making_;
  std::size_t most_;
  int* first_ = nullptr;                   // by row
  unsigned long long* of_rows_ = nullptr;  // products
  std::int64_t entries_ = 0;
};

}  // namespace terrace::cuda::incomplete
