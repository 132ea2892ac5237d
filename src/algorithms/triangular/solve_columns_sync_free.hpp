// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Substitution without barriers, by columns (Liu et al. 2016, algorithm 2).
//
// x starts as b. A worker claims a column, waits until all that has to be subtracted from its unknown has been,
// divides by the diagonal, subtracts the column times the unknown from x with atomics, and counts down the
// in-degree of every row it touched. Differences from the paper: columns are claimed from a counter instead of being
// bound to warp numbers, so nothing depends on the order in which warps start; the sums live in x itself; and
// each owner restores its in-degree, so that a solve leaves everything ready for the next.
// The scratchpad for the diagonal block is a matter of the CUDA engine.
//
// Not deterministic: the atomics subtract in the order of arrival.
#pragma once

#include "algorithms/triangular/in_degrees.hpp"
#include "algorithms/triangular/row_kernels.hpp"
#include "algorithms/triangular/work_counter.hpp"
#include "parallel/functor_as_argument.hpp"

namespace terrace::triangular {

template <class System, class InDegrees>
struct SolveColumnsSyncFree {
  using Ordinal = typename System::Ordinal;
  using Offset = typename System::Offset;

  System system;
  InDegrees in_degrees;
  WorkCounter* counter;
  unsigned workers;
  unsigned columns_per_claim;
  bool backward;

  /// The next of the columns that this worker has claimed, or the first of a new claim. `number` counts
  /// columns in solution order; false when there are no more.
  KOKKOS_FUNCTION bool advance(unsigned& number) const {
    ++number;
    if (number % columns_per_claim == 0) number = parallel::fetch_increment(counter->next) * columns_per_claim;
    return number < static_cast<unsigned>(system.pattern.rows);
  }

  KOKKOS_FUNCTION Ordinal column_of(unsigned number) const {
    return backward ? system.pattern.rows - 1 - static_cast<Ordinal>(number) : static_cast<Ordinal>(number);
  }

  KOKKOS_FUNCTION void solve_and_count_down(Ordinal column) const {
    in_degrees.restore(column);
    system.template scatter_all_columns<true>(column, column);
    parallel::begin_release();
    const Offset end = system.pattern.end(column);
    for (Offset k = system.pattern.begin(column); k < end; ++k)
      parallel::release_decrement(in_degrees.waiting[system.pattern.entries[k]]);
  }

  KOKKOS_FUNCTION void operator()(unsigned) const {
    unsigned number = columns_per_claim - 1;  // as if at the end of a claim
    int turns = 0;
    bool working = advance(number);
    while (working) {
      const Ordinal column = column_of(number);
      if (parallel::acquire_load(in_degrees.waiting[column]) == 0) {
        solve_and_count_down(column);
        working = advance(number);
      } else {
        parallel::wait_a_little(turns);
      }
    }
    WorkCounter::retire(*counter, workers);
  }
};

template <class Space, class System, class InDegrees>
void solve_columns_sync_free(const Space& space, const System& system, const InDegrees& in_degrees,
                             WorkCounter* counter, bool backward) {
  if (system.b.data != system.x.data)
    Kokkos::parallel_for("terrace::triangular::copy_right_hand_side",
                         Kokkos::RangePolicy<Space>(space, 0, system.pattern.rows), CopyRightHandSide<System>{system});
  constexpr unsigned per_claim = rows_per_claim<Space>;
  const auto columns = static_cast<unsigned>(system.pattern.rows);
  const unsigned workers = number_of_workers(space, (columns - 1) / per_claim + 1);
  const Kokkos::RangePolicy<Space> each_worker(space, 0u, workers);
  Kokkos::parallel_for(
      "terrace::triangular::solve_columns_sync_free", parallel::functor_as_argument(each_worker),
      SolveColumnsSyncFree<System, InDegrees>{system, in_degrees, counter, workers, per_claim, backward});
}

/// Puts the in-degrees back after `waiting` served as something else.
template <class Ordinal>
struct RestoreInDegrees {
  InDegreeTable<Ordinal> in_degrees;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { in_degrees.restore(row); }
};

}  // namespace terrace::triangular
