// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IlutFactor: check, merge, eliminate by thresholds, collect, and solve.
#pragma once

#include <terrace/ilut.hpp>

#include "algorithms/incomplete/renumber.hpp"
#include "algorithms/incomplete/shift_restarts.hpp"
#include "algorithms/incomplete/threshold/collect_rows.hpp"
#include "algorithms/incomplete/threshold/run_elimination.hpp"
#include "backends/failures.hpp"
#include "backends/threshold.hpp"
#include "solvers/factor_solves.hpp"

namespace terrace {

namespace incomplete {

/// The options of the other factorizations that mean the same here.
inline IluSymbolicOptions pattern_options(const IlutOptions& options) {
  return {.factorization = options.factorization,
          .uplo = options.uplo,
          .insert_missing_diagonal = options.insert_missing_diagonal,
          .ordering = options.ordering,
          .check_structure = options.check_structure};
}

inline void check_threshold_options(const IlutOptions& options) {
  if (options.fill < 0)
    throw Error(ErrorCode::InvalidOption, "fill is " + std::to_string(options.fill) + "; it must not be negative");
  if (!(options.drop_tolerance >= 0) || !std::isfinite(options.drop_tolerance))
    throw Error(ErrorCode::InvalidOption, "drop_tolerance must be a number of at least 0");
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  check_pivot_options(options.pivots);
}

/// A capacity that suffices where rows are as long as in A, or where p says that none will be longer.
inline std::size_t first_capacity(std::size_t rows, std::size_t entries, int fill) {
  const std::size_t kept = std::min(static_cast<std::size_t>(fill), rows);
  return std::min(rows * (2 * kept + 1), 2 * entries + rows);
}

}  // namespace incomplete

template <class Scalar, class Ordinal, class Offset, class Space>
struct IlutFactor<Scalar, Ordinal, Offset, Space>::State {
  using Run = incomplete::ThresholdRun<Scalar, Ordinal, Offset, Space>;
  using Merged = incomplete::MergedFactor<Scalar, Ordinal, Offset, Space>;
  using Real = incomplete::RealOf<Scalar>;
  using Scale = Kokkos::View<Real*, device_type>;
  using Solves = incomplete::FactorSolves<Scalar, Ordinal, Offset, Space>;

  IlutOptions options;
  IlutInfo info;
  incomplete::MergedPattern<Ordinal, Offset, Space> matrix;  // renumbered
  ordering::Renumbering<Ordinal, Space> renumbering;
  Scale scale;  // empty: ones
  Merged factor;
  Solves solves;

  bool is_symmetric() const { return incomplete::is_symmetric(options.factorization); }

  Scale make_scale(const Space& space) const {
    if (options.scaling != Scaling::Diagonal) return {};
    return parallel::uninitialized<Real>(space, "terrace::incomplete::scale", static_cast<std::size_t>(matrix.count));
  }

  /// All of the elimination but its memory and the shift. Finds the scale.
  typename Run::Elimination describe_elimination(const Space& space, const values_type& values, const Scale& new_scale,
                                                 Ordinal* diagnostics) const {
    typename Run::Elimination elimination{};
    elimination.lines = matrix.pattern();
    elimination.matrix = incomplete::plain_entries(matrix, values.data(), renumbering.original.data(),
                                                   options.factorization == Factorization::HermitianCholesky,
                                                   options.uplo == Uplo::Upper);
    if (options.scaling == Scaling::Diagonal)
      incomplete::scale_entries(space, elimination.matrix, matrix.count, matrix.diagonal.data(), new_scale.data());
    elimination.pivots = incomplete::pivot_rule<Scalar>(options.pivots, options.factorization, diagnostics);
    elimination.fill = static_cast<unsigned>(options.fill);
    elimination.drop_tolerance = static_cast<Real>(options.drop_tolerance);
    elimination.symmetric = is_symmetric();
    return elimination;
  }

  /// The rows of the factor, its scale, and what was found on the way.
  Merged eliminate(const Space& space, const values_type& values, const Scale& new_scale, IlutInfo& found) const {
    const auto rows = static_cast<std::size_t>(matrix.count);
    const auto diagnostics =
        parallel::uninitialized<Ordinal>(space, "terrace::incomplete::diagnostics", incomplete::PivotDiagnostics);
    const auto before = static_cast<std::size_t>(info.factor_entries);  // twice as many as are stored where symmetric
    typename Run::Store store(
        space, matrix.count,
        before > 0 ? before + before / 8 : incomplete::first_capacity(rows, matrix.entries.extent(0), options.fill));
    incomplete::WorkMemory<Scalar, Ordinal, Space> work(space, matrix.count);
    Run run(space, store, work);
    auto elimination = describe_elimination(space, values, new_scale, diagnostics.data());
    incomplete::eliminate_with_shifts(
        options.pivots, found,
        [&](double shift) {
          incomplete::forget_pivots(space, diagnostics.data(), matrix.count);
          elimination.diagonal_factor = static_cast<Real>(1.0 + shift);
          found.dropped_entries = run.run(elimination);
        },
        [&] { incomplete::read_pivot_diagnostics<Ordinal, Space>(space, diagnostics, matrix.count, found); });
    incomplete::read_pivot_diagnostics<Ordinal, Space>(space, diagnostics, matrix.count, found);
    incomplete::name_original_rows<Ordinal, Space>(space, renumbering.original, found);
    found.workers = static_cast<int>(work.workers());
    return incomplete::collect_rows<Scalar, Ordinal, Offset, Space>(space, matrix.count, store.for_kernels());
  }

  /// Whatever may fail comes first, in memory of its own: when it does, the factor is what it was.
  void factorize(const Space& space, const values_type& values) {
    IlutInfo found = info;
    const Scale new_scale = make_scale(space);
    auto merged = eliminate(space, values, new_scale, found);
    if (is_symmetric()) merged = incomplete::mirror_rows(space, merged, options.factorization);
    auto factors = incomplete::analyze_factors<Scalar, Ordinal, Offset, Space>(
        space, merged.row_map, merged.entries, merged.values, !is_symmetric(), options.right_hand_sides);
    using Way = typename Solves::Way;
    Solves new_solves(std::move(factors), solves.is_empty()
                                              ? Way(space, renumbering.original, new_scale, options.right_hand_sides)
                                              : solves.way().with_scale(new_scale));
    found.factor_entries = static_cast<std::int64_t>(merged.entries.extent(0));
    found.bytes_held = matrix.bytes_held() + renumbering.bytes_held() + new_scale.span() * sizeof(Real) +
                       merged.bytes_held() + new_solves.bytes_held();
    scale = new_scale;
    factor = merged;
    solves = std::move(new_solves);
    info = std::move(found);
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::IlutFactor(const Space& space, row_map_type row_map, entries_type entries,
                                                       values_type values, const IlutOptions& options) try
    : state_(new State{options, {}, {}, {}, {}, {}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_threshold_options(options);
  incomplete::check_number_of_values(values.extent(0), static_cast<std::int64_t>(entries.extent(0)));
  const auto pattern = incomplete::pattern_options(options);
  const auto input = incomplete::check_matrix<Ordinal, Offset, Space>(space, row_map, entries, pattern);
  state_->info.rows = input.count;
  state_->info.matrix_entries = static_cast<std::int64_t>(entries.extent(0));
  if (input.count == 0) return;
  state_->info.first_inserted_diagonal = input.facts.first_missing_diagonal;
  state_->matrix = incomplete::merge_pattern(space, input, pattern);
  state_->renumbering = incomplete::renumber(space, options.ordering, state_->matrix);
  state_->factorize(space, values);
  space.fence("terrace::IlutFactor");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IlutFactor");
}

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::~IlutFactor() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::IlutFactor(IlutFactor&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::operator=(IlutFactor&& other) noexcept -> IlutFactor& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IlutFactor<Scalar, Ordinal, Offset, Space>::refactorize(const Space& space, values_type values) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_number_of_values(values.extent(0), state_->info.matrix_entries);
  if (state_->info.rows == 0) return;
  state_->factorize(space, values);
  space.fence("terrace::IlutFactor");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IlutFactor::refactorize");
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IlutFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  state_->solves.apply(space, R, Z, op);
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::permutation() const -> entries_type {
  return state_->renumbering.original;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::row_map() const -> row_map_type {
  return state_->factor.row_map;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::entries() const -> entries_type {
  return state_->factor.entries;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::values() const -> values_type {
  return state_->factor.values;
}

template <class Scalar, class Ordinal, class Offset, class Space>
const IlutOptions& IlutFactor<Scalar, Ordinal, Offset, Space>::options() const {
  return state_->options;
}

template <class Scalar, class Ordinal, class Offset, class Space>
const IlutInfo& IlutFactor<Scalar, Ordinal, Offset, Space>::info() const {
  return state_->info;
}

template <class Scalar, class Ordinal, class Offset, class Space>
std::size_t IlutFactor<Scalar, Ordinal, Offset, Space>::bytes_held() const {
  return state_->info.bytes_held;
}

}  // namespace terrace
