// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the engines of an NVIDIA GPU share of a triangle's structure: the levels of its rows, and its slices (ADR 17).
#pragma once

#include "algorithms/triangular/triangle_plan.hpp"
#include "backends/cuda/triangular/slice_rows.hpp"

namespace terrace::cuda::triangular {

/// Slices with their columns: all but the values. Copies share the memory.
template <class Offset>
struct SlicedTriangle {
  SlicedRows<Offset> rows;
  std::shared_ptr<Arrays> memory;
  int* columns = nullptr;  // positions, by slot

  std::size_t bytes_held() const { return rows.bytes_held() + memory->bytes_held(); }
};

/// `level` of each row, or null when it is not known; `per_lane` entries of whole rows for each lane at most, or
/// tuned_lanes.
template <class Offset>
SlicedTriangle<Offset> slice_triangle(const Space& space, const sparse::Triangle<int, Offset, Space>& triangle,
                                      bool backward, int entries_per_piece, const int* level, Order order,
                                      int per_lane = tuned_lanes) {
  SliceRows<Offset> builder(space, triangle, backward, entries_per_piece, per_lane, level, order);
  SlicedTriangle<Offset> sliced{std::move(builder.rows()), {}, nullptr};
  const auto& rows = sliced.rows;
  const auto slots = static_cast<std::size_t>(rows.slots);
  sliced.memory = std::make_shared<Arrays>(space, "terrace::cuda::columns", Arrays::bytes<int>(slots));
  sliced.columns = sliced.memory->template take<int>(slots);
  launch_for_slices(space, "terrace::cuda::fill_columns", fill_columns_kernel<Offset>,
                    FillColumns<Offset>{rows.items_of(triangle.view()), rows.slices, rows.slice_count, rows.items,
                                        builder.position(), sliced.columns});
  return sliced;
}

struct FindDeepestLevel {
  const int* level;
  KOKKOS_FUNCTION void operator()(int row, int& deepest) const { deepest = Kokkos::max(deepest, level[row]); }
};

/// The engine that comes first makes them, and waits, so that every instance may use them; unless there is one engine.
template <class Offset>
class TrianglePlan : public terrace::triangular::TrianglePlan<int, Offset, Space> {
  using Triangle = sparse::Triangle<int, Offset, Space>;

 public:
  TrianglePlan() = default;
  ~TrianglePlan() override {
    if (only_space_) level_memory_.free_on(*only_space_);
  }

  /// Of one engine, for as long as that is made: enqueues the search for levels, of a small triangle without long rows,
  /// which does nothing unless that is what the check finds, whose cells these are.
  TrianglePlan(const Space& space, const Triangle& triangle, bool backward, const int* cells) : only_space_(space) {
    search_for_levels(space, triangle.count, [&](Arrays& arrays, int* level) {
      const TaskScratch scratch(arrays, triangle.count);
      const auto tasks = unlisted_tasks(triangle.view(), backward, triangle.entries.extent(0), scratch);
      find_levels_at_once(space, tasks, scratch, false, level, cells);
    });
  }

  SlicedTriangle<Offset> slices(const Space& space, const Triangle& triangle, bool backward) {
    const std::scoped_lock lock(mutex_);
    if (!sliced_) {
      sliced_ = slice_triangle(space, triangle, backward, SliceTuning::entries_per_piece, level_, Order::Best);
      if (!only_space_) space.fence("terrace::cuda::triangle_plan");
      level_ = nullptr;
      level_memory_.free_on(space);
    }
    return *sliced_;
  }

  /// Calls `use` with the level of each row, which is kept until there are slices.
  template <class Use>
  void with_levels(const Space& space, const Triangle& triangle, bool backward, const Use& use) {
    const std::scoped_lock lock(mutex_);
    if (!level_) find_levels(space, triangle, backward);
    use(level_);
  }

  /// Waits for the space.
  int count_levels(const Space& space, const Triangle& triangle, bool backward) {
    int deepest = 0;
    with_levels(space, triangle, backward, [&](const int* level) {
      Kokkos::parallel_reduce("terrace::cuda::count_levels", Kokkos::RangePolicy<Space>(space, 0, triangle.count),
                              FindDeepestLevel{level}, Kokkos::Max<int>(deepest));
    });
    return deepest + 1;
  }

 private:
  void find_levels(const Space& space, const Triangle& triangle, bool backward) {
    search_for_levels(space, triangle.count,
                      [&](Arrays& arrays, int* level) { cuda::find_levels(space, triangle, backward, arrays, level); });
  }

  /// Calls search(memory for it, levels).
  template <class Search>
  void search_for_levels(const Space& space, int count, const Search& search) {
    const auto rows = static_cast<std::size_t>(count);
    level_memory_ = Arrays(space, "terrace::cuda::levels", Arrays::bytes<int>(rows));
    auto* const level = level_memory_.template take<int>(rows);
    JoinedScratch memory(space, "terrace::cuda::find_levels", TaskScratch::bytes(count));
    search(memory, level);
    level_ = level;
  }

  std::mutex mutex_;
  std::optional<SlicedTriangle<Offset>> sliced_;
  Arrays level_memory_;
  int* level_ = nullptr;
  std::optional<Space> only_space_;  // that uses it
};

/// Whether slices in the order of levels are likely to be made of these rows.
template <class Offset>
bool pays_to_plan_ahead(const sparse::CheckedInput<int, Offset, Space>& input) {
  const auto& options = input.options;
  const bool by_rows = options.algorithm == Algorithm::Automatic || options.algorithm == Algorithm::LevelScheduled;
  const std::size_t entries = input.entries.extent(0), entries_of_tiles = std::size_t(TileTuning::entries_of_run);
  return by_rows && options.storage == Storage::Automatic && options.reuse == Reuse::Many &&
         options.rows_per_task <= 1 && options.right_hand_sides == 1 && options.check_structure &&
         sparse::rows_gather(options.format, options.op) && SmallMatrix::is(input.count, entries) &&
         entries < entries_of_tiles * static_cast<std::size_t>(input.count);
}

}  // namespace terrace::cuda::triangular

namespace terrace::triangular {

template <class Ordinal, class Offset>
std::shared_ptr<TrianglePlan<Ordinal, Offset, Kokkos::Cuda>> make_triangle_plan(const Kokkos::Cuda&) {
  return std::make_shared<cuda::triangular::TrianglePlan<Offset>>();
}

template <class Offset>
std::shared_ptr<TrianglePlan<int, Offset, Kokkos::Cuda>> plan_ahead(
    const Kokkos::Cuda& space, const sparse::CheckedInput<int, Offset, Kokkos::Cuda>& unchecked) {
  if (!cuda::triangular::pays_to_plan_ahead(unchecked)) return nullptr;
  const bool backward = sparse::runs_backward(unchecked.options.uplo, unchecked.options.op);
  return std::make_shared<cuda::triangular::TrianglePlan<Offset>>(space, sparse::triangle_in_place(unchecked), backward,
                                                                  unchecked.cells.data());
}

}  // namespace terrace::triangular
