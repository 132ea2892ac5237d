// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The factorization of M = diag(A_1, ..., A_k), of either kind, as a Schwarz method uses it: the values of M are read
// from those of A through the map that the subdomains hold, orders stay within blocks, and each row may have a shift of
// its own.
#pragma once

#include <terrace/schwarz.hpp>

#include "algorithms/schwarz/bad_blocks.hpp"
#include "parallel/loops.hpp"
#include "solvers/factor_solves.hpp"
#include "solvers/ilu_numeric.hpp"
#include "solvers/ilut_numeric.hpp"
#include "solvers/subdomains.hpp"

namespace terrace::schwarz {

template <class Offset>
struct ComposeSources {
  const Offset* inner;  // which entry of M an entry of the pattern takes; null: its own
  const Offset* outer;  // where the entries of M stand in A
  Offset* composed;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    const Offset from = inner ? inner[k] : static_cast<Offset>(k);
    composed[k] = from == sparse::no_source<Offset> ? from : outer[from];
  }
};

/// The order within each block is kept; the blocks follow each other as they did.
template <class Ordinal, class Space>
void keep_blocks_together(const Space& space, const Kokkos::View<const Ordinal*, parallel::Device<Space>>& block_map,
                          ordering::Renumbering<Ordinal, Space>& renumbering) {
  if (renumbering.is_natural()) return;
  auto original = parallel::to_host_vector<Ordinal>(space, renumbering.original);
  const auto begins = parallel::to_host_vector<Ordinal>(space, block_map);
  const BlockOf<Ordinal> block{begins.data(), static_cast<Ordinal>(begins.size() - 1)};
  std::stable_sort(original.begin(), original.end(), [&](Ordinal a, Ordinal b) { return block[a] < block[b]; });
  renumbering.original = parallel::from_host_vector(space, "terrace::ordering::original", original);
}

template <class Ordinal, class Offset, class Space>
struct MergedBlocks {
  sparse::CheckedInput<Ordinal, Offset, Space> input;
  incomplete::MergedPattern<Ordinal, Offset, Space> merged;  // in the order of elimination; sources are entries of A
  ordering::Renumbering<Ordinal, Space> renumbering;
};

/// \throws Error MissingDiagonal, with the row of A.
template <class Ordinal, class Offset, class Space>
MergedBlocks<Ordinal, Offset, Space> merge_blocks(const Space& space,
                                                  const SubdomainState<Ordinal, Offset, Space>& subdomains,
                                                  IluSymbolicOptions options) {
  incomplete::check_diagonals(subdomains.facts, options);
  options.insert_missing_diagonal = true;
  options.check_structure = false;
  MergedBlocks<Ordinal, Offset, Space> blocks;
  blocks.input = incomplete::check_matrix<Ordinal, Offset, Space>(space, subdomains.matrix.row_map,
                                                                  subdomains.matrix.entries, options);
  blocks.input.facts.may_have_long_rows = subdomains.facts.may_have_long_rows;
  blocks.merged = incomplete::merge_pattern(space, blocks.input, options);
  const std::size_t entries = blocks.merged.entries.extent(0);
  if (blocks.merged.source.extent(0) == 0) {
    blocks.merged.source = subdomains.matrix.source;
  } else {
    const parallel::ScratchShare<Space> replaced(space, blocks.merged.source_memory);
    const auto composed = parallel::uninitialized<Offset>(space, "terrace::schwarz::source", entries);
    parallel::for_range(
        "terrace::schwarz::compose_sources",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, entries),
        ComposeSources<Offset>{blocks.merged.source.data(), subdomains.matrix.source.data(), composed.data()});
    blocks.merged.source = composed;
  }
  blocks.renumbering = ordering::order_rows(space, options.ordering, {}, blocks.merged);
  keep_blocks_together<Ordinal>(space, subdomains.block_map, blocks.renumbering);
  incomplete::reorder(space, blocks.renumbering, blocks.merged);
  return blocks;
}

/// What a pattern holds that the subdomains hold already.
template <class Ordinal, class Offset, class Space>
std::size_t bytes_shared(const incomplete::MergedPattern<Ordinal, Offset, Space>& pattern,
                         const SubdomainState<Ordinal, Offset, Space>& subdomains) {
  const auto& source = subdomains.matrix.source;
  return pattern.source.data() == source.data() ? source.span() * sizeof(Offset) : 0;
}

/// ILU(k) and IC(k) of all blocks.
template <class Scalar, class Ordinal, class Offset, class Space>
class IluBlockFactor {
 public:
  using Real = incomplete::RealOf<Scalar>;
  using Numeric = incomplete::IluNumeric<Scalar, Ordinal, Offset, Space>;
  using values_type = typename Numeric::values_type;
  static constexpr bool has_fixed_pattern = true;

  using Engine = BlockEngine<Scalar, Ordinal, Offset, Space>;
  using Reported = ReportedNumbers<Scalar, Ordinal, Offset, Space>;

  IluBlockFactor(const Space& space, const SubdomainState<Ordinal, Offset, Space>& subdomains, const IluBlocks& options)
      : symbolic_(analyze(space, subdomains, options.symbolic)),
        numeric_{
            detail::Access::make<IluSymbolic<Ordinal, Offset, Space>>(std::shared_ptr<const SymbolicState>(symbolic_)),
            options.factor,
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            {}} {}

  /// Before the first factorization: the engine that finds the pivots, with memory for them, or none.
  void find_pivots_by(const Space& space, Engine& engine, Scalar* pivots) {
    numeric_.allocate_diagnostics(space);
    pivot_engine_ = &engine;
    pivots_ = pivots;
  }

  /// Or an elimination, with memory for what it needs while it runs, if that suffices.
  void plan_elimination(const Space& space, std::span<char> scratch) {
    incomplete::plan_elimination(space, *symbolic_);
    numeric_.allocate(space);
    if (scratch.size() >= numeric_.engine->scratch_bytes()) numeric_.engine->use_scratch(scratch.data());
  }

  void factorize(const Space& space, const values_type& values, const Real* diagonal_factors) {
    entries_ = numeric_.entries_of(space, values);
    entries_.diagonal_factors = diagonal_factors;
    if (!pivot_engine_) return numeric_.eliminate(space, entries_, 0.0);
    pivot_engine_->find_pivots(space, numeric_.describe(entries_, 0.0), pivots_);
    numeric_.is_unread = true;
  }

  /// Calls visit with the numbers of the last factorization, as FindBadBlocks reads them.
  template <class Visit>
  void with_numbers(const Visit& visit) const {
    if (pivot_engine_) visit(Reported{{numeric_.describe(entries_, 0.0), pivots_}});
    else visit(StoredNumbers<Scalar, Ordinal, Offset>{numeric_.values.data()});
  }

  void update(const Space& space, Engine& engine) const {
    if (pivot_engine_) engine.update_by_pivots(space, {numeric_.describe(entries_, 0.0), pivots_});
    else engine.update_values(space, numeric_.values);
  }

  /// Of the last factorization, as long as the values of A are there.
  FactorizedBlocks<Scalar, Ordinal, Offset> factorized(const BlockOf<Ordinal>& block_of, Ordinal* first_bad) const {
    const auto& merged = numeric_.pattern().merged;
    const auto rule = incomplete::pivot_rule<Scalar>(pivots(), factorization(), first_bad);
    return {merged.row_map.data(),
            merged.diagonal.data(),
            entries_,
            merged.row_map.data(),
            merged.diagonal.data(),
            numeric_.values.data(),
            rule,
            numeric_.is_cholesky(),
            block_of,
            first_bad};
  }

  BlockPattern<Ordinal, Offset, Space> pattern(const SubdomainState<Ordinal, Offset, Space>& subdomains) const {
    const auto& merged = numeric_.pattern().merged;
    return {subdomains.block_map,
            merged.row_map,
            merged.entries,
            merged.diagonal,
            static_cast<Ordinal>(subdomains.info.largest_block),
            !numeric_.is_cholesky()};
  }

  /// With the cells of the last factorization. Waits.
  const IluInfo& read_info(const Space& space) {
    if (numeric_.is_unread) numeric_.read_diagnostics(space);
    return numeric_.info;
  }

  auto permutation() const { return numeric_.symbolic.permutation(); }
  Kokkos::View<const Real*, parallel::Device<Space>> scale() const { return numeric_.scale; }
  const PivotOptions& pivots() const { return numeric_.options.pivots; }
  double relaxation() const { return numeric_.options.relaxation; }
  Factorization factorization() const { return numeric_.symbolic.options().factorization; }
  bool prepares_transpose() const { return numeric_.options.prepare_transpose; }

  /// Beside the subdomains.
  std::size_t bytes_held(const SubdomainState<Ordinal, Offset, Space>& subdomains) const {
    return numeric_.bytes_held() + numeric_.symbolic.info().bytes_held -
           bytes_shared(numeric_.pattern().merged, subdomains);
  }

  /// Solvers of L and U as a whole.
  auto make_solves(const Space& space, int columns) const {
    return incomplete::FactorSolves<Scalar, Ordinal, Offset, Space>(
        incomplete::make_factors(space, numeric_.pattern().lower, numeric_.pattern().upper, numeric_.values,
                                 incomplete::solve_options<Scalar>(numeric_.options, factorization(), columns)),
        {});
  }

 private:
  using SymbolicState = incomplete::SymbolicState<Ordinal, Offset, Space>;

  static std::shared_ptr<SymbolicState> analyze(const Space& space,
                                                const SubdomainState<Ordinal, Offset, Space>& subdomains,
                                                const IluSymbolicOptions& options) {
    const auto blocks = merge_blocks(space, subdomains, options);
    const auto state = incomplete::make_symbolic_state<Ordinal, Offset, Space>();
    state->options = options;
    state->info.rows = blocks.input.count;
    state->info.matrix_entries = subdomains.info.entries;
    state->merged = blocks.merged;
    state->renumbering = blocks.renumbering;
    incomplete::analyze_pattern(space, blocks.input, *state);
    return state;
  }

  std::shared_ptr<SymbolicState> symbolic_;
  Numeric numeric_;
  Engine* pivot_engine_ = nullptr;
  Scalar* pivots_ = nullptr;
  typename Numeric::Entries entries_{};
};

/// ILUT and ICT of all blocks. The i-th rows of all blocks are claimed together, so that workers find rows that do not
/// wait for each other.
template <class Scalar, class Ordinal, class Offset, class Space>
class IlutBlockFactor {
 public:
  using Real = incomplete::RealOf<Scalar>;
  using Numeric = incomplete::IlutNumeric<Scalar, Ordinal, Offset, Space>;
  using values_type = typename Numeric::values_type;
  static constexpr bool has_fixed_pattern = false;

  IlutBlockFactor(const Space& space, const SubdomainState<Ordinal, Offset, Space>& subdomains,
                  const IlutOptions& options)
      : numeric_{options, {}, {}, {}, {}}, pivots_(options.pivots) {
    numeric_.options.pivots.policy = pivots_.policy == PivotPolicy::Shift ? PivotPolicy::Report : pivots_.policy;
    auto blocks = merge_blocks(space, subdomains, incomplete::pattern_options(options));
    numeric_.matrix = blocks.merged;
    numeric_.renumbering = blocks.renumbering;
    numeric_.last.info.rows = blocks.input.count;
    numeric_.claim_order = incomplete::order_of_claims(space, numeric_.matrix, subdomains.info.blocks);
    if (numeric_.claim_order.extent(0) == 0 && space.concurrency() > 1)
      numeric_.claim_order = claim_order(space, subdomains);
  }

  void factorize(const Space& space, const values_type& values, const Real* diagonal_factors) {
    const auto scale = numeric_.make_scale(space);
    entries_ = numeric_.entries_of(space, values, scale);
    entries_.diagonal_factors = diagonal_factors;
    numeric_.last = numeric_.eliminate(space, entries_, scale);
    const auto& factor = numeric_.last.factor;
    diagonal_ = incomplete::find_diagonals(space, numeric_.matrix.count, factor.row_map.data(), factor.entries.data());
  }

  template <class Visit>
  void with_numbers(const Visit& visit) const {
    visit(StoredNumbers<Scalar, Ordinal, Offset>{numeric_.last.factor.values.data()});
  }

  void update(const Space& space, BlockEngine<Scalar, Ordinal, Offset, Space>& engine) const {
    engine.update_values(space, numeric_.last.factor.values);
  }

  FactorizedBlocks<Scalar, Ordinal, Offset> factorized(const BlockOf<Ordinal>& block_of, Ordinal* first_bad) const {
    const auto& factor = numeric_.last.factor;
    const auto rule = incomplete::pivot_rule<Scalar>(pivots_, factorization(), first_bad);
    return {numeric_.matrix.row_map.data(),
            numeric_.matrix.diagonal.data(),
            entries_,
            factor.row_map.data(),
            diagonal_.data(),
            factor.values.data(),
            rule,
            numeric_.is_cholesky(),
            block_of,
            first_bad};
  }

  BlockPattern<Ordinal, Offset, Space> pattern(const SubdomainState<Ordinal, Offset, Space>& subdomains) const {
    const auto& factor = numeric_.last.factor;
    return {subdomains.block_map,
            factor.row_map,
            factor.entries,
            diagonal_,
            static_cast<Ordinal>(subdomains.info.largest_block),
            !numeric_.is_cholesky()};
  }

  const IluInfo& read_info(const Space&) { return numeric_.last.info; }

  Kokkos::View<const Ordinal*, parallel::Device<Space>> permutation() const { return numeric_.renumbering.original; }
  Kokkos::View<const Real*, parallel::Device<Space>> scale() const { return numeric_.last.scale; }
  const PivotOptions& pivots() const { return pivots_; }
  Factorization factorization() const { return numeric_.options.factorization; }
  bool prepares_transpose() const { return numeric_.options.prepare_transpose; }

  std::size_t bytes_held(const SubdomainState<Ordinal, Offset, Space>& subdomains) const {
    return numeric_.bytes_held(numeric_.last) + diagonal_.span() * sizeof(Offset) -
           bytes_shared(numeric_.matrix, subdomains);
  }

  auto make_solves(const Space& space, int columns) const {
    const auto& factor = numeric_.last.factor;
    return incomplete::FactorSolves<Scalar, Ordinal, Offset, Space>(
        incomplete::analyze_factors<Scalar, Ordinal, Offset, Space>(
            space, factor.row_map, factor.entries, factor.values, !numeric_.is_cholesky(),
            incomplete::solve_options<Scalar>(numeric_.options, factorization(), columns)),
        {});
  }

 private:
  static auto claim_order(const Space& space, const SubdomainState<Ordinal, Offset, Space>& subdomains) {
    return order_by_turn<Space, Ordinal>(space, subdomains.block_of(), subdomains.owned_row.extent(0));
  }

  Numeric numeric_;
  PivotOptions pivots_;
  typename Numeric::Entries entries_{};
  Kokkos::View<const Offset*, parallel::Device<Space>> diagonal_;
};

}  // namespace terrace::schwarz
