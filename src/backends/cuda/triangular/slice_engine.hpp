// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of synchronization-free rows and of level-scheduled chains on an NVIDIA GPU: slices in level order.
//
// The operations of the other orientation scatter along the same rows with the generic column kernels.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "algorithms/triangular/solve_columns_sync_free.hpp"
#include "algorithms/triangular/stored_triangle.hpp"
#include "backends/cuda/triangular/segments.hpp"
#include "backends/cuda/triangular/solve_many_columns.hpp"
#include "backends/cuda/triangular/stage_columns.hpp"
#include "backends/cuda/triangular/triangle_plan.hpp"

namespace terrace::cuda::triangular {

template <class Problem>
class SliceEngine : public terrace::triangular::Engine<typename Problem::Scalar, Kokkos::Cuda> {
  using Scalar = typename Problem::Scalar;
  using Offset = typename Problem::Offset;
  using Base = terrace::triangular::Engine<Scalar, Space>;
  using Structure = sparse::Triangle<int, Offset, Space>;
  using Triangle = terrace::triangular::StoredTriangle<Scalar, int, Offset, Space>;

 public:
  /// Of gathering rows.
  SliceEngine(const Space& space, const Problem& problem, const Structure& structure)
      : width_(width_of(problem)),
        sliced_(sliced(space, problem, structure, width_)),
        triangle_(space, structure, problem.values, problem.options(), sliced_.rows.entries),
        algorithm_(problem.options().algorithm) {
    if (takes_pairs && ManyColumnsTuning::loses_to_pairs(width_, sliced_.rows.levels)) width_ = 0;
    segments_ = segments_of<SliceSystem<Scalar>>(sliced_.rows, kinds_of(algorithm_));
    if (takes_pairs && problem.options().right_hand_sides > 1)
      pair_segments_ = segments_of<PairOf>(sliced_.rows, kinds_of(algorithm_));
    allocate(space, problem.options().diag == Diag::NonUnit);
    fill(space);
    if (width_ > 0) prepare_many_columns(space);
  }

  void solve(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
             Op op) override {
    if (!triangle_.gathers(op)) return scatter(space, b, x, op);
    const bool conjugate = op == Op::ConjugateTranspose;
    for (std::size_t column = 0; column < b.columns;) {
      const int columns = static_cast<int>(std::min(b.columns - column, static_cast<std::size_t>(width_)));
      if (ManyColumnsTuning::pays(columns, width_)) {
        gather_many_columns(space, b, x, column, columns, conjugate);
        column += static_cast<std::size_t>(columns);
      } else if (!pair_segments_.empty() && b.columns - column > 1) {
        gather_pair(space, b, x, column);
        column += 2;
      } else {
        gather(space, system(b, x, column, conjugate), segments_, pending_);
        ++column;
      }
    }
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    triangle_.update_values(space, values);
    fill(space);
  }

  bool updates_in_pairs() const override { return true; }

  /// In one kernel for both.
  void update_values_with(const Space& space, Base& other, const typename Base::values_type& values) override {
    if (!other.updates_in_pairs()) return Base::update_values_with(space, other, values);
    auto& partner = static_cast<SliceEngine&>(other);
    triangle_.update_values(space, values);
    partner.triangle_.update_values(space, values);
    fill_slices(space, values_to_fill(), partner.values_to_fill());
  }

  void describe(TriangularInfo& info) const override {
    info.algorithm = main_algorithm();
    info.storage = Storage::Automatic;
    info.reason = reason();
    info.levels = sliced_.rows.levels;
    info.widest_level = sliced_.rows.widest_level;
    info.tasks = sliced_.rows.rows;
    info.task_levels = sliced_.rows.levels;
    info.kernels = static_cast<std::int64_t>(segments_.size());
    info.entries = triangle_.entries();
    info.bytes_held = triangle_.bytes_held() + sliced_.bytes_held() + memory_.bytes_held() + warp_rows_.bytes_held();
    info.copies_matrix = true;
  }

 private:
  static constexpr bool takes_pairs = !terrace::triangular::is_complex<Scalar>;
  using PairOf = std::conditional_t<takes_pairs, PairSystem<Scalar>, SliceSystem<Scalar>>;

  /// What others know of the structure, where it is cut as it is here.
  static SlicedTriangle<Offset> sliced(const Space& space, const Problem& problem, const Structure& structure,
                                       int width) {
    const auto& options = problem.options();
    const bool backward = sparse::runs_backward(options.uplo, options.op);
    if (width > 0)
      return slice_triangle(space, structure, backward, SliceTuning::entries_per_piece_of_many_columns, nullptr,
                            Order::Levels);
    const Order order = options.algorithm == Algorithm::SyncFreeRows ? Order::Levels : Order::Best;
    if (problem.plan && order == Order::Best)
      return static_cast<TrianglePlan<Offset>&>(*problem.plan).slices(space, structure, backward);
    return slice_triangle(space, structure, backward, SliceTuning::entries_per_piece, nullptr, order);
  }

  static bool has_short_rows(const Problem& problem) {
    const auto rows = static_cast<std::size_t>(problem.input.count), entries = problem.values.extent(0);
    const std::size_t of_triangle = problem.options().stored == Stored::Full ? entries / 2 : entries;
    return of_triangle < ManyColumnsTuning::entries_of_row * rows;
  }

  /// Of the walk with several right-hand sides; 0: one after the other.
  static int width_of(const Problem& problem) {
    using Tuning = ManyColumnsTuning;
    const int right_hand_sides = problem.options().right_hand_sides;
    const bool walks = right_hand_sides >= (has_short_rows(problem) ? Tuning::fewest_of_short_rows : Tuning::fewest);
    return problem.input.count > 0 && walks ? Tuning::width(right_hand_sides) : 0;
  }

  /// Numbers that the unknowns of a system by position and the counters behind them take.
  template <class Number>
  std::size_t numbers_of(const std::vector<Segment>& segments) const {
    return static_cast<std::size_t>(sliced_.rows.positions) +
           parallel::divide_up(counters_of(segments) * sizeof(unsigned), sizeof(Number));
  }

  void allocate(const Space& space, bool has_diagonal) {
    const auto slots = static_cast<std::size_t>(sliced_.rows.slots),
               positions = static_cast<std::size_t>(sliced_.rows.positions);
    using Pair = typename PairOf::Scalar;
    const std::size_t single = numbers_of<Scalar>(segments_),
                      pairs = pair_segments_.empty() ? 0 : numbers_of<Pair>(pair_segments_);
    pending_ = ranges_to_watch(segments_, sliced_.rows.positions, single);
    pair_pending_ = ranges_to_watch(pair_segments_, sliced_.rows.positions, pairs);
    // Unknowns and right-hand sides of many columns; other solves need less.
    const auto width = static_cast<std::size_t>(width_);
    const std::size_t unknowns = std::max({single, pairs * (sizeof(Pair) / sizeof(Scalar)),
                                           width * (positions + static_cast<std::size_t>(sliced_.rows.rows))});
    memory_ = Arrays(space, "terrace::cuda::slice_engine",
                     Arrays::bytes<Scalar>(slots) + (has_diagonal ? Arrays::bytes<Scalar>(positions) : 0) +
                         Arrays::bytes<Scalar>(unknowns) + Arrays::bytes<terrace::triangular::WorkCounter>(1) +
                         Arrays::bytes<int>(1) + Arrays::bytes<unsigned>(ManyColumnsClaims::memory));
    values_ = memory_.template take<Scalar>(slots);
    inverse_diagonal_ = has_diagonal ? memory_.template take<Scalar>(positions) : nullptr;
    unknowns_ = memory_.template take<Scalar>(unknowns);
    work_counter_ = memory_.template take<terrace::triangular::WorkCounter>(1);
    long_rows_ = memory_.template take<int>(1);
    many_columns_counter_ = memory_.template take<unsigned>(ManyColumnsClaims::memory);
  }

  /// Chains, row blocks and kernels per level are the level-scheduled algorithm, waiting through L2 the
  /// synchronization-free one.
  static std::array<bool, 3> kinds_of(Algorithm algorithm) {
    return {algorithm != Algorithm::SyncFreeRows, algorithm != Algorithm::LevelScheduled,
            algorithm != Algorithm::SyncFreeRows};
  }

  std::array<int, 4> slices_by_kind() const {
    std::array<int, 4> slices{};
    for (const Segment& segment : segments_) slices[static_cast<int>(segment.kind)] += segment.end - segment.first;
    return slices;
  }

  Algorithm main_algorithm() const {
    const auto [chain, device, level, row_blocks] = slices_by_kind();
    return device > chain + level ? Algorithm::SyncFreeRows : Algorithm::LevelScheduled;
  }

  std::string reason() const {
    if (algorithm_ != Algorithm::Automatic) return "the caller asked for it";
    const auto [chain, device, level, row_blocks] = slices_by_kind();
    std::string text = "of " + std::to_string(sliced_.rows.slice_count) + " slices ";
    const auto add = [&](int slices, const char* how) {
      if (slices > 0) text += (text.back() == ' ' ? "" : ", ") + std::to_string(slices) + how;
    };
    if (row_blocks > 0)
      text += "lie in " + std::to_string(sliced_.rows.row_blocks.size()) + " row blocks, each walked by one block";
    add(device, " pass their unknowns through L2");
    add(chain, " lie in chains of narrow levels that one block walks");
    add(level, " in levels wide enough for a kernel of their own");
    return text;
  }

  FillSlices<Scalar, Offset> values_to_fill() const {
    const auto& rows = sliced_.rows;
    return {rows.items_of(triangle_.structure().view()),
            triangle_.values().data(),
            rows.slices,
            rows.slice_count,
            rows.items,
            values_,
            inverse_diagonal_};
  }
  void fill(const Space& space) { fill_slices(space, values_to_fill()); }

  SliceSystem<Scalar> system(const typename Base::const_vectors& b, const typename Base::vectors& x, std::size_t column,
                             bool conjugate) const {
    return {sliced_.rows.slices,
            sliced_.columns,
            values_,
            inverse_diagonal_,
            sliced_.rows.items,
            sliced_.rows.rows,
            unknowns_,
            b.data + static_cast<std::ptrdiff_t>(column) * b.column_stride,
            x.data + static_cast<std::ptrdiff_t>(column) * x.column_stride,
            b.row_stride,
            x.row_stride,
            conjugate};
  }

  template <class System>
  void gather(const Space& space, const System& system, const std::vector<Segment>& segments,
              const std::vector<Range>& pending) {
    for (const Range& range : pending)
      check(cudaMemsetAsync(system.unknowns + range.first, 0xff,
                            (range.end - range.first) * sizeof(typename System::Scalar), space.cuda_stream()),
            "cudaMemsetAsync");
    run_segments(space, system, segments, reinterpret_cast<unsigned*>(system.unknowns + sliced_.rows.positions));
  }

  void gather_pair(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
                   std::size_t column) {
    if constexpr (takes_pairs) {
      const auto first = system(b, x, column, false), second = system(b, x, column + 1, false);
      gather(space,
             PairOf{first.slices, first.columns, first.values, first.inverse_diagonal, first.items, first.rows,
                    reinterpret_cast<typename PairOf::Scalar*>(unknowns_), first.b, second.b, first.x, second.x,
                    first.b_stride, first.x_stride},
             pair_segments_, pair_pending_);
    }
  }

  /// Calls run(kernel) with that of the width.
  template <class Run>
  void with_many_columns_kernel(const Run& run) const {
    switch (width_) {
      case 4: return run(solve_many_columns_kernel<Scalar, Offset, 4>);
      case 8: return run(solve_many_columns_kernel<Scalar, Offset, 8>);
      case 16: return run(solve_many_columns_kernel<Scalar, Offset, 16>);
      default: return run(solve_many_columns_kernel<Scalar, Offset, ManyColumnsTuning::most>);
    }
  }

  void prepare_many_columns(const Space& space) {
    warp_rows_ = WarpRows(space, sliced_.rows, width_);
    with_many_columns_kernel([&](auto kernel) {
      many_columns_blocks_ = many_columns_blocks(warp_rows_.count(), sliced_.rows.levels,
                                                 resident_blocks(kernel, ManyColumnsTuning::block));
    });
  }

  void gather_many_columns(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x,
                           std::size_t column, int columns, bool conjugate) {
    const auto first = static_cast<std::ptrdiff_t>(column);
    const std::size_t unknowns = static_cast<std::size_t>(sliced_.rows.positions) * static_cast<std::size_t>(width_);
    const CallersVectors<const Scalar> from{b.data + first * b.column_stride, b.row_stride, b.column_stride,
                                            sliced_.rows.rows, columns};
    const CallersVectors<Scalar> to{x.data + first * x.column_stride, x.row_stride, x.column_stride, sliced_.rows.rows,
                                    columns};
    const bool are_side_by_side = b.column_stride == 1 && b.row_stride == width_ && columns == width_;
    const bool stages = sliced_.rows.levels > ManyColumnsTuning::levels_without_staging ||
                        width_ > ManyColumnsTuning::width_without_staging;
    const bool gathers = stages && !are_side_by_side;
    Scalar* const staged = unknowns_ + unknowns;
    if (gathers) gather_columns(space, from, width_, staged);
    check(cudaMemsetAsync(unknowns_, 0xff, unknowns * sizeof(Scalar), space.cuda_stream()), "cudaMemsetAsync");
    check(
        cudaMemsetAsync(many_columns_counter_, 0xff, ManyColumnsClaims::memory * sizeof(unsigned), space.cuda_stream()),
        "cudaMemsetAsync");
    const ManyColumnsSystem<Scalar, Offset> system{
        sliced_.rows.items_of(triangle_.structure().view()),
        triangle_.values().data(),
        warp_rows_.rows(),
        warp_rows_.log2_parts(),
        inverse_diagonal_,
        warp_rows_.count(),
        unknowns_,
        gathers ? CallersVectors<const Scalar>{staged, width_, 1, sliced_.rows.rows, width_} : from,
        stages ? CallersVectors<Scalar>{} : to,
        conjugate};
    const bool is_wide = system.warps / sliced_.rows.levels >= ManyColumnsTuning::wide_level;
    with_many_columns_kernel([&](auto kernel) {
      launch(space, "terrace::cuda::solve_many_columns", kernel, many_columns_blocks_, ManyColumnsTuning::block, system,
             is_wide ? unsigned(ManyColumnsTuning::warps_per_claim) : 1u, many_columns_counter_);
    });
    if (stages) scatter_columns(space, unknowns_, width_, to);
  }

  /// The in-degrees are counted in the memory of the unknowns, which this way of solving does not need.
  void scatter(const Space& space, const typename Base::const_vectors& b, const typename Base::vectors& x, Op op) {
    auto* waiting = reinterpret_cast<int*>(unknowns_);
    check(cudaMemsetAsync(work_counter_, 0, sizeof(terrace::triangular::WorkCounter), space.cuda_stream()),
          "cudaMemsetAsync");
    check(cudaMemsetAsync(waiting, 0, static_cast<std::size_t>(sliced_.rows.rows) * sizeof(int), space.cuda_stream()),
          "cudaMemsetAsync");
    terrace::triangular::add_in_degrees(space, triangle_.structure(), waiting, long_rows_);
    triangle_.with_system(b, x, op, [&](const auto& system) {
      terrace::triangular::solve_columns_sync_free(space, system, terrace::triangular::PassingInDegrees<int>{waiting},
                                                   work_counter_, triangle_.runs_backward(op));
    });
  }

  int width_;  // of a walk with several right-hand sides; 0 when there is none
  SlicedTriangle<Offset> sliced_;
  Triangle triangle_;
  Algorithm algorithm_;  // as it was asked for
  std::vector<Segment> segments_;
  std::vector<Segment> pair_segments_;  // of two right-hand sides; none where they are not expected
  WarpRows warp_rows_;                  // of that walk
  int many_columns_blocks_ = 0;
  Arrays memory_;
  Scalar* values_ = nullptr;
  Scalar* inverse_diagonal_ = nullptr;         // by position
  Scalar* unknowns_ = nullptr;                 // by position, and the counters of the segments behind them
  std::vector<Range> pending_, pair_pending_;  // of the unknowns, when a solve begins
  terrace::triangular::WorkCounter* work_counter_ = nullptr;  // of the operations of the other orientation
  int* long_rows_ = nullptr;                                  // scratch of theirs
  unsigned* many_columns_counter_ = nullptr;
};

}  // namespace terrace::cuda::triangular
