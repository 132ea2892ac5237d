// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of Storage::Hec: level-scheduled substitution with a triangle in HEC (Liu et al. 2014, algorithms 2 and
// 3).
//
// The analysis finds the levels, numbers the rows and the unknowns level by level, m(i), and splits the rows of
// L' = P L P^T into an ELL part and compressed rows that end with the diagonal. A solve permutes b into memory of the
// engine's own, walks the levels there, a thread for each row, and permutes x out of it; so X may be B. More right-hand
// sides than the memory holds go through it in portions.
//
// Neighbours in a level are neighbours in the ELL part, of which they read the k-th places side by side. What is given
// up: a row is one thread's work however long it is, and both permutations read and write a vector.
#pragma once

#include "algorithms/hec/split_rows.hpp"
#include "algorithms/ordering/permuted_vectors.hpp"
#include "algorithms/triangular/hec_system.hpp"
#include "algorithms/triangular/solve_by_levels.hpp"
#include "algorithms/triangular/solve_sequentially.hpp"
#include "algorithms/triangular/stored_triangle.hpp"
#include "algorithms/triangular/task_scheduler.hpp"
#include "sparse/permute.hpp"

namespace terrace::triangular {

template <class Problem>
class HecEngine : public Engine<typename Problem::Scalar, typename Problem::Space> {
  using Scalar = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset = typename Problem::Offset;
  using Space = typename Problem::Space;
  using Base = Engine<Scalar, Space>;
  using Triangle = sparse::Triangle<Ordinal, Offset, Space>;
  using Schedule = tasks::TaskSchedule<Ordinal, Offset, Space>;
  using Vectors = detail::MultiVector<Scalar, Space>;

 public:
  HecEngine(const Space& space, const Problem& problem)
      : HecEngine(space, problem, make_triangle(space, problem.input, sparse::Orientation::Gather)) {}

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    vectors_.around(space, b, x, [&](const auto&, const Vectors& inside) {
      if (inside.columns == 1) walk<true>(space, inside, op);
      else walk<false>(space, inside, op);
    });
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    storage_.update_values(space, values);
  }

  void describe(TriangularInfo& info) const override {
    const auto& parts = storage_.pattern();
    info.algorithm = Algorithm::LevelScheduled;
    info.storage = Storage::Hec;
    info.reason = "the caller asked for it: " + std::to_string(parts.ell_entries) +
                  " entries in an ELL part of width " + std::to_string(parts.width) + " with " +
                  std::to_string(parts.padding()) + " places left over, and " + std::to_string(parts.crs_entries) +
                  " in compressed rows";
    info.levels = schedule_.row_levels.levels;
    info.widest_level = schedule_.row_levels.widest;
    info.tasks = schedule_.tasks();
    info.task_levels = schedule_.by_level.levels();
    info.kernels = static_cast<std::int64_t>(chains_.size()) + 2;
    info.entries = entries_;
    info.bytes_held = storage_.bytes_held() + schedule_.bytes_held() + vectors_.bytes_held();
    info.copies_matrix = true;
  }

 private:
  static constexpr int max_columns_held = 64;

  HecEngine(const Space& space, const Problem& problem, const Triangle& triangle)
      : options_(problem.options()),
        schedule_(TaskScheduler<Ordinal, Offset, Space>(
                      space, triangle, sparse::runs_backward(options_.uplo, options_.op), 1, problem.plan)
                      .make(Algorithm::LevelScheduled)),
        storage_(space, split(space, triangle, options_.diag == Diag::NonUnit), problem.values),
        vectors_(space, schedule_.by_level.order, {}, std::min(options_.right_hand_sides, max_columns_held)),
        chains_(chains_of<Space>(schedule_.by_level.offsets)) {
    Kokkos::parallel_reduce(
        "terrace::triangular::count_stored_entries", Kokkos::RangePolicy<Space>(space, 0, triangle.count),
        CountStoredEntries<Ordinal, Offset>{triangle.view(), triangle.source.data(), options_.diag == Diag::NonUnit},
        entries_);
  }

  auto split(const Space& space, const Triangle& triangle, bool diagonal) const {
    const auto& order = schedule_.by_level.order;
    const auto place = parallel::uninitialized<Ordinal>(space, "terrace::triangular::place", order.extent(0));
    Kokkos::parallel_for("terrace::triangular::invert_order", Kokkos::RangePolicy<Space>(space, 0, triangle.count),
                         sparse::InvertPermutation<Ordinal>{order.data(), place.data()});
    const hec::RowsOfTriangle<Ordinal, Offset> rows{triangle.view(), order.data(), place.data(), triangle.source.data(),
                                                    diagonal};
    return hec::split_rows<Scalar, Ordinal, Offset>(space, rows, triangle.count, triangle.entries.extent(0), {});
  }

  template <bool Contiguous>
  void walk(const Space& space, const Vectors& x, Op op) const {
    const HecSystem<Scalar, Ordinal, Offset, Contiguous> system{
        storage_.view(),
        {rows()},
        triangular::Vectors<const Scalar, Contiguous>(detail::MultiVector<const Scalar, Space>(x)),
        triangular::Vectors<Scalar, Contiguous>(x),
        static_cast<int>(x.columns),
        options_.diag == Diag::Unit,
        op == Op::ConjugateTranspose};
    const bool gather = (op == Op::None) == (options_.op == Op::None);
    Tasks<Ordinal, Offset> tasks;
    tasks.positions = {rows(), false, nullptr};
    tasks.count = rows();
    if (is_walked_alone(space, gather)) return solve_tasks_alone(space, system, tasks, gather);
    const LevelSolve<Ordinal, Offset> levels{tasks, schedule_.by_level.level_offsets.data(),
                                             &schedule_.by_level.offsets, &chains_};
    solve_by_levels(space, system, levels, gather);
  }

  /// A few threads of a host scatter faster in sequence than with atomics.
  static bool is_walked_alone(const Space& space, bool gather) {
    constexpr int threads_that_pay_for_atomics = 4;
    return parallel::is_host_space<Space> &&
           (space.concurrency() == 1 || (!gather && space.concurrency() < threads_that_pay_for_atomics));
  }

  Ordinal rows() const { return storage_.pattern().rows; }

  TriangularOptions options_;
  Schedule schedule_;
  hec::HecStorage<Scalar, Ordinal, Offset, Space> storage_;
  ordering::PermutedVectors<Scalar, Ordinal, Space> vectors_;
  std::vector<Chain<Ordinal>> chains_;
  std::int64_t entries_ = 0;
};

}  // namespace terrace::triangular
