// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many right-hand sides in one walk: a warp for each row, a lane for each right-hand side.
//
// The lanes agree on which unknowns they need, so an entry is loaded once for all of them, an unknown is one coalesced
// look, and no sum is taken across lanes. Right-hand sides are brought side by side before, and the unknowns into the
// caller's order after (stage_columns.hpp). Rows come in level order, from the caller's arrays; unknowns lie by row,
// all right-hand sides of a row side by side. Values are their own flags (watch.hpp), lane by lane. Rows are claimed
// from a counter in level order, as slices are (solve_slices.hpp), and what a row needs beside unknowns is fetched in
// the same pipeline of three. Long rows come in pieces (slices.hpp).
//
// One row to a warp, even where there are fewer right-hand sides than lanes: two rows of a warp may be of different
// levels, and the one would wait for the other.
//
// Deterministic: each lane adds its row's terms in the order of the entries.
#pragma once

#include "backends/cuda/triangular/claims.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda {

/// Up to ManyColumnsTuning::width right-hand sides, with zeros for those that are missing.
template <class Scalar, class Offset>
struct ManyColumnsSystem {
  Items<Offset> items;
  const Scalar* values;            // of the rows, entry by entry
  const int* item_at;              // by position
  const Scalar* inverse_diagonal;  // by position; null for a unit diagonal
  int positions;
  Scalar* unknowns;  // by item, `width` for each; pending until solved
  const Scalar* b;   // `width` numbers side by side for each row
  bool conjugate;
};

using ManyColumnsClaims = Claims<ManyColumnsTuning::counters>;

template <class Scalar, class Offset>
class ManyColumnsWalk {
  static constexpr int width = ManyColumnsTuning::width, at_once = ManyColumnsTuning::entries_at_once;
  static_assert(width == warp_size && width % at_once == 0);

 public:
  __device__ ManyColumnsWalk(const ManyColumnsSystem<Scalar, Offset>& system, ManyColumnsClaims& claims)
      : system_(system), claims_(claims), lane_(static_cast<int>(threadIdx.x) % warp_size) {}

  __device__ void walk() {
    Fetched a, b, c;
    take(a);
    take(b);
    take(c);
    find_row(a);
    find_row(b);
    fetch(a);
    for (;;) {
      if (!turn(a, b, c)) return;
      if (!turn(b, c, a)) return;
      if (!turn(c, a, b)) return;
    }
  }

 private:
  /// As many entries of a row as there are lanes, dealt out to them.
  struct Dealt {
    int needed;
    Scalar value;
  };
  struct Fetched {
    unsigned position;
    int item;
    typename Items<Offset>::Entries entries;
    Scalar inverse, b;
    Dealt dealt;
  };

  __device__ bool is_there(const Fetched& row) const { return row.position < claims_.end(); }

  __device__ bool turn(Fetched& now, Fetched& next, Fetched& third) {
    if (!is_there(now)) return false;
    solve(now);
    fetch(next);
    find_row(third);
    take(now);
    return true;
  }

  __device__ void take(Fetched& to) const {
    to.position = claims_.next();
    if (is_there(to)) to.item = __ldg(system_.item_at + to.position);
  }

  __device__ void find_row(Fetched& to) const {
    if (!is_there(to)) return;
    to.entries = system_.items.of(to.item);
    to.inverse = system_.inverse_diagonal ? system_.inverse_diagonal[to.position] : Scalar(1);
  }

  __device__ void fetch(Fetched& to) const {
    if (!is_there(to)) return;
    to.b =
        system_.items.is_piece(to.item) ? Scalar(0) : system_.b[static_cast<std::ptrdiff_t>(to.item) * width + lane_];
    to.dealt = entries_from(to.entries, 0);
  }

  /// Entries first, ..., first + width - 1.
  __device__ Dealt entries_from(const typename Items<Offset>::Entries& entries, int first) const {
    const int k = first + lane_;
    if (k >= entries.count) return {no_column, Scalar(0)};
    const Offset place = entries.place(k);
    if (entries.are_pieces) return {static_cast<int>(place), Scalar(-1)};
    return {__ldg(system_.items.pattern.entries + place), system_.values[place]};
  }

  __device__ void solve(Fetched& row) const {
    Scalar sum = row.b;
    for (int first = 0; first < row.entries.count; first += width) {
      const Dealt now = row.dealt;
      row.dealt = entries_from(row.entries, first + width);
      for (int k = 0; k < width && first + k < row.entries.count; k += at_once) subtract(now, k, sum);
    }
    const Scalar solved = publishable(sum * conjugated(row.inverse, system_.conjugate));
    publish(system_.unknowns + static_cast<std::ptrdiff_t>(row.item) * width + lane_, solved);
  }

  /// The entries of lanes k, ..., k + at_once - 1.
  __device__ void subtract(const Dealt& dealt, int k, Scalar& sum) const {
    int needed[at_once];
    Scalar value[at_once], found[at_once];
#pragma unroll
    for (int w = 0; w < at_once; ++w) {
      needed[w] = __shfl_sync(all_lanes, dealt.needed, k + w);
      value[w] = of_lane(dealt.value, k + w);
    }
    look_until_found(needed, found, [&](int item, Scalar& value_found) {
      watch_if(is_pending(value_found), system_.unknowns + static_cast<std::ptrdiff_t>(item) * width + lane_,
               value_found);
    });
#pragma unroll
    for (int w = 0; w < at_once; ++w) sum -= conjugated(value[w], system_.conjugate) * found[w];
  }

  const ManyColumnsSystem<Scalar, Offset>& system_;
  ManyColumnsClaims& claims_;
  int lane_;
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(ManyColumnsTuning::block)
    solve_many_columns_kernel(ManyColumnsSystem<Scalar, Offset> system, unsigned rows_per_claim, unsigned* claimed) {
  ManyColumnsClaims claims(0, static_cast<unsigned>(system.positions), rows_per_claim, claimed);
  ManyColumnsWalk<Scalar, Offset>(system, claims).walk();
}

}  // namespace terrace::cuda
