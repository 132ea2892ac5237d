// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a row by a warp: what stays of it, and where it is written. Others wait for U and for the pivot alone. So
// those are chosen and written first, and what stands left of the diagonal after the row has been published.
#pragma once

#include "backends/cuda/threshold/largest.hpp"
#include "backends/cuda/threshold/system.hpp"

namespace terrace::cuda::threshold {

/// A row whose steps have all been taken.
template <class Row, class Offset>
class RowFinish {
  using Scalar = typename Row::Scalar;
  using Real = typename Row::Real;
  using System = ThresholdSystem<Scalar, Offset>;
  using Norms = terrace::incomplete::RowNorms<Real>;

 public:
  /// `diagonal`: the place of its diagonal in the working row.
  __device__ RowFinish(const System& system, const Row& w, int row, int diagonal, const Norms& norms)
      : system_(system),
        of_(system.elimination),
        w_(w),
        row_(row),
        diagonal_(diagonal),
        lane_(threadIdx.x % warp_size),
        norms_(norms) {}

  /// By all lanes. False when there is no capacity in the store, which is taken for so many entries at once. Nothing is
  /// reported before there is: the row may come again.
  __device__ __forceinline__ bool finish(StoreShare& share, std::size_t store_claim, std::int64_t& dropped) const {
    const Candidates right = list_candidates<true>();
    const auto most = static_cast<int>(min(of_.fill, max_kept));
    const int upper = min(right.count, most), lower = min(right.on_other_side, most);
    std::size_t begin = 0;
    const auto length = static_cast<std::size_t>(lower) + 1 + static_cast<std::size_t>(upper);
    if (!share.take(of_.finished, *of_.progress, store_claim, length, begin)) return false;
    const auto diagonal = static_cast<Offset>(begin) + static_cast<Offset>(lower);

    const Scalar pivot = settle();
    const Scalar divisor = of_.symmetric ? terrace::incomplete::rounded_root(pivot) : Scalar(1);
    const bool fits = write_largest(diagonal + 1, right.count, upper, divisor);
    publish(static_cast<Offset>(begin), diagonal, upper, of_.symmetric ? divisor : pivot);

    const Candidates left = of_.symmetric ? Candidates() : list_candidates<false>();
    write_largest(static_cast<Offset>(begin), left.count, lower, Scalar(1));
    dropped += __reduce_add_sync(all_lanes, right.nonzero + left.nonzero) - lower - upper;
    const bool overflows = !fits && of_.pivots.is_good(pivot, Real(0));  // else it is reported as a pivot
    const bool are_finite = __all_sync(all_lanes, !(right.is_not_finite || left.is_not_finite));
    if (lane_ == 0 && (!are_finite || !terrace::triangular::is_finite(pivot) || overflows))
      parallel::atomic_lower(of_.pivots.first[terrace::incomplete::NonFiniteRow], row_);
    return true;
  }

 private:
  static constexpr unsigned max_kept = std::numeric_limits<int>::max();

  /// What stands on one side of the diagonal, listed in the selection, and on the other. Of this lane's entries of the
  /// one side: how many are not zero, and whether a candidate is not finite.
  struct Candidates {
    int count = 0, on_other_side = 0, nonzero = 0;
    bool is_not_finite = false;
  };
  template <bool OnTheRight>
  __device__ Candidates list_candidates() const {
    const auto selection = w_.selection();
    const Real drop_below = of_.drop_tolerance * norms_.two;
    Candidates found;
    for (int base = 0; base < w_.count; base += warp_size) {
      const int place = base + lane_;
      const bool is_entry = place < w_.count;
      const int column = is_entry ? w_.columns[place] : row_;
      const Scalar value = is_entry ? w_.values[place] : Scalar(0);
      const Real size = terrace::incomplete::rounded_size(value);
      const bool is_right = column > row_, is_left = column < row_ && !of_.symmetric;
      const bool is_here = OnTheRight ? is_right : is_left, is_nonzero = value != Scalar(0),
                 stays = is_nonzero && !(size < drop_below), is_finite = terrace::triangular::is_finite(value);
      const unsigned here = __ballot_sync(all_lanes, stays && is_here);
      if (OnTheRight) found.on_other_side += __popc(__ballot_sync(all_lanes, stays && is_left));
      if (stays && is_here) {
        selection.sizes[place] = is_finite ? size : Kokkos::Experimental::infinity_v<Real>;  // so that a NaN is kept
        selection.selected[found.count + __popc(here & ((1u << lane_) - 1u))] = static_cast<unsigned>(place);
      }
      found.count += __popc(here);
      found.nonzero += is_nonzero && is_here;
      found.is_not_finite = found.is_not_finite || (stays && is_here && !is_finite);
    }
    __syncwarp();
    return found;
  }

  /// The pivot as it is used, in all lanes; one of them reports a bad one.
  __device__ Scalar settle() const {
    const Scalar found = w_.values[diagonal_];
    Scalar pivot = of_.pivots.usable(found);
    if (!of_.pivots.is_good(pivot, norms_.one)) {
      if (lane_ == 0) pivot = of_.pivots.settle(row_, found, norms_.one);
      pivot = of_lane(pivot, 0);
    }
    return pivot;
  }

  /// Of the candidates that are listed so many, in the order of their columns. Whether all that was written is finite.
  __device__ bool write_largest(Offset at, int candidates, int kept, const Scalar& divisor) const {
    unsigned* const places = w_.selection().selected;
    bool is_finite = true;
    const auto write = [&](int rank, unsigned place) {
      const Scalar value =
          of_.symmetric ? terrace::incomplete::rounded_quotient(w_.values[place], divisor) : w_.values[place];
      const Offset to = at + static_cast<Offset>(rank);
      of_.finished.entries[to] = w_.columns[place];
      of_.finished.values[to] = value;
      is_finite = is_finite && terrace::triangular::is_finite(value);
    };
    if (candidates <= warp_size) {
      for_each_of_few(w_, places, candidates, kept, write);
    } else {
      LargestCandidates<Row>(w_, places, candidates).keep(kept);
      for_each_ranked(w_, places, kept, write);
    }
    return __all_sync(all_lanes, is_finite);
  }

  __device__ void publish(Offset begin, Offset diagonal, int upper, const Scalar& pivot) const {
    const auto& finished = of_.finished;
    if (lane_ == 0) {
      finished.begin[row_] = begin;
      finished.diagonal[row_] = diagonal;
      finished.end[row_] = diagonal + 1 + static_cast<Offset>(upper);
      finished.entries[diagonal] = row_;
      finished.values[diagonal] = pivot;
    }
    __syncwarp();
    const UpperPlace place(static_cast<unsigned long long>(diagonal), static_cast<unsigned long long>(upper));
    if (lane_ == 0) publish_release(system_.states.published + row_, place.word());
  }

  const System& system_;
  const typename System::Elimination& of_;
  const Row& w_;
  int row_, diagonal_, lane_;
  Norms norms_;
};

}  // namespace terrace::cuda::threshold
