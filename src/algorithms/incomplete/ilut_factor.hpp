// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IlutFactor: check, merge, eliminate by thresholds, collect, and solve.
#pragma once

#include <terrace/ilut.hpp>

#include "algorithms/analysis/failures.hpp"
#include "algorithms/incomplete/factor_solves.hpp"
#include "algorithms/incomplete/shift_restarts.hpp"
#include "algorithms/incomplete/threshold/collect_rows.hpp"
#include "algorithms/incomplete/threshold/run_elimination.hpp"
#include "backends/dispatch.hpp"

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

inline IluFactorOptions pivot_options(const IlutOptions& options) {
  return {.pivot_policy = options.pivot_policy,
          .pivot_threshold = options.pivot_threshold,
          .first_shift = options.first_shift,
          .most_attempts = options.most_attempts};
}

inline void check_threshold_options(const IlutOptions& options) {
  if (options.fill < 0)
    throw Error(ErrorCode::InvalidOption, "fill is " + std::to_string(options.fill) + "; it must not be negative");
  if (!(options.drop_tolerance >= 0) || !std::isfinite(options.drop_tolerance))
    throw Error(ErrorCode::InvalidOption, "drop_tolerance must be a number of at least 0");
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  check_pivot_options(pivot_options(options));
}

/// Room that suffices where rows are as long as in A, or where p says that none will be longer.
inline std::size_t first_room(std::size_t rows, std::size_t entries, int fill) {
  const std::size_t kept = std::min(static_cast<std::size_t>(fill), rows);
  return std::min(rows * (2 * kept + 1), 2 * entries + rows);
}

}  // namespace incomplete

template <class Scalar, class Ordinal, class Offset, class Space>
struct IlutFactor<Scalar, Ordinal, Offset, Space>::State {
  using Run = incomplete::ThresholdRun<Scalar, Ordinal, Offset, Space>;
  using Merged = incomplete::MergedFactor<Scalar, Ordinal, Offset, Space>;
  using Real = incomplete::RealOf<Scalar>;

  IlutOptions options;
  IlutInfo info;
  incomplete::MergedPattern<Ordinal, Offset, Space> matrix;  // renumbered
  ordering::Renumbering<Ordinal, Space> renumbering;
  Kokkos::View<Real*, device_type> scale;  // empty: ones
  Merged factor;
  incomplete::FactorSolves<Scalar, Ordinal, Offset, Space> solves;

  bool is_symmetric() const { return incomplete::is_symmetric(options.factorization); }

  /// All of the elimination but its memory and the shift.
  typename Run::Elimination describe_elimination(const Space& space, const values_type& values,
                                                 Ordinal* findings) const {
    typename Run::Elimination elimination{};
    elimination.lines = matrix.pattern();
    elimination.matrix = incomplete::plain_entries(matrix, values.data(), renumbering.original.data(),
                                                   options.factorization == Factorization::HermitianCholesky,
                                                   options.uplo == Uplo::Upper);
    if (options.scaling == Scaling::Diagonal)
      incomplete::scale_entries(space, elimination.matrix, matrix.count, matrix.diagonal.data(), scale.data());
    elimination.pivots =
        incomplete::pivot_rule<Scalar>(incomplete::pivot_options(options), options.factorization, findings);
    elimination.fill = static_cast<unsigned>(options.fill);
    elimination.drop_tolerance = static_cast<Real>(options.drop_tolerance);
    elimination.symmetric = is_symmetric();
    return elimination;
  }

  /// The rows of the factor, and what was found on the way.
  Merged eliminate(const Space& space, const values_type& values, IlutInfo& found) const {
    const auto rows = static_cast<std::size_t>(matrix.count);
    const auto findings =
        analysis::uninitialized<Ordinal>(space, "terrace::incomplete::findings", incomplete::PivotFindings);
    const auto before = static_cast<std::size_t>(info.factor_entries);  // twice as many as are stored where symmetric
    typename Run::Store store(
        space, matrix.count,
        before > 0 ? before + before / 8 : incomplete::first_room(rows, matrix.entries.extent(0), options.fill));
    incomplete::WorkRoom<Scalar, Ordinal, Space> work(space, matrix.count);
    Run run(space, store, work);
    auto elimination = describe_elimination(space, values, findings.data());
    incomplete::eliminate_with_shifts(
        incomplete::pivot_options(options), found,
        [&](double shift) {
          incomplete::forget_pivots(space, findings.data(), matrix.count);
          elimination.diagonal_factor = static_cast<Real>(1.0 + shift);
          found.dropped_entries = run.run(elimination);
        },
        [&] { incomplete::read_pivot_findings<Ordinal, Space>(space, findings, matrix.count, found); });
    incomplete::read_pivot_findings<Ordinal, Space>(space, findings, matrix.count, found);
    incomplete::name_original_rows<Ordinal, Space>(space, renumbering.original, found);
    found.workers = static_cast<int>(work.workers());
    return incomplete::collect_rows<Scalar, Ordinal, Offset, Space>(space, matrix.count, store.for_kernels());
  }

  void factorize(const Space& space, const values_type& values) {
    IlutInfo found = info;
    auto merged = eliminate(space, values, found);
    if (is_symmetric()) merged = incomplete::mirror_rows(space, merged, options.factorization);
    auto factors = incomplete::analyze_factors<Scalar, Ordinal, Offset, Space>(
        space, merged.row_map, merged.entries, merged.values, !is_symmetric(), options.right_hand_sides);
    if (info.factor_entries > 0) solves.replace(std::move(factors));
    else solves = {std::move(factors), {space, renumbering.original, scale, options.right_hand_sides}};
    factor = merged;
    found.factor_entries = static_cast<std::int64_t>(factor.entries.extent(0));
    found.bytes_held = matrix.bytes_held() + renumbering.bytes_held() + scale.span() * sizeof(Real) +
                       factor.bytes_held() + solves.bytes_held();
    info = found;
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::check_square(std::int64_t rows, std::int64_t columns,
                                                              row_map_type row_map) -> row_map_type {
  incomplete::check_square(rows, columns);
  return row_map;
}

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::IlutFactor(const Space& space, row_map_type row_map, entries_type entries,
                                                       values_type values, const IlutOptions& options) try
    : state_(new State{options, {}, {}, {}, {}, {}, {}}) {
  const typename analysis::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_threshold_options(options);
  incomplete::check_number_of_values(values.extent(0), static_cast<std::int64_t>(entries.extent(0)));
  const auto pattern = incomplete::pattern_options(options);
  const auto input = incomplete::check_matrix<Ordinal, Offset, Space>(space, row_map, entries, pattern);
  state_->info.rows = input.count;
  state_->info.matrix_entries = static_cast<std::int64_t>(entries.extent(0));
  if (input.count == 0) return;
  const auto missing = input.findings.first[analysis::StructureFindings::MissingDiagonal];
  if (missing >= 0) state_->info.first_inserted_diagonal = missing;
  state_->matrix = incomplete::merge_pattern(space, input, pattern);
  state_->renumbering = incomplete::renumber(space, options.ordering, state_->matrix);
  if (options.scaling == Scaling::Diagonal)
    state_->scale = analysis::uninitialized<typename State::Real>(space, "terrace::incomplete::scale",
                                                                  static_cast<std::size_t>(input.count));
  state_->factorize(space, values);
  space.fence("terrace::IlutFactor");
} catch (...) {
  analysis::rethrow_as_error(space, "terrace::IlutFactor");
}

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::~IlutFactor() {
  const typename analysis::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::IlutFactor(IlutFactor&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::operator=(IlutFactor&& other) noexcept -> IlutFactor& {
  const typename analysis::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IlutFactor<Scalar, Ordinal, Offset, Space>::refactorize(const Space& space, values_type values) try {
  const typename analysis::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_number_of_values(values.extent(0), state_->info.matrix_entries);
  if (state_->info.rows == 0) return;
  state_->factorize(space, values);
  space.fence("terrace::IlutFactor");
} catch (...) {
  analysis::rethrow_as_error(space, "terrace::IlutFactor::refactorize");
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

}  // namespace terrace
