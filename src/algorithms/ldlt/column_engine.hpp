// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithm of Chen and Wang 2021 (section 2.2): right-looking, in parallel over the levels of the elimination
// tree, the columns of a level and the entries that they change.
//
//     for each level: for each column k of it:  d_k by the rule of pivots,  l_ik = a_ik / d_k
//                     for each column k, each row j of it, each row i >= j of it:  a_ij -= l_ik d_k l_jk   (atomically)
//
// Where the paper spreads each column of a level into two dense vectors of length n, which bounds how many columns go
// side by side, the place of a_ij is searched among the rows of the front that owns column j. Sums are made in the
// order in which threads come: bits do not repeat. Two kernels for each level: a chain of columns is as many levels.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/ldlt/level_engine.hpp"
#include "parallel/teams.hpp"

namespace terrace::ldlt {

/// Adds the levels of columns to what the level engine needs.
template <class Space>
class ColumnPlan : public LevelPlan<Space> {
 public:
  ColumnPlan(const Space& space, std::shared_ptr<const SymbolicFronts<Space>> fronts)
      : LevelPlan<Space>(std::move(fronts)) {
    const FrontTree& tree = this->plan().tree;
    std::vector<int> level(tree.unknowns(), 0), front(tree.unknowns());
    for (int f = 0; f < tree.fronts(); ++f) {
      const int *row = tree.rows_begin(f), columns = tree.columns_of(f);
      for (int j = 0; j < columns; ++j) front[row[j]] = f;
      for (int j = 0; j + 1 < tree.rows_of(f) && j < columns; ++j)
        level[row[j + 1]] = std::max(level[row[j + 1]], level[row[j]] + 1);
    }
    const int levels = level.empty() ? 0 : *std::max_element(level.begin(), level.end()) + 1;
    level_map_.assign(static_cast<std::size_t>(levels) + 1, 0);
    for (const int l : level) ++level_map_[l + 1];
    std::partial_sum(level_map_.begin(), level_map_.end(), level_map_.begin());
    std::vector<int> by_level(level.size()), next(level_map_.begin(), level_map_.end() - 1);
    for (int column = 0; column < tree.unknowns(); ++column) by_level[next[level[column]]++] = column;
    by_level_ = parallel::from_host_vector(space, "terrace::ldlt::columns_by_level", by_level);
    front_of_ = parallel::from_host_vector(space, "terrace::ldlt::front_of_column", front);
  }

  const std::vector<int>& column_level_map() const { return level_map_; }
  const int* columns_by_level() const { return by_level_.data(); }
  const int* front_of_column() const { return front_of_.data(); }
  EngineKind kind() const override { return EngineKind::Columns; }
  std::size_t bytes_held() const override { return (by_level_.span() + front_of_.span()) * sizeof(int); }
  std::size_t workspace() const override { return 0; }

 private:
  std::vector<int> level_map_;
  Kokkos::View<int*, parallel::Device<Space>> by_level_, front_of_;
};

/// One column of L in the panel of its front.
template <class Scalar>
struct ColumnOfFront {
  std::int64_t below;  // rows below the diagonal
  const int* rows;     // of the diagonal and below it
  Scalar* values;

  KOKKOS_FUNCTION ColumnOfFront(const FrontView& fronts, int front, int column, Scalar* panels)
      : below(fronts.rows_of(front) - (column - fronts.first_column[front]) - 1),
        rows(fronts.rows + fronts.row_map[front] + (column - fronts.first_column[front])),
        values(panels + fronts.panel_map[front] +
               static_cast<std::size_t>(column - fronts.first_column[front]) *
                   static_cast<std::size_t>(fronts.rows_of(front) + 1)) {}
};

template <class Scalar, class Space>
struct DivideColumns {
  using Real = RealOf<Scalar>;
  using Member = parallel::TeamMember<Space>;

  FrontView fronts;
  const int* columns;
  const int* front_of;
  Scalar* panels;
  Scalar* diagonal;
  PivotRule<Scalar> pivots;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = columns[member.league_rank()];
    const ColumnOfFront<Scalar> column(fronts, front_of[k], k, panels);
    parallel::by_one(member, [=, this] {
      diagonal[k] = pivots.settle(k, column.values[0]);
      column.values[0] = Scalar(1);
    });
    member.team_barrier();
    const Scalar pivot = diagonal[k];
    Real growth = 0;
    parallel::reduce(
        member, column.below,
        [=](std::int64_t i, Real& largest) {
          column.values[i + 1] = column.values[i + 1] / pivot;
          const Real size = incomplete::magnitude(column.values[i + 1]);
          if (size > largest) largest = size;
        },
        Kokkos::Max<Real>(growth));
    parallel::by_one(member, [=, this] { parallel::atomic_raise(pivots.record->growth, growth); });
  }
};

template <class Scalar, class Space>
struct UpdateColumns {
  using Member = parallel::TeamMember<Space>;

  FrontView fronts;
  const int* columns;
  const int* front_of;
  Scalar* panels;
  const Scalar* diagonal;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int k = columns[member.league_rank()];
    const ColumnOfFront<Scalar> from(fronts, front_of[k], k, panels);
    parallel::share(member, from.below, [=, this](std::int64_t a) {
      const int j = from.rows[a + 1];
      const ColumnOfFront<Scalar> to(fronts, front_of[j], j, panels);
      const Scalar factor = from.values[a + 1] * diagonal[k];
      std::int64_t at = 0;  // rows ascend in both
      for (std::int64_t b = a; b < from.below; ++b) {
        at = first_not_below(to.rows, at, to.below + 1, from.rows[b + 1]);
        parallel::atomic_accumulate(to.values[at], -(from.values[b + 1] * factor));
      }
    });
  }

  /// By doubling steps and halving them: rows that are near are found soon.
  KOKKOS_FUNCTION static std::int64_t first_not_below(const int* rows, std::int64_t begin, std::int64_t end, int row) {
    std::int64_t step = 1;
    while (begin + step < end && rows[begin + step] <= row) {
      begin += step;
      step *= 2;
    }
    while (rows[begin] < row) {
      while (begin + step >= end || rows[begin + step] > row) step /= 2;
      begin += step;
    }
    return begin;
  }
};

template <class Number>
struct ClearNumbers {
  Number* numbers;
  KOKKOS_FUNCTION void operator()(std::size_t k) const { numbers[k] = Number(0); }
};

template <class Number>
struct PlaceEntries {
  Number* panels;
  const std::size_t* target;
  const Number* entries;
  KOKKOS_FUNCTION void operator()(std::size_t e) const { panels[target[e]] = entries[e]; }
};

template <class Scalar, class Space>
class ColumnEngine : public LevelEngine<Scalar, Space> {
 public:
  ColumnEngine(const Space& space, std::shared_ptr<const ColumnPlan<Space>> plan, int right_hand_sides)
      : LevelEngine<Scalar, Space>(space, plan, right_hand_sides), columns_(std::move(plan)) {}

  void factorize(const Space& space, const Scalar* entries, const PivotRule<Scalar>& pivots) override {
    const FrontView fronts = columns_->view();
    Scalar* const panels = this->panels();
    Kokkos::parallel_for("terrace::ldlt::clear_columns",
                         Kokkos::RangePolicy<Space>(space, 0, columns_->plan().panel_numbers()),
                         ClearNumbers<Scalar>{panels});
    Kokkos::parallel_for("terrace::ldlt::place_entries",
                         Kokkos::RangePolicy<Space>(space, 0, columns_->plan().entries.map.back()),
                         PlaceEntries<Scalar>{panels, fronts.entry_target, entries});
    const auto& map = columns_->column_level_map();
    for (std::size_t level = 0; level + 1 < map.size(); ++level) {
      const int* const columns = columns_->columns_by_level() + map[level];
      const int count = map[level + 1] - map[level];
      parallel::for_each_team(
          "terrace::ldlt::divide_columns", space, count,
          DivideColumns<Scalar, Space>{fronts, columns, columns_->front_of_column(), panels, this->diagonal(), pivots});
      parallel::for_each_team(
          "terrace::ldlt::update_columns", space, count,
          UpdateColumns<Scalar, Space>{fronts, columns, columns_->front_of_column(), panels, this->diagonal()});
    }
  }

 private:
  std::shared_ptr<const ColumnPlan<Space>> columns_;
};

}  // namespace terrace::ldlt
