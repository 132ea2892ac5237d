// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elimination on an NVIDIA GPU: the plan, the engine, and which kernels run.
#pragma once

#include "algorithms/incomplete/row_engine.hpp"
#include "backends/cuda/incomplete/eliminate_rows.hpp"
#include "backends/cuda/incomplete/eliminate_tiles.hpp"
#include "backends/cuda/incomplete/pivot_system.hpp"

namespace terrace::cuda::incomplete {

template <class Scalar, class Offset>
class EliminationEngine : public terrace::incomplete::EliminationEngine<Scalar, int, Offset, Space> {
  using Plan = EliminationPlan<Offset>;
  using Elimination = terrace::incomplete::Elimination<Scalar, int, Offset, Space>;
  using Real = terrace::incomplete::RealOf<Scalar>;

 public:
  explicit EliminationEngine(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {
    if (plan_->only_pivots_change) segments_ = segments_of<PivotSystem<Scalar>>(plan_->rows, {true, true, true});
  }

  std::size_t bytes_held() const override {
    return memory_.bytes_held() + memory_of_scratch_.bytes_held() + memory_of_norms_.bytes_held() + bytes_by_level_ +
           (lists_ ? lists_->bytes_held() : 0);
  }

  std::size_t scratch_bytes() const override {
    if (plan_->only_pivots_change) return bytes_of_pivots();
    return plan_->tiles.are_there() ? bytes_of_tiles() : bytes_of_rows();
  }
  void use_scratch(char* memory) override { memory_ = Arrays(memory); }

  void eliminate(const Space& space, const Elimination& elimination) override {
    const Plan& plan = *plan_;
    if (plan.only_pivots_change && (elimination.relaxation == Real(0) || plan.may_be_modified_pivots())) {
      if (!system_.pivots) allocate_pivots(space, plan);
      system_.rule = elimination.pivots;
      system_.symmetric = elimination.symmetric;
      system_.hermitian = elimination.hermitian;
      system_.modified = elimination.relaxation != Real(0);
      if (pairs_in_values()) system_.pairs = reinterpret_cast<EntryPair<Scalar>*>(elimination.values);
      return eliminate_pivots(space, elimination, plan, system_, segments_, scratch_cell_);
    }
    if (plan.tiles.are_there() && elimination.relaxation == Real(0)) {
      if (!tiles_.pivots) allocate_tiles(space, plan);
      auto system = tiles_;
      system.elimination = elimination;
      return eliminate_tiles(space, system, blocks_of_tiles_);
    }
    if (!claimed_) allocate_rows(space, plan, elimination.relaxation != Real(0));
    eliminate_rows_of(space, elimination, plan);
  }

 private:
  std::size_t rows() const { return static_cast<std::size_t>(plan_->merged.count); }

  /// Unless that of others serves.
  void allocate(const Space& space, const char* label, std::size_t bytes) {
    if (!memory_.are_there()) memory_ = Arrays(space, label, bytes);
  }

  bool pairs_in_values() const {
    return static_cast<std::size_t>(plan_->rows.slots) * sizeof(EntryPair<Scalar>) <= plan_->entries * sizeof(Scalar);
  }
  std::size_t pairs() const { return pairs_in_values() ? 0 : static_cast<std::size_t>(plan_->rows.slots); }
  std::size_t unknowns_and_counters() const {
    return rows() + (counters_of(segments_) * sizeof(unsigned) + sizeof(Scalar) - 1) / sizeof(Scalar);
  }
  std::size_t bytes_of_pivots() const {
    return Arrays::bytes<EntryPair<Scalar>>(pairs()) + Arrays::bytes<Scalar>(rows()) + Arrays::bytes<Real>(rows()) +
           Arrays::bytes<Scalar>(unknowns_and_counters()) + Arrays::bytes<int>(1);
  }

  /// In memory of its own the diagonal of A has its place by position.
  void allocate_pivots(const Space& space, const Plan& plan) {
    const std::size_t positions = memory_.are_there() ? 0 : rows();
    allocate(space, "terrace::cuda::pivot_system", bytes_of_pivots() + Arrays::bytes<Scalar>(positions));
    system_.slices = plan.rows.slices;
    system_.columns = plan.columns;
    system_.items = plan.rows.items;
    system_.pairs = memory_.template take<EntryPair<Scalar>>(pairs());
    system_.pivots = memory_.template take<Scalar>(rows());
    system_.norms = memory_.template take<Real>(rows());
    system_.unknowns = memory_.template take<Scalar>(unknowns_and_counters());
    scratch_cell_ = memory_.template take<int>(1);
    if (positions > 0) system_.diagonal = memory_.template take<Scalar>(positions);
  }

  std::size_t bytes_of_tiles() const {
    return Arrays::bytes<Real>(rows()) + Arrays::bytes<Scalar>(rows()) +
           Arrays::bytes<unsigned char>(static_cast<std::size_t>(plan_->tiles.pattern.tiles)) +
           Arrays::bytes<unsigned>(1);
  }

  void allocate_tiles(const Space& space, const Plan& plan) {
    allocate(space, "terrace::cuda::tiles_system", bytes_of_tiles());
    tiles_.tiles = plan.tiles.pattern;
    tiles_.norms = memory_.template take<Real>(rows());
    tiles_.pivots = memory_.template take<Scalar>(rows());
    tiles_.finished = memory_.template take<unsigned char>(static_cast<std::size_t>(plan.tiles.pattern.tiles));
    tiles_.claimed = memory_.template take<unsigned>(1);
    blocks_of_tiles_ = std::min(plan.tiles.pattern.tiles, resident_blocks(eliminate_tiles_kernel<Scalar, Offset>,
                                                                          TileElimination<Scalar, Offset>::threads));
  }

  std::size_t divisors() const { return plan_->row_lists == RowLists::Products ? rows() : 0; }
  std::size_t bytes_of_rows() const { return Arrays::bytes<Divisor<Scalar>>(divisors()) + Arrays::bytes<unsigned>(1); }

  /// The counter stands behind the divisors, so that one fill resets both.
  void allocate_rows(const Space& space, const Plan& plan, bool modified) {
    by_level_ = plan.rows_by_level(space);
    bytes_by_level_ = by_level_.memory == plan.rows.memory ? 0 : by_level_.bytes_held();
    pending_bytes_ = Arrays::bytes<Divisor<Scalar>>(divisors()) + sizeof(unsigned);
    allocate(space, "terrace::cuda::rows_system", bytes_of_rows());
    divisors_ = memory_.template take<Divisor<Scalar>>(divisors());
    claimed_ = memory_.template take<unsigned>(1);
    slices_ = launch_of_slices<Scalar>(by_level_, modified);
  }

  /// By the first elimination, which is not recorded in a graph.
  void find_lists(const Space& space, const Plan& plan) {
    lists_ = plan.find_or_make_lists(space);
    if (plan.row_lists == RowLists::Operations && lists_->short_rows.sources)
      listed_ = launch_of_short_rows<Scalar>(plan.rows, lists_->short_rows);
    if (plan.row_lists == RowLists::Products)
      listed_ = plan.to_list.has_short_words ? launch_of_rows<Scalar, Offset, std::uint16_t>(plan.to_list, *lists_)
                                             : launch_of_rows<Scalar, Offset, std::uint32_t>(plan.to_list, *lists_);
    const auto tails = static_cast<std::size_t>(lists_->tail_count),
               inner = static_cast<std::size_t>(lists_->inner.count);
    if (tails == 0) return;
    memory_of_norms_ =
        Arrays(space, "terrace::cuda::norms_of_tails", Arrays::bytes<Real>(tails) + Arrays::bytes<Real>(inner));
    norms_of_tails_ = memory_of_norms_.template take<Real>(tails);
    norms_of_inner_rows_ = memory_of_norms_.template take<Real>(inner);
  }

  /// Memory for rows that are eliminated in device memory.
  Scalar* scratch(const Space& space, const Plan& plan, bool is_needed) {
    if (is_needed && !scratch_) {
      memory_of_scratch_ = Arrays(space, "terrace::cuda::scratch_of_rows", Arrays::bytes<Scalar>(plan.entries));
      scratch_ = memory_of_scratch_.template take<Scalar>(plan.entries);
    }
    return scratch_;
  }

  void eliminate_rows_of(const Space& space, const Elimination& elimination, const Plan& plan) {
    const bool has_relaxation = elimination.relaxation != Real(0);
    if (!has_relaxation && !lists_ && plan.row_lists != RowLists::None) find_lists(space, plan);
    const bool by_lists = plan.row_lists == RowLists::Products && !has_relaxation,
               alone = !has_relaxation && lists_ && lists_->short_rows.sources;
    const bool has_order = by_lists && lists_->order, has_tails = by_lists && lists_->tail_count > 0;
    const int row_capacity = by_lists ? lists_->capacity.entries : EliminationTuning::slice_capacity / warp_size;
    const RowsSystem<Scalar, Offset> system{
        elimination,
        by_level_.slices,
        static_cast<unsigned>(by_level_.slice_count),
        has_order ? lists_->order : by_level_.items,
        has_order ? lists_->order_length : static_cast<unsigned>(by_level_.positions),
        by_lists ? lists_->products : ProductLists{},
        by_lists ? divisors_ : nullptr,
        scratch(space, plan, !alone && plan.longest > row_capacity),
        by_lists ? lists_->capacity.entries : 0,
        by_lists ? lists_->capacity.steps : 0,
        claimed_,
        has_tails ? lists_->tails : nullptr,
        norms_of_tails_,
        by_lists ? lists_->inner : InnerRows<Offset>{},
        norms_of_inner_rows_};
    if (system.inner.count > 0) find_norms_of_inner_rows(space, elimination, system.inner, norms_of_inner_rows_);
    if (has_tails) find_norms_of_tails(space, elimination, lists_->tails, lists_->tail_count, norms_of_tails_);
    reset_rows(space, elimination,
               {reinterpret_cast<unsigned*>(elimination.values), plan.entries * sizeof(Scalar) / sizeof(unsigned)},
               {reinterpret_cast<unsigned*>(divisors_), pending_bytes_ / sizeof(unsigned)},
               {reinterpret_cast<unsigned*>(elimination.upper_sums),
                has_relaxation ? 2 * rows() * sizeof(Scalar) / sizeof(unsigned) : 0});
    if (alone) eliminate_short_rows(space, system, lists_->short_rows, listed_);
    else if (!by_lists) eliminate_slices(space, system, slices_);
    else if (plan.to_list.has_short_words) eliminate_rows<std::uint16_t>(space, system, listed_);
    else eliminate_rows<std::uint32_t>(space, system, listed_);
  }

  std::shared_ptr<const Plan> plan_;
  Arrays memory_;  // as scratch_bytes says
  PivotSystem<Scalar> system_{};
  std::vector<Segment> segments_;
  int* scratch_cell_ = nullptr;
  SlicedRows<Offset> by_level_;  // the plan's, unless those are in row blocks
  std::size_t bytes_by_level_ = 0;
  TilesSystem<Scalar, Offset> tiles_{};
  int blocks_of_tiles_ = 0;
  Divisor<Scalar>* divisors_ = nullptr;
  unsigned* claimed_ = nullptr;
  Arrays memory_of_scratch_;
  Scalar* scratch_ = nullptr;
  Arrays memory_of_norms_;
  Real *norms_of_tails_ = nullptr, *norms_of_inner_rows_ = nullptr;
  std::size_t pending_bytes_ = 0;
  std::shared_ptr<const ListedRows<Offset>> lists_;  // the plan's
  RowsLaunch slices_, listed_;
};

}  // namespace terrace::cuda::incomplete

namespace terrace::incomplete {

/// Rows that wait for flags have an engine of their own here; levels with barriers, tasks of several rows and the one
/// thread are generic.
template <class Offset>
EliminationPlanPointer<int, Offset, Kokkos::Cuda> make_elimination_plan(
    const Kokkos::Cuda& space, const MergedPattern<int, Offset, Kokkos::Cuda>& merged,
    const IluSymbolicOptions& options, const TrianglePlanPointer<int, Offset, Kokkos::Cuda>& lower,
    const TrianglePlanPointer<int, Offset, Kokkos::Cuda>& upper) {
  const bool waits = options.algorithm == Algorithm::Automatic || options.algorithm == Algorithm::SyncFreeRows;
  if (!waits || options.rows_per_task > 1)
    return make_elimination_plan<int, Offset, Kokkos::Cuda>(space, merged, options, lower, upper);  // the generic one
  using Triangle = cuda::triangular::TrianglePlan<Offset>;
  return std::make_shared<cuda::incomplete::EliminationPlan<Offset>>(cuda::incomplete::plan_rows<Offset>(
      space, merged, is_symmetric(options.factorization),
      {std::static_pointer_cast<Triangle>(lower), std::static_pointer_cast<Triangle>(upper)}));
}

template <class Scalar, class Offset>
EliminationEnginePointer<Scalar, int, Offset, Kokkos::Cuda> make_elimination_engine(
    const Kokkos::Cuda& space, const std::shared_ptr<const EliminationPlan<int, Offset, Kokkos::Cuda>>& plan) {
  if (plan->is_generic()) return make_elimination_engine<Scalar, Kokkos::Cuda, int, Offset>(space, plan);
  return std::make_unique<cuda::incomplete::EliminationEngine<Scalar, Offset>>(
      std::static_pointer_cast<const cuda::incomplete::EliminationPlan<Offset>>(plan));
}

}  // namespace terrace::incomplete
