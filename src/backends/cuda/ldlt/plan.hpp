// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What engines of one pattern share on the GPU: where the fronts lie, in the order of the levels, and for each size of
// numbers the lists of launches, which the first engine of that size has made.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <terrace/ldlt_options.hpp>

#include "algorithms/ldlt/engine.hpp"
#include "backends/cuda/launch.hpp"
#include "backends/cuda/ldlt/launch_lists.hpp"
#include "backends/cuda/ldlt/list_sources.hpp"

namespace terrace::cuda::ldlt {

/// Launch lists with their tiles in device memory.
struct DeviceLaunches {
  LaunchLists lists;  // without tiles
  Kokkos::View<Tile*, parallel::Device<Kokkos::Cuda>> tiles;
  SourceLists sources;

  std::size_t bytes_held() const { return tiles.span() * sizeof(Tile) + sources.bytes_held(); }
};

class CudaLdltPlan : public terrace::ldlt::LdltPlan<Kokkos::Cuda> {
  using Fronts = terrace::ldlt::SymbolicFronts<Kokkos::Cuda>;
  template <class T>
  using Array = Kokkos::View<T*, parallel::Device<Kokkos::Cuda>>;

 public:
  CudaLdltPlan(const Kokkos::Cuda& space, std::shared_ptr<const Fronts> fronts) : fronts_(std::move(fronts)) {
    const auto& plan = fronts_->plan;
    const auto& tree = plan.tree;
    const int small_rows = LaunchListMaker::rows_that_fit_any_type(shared_bytes(space));
    std::vector<FrontPlace> places;
    places.reserve(plan.by_level.size());
    for (const int f : plan.by_level) {
      places.push_back({plan.panel_map[f], plan.contribution[f], tree.row_map[f], plan.update_map[f], tree.child_map[f],
                        large_columns_, plan.entries.map[f], plan.entries.map[f + 1] - plan.entries.map[f],
                        static_cast<int>(tree.child_map[f + 1] - tree.child_map[f]), tree.rows_of(f),
                        tree.columns_of(f), tree.first_column[f]});
      if (tree.rows_of(f) > small_rows) large_columns_ += static_cast<std::size_t>(tree.columns_of(f));
    }
    std::vector<ChildPlace> children;
    children.reserve(tree.children.size());
    for (const int f : tree.children)
      children.push_back({plan.contribution[f], tree.row_map[f] + static_cast<std::size_t>(tree.columns_of(f)),
                          plan.update_map[f], tree.contribution_rows_of(f)});
    places_ = parallel::from_host_vector(space, "terrace::ldlt::places", places);
    children_ = parallel::from_host_vector(space, "terrace::ldlt::children", children);
  }

  const terrace::ldlt::FrontPlan& host() const { return fronts_->plan; }
  /// Rows of the updates of a solve.
  std::size_t update_rows() const { return host().update_map.back(); }
  /// Own columns of fronts in device memory, for numbers of any type.
  std::size_t large_columns() const { return large_columns_; }

  FrontPlaces places() const {
    return {places_.data(), children_.data(), fronts_->arrays.rows.data(), fronts_->arrays.place_in_parent.data(),
            fronts_->arrays.entry_target.data()};
  }

  /// The first call for numbers of this size waits for the space.
  std::shared_ptr<const DeviceLaunches> launches(const Kokkos::Cuda& space, std::size_t scalar_bytes) const {
    const std::lock_guard lock(mutex_);
    auto& launches = launches_[scalar_bytes];
    if (!launches) {
      auto made = std::make_shared<DeviceLaunches>();
      made->lists = LaunchListMaker(host(), scalar_bytes, shared_bytes(space)).take();
      made->tiles = parallel::from_host_vector(space, "terrace::ldlt::tiles", made->lists.tiles);
      const TileRange& first_of_front = made->lists.first_of_front;
      made->sources = SourceLists(space, places(), made->tiles.data() + first_of_front.first, first_of_front.count,
                                  made->lists.gathered, sources_of(made->lists));
      made->lists.tiles = {};
      launches = made;
    }
    return launches;
  }

  /// Counters of a solve, each in a number: for each level forward, and backward.
  std::size_t counters() const { return 2 * static_cast<std::size_t>(host().levels()); }
  /// Numbers of the vectors of a solve, and of its counters.
  std::size_t solve_numbers(int right_hand_sides) const {
    const int columns = columns_at_once(right_hand_sides);
    return counters() + large_numbers(columns) + static_cast<std::size_t>(columns) * update_rows();
  }
  /// Of the vectors of large fronts: one, and of few right-hand sides two more that are watched.
  std::size_t large_numbers(int columns) const {
    return static_cast<std::size_t>(std::max(columns, 3 * std::min(columns, FrontTuning::few_columns))) *
           large_columns();
  }
  /// So many that their vectors take no more than a part of what the panels do, or no more than bytes_of_vectors;
  /// groups that are solved with at once are whole, and of several portions none is much smaller than others.
  int columns_at_once(int right_hand_sides) const override {
    const std::size_t numbers_of_column =
        static_cast<std::size_t>(host().tree.unknowns()) + large_columns() + update_rows();
    const auto part_of_panels =
        static_cast<std::size_t>(FrontTuning::vectors_of_panels * static_cast<double>(host().panel_numbers()));
    const std::size_t affordable = std::max(part_of_panels, FrontTuning::bytes_of_vectors / sizeof(double)) /
                                   std::max<std::size_t>(numbers_of_column, 1);
    const auto most =
        static_cast<int>(std::clamp<std::size_t>(affordable, FrontTuning::fewest_columns, FrontTuning::columns));
    constexpr int group = ColumnGroup::columns;
    const int portions = parallel::divide_up(right_hand_sides, most / group * group);
    if (portions == 1) return right_hand_sides;
    return parallel::divide_up(parallel::divide_up(right_hand_sides, portions), group) * group;
  }

  /// Of a thread block, without what kernels declare.
  static std::size_t shared_bytes(const Kokkos::Cuda& space) {
    constexpr std::size_t declared = 8 << 10;
    const OnDevice current(space.cuda_device());
    return static_cast<std::size_t>(shared_memory_of_block()) - declared;
  }

  std::size_t bytes_held() const override {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = places_.span() * sizeof(FrontPlace) + children_.span() * sizeof(ChildPlace);
    for (const auto& launches : launches_) bytes += launches.second->bytes_held();
    return bytes;
  }
  std::size_t bytes_of_engine(std::size_t scalar_bytes, int right_hand_sides) const override {
    return scalar_bytes * (host().panel_numbers() + static_cast<std::size_t>(host().tree.unknowns()) +
                           std::max(host().workspace, solve_numbers(right_hand_sides)));
  }

 private:
  /// Of the rows of large fronts.
  std::size_t sources_of(const LaunchLists& lists) const {
    const auto& tree = host().tree;
    std::size_t sources = 0;
    for (std::size_t k = 0; k < lists.first_of_front.count; ++k) {
      const int f = host().by_level[lists.tiles[lists.first_of_front.first + k].front];
      for (std::size_t c = tree.child_map[f]; c < tree.child_map[f + 1]; ++c)
        sources += static_cast<std::size_t>(tree.contribution_rows_of(tree.children[c]));
    }
    if (std::max(sources, update_rows()) > std::numeric_limits<unsigned>::max())
      throw Error(ErrorCode::OutOfMemory, "the rows that fronts hand on to their parents are " +
                                              std::to_string(std::max(sources, update_rows())) +
                                              "; this engine counts them in 32 bits");
    return sources;
  }

  std::shared_ptr<const Fronts> fronts_;
  Array<FrontPlace> places_;
  Array<ChildPlace> children_;
  std::size_t large_columns_ = 0;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::shared_ptr<const DeviceLaunches>> launches_;
};

}  // namespace terrace::cuda::ldlt
