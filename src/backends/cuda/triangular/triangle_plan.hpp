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

/// The engine that comes first makes them, and waits, so that every instance may use them.
template <class Offset>
class TrianglePlan : public terrace::triangular::TrianglePlan<int, Offset, Space> {
  using Triangle = sparse::Triangle<int, Offset, Space>;

 public:
  SlicedTriangle<Offset> slices(const Space& space, const Triangle& triangle, bool backward) {
    const std::scoped_lock lock(mutex_);
    if (!sliced_) {
      sliced_ = slice_triangle(space, triangle, backward, SliceTuning::entries_per_piece, level_, Order::Best);
      space.fence("terrace::cuda::triangle_plan");
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
    const auto rows = static_cast<std::size_t>(triangle.count);
    level_memory_ = Arrays(space, "terrace::cuda::levels", Arrays::bytes<int>(rows));
    auto* const level = level_memory_.template take<int>(rows);
    JoinedScratch scratch(space, "terrace::cuda::find_levels", TaskScratch::bytes(triangle.count));
    cuda::find_levels(space, triangle, backward, scratch, level);
    level_ = level;
  }

  std::mutex mutex_;
  std::optional<SlicedTriangle<Offset>> sliced_;
  Arrays level_memory_;
  int* level_ = nullptr;
};

}  // namespace terrace::cuda::triangular

namespace terrace::triangular {

template <class Ordinal, class Offset>
std::shared_ptr<TrianglePlan<Ordinal, Offset, Kokkos::Cuda>> make_triangle_plan(const Kokkos::Cuda&) {
  return std::make_shared<cuda::triangular::TrianglePlan<Offset>>();
}

}  // namespace terrace::triangular
