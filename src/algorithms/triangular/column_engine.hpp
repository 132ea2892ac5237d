// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Algorithm::SyncFreeColumns: in-degrees are all it prepares.
//
// When the caller's rows are the columns of op(A), nothing is copied. The operations of the other orientation gather
// along the same rows, rows waiting for rows in solution order, with the in-degree array as flags.
#pragma once

#include "algorithms/triangular/solve_columns_sync_free.hpp"
#include "algorithms/triangular/solve_rows_sync_free.hpp"
#include "algorithms/triangular/stored_triangle.hpp"

namespace terrace::triangular {

/// Marks every row as not yet finished in the coming phase.
struct ClearFlags {
  unsigned* finished;
  const WorkCounter* counter;
  KOKKOS_FUNCTION void operator()(std::size_t row) const { finished[row] = counter->phase; }
};

template <class Problem>
class ColumnEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Scalar = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset = typename Problem::Offset;
  using Space = typename Problem::Space;
  using Base = Engine<Scalar, Space>;
  using Triangle = StoredTriangle<Scalar, Ordinal, Offset, Space>;

 public:
  ColumnEngine(const Space& space, const Problem& problem, std::string reason)
      : triangle_(space, make_triangle(space, problem.input, sparse::Orientation::Scatter), problem.values,
                  problem.options()),
        reason_(std::move(reason)),
        in_degrees_(count_in_degrees(space, triangle_.structure())),
        counters_(parallel::zeros<WorkCounter>(space, "terrace::in_degrees::counters", 2)) {}

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    triangle_.with_system(b, x, op, [&](const auto& system) {
      if (triangle_.gathers(op)) gather_rows(space, system, op);
      else solve_columns_sync_free(space, system, in_degrees_.table(), counters_.data(), triangle_.runs_backward(op));
    });
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
  }

  void describe(TriangularInfo& info) const override {
    info.algorithm = Algorithm::SyncFreeColumns;
    info.reason = reason_;
    info.tasks = triangle_.structure().count;
    info.kernels = 2;
    info.deterministic = false;
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + in_degrees_.bytes_held() + 2 * sizeof(WorkCounter);
    info.copies_matrix = triangle_.structure().is_copy;
  }

 private:
  template <class System>
  void gather_rows(const Space& space, const System& system, Op op) {
    static_assert(sizeof(Ordinal) == sizeof(unsigned));
    Tasks<Ordinal, Offset> rows;
    rows.positions = {system.pattern.rows, triangle_.runs_backward(op), nullptr};
    rows.count = system.pattern.rows;
    const Kokkos::RangePolicy<Space> each(space, 0, rows.count);
    auto* finished = reinterpret_cast<unsigned*>(in_degrees_.waiting.data());
    Kokkos::parallel_for("terrace::triangular::clear_flags", each, ClearFlags{finished, counters_.data() + 1});
    solve_rows_sync_free(space, system, rows, finished, counters_.data() + 1);
    Kokkos::parallel_for("terrace::triangular::restore_in_degrees", each,
                         RestoreInDegrees<Ordinal>{in_degrees_.table()});
  }

  Triangle triangle_;
  std::string reason_;
  InDegrees<Ordinal, Space> in_degrees_;
  Kokkos::View<WorkCounter*, parallel::Device<Space>> counters_;
};

}  // namespace terrace::triangular
