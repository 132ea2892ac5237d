// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second dropping rule by a warp (incomplete/threshold/dropping_rules.hpp): the p largest candidates, of two of the
// same size the one further left. The rule orders all candidates strictly, so any way to find them finds the same.
//
// The size of the p-th largest is found bit by bit: a bit of it is set if p sizes are at least that large, which the
// lanes count together. Mostly some prefix already parts p candidates from the others. Where sizes are equal to the
// last bit, their columns decide in the same way. Cost: up to 95 counts, mostly some ten.
#pragma once

#include "backends/cuda/threshold/working_row.hpp"

namespace terrace::cuda::threshold {

/// Larger ones are kept first: the two halves of the size, and the column from the right.
struct CandidateKey {
  unsigned part[3];
};

__device__ inline CandidateKey candidate_key(double size, int column) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(size));
  return {{static_cast<unsigned>(bits >> 32), static_cast<unsigned>(bits), ~static_cast<unsigned>(column)}};
}
__device__ inline CandidateKey candidate_key(float size, int column) {
  return {{__float_as_uint(size), 0u, ~static_cast<unsigned>(column)}};
}

template <class Row>
class LargestCandidates {
 public:
  /// `candidates`: places in the row, with their sizes in the selection's memory.
  __device__ LargestCandidates(const Row& row, unsigned* candidates, int count)
      : row_(row),
        sizes_(row.selection().sizes),
        candidates_(candidates),
        count_(count),
        lane_(threadIdx.x % warp_size) {}

  /// Leaves the `most` largest in front; returns how many there are. Called by all lanes.
  __device__ int keep(int most) {
    if (count_ <= most) return count_;
    if (most == 0) return 0;
    own_ = key_of(lane_ < count_ ? lane_ : 0);
    int wanted = most;
    for (int part = 0; part < 3; ++part) {
      const int reached = bisect(part, wanted);
      if (reached == wanted) break;
      wanted -= reached - equal_to_bound(part);
      parts_ = part + 1;  // those of that bound are told apart by the next part
    }
    compact();
    return most;
  }

 private:
  __device__ CandidateKey key_of(int candidate) const {
    const unsigned place = candidates_[candidate];
    return candidate_key(sizes_[place], row_.columns[place]);
  }

  /// Calls body(candidate, is one, key), the first time with the key that each lane holds.
  template <class Body>
  __device__ void for_each(const Body& body) const {
    body(lane_, lane_ < count_, own_);
    for (int base = warp_size; base < count_; base += warp_size) {
      const int candidate = base + lane_;
      const bool is_one = candidate < count_;
      body(candidate, is_one, key_of(is_one ? candidate : 0));
    }
  }

  /// Whether the parts in front of this one are those of the bound.
  __device__ bool is_contender(int part, const CandidateKey& key) const {
    bool is = true;
#pragma unroll
    for (int p = 0; p < 2; ++p) is = is & (p >= part | key.part[p] == bound_.part[p]);
    return is;
  }

  __device__ static unsigned of(const CandidateKey& key, int part) {
    return part == 0 ? key.part[0] : part == 1 ? key.part[1] : key.part[2];
  }
  __device__ void set_bound(int part, unsigned value) {
#pragma unroll
    for (int p = 0; p < 3; ++p)
      if (p == part) bound_.part[p] = value;
  }

  __device__ int count_from(int part, unsigned bound) const {
    int found = 0;
    for_each([&](int, bool is_one, const CandidateKey& key) {
      found += __popc(__ballot_sync(all_lanes, is_one & is_contender(part, key) & of(key, part) >= bound));
    });
    return found;
  }
  __device__ int equal_to_bound(int part) const {
    const unsigned bound = of(bound_, part);
    return count_from(part, bound) - (bound == ~0u ? 0 : count_from(part, bound + 1));
  }

  /// Sets the bound of this part to the largest that `wanted` contenders reach, or to one that just as many do; returns
  /// how many do.
  __device__ int bisect(int part, int wanted) {
    unsigned least = ~0u, largest = 0;
    int reached = 0;
    for_each([&](int, bool is_one, const CandidateKey& key) {
      const bool takes_part = is_one & is_contender(part, key);
      if (takes_part) least = min(least, of(key, part));
      if (takes_part) largest = max(largest, of(key, part));
      reached += __popc(__ballot_sync(all_lanes, takes_part));
    });
    least = __reduce_min_sync(all_lanes, least);
    largest = __reduce_max_sync(all_lanes, largest);
    unsigned bit = least == largest ? 0u : 0x80000000u >> __clz(static_cast<int>(least ^ largest));
    unsigned bound = bit == 0 ? least : least & ~(2 * bit - 1);
    for (; bit != 0 && reached != wanted; bit >>= 1) {
      const int found = count_from(part, bound | bit);
      if (found < wanted) continue;
      bound |= bit;
      reached = found;
    }
    set_bound(part, bound);
    return reached;
  }

  __device__ bool is_kept(const CandidateKey& key) const {
    bool is_larger = false, is_equal = true;
#pragma unroll
    for (int p = 0; p < 3; ++p) {
      if (p > parts_) break;
      is_larger = is_larger | (is_equal & key.part[p] > bound_.part[p]);
      is_equal = is_equal & key.part[p] == bound_.part[p];
    }
    return is_larger | is_equal;
  }

  __device__ void compact() const {
    int kept = 0;
    for_each([&](int candidate, bool is_one, const CandidateKey& key) {
      const bool stays = is_one && is_kept(key);
      const unsigned place = stays ? candidates_[candidate] : 0u, stayers = __ballot_sync(all_lanes, stays);
      __syncwarp();  // all lanes have read what stands where the kept ones go
      if (stays) candidates_[kept + __popc(stayers & ((1u << lane_) - 1u))] = place;
      kept += __popc(stayers);
      __syncwarp();
    });
  }

  const Row& row_;
  const typename Row::Real* sizes_;
  unsigned* candidates_;
  int count_, lane_;
  CandidateKey own_{}, bound_{{0u, 0u, 0u}};
  int parts_ = 0;  // of the bound, the last one that counts
};

/// Calls write(rank, place) for each of `count` places in the row: how many of them have columns further left. By all
/// lanes.
template <class Row, class Write>
__device__ void for_each_ranked(const Row& row, const unsigned* places, int count, const Write& write) {
  const int lane = threadIdx.x % warp_size;
  for (int base = 0; base < count; base += warp_size) {
    const bool is_one = base + lane < count;
    const unsigned place = is_one ? places[base + lane] : 0u;
    const int column = row.columns[place];
    int rank = 0;
    for (int other = 0; other < count; other += warp_size) {
      const int left = count - other < warp_size ? count - other : warp_size;
      const int columns = other == base ? column : other + lane < count ? row.columns[places[other + lane]] : 0;
#pragma unroll 4
      for (int from = 0; from < left; ++from) rank += __shfl_sync(all_lanes, columns, from) < column;
    }
    if (is_one) write(rank, place);
  }
}

/// The same for the `most` largest of at most 32 candidates: each lane compares its own with all others.
template <class Row, class Write>
__device__ void for_each_of_few(const Row& row, const unsigned* candidates, int count, int most, const Write& write) {
  const int lane = threadIdx.x % warp_size;
  const bool is_one = lane < count;
  const unsigned place = is_one ? candidates[lane] : 0u;
  const int column = row.columns[place];
  const auto size = row.selection().sizes[place];
  unsigned on_the_left = 0;  // of its column
  int before = 0;            // are kept rather than it
#pragma unroll 4
  for (int other = 0; other < count; ++other) {
    const int other_column = __shfl_sync(all_lanes, column, other);
    const auto other_size = __shfl_sync(all_lanes, size, other);
    const bool is_left = other_column < column;
    before += (other_size > size) | ((other_size == size) & is_left);
    on_the_left |= static_cast<unsigned>(is_left) << other;
  }
  const unsigned kept = __ballot_sync(all_lanes, is_one && before < most);
  if ((kept >> lane & 1u) != 0) write(__popc(kept & on_the_left), place);
}

}  // namespace terrace::cuda::threshold
