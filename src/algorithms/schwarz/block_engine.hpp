// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generic plan and engine of the blocks: a thread of a host, or a team of a device, for each. On a host one thread
// takes them all where several are slower, on a machine that is too busy for them (watched_work.hpp).
#pragma once

#include <algorithm>
#include <string>

#include "algorithms/schwarz/solve_blocks.hpp"
#include "algorithms/triangular/host_cost.hpp"
#include "parallel/columns.hpp"
#include "parallel/single_of.hpp"
#include "parallel/team_size.hpp"
#include "parallel/watched_work.hpp"

namespace terrace::schwarz {

template <class Ordinal, class Offset, class Space>
class GenericBlockPlan : public BlockPlan<Ordinal, Offset, Space> {
 public:
  GenericBlockPlan(const Space& space, BlockPattern<Ordinal, Offset, Space> pattern, std::string reason)
      : pattern_(std::move(pattern)),
        lower_(find_block_levels(space, pattern_, false)),
        upper_(find_block_levels(space, pattern_, true)),
        reason_(std::move(reason)) {}

  void describe(SchwarzInfo& info) const override {
    info.algorithm = SchwarzAlgorithm::Blocks;
    info.reason = reason_;
    info.levels = std::max(lower_.deepest, upper_.deepest);
    info.bytes_held += lower_.bytes_held() + upper_.bytes_held();
  }

  bool is_generic() const override { return true; }

  const auto& pattern() const { return pattern_; }
  const auto& lower() const { return lower_; }
  const auto& upper() const { return upper_; }

 private:
  BlockPattern<Ordinal, Offset, Space> pattern_;
  BlockLevels<Ordinal, Space> lower_, upper_;
  std::string reason_;
};

template <class Scalar, class FactorScalar>
struct RoundValues {
  const Scalar* from;
  FactorScalar* to;
  KOKKOS_FUNCTION void operator()(std::size_t k) const { to[k] = static_cast<FactorScalar>(from[k]); }
};

template <class Scalar, class FactorScalar, class Ordinal, class Offset, class Space>
class GenericBlockEngine : public BlockEngine<Scalar, Ordinal, Offset, Space> {
  using Base = BlockEngine<Scalar, Ordinal, Offset, Space>;
  using Plan = GenericBlockPlan<Ordinal, Offset, Space>;
  using Solve = SolveBlocks<Scalar, FactorScalar, Ordinal, Offset, Space>;
  using Columns = parallel::Columns<Scalar, Space>;
  static constexpr bool rounds = !std::is_same_v<Scalar, FactorScalar>;

 public:
  /// `solved` is memory that applications use, for as many columns at a time; Z may be it.
  GenericBlockEngine(const Space& space, std::shared_ptr<const Plan> plan, const Columns& solved)
      : plan_(std::move(plan)), solved_(solved) {
    parallel::prepare_teams(space);
    if constexpr (rounds)
      rounded_ =
          parallel::uninitialized<FactorScalar>(space, "terrace::schwarz::rounded", plan_->pattern().entries.extent(0));
    if (parallel::is_host_space<Space> && space.concurrency() > 1)
      watched_ = parallel::WatchedWork<>(predicted_seconds());
  }

  void update_values(const Space& space, const typename Base::values_type& values) override {
    if constexpr (rounds) {
      Kokkos::parallel_for("terrace::schwarz::round_values",
                           Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, values.extent(0)),
                           RoundValues<Scalar, FactorScalar>{values.data(), rounded_.data()});
      values_ = rounded_;
    } else {
      values_ = values;
    }
  }

  void apply(const Space& space, const typename Base::const_vectors& R, const typename Base::vectors& Z, Op op,
             const Transfer<Scalar, Ordinal>& transfer) override {
    const std::size_t columns = solved_.extent(1);
    for (std::size_t first = 0; first < R.columns; first += columns) {
      const std::size_t count = std::min(columns, R.columns - first);
      launch(space, solve(parallel::columns_of(R, first, count), parallel::columns_of(Z, first, count), op, transfer));
    }
  }

  std::size_t bytes_held() const override { return rounded_.span() * sizeof(FactorScalar); }

 private:
  /// Of one thread for a column: L and U.
  double predicted_seconds() const {
    const auto& pattern = plan_->pattern();
    const triangular::HostCost cost{1, 2 * static_cast<std::int64_t>(pattern.places()),
                                    static_cast<std::int64_t>(pattern.entries.extent(0))};
    return 1e-9 * cost.one_thread();
  }

  Solve solve(const typename Base::const_vectors& r, const typename Base::vectors& z, Op op,
              const Transfer<Scalar, Ordinal>& transfer) const {
    const auto& pattern = plan_->pattern();
    const auto &lower = plan_->lower(), &upper = plan_->upper();
    return {pattern.block_map.data(),
            pattern.row_map.data(),
            pattern.entries.data(),
            pattern.diagonal.data(),
            values_.data(),
            pattern.unit_lower,
            lower.order.data(),
            lower.begin.data(),
            lower.levels.data(),
            upper.order.data(),
            upper.begin.data(),
            upper.levels.data(),
            transfer,
            r,
            z,
            solved_.data(),
            pattern.places(),
            op};
  }

  void launch(const Space& space, const Solve& solve) {
    constexpr const char* label = "terrace::schwarz::solve_blocks";
    const auto blocks = plan_->pattern().blocks();
    if constexpr (parallel::is_host_space<Space>) {
      Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>> each_block(space, 0, blocks);
      watched_.run(static_cast<double>(solve.r.columns), [&](bool one_thread) {
        if (one_thread) parallel::run_each_alone(space, label, blocks, solve);
        else Kokkos::parallel_for(label, each_block.set_chunk_size(1), solve);
      });
    } else {
      Kokkos::parallel_for(label, Kokkos::TeamPolicy<Space>(space, blocks, Kokkos::AUTO), solve);
    }
  }

  std::shared_ptr<const Plan> plan_;
  Columns solved_;
  Kokkos::View<FactorScalar*, parallel::Device<Space>> rounded_;
  Kokkos::View<const FactorScalar*, parallel::Device<Space>> values_;
  parallel::WatchedWork<> watched_;
};

/// What Automatic does, and why.
struct BlockChoice {
  SchwarzAlgorithm algorithm;
  std::string reason;
};

/// Blocks where there are enough of them to keep the space busy; a backend with an engine of its own overloads this.
template <class Scalar, class Ordinal, class Offset, class Space>
BlockChoice choose_block_algorithm(const Space& space, const BlockPattern<Ordinal, Offset, Space>& pattern,
                                   SchwarzAlgorithm asked) {
  if (asked != SchwarzAlgorithm::Automatic) return {asked, "the caller asked for it"};
  constexpr int threads_of_team = 1024;
  const auto workers = parallel::is_host_space<Space> ? space.concurrency() : space.concurrency() / threads_of_team;
  const std::string numbers = std::to_string(pattern.blocks()) + " blocks for " + std::to_string(workers) +
                              (parallel::is_host_space<Space> ? " threads" : " teams");
  if (pattern.blocks() > 1 && pattern.blocks() >= workers) return {SchwarzAlgorithm::Blocks, numbers};
  return {SchwarzAlgorithm::Solvers, numbers + ": rows wait for each other instead"};
}

/// Blocks are walked backwards for the transpose, which needs nothing prepared; a backend whose engine does overloads
/// this.
template <class Scalar, class Ordinal, class Offset, class Space>
BlockPlanPointer<Ordinal, Offset, Space> make_block_plan(const Space& space,
                                                         const BlockPattern<Ordinal, Offset, Space>& pattern,
                                                         std::string reason, bool /*prepare_transpose*/) {
  return std::make_shared<GenericBlockPlan<Ordinal, Offset, Space>>(space, pattern, std::move(reason));
}

/// The plan is generic, and was made for the space.
template <class Scalar, class Ordinal, class Offset, class Space>
BlockEnginePointer<Scalar, Ordinal, Offset, Space> make_generic_block_engine(
    const Space& space, const BlockPlanPointer<Ordinal, Offset, Space>& plan, FactorPrecision precision,
    const parallel::Columns<Scalar, Space>& solved) {
  const auto generic = std::static_pointer_cast<const GenericBlockPlan<Ordinal, Offset, Space>>(plan);
  if (precision == FactorPrecision::Same)
    return std::make_unique<GenericBlockEngine<Scalar, Scalar, Ordinal, Offset, Space>>(space, generic, solved);
  using Single = parallel::SingleOf<Scalar>;
  return std::make_unique<GenericBlockEngine<Scalar, Single, Ordinal, Offset, Space>>(space, generic, solved);
}

/// A backend that makes plans of its own overloads this.
template <class Scalar, class Ordinal, class Offset, class Space>
BlockEnginePointer<Scalar, Ordinal, Offset, Space> make_block_engine(
    const Space& space, const BlockPlanPointer<Ordinal, Offset, Space>& plan, FactorPrecision precision,
    const parallel::Columns<Scalar, Space>& solved) {
  return make_generic_block_engine<Scalar, Ordinal, Offset, Space>(space, plan, precision, solved);
}

}  // namespace terrace::schwarz
