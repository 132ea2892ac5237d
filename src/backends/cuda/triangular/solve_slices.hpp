// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Synchronization-free substitution over slices: every warp takes slices in level order and waits for the values
// themselves (watch.hpp), never for a barrier.
//
// What a slice needs that does not depend on an unknown is fetched before its turn, in a pipeline of three: when a warp
// has solved a slice, it asks for the first entries and right-hand sides of its next one, the rows and diagonals of the
// second, and the header of the third. When the awaited value arrives, what is left is a multiply-add, the
// sum over the lanes of the row, a multiplication and a store.
//
// Two ways to hand unknowns over, behind one walk:
//   AcrossDevice  through L2; slices are claimed from a counter (claims.hpp says why that ends).
//   InBlock       through the shared memory of one block (solve_row_blocks.hpp).
//
// Deterministic: each sum is taken in the order of its lanes and steps, whichever comes first.
#pragma once

#include "backends/cuda/triangular/claims.hpp"
#include "backends/cuda/triangular/slice_system.hpp"

namespace terrace::cuda::triangular {

/// What one lane knows of a slice before it waits. Lanes that lead a row have its right-hand side.
template <class System>
struct FetchedSlice {
  unsigned number;
  Slice slice;
  int item;  // -1 for lanes that lead no row
  typename System::RowData row_data;
  typename System::Scalar start;
  SliceChunk<System> chunk;
};

template <class System, class HandOver>
class SliceWalk {
  using Scalar = typename System::Scalar;

 public:
  using Fetched = FetchedSlice<System>;

  __device__ SliceWalk(const System& system, HandOver& hand_over)
      : system_(system), hand_over_(hand_over), lane_(static_cast<int>(threadIdx.x % warp_size)) {}

  /// Takes the slices that the hand-over gives this warp, until there are no more. The three stages of the pipeline
  /// change places by name: a copy would wait for what is on its way.
  __device__ void walk() {
    Fetched a, b, c;
    take(a);
    take(b);
    take(c);
    fetch_rows(a);
    fetch_rows(b);
    fetch_entries(a);
    for (;;) {
      if (!turn(a, b, c)) return;
      if (!turn(b, c, a)) return;
      if (!turn(c, a, b)) return;
    }
  }

 private:
  /// Fetches come after the solve: a load from memory would hold up the ones that watch an unknown in L2, because a
  /// warp counts its outstanding loads together.
  __device__ bool turn(Fetched& now, Fetched& next, Fetched& third) {
    if (!hand_over_.may_solve(now.number)) return false;
    solve(now);
    fetch_entries(next);
    fetch_rows(third);
    take(now);
    return true;
  }

  __device__ void take(Fetched& to) const {
    to.number = hand_over_.next();
    if (to.number >= hand_over_.end()) return;
    const int4 bits = __ldg(reinterpret_cast<const int4*>(system_.slices) + to.number);
    memcpy(&to.slice, &bits, sizeof(bits));
  }

  __device__ void fetch_rows(Fetched& to) const {
    to.item = -1;
    if (to.number >= hand_over_.end() || lane_ >= to.slice.width()) return;
    const int log2_lanes = to.slice.log2_lanes();
    if (lane_ & ((1 << log2_lanes) - 1)) return;
    const int position = position_of(to.slice);
    to.item = __ldg(system_.items + position);
    to.row_data = system_.row_data(position);
  }

  __device__ void fetch_entries(Fetched& to) const {
    if (to.number >= hand_over_.end()) return;
    to.start = to.item >= 0 ? system_.start(to.item, position_of(to.slice)) : Scalar(0);
    load_chunk(system_, to.slice, 0, lane_, to.chunk);
  }

  /// All branches come before the wait: what follows it is on the path that everybody waits for, and there a branch
  /// takes nearly as long as an exchange between lanes. Every case is a copy of what follows, so numbers whose copies
  /// are long, complex ones for example, have one for any number of lanes.
  __device__ void solve(Fetched& fetched) {
    if constexpr (System::shares_rows && !terrace::triangular::is_complex<Scalar>) {
      switch (fetched.slice.log2_lanes()) {
        case 0: return solve<0>(fetched);
        case 1: return solve<1>(fetched);
        case 2: return solve<2>(fetched);
        case 3: return solve<3>(fetched);
        case 4: return solve<4>(fetched);
        default: return solve<5>(fetched);
      }
    } else {
      solve<System::shares_rows ? any_lanes : 0>(fetched);
    }
  }

  static constexpr int any_lanes = -1;

  template <int Log2Lanes>
  __device__ void solve(Fetched& fetched) {
    constexpr int size = SliceChunk<System>::size;
    const int depth = fetched.slice.depth();
    Scalar sum = fetched.start;
    int step = size;
    for (; step < depth; step += size) {
      SliceChunk<System> next;
      load_chunk(system_, fetched.slice, step, lane_, next);
      subtract<size>(system_, fetched.chunk, hand_over_, sum);
      fetched.chunk = next;
    }
    switch (depth - step + size) {  // the last chunk is what is waited for: no idle looks
      case 0: return finish<Log2Lanes, 0>(fetched, sum);
      case 1: return finish<Log2Lanes, 1>(fetched, sum);
      case 2: return finish<Log2Lanes, 2>(fetched, sum);
      case 3: return finish<Log2Lanes, 3>(fetched, sum);
      default: return finish<Log2Lanes, size>(fetched, sum);
    }
  }

  template <int Log2Lanes, int Count>
  __device__ void finish(Fetched& fetched, Scalar sum) {
    if constexpr (Count > 0) subtract<Count>(system_, fetched.chunk, hand_over_, sum);
    if constexpr (Log2Lanes == any_lanes) sum = sum_over_lanes(sum, fetched.slice.log2_lanes());
    else sum = sum_over_lanes<Log2Lanes>(sum);
    const bool leads = fetched.item >= 0;
    const Scalar solved = system_.solved(fetched.item, sum, fetched.row_data);
    hand_over_.publish_if(leads, position_of(fetched.slice), solved);
    if (leads) system_.store(fetched.item, solved);
  }

  __device__ int position_of(const Slice& slice) const { return slice.first + (lane_ >> slice.log2_lanes()); }

  System system_;
  HandOver& hand_over_;
  int lane_;
};

/// Unknowns in device memory, slices from a counter.
template <class Scalar>
class AcrossDevice {
 public:
  __device__ AcrossDevice(Scalar* unknowns, const Claims<1>& claims) : unknowns_(unknowns), claims_(claims) {}

  __device__ unsigned next() { return claims_.next(); }
  __device__ unsigned end() const { return claims_.end(); }
  __device__ bool may_solve(unsigned number) const { return number < end(); }

  template <int Count>
  __device__ void wait_for(const int* position, Scalar (&found)[Count]) const {
    look_until_found(position, found,
                     [&](int at, Scalar& value) { watch_if(is_pending(value), unknowns_ + at, value); });
  }

  __device__ void publish_if(bool wanted, int position, const Scalar& value) const {
    cuda::publish_if(wanted, unknowns_ + position, value);
  }

 private:
  Scalar* unknowns_;
  Claims<1> claims_;
};

template <class System>
__global__ void __launch_bounds__(SliceTuning::block)
    solve_slices_kernel(System system, unsigned first, unsigned end, unsigned slices_per_claim, unsigned* claimed) {
  using HandOver = AcrossDevice<typename System::Scalar>;
  HandOver hand_over(system.unknowns, Claims<1>(first, end, slices_per_claim, claimed));
  SliceWalk<System, HandOver>(system, hand_over).walk();
}

}  // namespace terrace::cuda::triangular
