// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread blocks a factorization and a solve consist of, for numbers of one size: for each level the ranges of
// fronts that fit in shared memory, and lists of tiles of those that do not. On the host.
#pragma once

#include <algorithm>
#include <vector>

#include "backends/cuda/ldlt/assemble.hpp"
#include "backends/cuda/ldlt/factor_small.hpp"
#include "backends/cuda/ldlt/places.hpp"
#include "backends/cuda/ldlt/solve_small_columns.hpp"
#include "backends/cuda/ldlt/tuning.hpp"

namespace terrace::cuda::ldlt {

/// A part of a list of tiles.
struct TileRange {
  std::size_t first = 0, count = 0;
};

/// Fronts of a level that fit in shared memory, those of one class of the factorization or of solves.
struct SmallFronts {
  int front_class, first, count;
  int max_rows = 0;
};

/// The k-th of a vector belongs to the k-th block of 64, or of 256, own columns.
struct LevelLaunches {
  std::vector<SmallFronts> factor_small, solve_small;
  TileRange assemble, entries;
  std::vector<TileRange> diagonal, panel, update;
  std::vector<TileRange> forward, backward;
  TileRange gather, backward_gather, backward_begin;
};

struct LaunchLists {
  std::vector<LevelLaunches> levels;
  TileRange invert_pairs, invert_halves_left, invert_halves_right, multiply;
  TileRange first_of_front;  ///< of those to gather
  std::size_t gathered = 0;  ///< tiles to gather, of all levels
  std::vector<Tile> tiles;
};

class LaunchListMaker {
  static constexpr int inner = FrontTuning::inner, outer = FrontTuning::outer;

 public:
  /// For a device whose thread blocks have so much shared memory.
  LaunchListMaker(const terrace::ldlt::FrontPlan& plan, std::size_t scalar_bytes, std::size_t shared_bytes)
      : plan_(plan), shared_rows_(rows_that_fit(scalar_bytes, shared_bytes)) {
    for (int level = 0; level < plan.levels(); ++level) add_level(plan.level_map[level], plan.level_map[level + 1]);
    add_inversions();
    lists_.first_of_front =
        range([&] { lists_.tiles.insert(lists_.tiles.end(), first_of_front_.begin(), first_of_front_.end()); });
  }

  LaunchLists take() { return std::move(lists_); }

  /// Rows of fronts that fit in shared memory whatever their numbers are.
  static int rows_that_fit_any_type(std::size_t shared_bytes) {
    return rows_that_fit(sizeof(Kokkos::complex<double>), shared_bytes);
  }

 private:
  /// Bytes of a front while it is factorized, at most.
  static std::size_t factor_bytes(int rows, std::size_t scalar_bytes) {
    return scalar_bytes <= sizeof(double) ? TiledFront<32, Kokkos::complex<float>>::bytes(rows)
                                          : TiledFront<32, Kokkos::complex<double>>::bytes(rows);
  }

  static int rows_that_fit(std::size_t scalar_bytes, std::size_t shared_bytes) {
    int rows = FrontTuning::shared_rows(scalar_bytes);
    const auto bytes = [&](int rows) {  // while it is factorized, and in a solve with one group of vectors
      return std::max(factor_bytes(rows, scalar_bytes),
                      static_cast<std::size_t>(ColumnGroup::numbers(rows, 1)) * scalar_bytes);
    };
    while (rows > 0 && bytes(rows) > shared_bytes) --rows;
    return rows;
  }

  int rows(int place) const { return plan_.tree.rows_of(plan_.by_level[place]); }
  int columns(int place) const { return plan_.tree.columns_of(plan_.by_level[place]); }

  /// Calls add() and returns which tiles it has added.
  template <class Add>
  TileRange range(const Add& add) {
    const std::size_t first = lists_.tiles.size();
    add();
    return {first, lists_.tiles.size() - first};
  }

  void add_rows(int place, int first, int column) {
    for (int row = first; row < rows(place); row += inner) lists_.tiles.push_back({place, row, column});
  }
  void add_columns(int place, int end) {
    for (int column = 0; column < end; column += inner) lists_.tiles.push_back({place, 0, column});
  }

  /// The lower triangle in the own columns from a block on.
  void add_panel_tiles(int place, int first) {
    for (int column = first; column < columns(place); column += inner) add_rows(place, column, column);
  }
  void add_contribution_tiles(int place) {
    for (int column = columns(place); column < rows(place); column += inner) add_rows(place, column, column);
  }

  void add_level(int first, int end) {
    int large = first;
    while (large < end && rows(large) > shared_rows_) ++large;
    lists_.levels.emplace_back();
    lists_.levels.back().factor_small = small_fronts<FrontTuning::FactorClasses>(large, end);
    lists_.levels.back().solve_small = small_fronts<FrontTuning::SolveClasses>(large, end);
    if (large > first) add_large(first, large);
  }

  template <class Classes>
  int class_of(int place) const {
    int c = 0;
    while (rows(place) > Classes::rows[c]) ++c;
    return c;
  }

  /// Where the fronts of the same class end.
  template <class Classes>
  int end_of_class(int first, int end) const {
    const int c = class_of<Classes>(first);
    while (first < end && class_of<Classes>(first) == c) ++first;
    return first;
  }

  template <class Classes>
  std::vector<SmallFronts> small_fronts(int first, int end) const {
    std::vector<SmallFronts> found;
    while (first < end) {
      SmallFronts fronts{class_of<Classes>(first), first, 0};
      int behind = end_of_class<Classes>(first, end);
      for (int next = 0;
           behind < end && (next = end_of_class<Classes>(behind, end)) - behind < FrontTuning::fewest_of_class;)
        behind = next;
      for (; first < behind; ++first) fronts.max_rows = std::max(fronts.max_rows, rows(first));
      fronts.count = first - fronts.first;
      found.push_back(fronts);
    }
    return found;
  }

  void add_large(int first, int end) {
    const auto for_each = [&](const auto& add) {
      return range([&] {
        for (int place = first; place < end; ++place) add(place);
      });
    };
    int most = 0;
    for (int place = first; place < end; ++place) most = std::max(most, columns(place));
    LevelLaunches launches = std::move(lists_.levels.back());
    launches.assemble = for_each([&](int place) {
      add_panel_tiles(place, 0);
      add_contribution_tiles(place);
    });
    launches.entries = for_each([&](int place) {
      const int f = plan_.by_level[place];
      const std::size_t count = plan_.entries.map[f + 1] - plan_.entries.map[f];
      for (std::size_t k = 0; k * EntriesShape::entries < count; ++k)
        lists_.tiles.push_back({place, static_cast<int>(k), 0});
    });
    for (int column = 0; column < most; column += inner) {
      launches.diagonal.push_back(for_each([&](int place) {
        if (column < columns(place)) lists_.tiles.push_back({place, column, column});
      }));
      launches.panel.push_back(for_each([&](int place) {
        if (column < columns(place)) add_rows(place, std::min(column + inner, columns(place)), column);
      }));
    }
    for (int column = 0; column < most; column += outer) {
      launches.update.push_back(for_each([&](int place) {
        if (column >= columns(place)) return;
        add_panel_tiles(place, column + outer);
        add_contribution_tiles(place);
      }));
      launches.forward.push_back(for_each([&](int place) {
        if (column < columns(place)) add_rows(place, column, column);
      }));
      launches.backward.push_back(for_each([&](int place) {
        if (column < columns(place)) add_columns(place, column);
      }));
    }
    launches.gather = for_each([&](int place) {
      first_of_front_.push_back({place, 0, static_cast<int>(lists_.gathered)});
      for (int row = 0; row < rows(place); row += inner)
        lists_.tiles.push_back({place, row, static_cast<int>(lists_.gathered++)});
    });
    launches.backward_gather = for_each([&](int place) { add_rows(place, columns(place), 0); });
    launches.backward_begin = for_each([&](int place) { add_columns(place, columns(place)); });
    lists_.levels.back() = std::move(launches);
  }

  void add_inversions() {
    const auto for_each = [&](const auto& add) {
      return range([&] {
        for (int place = 0; place < static_cast<int>(plan_.by_level.size()); ++place)
          if (rows(place) > shared_rows_)
            for (int column = 0; column < columns(place); column += outer) add(place, column);
      });
    };
    lists_.invert_pairs = for_each([&](int place, int first) {
      const int end = std::min(first + outer, columns(place));
      if (end - first <= inner) return;
      for (int column = first; column < end; column += 2 * inner) lists_.tiles.push_back({place, column, column});
    });
    lists_.invert_halves_left = for_each([&](int place, int first) {
      for (int row = first + outer / 2; row < std::min(first + outer, columns(place)); row += inner)
        lists_.tiles.push_back({place, row, first});
    });
    lists_.invert_halves_right = for_each([&](int place, int first) {
      if (first + outer / 2 >= columns(place)) return;
      for (int column = first; column < first + outer / 2; column += inner)
        lists_.tiles.push_back({place, first + outer / 2, column});
    });
    lists_.multiply =
        for_each([&](int place, int column) { add_rows(place, std::min(column + outer, columns(place)), column); });
  }

  const terrace::ldlt::FrontPlan& plan_;
  int shared_rows_;
  std::vector<Tile> first_of_front_;
  LaunchLists lists_;
};

}  // namespace terrace::cuda::ldlt
