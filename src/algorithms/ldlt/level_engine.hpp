// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generic engine: level after level, a team for each front. For every Kokkos backend, without a library; the
// reference for the engines that are made for one.
#pragma once

#include <utility>

#include "algorithms/ldlt/eliminate_front.hpp"
#include "algorithms/ldlt/engine.hpp"
#include "algorithms/ldlt/solve_front.hpp"
#include "parallel/team_size.hpp"
#include "parallel/teams.hpp"

namespace terrace::ldlt {

template <class Space>
class LevelPlan : public LdltPlan<Space> {
 public:
  explicit LevelPlan(std::shared_ptr<const SymbolicFronts<Space>> fronts) : fronts_(std::move(fronts)) {}

  const FrontPlan& plan() const { return fronts_->plan; }
  FrontView view() const { return fronts_->arrays.view(); }

  /// Of a whole engine.
  std::size_t numbers(int right_hand_sides) const {
    return plan().panel_numbers() + static_cast<std::size_t>(plan().tree.unknowns()) + workspace() +
           plan().update_map.back() * static_cast<std::size_t>(right_hand_sides);
  }

  /// Of the contribution blocks, behind the panels.
  virtual std::size_t workspace() const { return plan().workspace; }

  EngineKind kind() const override { return EngineKind::Levels; }
  std::size_t bytes_held() const override { return 0; }
  std::size_t bytes_of_engine(std::size_t scalar_bytes, int right_hand_sides) const override {
    return numbers(right_hand_sides) * scalar_bytes;
  }

 private:
  std::shared_ptr<const SymbolicFronts<Space>> fronts_;
};

template <class Scalar, class Space>
class LevelEngine : public LdltEngine<Scalar, Space> {
 public:
  using vectors = typename LdltEngine<Scalar, Space>::vectors;

  LevelEngine(const Space& space, std::shared_ptr<const LevelPlan<Space>> plan, int right_hand_sides)
      : plan_(std::move(plan)),
        memory_(parallel::uninitialized<Scalar>(space, "terrace::ldlt::factor", plan_->numbers(right_hand_sides))) {
    parallel::prepare_teams(space);
  }

  void factorize(const Space& space, const Scalar* entries, const PivotRule<Scalar>& pivots) override {
    for_each_level("terrace::ldlt::eliminate_fronts", space,
                   EliminateFront<Scalar, Space>{plan_->view(), 0, panels(), diagonal(), entries, pivots});
  }

  void solve(const Space& space, const vectors& Y, LdltPart part) override {
    if (part == LdltPart::All || part == LdltPart::Forward)
      for_each_level("terrace::ldlt::solve_forward", space,
                     SolveForward<Scalar, Space>{plan_->view(), 0, panels(), updates(), Y});
    if (part == LdltPart::All || part == LdltPart::Diagonal)
      Kokkos::parallel_for("terrace::ldlt::divide_by_diagonal",
                           Kokkos::RangePolicy<Space>(space, 0, plan_->plan().tree.unknowns()),
                           DivideByDiagonal<Scalar, Space>{diagonal(), Y});
    if (part == LdltPart::All || part == LdltPart::Backward)
      for (int level = plan_->plan().levels() - 1; level >= 0; --level)
        launch("terrace::ldlt::solve_backward", space, level,
               SolveBackward<Scalar, Space>{plan_->view(), 0, panels(), Y});
  }

  std::size_t bytes_held() const override { return memory_.span() * sizeof(Scalar); }

 protected:
  Scalar* panels() const { return memory_.data(); }
  Scalar* diagonal() const { return panels() + plan_->plan().panel_numbers() + plan_->workspace(); }

 private:
  Scalar* updates() const { return diagonal() + plan_->plan().tree.unknowns(); }

  template <class Functor>
  void launch(const char* label, const Space& space, int level, Functor functor) const {
    const auto& map = plan_->plan().level_map;
    functor.first = map[level];
    parallel::for_each_team(label, space, map[level + 1] - map[level], functor);
  }

  template <class Functor>
  void for_each_level(const char* label, const Space& space, const Functor& functor) const {
    for (int level = 0; level < plan_->plan().levels(); ++level) launch(label, space, level, functor);
  }

  std::shared_ptr<const LevelPlan<Space>> plan_;
  Kokkos::View<Scalar*, parallel::Device<Space>> memory_;
};

}  // namespace terrace::ldlt
