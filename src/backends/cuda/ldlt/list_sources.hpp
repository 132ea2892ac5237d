// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists which updates of children each row of a large front adds up in a solve (UpdateSources): found once for a
// pattern, where each solve would look for the places of the row in all children.
#pragma once

#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/tuning.hpp"
#include "parallel/concurrency.hpp"

namespace terrace::cuda::ldlt {

/// A team for each front: counts the sources of its rows, or lists them where the first free place of each row is
/// given.
struct FrontSources {
  using Team = Kokkos::TeamPolicy<Kokkos::Cuda>::member_type;

  FrontPlaces at;
  const Tile* first_of_front;
  unsigned* of_row;   // how many; then where the next one goes
  unsigned* sources;  // null: count

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = first_of_front[team.league_rank()];
    const FrontPlace front = at.fronts[tile.front];
    unsigned* const of_front = of_row + static_cast<std::size_t>(tile.column) * FrontTuning::inner;
    for (int c = 0; c < front.children; ++c) {
      const ChildPlace child = at.children[front.child + static_cast<std::size_t>(c)];
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, child.rows), [&](int row) {
        unsigned& next = of_front[at.place_in_parent[child.row + static_cast<std::size_t>(row)]];
        if (sources) sources[next] = static_cast<unsigned>(child.update + static_cast<std::size_t>(row));
        ++next;
      });
      team.team_barrier();  // the places of a child differ
    }
  }
};

/// Counts become where each row begins, here and in `next`.
struct PlaceSources {
  unsigned *map, *next;
  KOKKOS_FUNCTION void operator()(std::size_t row, unsigned& sum, bool final) const {
    const unsigned count = map[row];
    if (final) map[row] = next[row] = sum;
    sum += count;
  }
};

/// Lists for so many tiles of rows, and so many sources. Waits for the space: others use them too.
class SourceLists {
  template <class T>
  using Array = Kokkos::View<T*, parallel::Device<Kokkos::Cuda>>;

 public:
  SourceLists() = default;
  SourceLists(const Kokkos::Cuda& space, const FrontPlaces& at, const Tile* first_of_front, std::size_t fronts,
              std::size_t tiles, std::size_t sources)
      : map_(parallel::zeros<unsigned>(space, "terrace::ldlt::source_map", tiles * FrontTuning::inner + 1)),
        sources_(parallel::uninitialized<unsigned>(space, "terrace::ldlt::sources", sources)) {
    const auto next = parallel::uninitialized<unsigned>(space, "terrace::ldlt::next_source", map_.extent(0));
    const auto for_each_front = [&](const char* label, unsigned* of_row, unsigned* list) {
      constexpr int threads = 256;
      if (fronts > 0)
        Kokkos::parallel_for(label, Kokkos::TeamPolicy<Kokkos::Cuda>(space, static_cast<int>(fronts), threads),
                             FrontSources{at, first_of_front, of_row, list});
    };
    for_each_front("terrace::ldlt::count_sources", map_.data(), nullptr);
    Kokkos::parallel_scan("terrace::ldlt::place_sources",
                          Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::size_t>>(space, 0, map_.extent(0)),
                          PlaceSources{map_.data(), next.data()});
    for_each_front("terrace::ldlt::list_sources", next.data(), sources_.data());
    space.fence("terrace::ldlt::list_sources");
  }

  UpdateSources for_kernels() const { return {map_.data(), sources_.data()}; }
  std::size_t bytes_held() const { return (map_.span() + sources_.span()) * sizeof(unsigned); }

 private:
  Array<unsigned> map_, sources_;
};

}  // namespace terrace::cuda::ldlt
