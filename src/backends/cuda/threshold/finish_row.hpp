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
    const auto selection = w_.selection();
    const Candidates found = list_candidates(selection);
    const auto most = static_cast<int>(min(of_.fill, max_kept));
    const int lower = min(found.lower, most), upper = min(found.upper, most);
    std::size_t begin = 0;
    const auto length = static_cast<std::size_t>(lower) + 1 + static_cast<std::size_t>(upper);
    if (!share.take(of_.finished, *of_.progress, store_claim, length, begin)) return false;
    const auto diagonal = static_cast<Offset>(begin) + static_cast<Offset>(lower);
    dropped += found.nonzero - lower - upper;

    const Scalar pivot = settle();
    const Scalar divisor = of_.symmetric ? Scalar(Kokkos::sqrt(pivot)) : Scalar(1);
    unsigned* const right = selection.selected + w_.capacity() - found.upper;
    LargestCandidates<Row>(w_, right, found.upper).keep(most);
    const bool fits = write(diagonal + 1, right, upper, divisor);
    publish(static_cast<Offset>(begin), diagonal, upper, of_.symmetric ? divisor : pivot);

    LargestCandidates<Row>(w_, selection.selected, found.lower).keep(most);
    write(static_cast<Offset>(begin), selection.selected, lower, Scalar(1));
    const bool overflows = !fits && of_.pivots.is_good(pivot, Real(0));  // else it is reported as a pivot
    if (lane_ == 0 && (found.is_not_finite != 0 || !terrace::triangular::is_finite(pivot) || overflows))
      parallel::atomic_lower(of_.pivots.first[terrace::incomplete::NonFiniteRow], row_);
    return true;
  }

 private:
  static constexpr unsigned max_kept = std::numeric_limits<int>::max();

  /// Candidates left of the diagonal, in front of the list, and right of it, at its end, as list_candidates does it.
  struct Candidates {
    int lower = 0, upper = 0, nonzero = 0;
    unsigned is_not_finite = 0;
  };
  __device__ Candidates list_candidates(const SelectionOf<Real>& selection) const {
    const Real drop_below = of_.drop_tolerance * norms_.two;
    const unsigned below = (1u << lane_) - 1u;
    Candidates found;
    for (int base = 0; base < w_.count; base += warp_size) {
      const int place = base + lane_;
      const bool is_entry = place < w_.count;
      const int column = is_entry ? w_.columns[place] : row_;
      const Scalar value = is_entry ? w_.values[place] : Scalar(0);
      const bool counts = (column > row_ || (column < row_ && !of_.symmetric)) && value != Scalar(0);
      const Real size = Kokkos::abs(value);
      const bool stays = counts && !(size < drop_below), is_finite = terrace::triangular::is_finite(value);
      const unsigned left = __ballot_sync(all_lanes, stays && column < row_),
                     right = __ballot_sync(all_lanes, stays && column > row_);
      found.nonzero += __popc(__ballot_sync(all_lanes, counts));
      found.is_not_finite |= __ballot_sync(all_lanes, stays && !is_finite);
      if (stays) {
        selection.sizes[place] = is_finite ? size : Kokkos::Experimental::infinity_v<Real>;  // so that a NaN is kept
        const int at = column < row_ ? found.lower + __popc(left & below)
                                     : w_.capacity() - 1 - found.upper - __popc(right & below);
        selection.selected[at] = static_cast<unsigned>(place);
      }
      found.lower += __popc(left);
      found.upper += __popc(right);
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

  /// Whether all that was written is finite.
  __device__ bool write(Offset at, const unsigned* places, int count, const Scalar& divisor) const {
    bool is_finite = true;
    for_each_ranked(w_, places, count, [&](int rank, unsigned place) {
      const Scalar value = of_.symmetric ? w_.values[place] / divisor : w_.values[place];
      const Offset to = at + static_cast<Offset>(rank);
      of_.finished.entries[to] = w_.columns[place];
      of_.finished.values[to] = value;
      is_finite = is_finite && terrace::triangular::is_finite(value);
    });
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
