// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of a piece of a row by inner products (inner_rows.hpp): a lane for each entry, which takes its products
// as they become known. No lane waits in a loop of its own, since the lanes of a warp may wait for each other: all
// look, and whoever found what it looked for goes on. What a lane of the warp has found passes through registers: along
// a line of a grid each entry waits for the one before it, and a look at memory takes several times as long.
//
// An entry with very many products, as the diagonal of a row that reads all others has, is the work of the warp, many
// at a time; they are subtracted in their order all the same. Of several such entries the first has its turn, which
// waits for none of the others.
#pragma once

#include "backends/cuda/incomplete/norm_of_row.hpp"
#include "backends/cuda/incomplete/warp_row.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset>
class InnerElimination {
  static constexpr int at_once = EliminationTuning::inner_products_at_once;
  static constexpr int of_warp_at_once = EliminationTuning::inner_products_of_warp_at_once;
  using Real = terrace::incomplete::RealOf<Scalar>;
  using Product = InnerProduct<Offset>;
  static constexpr int no_step = -1, chunks_together = 64;
  static_assert(InnerRows<Offset>::entries_of_piece == warp_size);

 public:
  /// In shared memory for so many numbers.
  static constexpr int numbers_in_memory = 2 * of_warp_at_once * warp_size;

  __device__ InnerElimination(const RowsSystem<Scalar, Offset>& system, const RowTail& piece, Scalar* memory)
      : system_(system),
        elimination_(system.elimination),
        memory_(memory),
        row_(piece.row),
        first_(piece.first),
        lane_(static_cast<int>(threadIdx.x) % warp_size) {
    const auto& pattern = elimination_.pattern;
    begin_ = pattern.row_map[row_];
    place_ = begin_ + static_cast<Offset>(first_ + lane_);
    is_done_ = place_ >= pattern.row_map[row_ + 1];
    if (is_done_) return;
    next_ = system.inner.begins[piece.entry + lane_];
    looked_at_ = next_ - at_once;
    end_ = system.inner.begins[piece.entry + lane_ + 1];
    w_ = elimination_.stored(row_, place_);
    if (is_diagonal()) w_ = w_ * elimination_.diagonal_factor;
    else if (is_lower()) divisor_at_ = pattern.diagonal[pattern.entries[place_]];
    else if (elimination_.symmetric) divisor_at_ = diagonal();
    else divisor_ = Scalar(1);
    look_at_divisor();
  }

  __device__ void eliminate() {
    while (__any_sync(all_lanes, !is_done_)) {
      look();
      while (take_known()) continue;
      take_products_of_one();
    }
  }

 private:
  __device__ Offset diagonal() const { return elimination_.pattern.diagonal[row_]; }
  __device__ bool is_lower() const { return place_ < diagonal(); }
  __device__ bool is_diagonal() const { return place_ == diagonal(); }
  __device__ bool is_for_warp() const { return end_ - next_ > EliminationTuning::inner_products_of_lane; }

  __device__ bool takes_products() const { return next_ < end_ && !is_for_warp(); }

  __device__ void look_at_divisor() {
    watch_if(!is_diagonal() && is_pending(divisor_), elimination_.values + divisor_at_, divisor_);
  }

  /// Whether a lane of this warp finds the entry of L.
  __device__ bool is_of_warp(const Product& product) const {
    return product.step >= first_ && product.step < first_ + warp_size;
  }
  __device__ const Scalar* lower_of(const Product& product) const {
    return elimination_.values + begin_ + static_cast<Offset>(product.step);
  }

  /// In memory, at what this lane's next products lack.
  __device__ void look() {
    if (!is_done_) look_at_divisor();
    if (!takes_products()) return;
    if (next_ >= looked_at_ + at_once) {
      looked_at_ = next_;
#pragma unroll
      for (int e = 0; e < at_once; ++e) {
        products_[e] = next_ + e < end_ ? system_.inner.products[next_ + e] : Product{0, no_step};
        lower_[e] = upper_[e] = pending<Scalar>();
      }
    }
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      const bool is_product = looked_at_ + e >= next_ && looked_at_ + e < end_;
      watch_if(is_product && is_pending(lower_[e]) && !is_of_warp(products_[e]), lower_of(products_[e]), lower_[e]);
      watch_if(is_product && is_pending(upper_[e]), elimination_.values + products_[e].upper, upper_[e]);
    }
  }

  /// Each lane those of its entry that are known, unless there are too many. Whether any lane got on.
  __device__ bool take_known() {
    const int before = next_;
    const bool was_done = is_done_, takes = takes_products();
#pragma unroll
    for (int e = 0; e < at_once; ++e) {
      const bool is_passed = takes && is_pending(lower_[e]) && is_of_warp(products_[e]);
      const Scalar passed = of_lane(published_, is_passed ? products_[e].step - first_ : lane_);
      if (is_passed) lower_[e] = passed;
      if (takes && looked_at_ + e == next_ && next_ < end_ && !is_pending(lower_[e]) && !is_pending(upper_[e])) {
        w_ = terrace::incomplete::minus_seen_product(w_, lower_[e], upper_[e]);
        ++next_;
      }
    }
    if (!is_done_ && next_ == end_) finish();
    return __any_sync(all_lanes, next_ != before || is_done_ != was_done);
  }

  /// Products of one entry by all lanes, at once.
  static constexpr int chunk = of_warp_at_once * warp_size;
  struct ChunkOfProducts {
    Product of[of_warp_at_once];
  };
  struct ChunkOfNumbers {
    Scalar lower[of_warp_at_once], upper[of_warp_at_once];

    __device__ bool are_known() const {
      bool waits = false;
#pragma unroll
      for (int e = 0; e < of_warp_at_once; ++e) waits = waits || is_pending(lower[e]) || is_pending(upper[e]);
      return !__any_sync(all_lanes, waits);
    }
  };

  /// This lane's from `first` on; none at `last` and behind it.
  __device__ ChunkOfProducts products_from(int first, int last) const {
    ChunkOfProducts found;
#pragma unroll
    for (int e = 0; e < of_warp_at_once; ++e) {
      const int at = first + e * warp_size + lane_;
      found.of[e] = at < last ? system_.inner.products[at] : Product{0, no_step};
    }
    return found;
  }
  __device__ ChunkOfNumbers look_at(const ChunkOfProducts& products) const {
    ChunkOfNumbers found;
#pragma unroll
    for (int e = 0; e < of_warp_at_once; ++e) {
      const Product& product = products.of[e];
      const bool is_product = product.step != no_step;
      found.lower[e] = found.upper[e] = is_product ? pending<Scalar>() : Scalar(0);
      watch_if(is_product, lower_of(product), found.lower[e]);
      watch_if(is_product, elimination_.values + product.upper, found.upper[e]);
    }
    return found;
  }

  /// All lanes those of the first entry that has many, as long as all that are looked at are known. While they are
  /// subtracted the next are looked at.
  __device__ void take_products_of_one() {
    const unsigned many = __ballot_sync(all_lanes, is_for_warp());
    if (many == 0) return;
    const int owner = __ffs(static_cast<int>(many)) - 1;
    int first = __shfl_sync(all_lanes, next_, owner);
    const int last = __shfl_sync(all_lanes, end_, owner);
    Scalar w = of_lane(w_, owner);
    ChunkOfNumbers now = look_at(products_from(first, last));
    ChunkOfProducts products = products_from(first + chunk, last);
    for (int turn = 0; turn < chunks_together && first < last && now.are_known(); ++turn) {
#pragma unroll
      for (int e = 0; e < of_warp_at_once; ++e) {
        memory_[e * warp_size + lane_] = now.lower[e];
        memory_[chunk + e * warp_size + lane_] = now.upper[e];
      }
      __syncwarp();
      now = look_at(products);
      products = products_from(first + 2 * chunk, last);
#pragma unroll 16
      for (int k = 0; k < chunk; ++k) w = terrace::incomplete::minus_seen_product(w, memory_[k], memory_[chunk + k]);
      __syncwarp();
      first += chunk;
    }
    if (lane_ != owner) return;
    w_ = w;
    next_ = min(first, last);
  }

  /// Publishes the entry, unless what it is divided by is not known yet.
  __device__ void finish() {
    if (is_diagonal()) return finish_diagonal();
    if (is_pending(divisor_)) return;
    const Scalar value = publishable(is_lower() || elimination_.symmetric ? w_ / divisor_ : w_);
    publish(elimination_.values + place_, value);
    if (is_lower()) published_ = value;
    is_done_ = true;
    if (elimination_.is_not_finite(value) == 0) return;
    // The root of a pivot that is finite but not positive may be none: then that is what is reported.
    if (is_lower()) elimination_.report_not_finite(row_, value);
    else if (terrace::triangular::is_finite(divisor_)) elimination_.report_not_finite(row_, divisor_ * divisor_);
  }

  __device__ void finish_diagonal() {
    const Real norm = system_.norms_of_inner_rows[system_.inner.number_of(row_)];
    const Scalar pivot = elimination_.pivots.settle(row_, w_, norm);
    const Scalar root = elimination_.symmetric ? Scalar(Kokkos::sqrt(pivot)) : pivot;
    publish(elimination_.values + place_, publishable(root));
    publish_divisor(system_.divisors + row_, root);
    if ((elimination_.is_not_finite(pivot) | elimination_.is_not_finite(root)) != 0)
      elimination_.report_not_finite(row_, pivot);
    is_done_ = true;
  }

  const RowsSystem<Scalar, Offset>& system_;
  const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination_;
  Scalar* memory_;
  int row_, first_, lane_;  // the row, and the piece's first entry in it
  Offset begin_, place_;    // the row, and this lane's entry
  Offset divisor_at_ = 0;
  Scalar divisor_ = pending<Scalar>();    // what the entry is divided by
  Scalar published_ = pending<Scalar>();  // the entry, when it is known and stands left of the diagonal
  bool is_done_;
  int next_ = 0, end_ = 0;  // products that are left
  int looked_at_ = 0;       // the first of those that the lane looks at
  Product products_[at_once];
  Scalar lower_[at_once], upper_[at_once];
  Scalar w_{};
};

/// Out of line, so that it takes no registers from what most rows need.
template <class Scalar, class Offset>
__device__ __noinline__ void eliminate_piece(const RowsSystem<Scalar, Offset>& system, const RowTail& piece,
                                             Scalar* memory) {
  InnerElimination<Scalar, Offset>(system, piece, memory).eliminate();
}

/// A block for each row.
template <class Scalar, class Offset>
__global__ void __launch_bounds__(NormOfRow::threads) find_norms_of_inner_rows_kernel(
    const __grid_constant__ terrace::incomplete::Elimination<Scalar, int, Offset, Space> elimination, const int* rows,
    terrace::incomplete::RealOf<Scalar>* norms) {
  const int row = rows[blockIdx.x];
  const auto& pattern = elimination.pattern;
  const auto norm = norm_by_block(elimination, row, pattern.row_map[row], pattern.row_map[row + 1]);
  if (threadIdx.x == 0) norms[blockIdx.x] = norm;
}

/// Enqueued.
template <class Scalar, class Offset>
void find_norms_of_inner_rows(const Space& space,
                              const terrace::incomplete::Elimination<Scalar, int, Offset, Space>& elimination,
                              const InnerRows<Offset>& inner, terrace::incomplete::RealOf<Scalar>* norms) {
  launch(space, "terrace::cuda::find_norms_of_inner_rows", find_norms_of_inner_rows_kernel<Scalar, Offset>,
         static_cast<std::size_t>(inner.count), NormOfRow::threads, elimination, inner.rows, norms);
}

}  // namespace terrace::cuda::incomplete
