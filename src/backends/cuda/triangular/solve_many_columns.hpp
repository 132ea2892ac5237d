// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several right-hand sides in one walk. A part of a warp has a lane for each of them; a row has one part or, if it is
// long, several that share its entries, and a warp as many rows as fill it (warp_rows.hpp).
//
// The lanes of a part agree on which unknowns they need, so an entry is loaded once for all of them, and an unknown is
// one coalesced look. Right-hand sides are brought side by side before, and the unknowns
// into the caller's order after (stage_columns.hpp), unless levels are few. Rows come in level order, from the caller's
// arrays; unknowns lie by row, all right-hand sides of a row side by side. Values are their own flags (watch.hpp), lane
// by lane. Warps are claimed from a counter in level order, as slices are (solve_slices.hpp), and what a row needs
// beside unknowns is fetched in the same pipeline of three. Long rows come in pieces (slices.hpp).
//
// The rows of a warp are of one level: of two levels, the one would wait for the other, for ever.
//
// Deterministic: each lane adds its terms in the order of the entries, and parts are added in a fixed order.
#pragma once

#include "backends/cuda/triangular/claims.hpp"
#include "backends/cuda/triangular/slice_system.hpp"
#include "backends/cuda/triangular/stage_columns.hpp"
#include "backends/cuda/triangular/warp_rows.hpp"

namespace terrace::cuda::triangular {

/// Up to `width` right-hand sides, with zeros for those that are missing.
template <class Scalar, class Offset>
struct ManyColumnsSystem {
  Items<Offset> items;
  const Scalar* values;             // of the rows, entry by entry
  const RowOfPart* rows;            // for each part of each warp
  const unsigned char* log2_parts;  // of a row, for each warp
  const Scalar* inverse_diagonal;   // by position; null for a unit diagonal
  int warps;
  Scalar* unknowns;  // by item, `width` for each; pending until solved
  CallersVectors<const Scalar> b;
  CallersVectors<Scalar> x;  // written as well; no data: not
  bool conjugate;
};

using ManyColumnsClaims = Claims<ManyColumnsTuning::counters>;

template <class Scalar, class Offset, int Width>
class ManyColumnsWalk {
  static constexpr int parts_of_warp = warp_size / Width;
  static constexpr int few_at_once = 4, at_once = std::min(Width, ManyColumnsTuning::entries_at_once);
  static_assert(warp_size % Width == 0 && Width % at_once == 0);

 public:
  __device__ ManyColumnsWalk(const ManyColumnsSystem<Scalar, Offset>& system, ManyColumnsClaims& claims)
      : system_(system), claims_(claims), lane_(static_cast<int>(threadIdx.x) % warp_size), column_(lane_ % Width) {}

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
  /// As many entries of a row as it has lanes in its parts, dealt out to them.
  struct Dealt {
    int needed;
    Scalar value;
  };
  struct Fetched {
    unsigned warp;
    RowOfPart row;
    int log2_parts;
    typename Items<Offset>::Entries entries;
    Scalar inverse, b;
    Dealt dealt;
  };

  __device__ bool is_there(const Fetched& rows) const { return rows.warp < claims_.end(); }

  __device__ bool turn(Fetched& now, Fetched& next, Fetched& third) {
    if (!is_there(now)) return false;
    solve(now);
    fetch(next);
    find_row(third);
    take(now);
    return true;
  }

  __device__ void take(Fetched& to) const {
    to.warp = claims_.next();
    if (!is_there(to)) return;
    const int2 row = __ldg(reinterpret_cast<const int2*>(system_.rows) +
                           static_cast<std::ptrdiff_t>(to.warp) * parts_of_warp + lane_ / Width);
    to.row = {row.x, row.y};
    to.log2_parts = parts_of_warp == 1 ? 0 : __ldg(system_.log2_parts + to.warp);
  }

  __device__ void find_row(Fetched& to) const {
    if (!is_there(to)) return;
    if (parts_of_warp > 1 && to.row.item < 0) to.entries = {};
    else to.entries = system_.items.of(to.row.item);
    to.inverse = system_.inverse_diagonal ? system_.inverse_diagonal[to.row.position] : Scalar(1);
  }

  __device__ void fetch(Fetched& to) const {
    if (!is_there(to)) return;
    const bool is_row = to.row.item >= 0 && !system_.items.is_piece(to.row.item);
    to.b = is_row && is_first_part(to) && column_ < system_.b.columns
               ? system_.b.data[to.row.item * system_.b.row_stride + column_ * system_.b.column_stride]
               : Scalar(0);
    to.dealt = entries_from(to, 0);
  }

  __device__ static int lanes_of_row(const Fetched& rows) { return Width << rows.log2_parts; }
  __device__ bool is_first_part(const Fetched& rows) const { return (lane_ & (lanes_of_row(rows) - 1)) < Width; }

  __device__ std::ptrdiff_t place_of(int item) const { return static_cast<std::ptrdiff_t>(item) * Width + column_; }

  /// Entries from `first` on.
  __device__ Dealt entries_from(const Fetched& rows, int first) const {
    const auto& entries = rows.entries;
    const int k = first + (lane_ & (lanes_of_row(rows) - 1));
    if (k >= entries.count) return {no_column, Scalar(0)};
    const Offset place = entries.place(k);
    if (entries.are_pieces) return {static_cast<int>(place), Scalar(-1)};
    return {__ldg(system_.items.pattern.entries + place), system_.values[place]};
  }

  /// Of the longest row of the warp.
  __device__ static int entries_of_warp(int count) {
    if constexpr (parts_of_warp == 1) return count;
    else return __reduce_max_sync(all_lanes, count);
  }

  __device__ void solve(Fetched& rows) const {
    Scalar sum = rows.b;
    const int longest = entries_of_warp(rows.entries.count), lanes = lanes_of_row(rows);
    for (int first = 0; first < longest; first += lanes) {
      const Dealt now = rows.dealt;
      rows.dealt = entries_from(rows, first + lanes);
      const int of_part = min(Width, longest - first);  // of the first one, which has most
      int k = 0;
      for (; k + few_at_once < of_part; k += at_once) subtract<at_once>(now, k, sum);
      if (k < of_part) subtract<few_at_once>(now, k, sum);
    }
    for (int distance = Width; distance < lanes; distance *= 2) sum += from_lane(sum, distance);
    const Scalar solved = publishable(sum * conjugated(rows.inverse, system_.conjugate));
    const bool is_owner = rows.row.item >= 0 && is_first_part(rows);
    publish_if(is_owner, system_.unknowns + place_of(rows.row.item), solved);
    const auto& x = system_.x;
    if (x.data && is_owner && !system_.items.is_piece(rows.row.item) && column_ < x.columns)
      x.data[rows.row.item * x.row_stride + column_ * x.column_stride] = solved;
  }

  /// The entries of the part's lanes k, ..., k + Count - 1.
  template <int Count>
  __device__ void subtract(const Dealt& dealt, int k, Scalar& sum) const {
    int needed[Count];
    Scalar value[Count], found[Count];
#pragma unroll
    for (int w = 0; w < Count; ++w) {
      needed[w] = of_lane<Width>(dealt.needed, k + w);
      value[w] = of_lane<Width>(dealt.value, k + w);
    }
    look_until_found(needed, found, [&](int item, Scalar& value_found) {
      watch_if(is_pending(value_found), system_.unknowns + place_of(item), value_found);
    });
#pragma unroll
    for (int w = 0; w < Count; ++w) sum -= conjugated(value[w], system_.conjugate) * found[w];
  }

  const ManyColumnsSystem<Scalar, Offset>& system_;
  ManyColumnsClaims& claims_;
  int lane_, column_;
};

template <class Scalar, class Offset, int Width>
__global__ void __launch_bounds__(ManyColumnsTuning::block)
    solve_many_columns_kernel(ManyColumnsSystem<Scalar, Offset> system, unsigned warps_per_claim, unsigned* claimed) {
  ManyColumnsClaims claims(0, static_cast<unsigned>(system.warps), warps_per_claim, claimed);
  ManyColumnsWalk<Scalar, Offset, Width>(system, claims).walk();
}

}  // namespace terrace::cuda::triangular
