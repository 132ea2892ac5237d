// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The multifrontal factorization and its solves on an NVIDIA GPU, level by level: fronts that fit in shared memory are
// one thread block's each, larger ones advance side by side.
#pragma once

#include "backends/cuda/arrays.hpp"
#include "backends/cuda/ldlt/begin_early.hpp"
#include "backends/cuda/ldlt/factor_large.hpp"
#include "backends/cuda/ldlt/factor_small.hpp"
#include "backends/cuda/ldlt/invert_blocks.hpp"
#include "backends/cuda/ldlt/make_engine.hpp"
#include "backends/cuda/ldlt/plan.hpp"
#include "backends/cuda/ldlt/solve_chained.hpp"
#include "backends/cuda/ldlt/solve_large.hpp"
#include "backends/cuda/ldlt/solve_small.hpp"
#include "backends/cuda/ldlt/solve_small_columns.hpp"
#include "backends/cuda/repeated_work.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::cuda::ldlt {

/// Calls body(class) with the number of one of the classes of fronts as a constant.
template <class Classes, int Class = 0, class Body>
void with_class(int front_class, const Body& body) {
  if constexpr (Class + 1 < Classes::count)
    if (front_class > Class) return with_class<Classes, Class + 1>(front_class, body);
  body(std::integral_constant<int, Class>());
}

template <class Scalar>
class CudaLdltEngine : public terrace::ldlt::LdltEngine<Scalar, Kokkos::Cuda> {
  using Base = terrace::ldlt::LdltEngine<Scalar, Kokkos::Cuda>;
  using Rule = terrace::ldlt::PivotRule<Scalar>;
  static constexpr auto by_rows = Contiguous::Rows, by_columns = Contiguous::Columns;

 public:
  CudaLdltEngine(const Kokkos::Cuda& space, std::shared_ptr<const CudaLdltPlan> plan, int right_hand_sides)
      : plan_(std::move(plan)),
        launches_(plan_->launches(space, sizeof(Scalar))),
        multiprocessors_(static_cast<std::size_t>(space.cuda_device_prop().multiProcessorCount)),
        shared_bytes_(CudaLdltPlan::shared_bytes(space)) {
    const auto& host = plan_->host();
    rows_ = static_cast<std::size_t>(host.tree.unknowns());
    columns_ = plan_->columns_at_once(right_hand_sides);
    const auto bytes = [](std::size_t count) { return Arrays::bytes<Scalar>(count); };
    const std::size_t scratch = std::max(host.workspace, plan_->solve_numbers(right_hand_sides));
    memory_ = Arrays(space, "terrace::ldlt::factor", bytes(host.panel_numbers() + scratch) + bytes(rows_));
    numbers_.panels = memory_.take<Scalar>(host.panel_numbers() + scratch);
    numbers_.pivots = memory_.take<Scalar>(rows_);
    scratch_ = numbers_.panels + host.panel_numbers();  // of contribution blocks, too: no solve beside a factorization
    large_ = scratch_ + plan_->counters();
    updates_ = large_ + plan_->large_numbers(columns_);
  }

  void factorize(const Kokkos::Cuda& space, const Scalar* entries, const Rule& pivots) override {
    factorizations_(space, {entries, pivots.threshold, pivots.replace, pivots.record},
                    [&] { enqueue_factorization(space, entries, pivots); });
  }

  void solve(const Kokkos::Cuda& space, const typename Base::vectors& Y, LdltPart part) override {
    if (rows_ == 0) return;
    for (std::size_t first = 0; first < Y.columns; first += static_cast<std::size_t>(columns_)) {
      const auto columns = static_cast<int>(std::min(static_cast<std::size_t>(columns_), Y.columns - first));
      const std::size_t watched = one_by_one(columns) ? 2 * numbers_of_large(columns) : 0;
      const SolveVectors<Scalar> vectors{
          Y.data + static_cast<std::ptrdiff_t>(first) * Y.column_stride,
          static_cast<std::size_t>(Y.column_stride),
          large_ + watched,
          large_,
          plan_->large_columns(),
          updates_,
          plan_->update_rows(),
          columns,
          part == LdltPart::All || part == LdltPart::Diagonal ? numbers_.pivots : nullptr};
      solves_(space, {vectors.y, vectors.y_stride, columns, part}, [&] { enqueue_solve(space, vectors, part); });
    }
  }

  std::size_t bytes_held() const override { return memory_.bytes_held(); }

 private:
  /// What the kernels of a factorization, and of a solve, are given besides what is the engine's own.
  struct Factorization {
    const Scalar* entries;
    typename Rule::Real threshold;
    bool replace;
    const void* record;
    bool operator==(const Factorization&) const = default;
  };
  struct Solve {
    const Scalar* vectors;
    std::size_t stride;
    int columns;
    LdltPart part;
    bool operator==(const Solve&) const = default;
  };

  void enqueue_factorization(const Kokkos::Cuda& space, const Scalar* entries, const Rule& pivots) const {
    Stands stands = Stands::First;
    for (const LevelLaunches& level : launches_->lists.levels) {
      factorize_level(space, level, entries, pivots, stands);
      stands = Stands::Behind;
    }
    const LaunchLists& lists = launches_->lists;
    const std::size_t bytes = ProductShape::bytes<Scalar>(by_rows, by_columns);
    const auto launch = [&](const char* label, auto kernel, const TileRange& tiles) {
      launch_tiles(space, label, kernel, tiles, ProductShape::threads, bytes, numbers_);
    };
    launch("terrace::ldlt::invert_pairs", invert_pairs_kernel<Scalar>, lists.invert_pairs);
    launch("terrace::ldlt::invert_halves_left", invert_halves_left_kernel<Scalar>, lists.invert_halves_left);
    launch("terrace::ldlt::invert_halves_right", invert_halves_right_kernel<Scalar>, lists.invert_halves_right);
    launch("terrace::ldlt::multiply_by_inverse", multiply_by_inverse_kernel<Scalar>, lists.multiply);
  }

  void enqueue_solve(const Kokkos::Cuda& space, const SolveVectors<Scalar>& vectors, LdltPart part) const {
    if (part == LdltPart::Diagonal)
      return for_each_row(space, "terrace::ldlt::divide_by_pivots", divide_by_pivots_kernel<Scalar>, vectors);
    forget(space, vectors);
    if (part == LdltPart::Backward)
      move_large(space, "terrace::ldlt::take_large", move_large_kernel<false, Scalar>, vectors);
    else forward(space, vectors);
    if (part == LdltPart::Forward)
      move_large(space, "terrace::ldlt::give_large", move_large_kernel<true, Scalar>, vectors);
    else backward(space, vectors, part == LdltPart::Backward ? Stands::First : Stands::Behind);
  }

  /// What a caller sees of y1, or what he gives for it.
  template <class Kernel>
  void move_large(const Kokkos::Cuda& space, const char* label, Kernel kernel,
                  const SolveVectors<Scalar>& vectors) const {
    for (const LevelLaunches& level : launches_->lists.levels)
      launch_tiles_with(space, label, kernel, level.backward_begin, gather_grid(vectors.columns), SolveShape::side, 0,
                        std::tuple(vectors));
  }

  /// A kernel whose last arguments are the list of tiles and `more`.
  template <class Kernel, class... Before, class... More>
  void launch_tiles_with(const Kokkos::Cuda& space, const char* label, Kernel kernel, const TileRange& tiles, dim3 grid,
                         int threads, std::size_t bytes, const std::tuple<Before...>& before,
                         const More&... more) const {
    if (tiles.count == 0) return;
    grid.x = checked_blocks(tiles.count);
    std::apply(
        [&](const auto&... arguments) {
          launch_early(space, label, kernel, grid, threads, bytes, plan_->places(), arguments...,
                       launches_->tiles.data() + tiles.first, more...);
        },
        before);
  }
  template <class Kernel, class... Before>
  void launch_tiles(const Kokkos::Cuda& space, const char* label, Kernel kernel, const TileRange& tiles, int threads,
                    std::size_t bytes, const Before&... before) const {
    launch_tiles_with(space, label, kernel, tiles, dim3(1), threads, bytes, std::tuple<Before...>(before...));
  }

  void factorize_small(const Kokkos::Cuda& space, const LevelLaunches& level, const Scalar* entries, const Rule& pivots,
                       Stands first_stands) const {
    for_each_class(level.factor_small, first_stands, [&](const SmallFronts& fronts, Stands stands) {
      with_class<FrontTuning::FactorClasses>(fronts.front_class, [&](auto front_class) {
        constexpr int threads = FrontTuning::FactorClasses::threads[front_class];
        launch_early(space, "terrace::ldlt::factor_small", factor_small_kernel<threads, Scalar>,
                     dim3(checked_blocks(static_cast<std::size_t>(fronts.count))), threads,
                     TiledFront<threads, Scalar>::bytes(fronts.max_rows), plan_->places(), numbers_, entries, pivots,
                     fronts.first, stands);
      });
    });
  }

  /// launch(fronts, where they stand) for the classes of small fronts, which are independent of each other.
  template <class Launch>
  static void for_each_class(const std::vector<SmallFronts>& classes, Stands stands, const Launch& launch) {
    for (const SmallFronts& fronts : classes) {
      launch(fronts, stands);
      stands = Stands::Beside;
    }
  }

  /// Small fronts beside the first diagonal blocks of large ones, which leave most multiprocessors idle. Large fronts
  /// without columns, which only sum, have no such blocks.
  void factorize_level(const Kokkos::Cuda& space, const LevelLaunches& level, const Scalar* entries, const Rule& pivots,
                       Stands stands) const {
    launch_tiles(space, "terrace::ldlt::assemble", assemble_kernel<Scalar>, level.assemble, AssembleShape::threads,
                 AssembleShape::side * AssembleShape::side * sizeof(Scalar), numbers_);
    launch_tiles(space, "terrace::ldlt::add_entries", add_entries_kernel<Scalar>, level.entries, EntriesShape::threads,
                 0, numbers_, entries);
    constexpr int inner_blocks = FrontTuning::outer / FrontTuning::inner;
    const std::size_t bytes = ProductShape::bytes<Scalar>(by_rows, by_rows);
    const int blocks = static_cast<int>(level.diagonal.size());
    if (blocks == 0) factorize_small(space, level, entries, pivots, stands);
    for (int k = 0; k < blocks; ++k) {
      launch_tiles(space, "terrace::ldlt::factor_diagonal", factor_diagonal_kernel<Scalar>, level.diagonal[k],
                   DiagonalShape::threads, DiagonalShape::bytes<Scalar>(), numbers_, pivots);
      if (k == 0) factorize_small(space, level, entries, pivots, Stands::Beside);
      launch_tiles(space, "terrace::ldlt::solve_panel", solve_panel_kernel<Scalar>, level.panel[k],
                   ProductShape::threads, bytes, numbers_, pivots);
      if (k % inner_blocks == inner_blocks - 1 || k == blocks - 1)
        launch_tiles_with(space, "terrace::ldlt::update", update_kernel<Scalar>, level.update[k / inner_blocks],
                          dim3(1), ProductShape::threads, bytes, std::tuple(numbers_),
                          k / inner_blocks * FrontTuning::outer);
    }
  }

  /// Few right-hand sides are solved with one by one.
  static bool one_by_one(int columns) { return columns <= FrontTuning::few_columns; }
  std::size_t numbers_of_large(int columns) const { return static_cast<std::size_t>(columns) * plan_->large_columns(); }

  /// One right-hand side.
  template <class Kernel>
  void launch_small(const Kokkos::Cuda& space, const char* label, Kernel kernel, const SmallFronts& fronts, int threads,
                    const SolveVectors<Scalar>& vectors, Stands stands) const {
    launch_early(space, label, kernel, dim3(checked_blocks(static_cast<std::size_t>(fronts.count))), threads, 0,
                 plan_->places(), static_cast<const Scalar*>(numbers_.panels), vectors, fronts.first, stands);
  }

  /// Several at once, by groups of eight: as many groups in a thread block as its memory is for, if that leaves work
  /// for all multiprocessors.
  template <class Kernel>
  void launch_small_columns(const Kokkos::Cuda& space, const char* label, Kernel kernel, const SmallFronts& fronts,
                            int threads, const SolveVectors<Scalar>& vectors, Stands stands) const {
    const auto bytes = [&](int groups) {
      return sizeof(Scalar) * static_cast<std::size_t>(ColumnGroup::numbers(fronts.max_rows, groups));
    };
    const int groups = parallel::divide_up(vectors.columns, ColumnGroup::columns);
    int at_once = groups;
    const auto blocks = [&] { return static_cast<std::size_t>(parallel::divide_up(groups, at_once)); };
    while (at_once > 1 && (bytes(at_once) > std::min(FrontTuning::bytes_of_columns, shared_bytes_) ||
                           static_cast<std::size_t>(fronts.count) * blocks() < 4 * multiprocessors_))
      at_once = (at_once + 1) / 2;
    const dim3 grid(checked_blocks(static_cast<std::size_t>(fronts.count)), static_cast<unsigned>(blocks()));
    launch_early(space, label, kernel, grid, threads, bytes(at_once), plan_->places(),
                 static_cast<const Scalar*>(numbers_.panels), vectors, fronts.first, at_once, stands);
  }

  /// Products of the tiles of large fronts with several right-hand sides: kernel(columns of a tile) with `more`. Where
  /// tiles are few, narrow ones keep more multiprocessors busy, and end sooner; not every GPU has the memory for them.
  template <class Kernel, class... More>
  void launch_products(const Kokkos::Cuda& space, const char* label, const Kernel& kernel, const TileRange& tiles,
                       Contiguous left, const SolveVectors<Scalar>& vectors, const More&... more) const {
    const auto launch = [&](auto columns) {
      launch_tiles_with(space, label, kernel(columns), tiles,
                        dim3(1, static_cast<unsigned>(parallel::divide_up(vectors.columns, columns()))),
                        ProductShape::threads_of(columns), ProductShape::bytes<Scalar>(left, by_columns, columns),
                        std::tuple(static_cast<const Scalar*>(numbers_.panels), vectors), more...);
    };
    constexpr int narrow = ProductShape::narrow;
    if (tiles.count < FrontTuning::narrow_tiles * multiprocessors_ &&
        ProductShape::bytes<Scalar>(left, by_columns, narrow) <= shared_bytes_)
      launch(std::integral_constant<int, narrow>());
    else launch(std::integral_constant<int, ProductShape::side>());
  }

  static dim3 gather_grid(int columns) {
    return dim3(1, static_cast<unsigned>(parallel::divide_up(columns, SolveShape::columns)));
  }

  /// Nothing claimed, and nothing there of what is watched, before large fronts are walked one right-hand side by one.
  void forget(const Kokkos::Cuda& space, const SolveVectors<Scalar>& vectors) const {
    if (!one_by_one(vectors.columns) || launches_->lists.gathered == 0) return;
    const std::size_t numbers = plan_->counters() + 2 * numbers_of_large(vectors.columns);
    set_bytes(space, scratch_, 0xff, numbers * sizeof(Scalar));
  }

  /// The large fronts of a level, whose tiles are claimed by the counter of this number: kernel(shape) with `more`.
  template <class Wide, class Kernel, class... More>
  void launch_chained(const Kokkos::Cuda& space, const char* label, const Kernel& kernel, const TileRange& tiles,
                      std::size_t counter, const SolveVectors<Scalar>& vectors, const More&... more) const {
    const std::size_t claims = tiles.count * static_cast<std::size_t>(vectors.columns);
    if (claims == 0) return;
    int* const claimed = reinterpret_cast<int*>(scratch_ + counter);
    const auto launch = [&](auto shape) {
      launch_early(space, label, kernel(shape), dim3(checked_blocks(claims)), shape.threads, 0, plan_->places(),
                   static_cast<const Scalar*>(numbers_.panels), vectors,
                   ClaimedTiles{launches_->tiles.data() + tiles.first, static_cast<int>(tiles.count), claimed},
                   more...);
    };
    if (claims <= 2 * multiprocessors_) launch(DeepShape<Scalar>());
    else launch(Wide());
  }

  void forward(const Kokkos::Cuda& space, const SolveVectors<Scalar>& vectors) const {
    std::size_t counter = 0;
    Stands stands = Stands::First;
    for (const LevelLaunches& level : launches_->lists.levels) {
      forward_large(space, level, counter++, vectors);
      solve_small(
          space, "terrace::ldlt::forward_small", level, level.gather.count > 0 ? Stands::Beside : stands, vectors,
          [](auto front_class) { return forward_small_kernel<front_class, Scalar>; },
          [](auto front_class) { return forward_small_columns_kernel<front_class, Scalar>; });
      stands = Stands::Behind;
    }
  }

  void forward_large(const Kokkos::Cuda& space, const LevelLaunches& level, std::size_t counter,
                     const SolveVectors<Scalar>& vectors) const {
    if (one_by_one(vectors.columns))
      return launch_chained<WideForward<Scalar>>(
          space, "terrace::ldlt::forward_chained",
          [](auto shape) { return forward_chained_kernel<decltype(shape), Scalar>; }, level.gather, counter, vectors,
          launches_->sources.for_kernels());
    launch_tiles_with(space, "terrace::ldlt::gather_updates", gather_updates_kernel<Scalar>, level.gather,
                      gather_grid(vectors.columns), SolveShape::threads, 0,
                      std::tuple(launches_->sources.for_kernels(), vectors));
    for (int k = 0; k < static_cast<int>(level.forward.size()); ++k)
      launch_products(
          space, "terrace::ldlt::forward_step", [](auto columns) { return forward_step_kernel<columns, Scalar>; },
          level.forward[k], by_rows, vectors, k * FrontTuning::outer);
  }

  /// The fronts of a level in shared memory, by kernels for their class: one() for one right-hand side alone, several()
  /// for more.
  template <class One, class Several>
  void solve_small(const Kokkos::Cuda& space, const char* label, const LevelLaunches& level, Stands first_stands,
                   const SolveVectors<Scalar>& vectors, const One& one, const Several& several) const {
    for_each_class(level.solve_small, first_stands, [&](const SmallFronts& fronts, Stands stands) {
      using Classes = FrontTuning::SolveClasses;
      with_class<Classes>(fronts.front_class, [&](auto front_class) {
        if (vectors.columns == 1)
          launch_small(space, label, one(front_class), fronts, Classes::threads[front_class], vectors, stands);
        else
          launch_small_columns(space, label, several(front_class), fronts, Classes::threads_of_columns[front_class],
                               vectors, stands);
      });
    });
  }

  void backward(const Kokkos::Cuda& space, SolveVectors<Scalar> vectors, Stands stands) const {
    const auto& levels = launches_->lists.levels;
    std::size_t counter = levels.size();
    if (one_by_one(vectors.columns)) vectors.watched += numbers_of_large(vectors.columns);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      backward_large(space, *level, counter++, vectors);
      // Fronts without columns are only read, where there are few right-hand sides.
      const std::size_t large =
          level->backward_begin.count + (one_by_one(vectors.columns) ? level->backward_gather.count : 0);
      solve_small(
          space, "terrace::ldlt::backward_small", *level, large > 0 ? Stands::Beside : stands, vectors,
          [](auto front_class) { return backward_small_kernel<front_class, Scalar>; },
          [](auto front_class) { return backward_small_columns_kernel<front_class, Scalar>; });
      stands = Stands::Behind;
    }
  }

  void backward_large(const Kokkos::Cuda& space, const LevelLaunches& level, std::size_t counter,
                      const SolveVectors<Scalar>& vectors) const {
    if (one_by_one(vectors.columns)) {
      launch_tiles_with(space, "terrace::ldlt::gather_solution", gather_solution_kernel<Scalar>, level.backward_gather,
                        gather_grid(vectors.columns), SolveShape::side, 0, std::tuple(vectors));
      return launch_chained<WideBackward<Scalar>>(
          space, "terrace::ldlt::backward_chained",
          [](auto shape) { return backward_chained_kernel<decltype(shape), Scalar>; }, level.backward_begin, counter,
          vectors);
    }
    launch_products(
        space, "terrace::ldlt::backward_begin", [](auto columns) { return backward_begin_kernel<columns, Scalar>; },
        level.backward_begin, by_columns, vectors);
    for (int k = static_cast<int>(level.backward.size()) - 1; k > 0; --k)
      launch_products(
          space, "terrace::ldlt::backward_step", [](auto columns) { return backward_step_kernel<columns, Scalar>; },
          level.backward[k], by_columns, vectors, k * FrontTuning::outer);
  }

  /// Of Y, with the columns in portions.
  template <class Kernel>
  void for_each_row(const Kokkos::Cuda& space, const char* label, Kernel kernel,
                    const SolveVectors<Scalar>& vectors) const {
    constexpr std::size_t threads = 256;
    dim3 grid = gather_grid(vectors.columns);
    grid.x = checked_blocks(parallel::divide_up(rows_, threads));
    launch_early(space, label, kernel, grid, int(threads), 0, vectors, rows_);
  }

  std::shared_ptr<const CudaLdltPlan> plan_;
  std::shared_ptr<const DeviceLaunches> launches_;
  std::size_t multiprocessors_, shared_bytes_;
  std::size_t rows_ = 0;
  int columns_ = 1;
  Arrays memory_;
  FrontNumbers<Scalar> numbers_{};
  Scalar *scratch_ = nullptr, *large_ = nullptr, *updates_ = nullptr;
  RepeatedWork<Factorization> factorizations_;
  RepeatedWork<Solve> solves_;
};

template <class Scalar>
terrace::ldlt::LdltEnginePointer<Scalar, Kokkos::Cuda> make_engine(
    const Kokkos::Cuda& space, const terrace::ldlt::LdltPlanPointer<Kokkos::Cuda>& plan, int right_hand_sides) {
  return std::make_unique<CudaLdltEngine<Scalar>>(space, std::static_pointer_cast<const CudaLdltPlan>(plan),
                                                  right_hand_sides);
}

}  // namespace terrace::cuda::ldlt
