// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination of short rows by their lists of operations (short_rows.hpp): a warp takes a slice, a lane each row of it.
//
// Rows of a slice are of one level, so no lane waits for another of its warp; slices are claimed in ascending order
// (claims.hpp), so the first unfinished one waits for nothing. Some operations are looked at together, and then done
// one after the other.
#pragma once

#include "backends/cuda/incomplete/short_rows.hpp"
#include "backends/cuda/incomplete/warp_row.hpp"
#include "backends/cuda/triangular/claims.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset>
class ShortElimination {
  static constexpr int at_once = EliminationTuning::operations_at_once;

  /// Operations that are looked at together.
  struct Chunk {
    Offset source[at_once];
    std::uint16_t target[at_once];
  };

 public:
  /// `w` is the warp's memory, for 32 rows.
  __device__ ShortElimination(const RowsSystem<Scalar, Offset>& system, const ShortRows<Offset>& rows, Scalar* w)
      : system_(system),
        rows_(rows),
        lane_(static_cast<int>(threadIdx.x) % warp_size),
        w_(w + lane_ * words_of_row(rows.longest)) {}

  /// Of a row in shared memory: odd, so that lanes at the same place of their rows meet in no bank.
  KOKKOS_FUNCTION static int words_of_row(int longest) { return longest | 1; }

  __device__ void eliminate(unsigned number) const {
    const Slice slice = rows_.slices[number];
    const LaneGroup alone{0, 0};
    EliminatedRow<Scalar, Offset> row{0, 0, 0, 0, w_};
    Chunk chunk;
    load(slice, 0, chunk);
    if (lane_ < slice.rows()) row = open_row(system_, system_.items[slice.first + lane_]);
    row.w = w_;
    const auto norm = load_row(row);
    const int is_bad = operate(slice, chunk);
    finish_row(system_, row, alone, row.is_row() ? w_[row.steps] : Scalar(1), norm, is_bad);
    for (int k = 0; k < row.steps; ++k) system_.elimination.values[row.begin + static_cast<Offset>(k)] = w_[k];
  }

 private:
  /// Copies the row of A and returns its norm. Loads some entries before it stores any: the compiler, for which the two
  /// might overlap, would wait for each.
  __device__ auto load_row(const EliminatedRow<Scalar, Offset>& row) const {
    constexpr int entries_at_once = EliminationTuning::entries_of_short_row_at_once;
    const auto& elimination = system_.elimination;
    terrace::incomplete::RealOf<Scalar> norm(0);
#pragma unroll 1
    for (int first = 0; first < row.length; first += entries_at_once) {
      const auto for_each = [&](const auto& visit) {
#pragma unroll
        for (int e = 0; e < entries_at_once; ++e)
          if (first + e < row.length) visit(e, first + e, row.begin + static_cast<Offset>(first + e));
      };
      Offset from[entries_at_once];
      Scalar value[entries_at_once];
      for_each([&](int e, int, Offset p) { from[e] = elimination.matrix.place(p); });
      for_each([&](int e, int, Offset p) { value[e] = elimination.matrix.look_up(row.row, p, from[e]); });
      for_each([&](int e, int k, Offset) {
        w_[k] = k == row.steps ? value[e] * elimination.diagonal_factor : value[e];
        norm += terrace::incomplete::magnitude(value[e]);
      });
    }
    return norm;
  }

  __device__ void load(const Slice& slice, int first, Chunk& chunk) const {
    std::int64_t slot = slice.start + static_cast<std::int64_t>(first) * slice.width() + lane_;
#pragma unroll
    for (int o = 0; o < at_once; ++o, slot += slice.width()) {
      const bool is_slot = lane_ < slice.width() && first + o < slice.depth();
      chunk.source[o] = is_slot ? rows_.sources[slot] : Offset(0);
      chunk.target[o] = is_slot ? rows_.targets[slot] : ShortTarget::none;
    }
  }

  /// Returns whether an entry of L is not finite.
  __device__ int operate(const Slice& slice, Chunk& chunk) const {
    Scalar factor(0);
    int is_bad = 0;
#pragma unroll 1
    for (int first = 0; first < slice.depth(); first += at_once) {
      Chunk next;
      load(slice, first + at_once, next);
      Scalar found[at_once];
      wait_for(chunk, found);
#pragma unroll
      for (int o = 0; o < at_once; ++o) {
        Scalar& w = w_[ShortTarget::place(chunk.target[o])];
        const bool divides = ShortTarget::divides(chunk.target[o]);
        const Scalar before = w, quotient = before / found[o];
        const Scalar after = divides ? quotient : terrace::incomplete::minus_seen_product(before, factor, found[o]);
        factor = divides ? quotient : factor;
        if (ShortTarget::is_operation(chunk.target[o])) w = after;
        is_bad |= divides & system_.elimination.is_not_finite(quotient);
      }
      chunk = next;
    }
    return is_bad;
  }

  __device__ void wait_for(const Chunk& chunk, Scalar (&found)[at_once]) const {
#pragma unroll
    for (int o = 0; o < at_once; ++o)
      found[o] = ShortTarget::is_operation(chunk.target[o]) ? pending<Scalar>() : Scalar(1);
    bool waits;
    do {
#pragma unroll
      for (int o = 0; o < at_once; ++o)
        watch_if(is_pending(found[o]), system_.elimination.values + chunk.source[o], found[o]);
      waits = false;
#pragma unroll
      for (int o = 0; o < at_once; ++o) waits = waits || is_pending(found[o]);
    } while (__any_sync(all_lanes, waits));
  }

  const RowsSystem<Scalar, Offset>& system_;
  const ShortRows<Offset>& rows_;
  int lane_;
  Scalar* w_;  // this lane's row
};

template <class Scalar, class Offset>
__global__ void __launch_bounds__(EliminationTuning::block)
    eliminate_short_kernel(const __grid_constant__ RowsSystem<Scalar, Offset> system,
                           const __grid_constant__ ShortRows<Offset> rows) {
  await_predecessor();
  let_successor_begin();
  extern __shared__ __align__(16) unsigned char memory_of_block[];
  using Elimination = ShortElimination<Scalar, Offset>;
  Scalar* const w = reinterpret_cast<Scalar*>(memory_of_block);
  const int of_warp = static_cast<int>(threadIdx.x) / warp_size * warp_size * Elimination::words_of_row(rows.longest);
  const Elimination elimination(system, rows, w + of_warp);
  Claims<1> claims(0, system.slice_count, 1, system.claimed);
  for (unsigned number = claims.next(); number < claims.end(); number = claims.next()) elimination.eliminate(number);
}

}  // namespace terrace::cuda::incomplete
