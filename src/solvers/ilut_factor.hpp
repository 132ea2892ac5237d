// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IlutFactor: check, the rows (ilut_numeric.hpp), and the solves.
#pragma once

#include <terrace/ilut.hpp>

#include "parallel/patient_loops.hpp"
#include "solvers/factor_solves.hpp"
#include "solvers/ilut_numeric.hpp"

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct IlutFactor<Scalar, Ordinal, Offset, Space>::State {
  using Numeric = incomplete::IlutNumeric<Scalar, Ordinal, Offset, Space>;
  using Solves = incomplete::FactorSolves<Scalar, Ordinal, Offset, Space>;

  Numeric numeric;
  Solves solves;

  const IlutInfo& info() const { return numeric.last.info; }

  /// Whatever may fail comes first, in memory of its own: when it does, the factor is what it was.
  void factorize(const Space& space, const values_type& values) {
    const int columns = numeric.options.right_hand_sides;
    const auto scale = numeric.make_scale(space);
    auto found = numeric.eliminate(space, numeric.entries_of(space, values, scale), scale);
    auto factors = incomplete::analyze_factors<Scalar, Ordinal, Offset, Space>(
        space, found.factor.row_map, found.factor.entries, found.factor.values, !numeric.is_cholesky(),
        incomplete::solve_options<Scalar>(numeric.options, numeric.options.factorization, columns));
    using Permuted = typename Solves::Permuted;
    Solves new_solves(std::move(factors), solves.is_empty()
                                              ? Permuted(space, numeric.renumbering.original, scale, columns)
                                              : solves.permuted().with_scale(scale));
    found.info.bytes_held = numeric.bytes_held(found) + new_solves.bytes_held();
    numeric.last = std::move(found);
    solves = std::move(new_solves);
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
IlutFactor<Scalar, Ordinal, Offset, Space>::IlutFactor(const Space& space, row_map_type row_map, entries_type entries,
                                                       values_type values, const IlutOptions& options) try
    : state_(new State{{options, {}, {}, {}, {}}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(entries.extent(0));
  incomplete::check_threshold_options(options);
  incomplete::check_number_of_values(values.extent(0), static_cast<std::int64_t>(entries.extent(0)));
  const auto pattern = incomplete::pattern_options(options);
  const auto input = incomplete::check_matrix<Ordinal, Offset, Space>(space, row_map, entries, pattern);
  ordering::check_given_order(options.ordering, options.permutation, input.count);
  auto& numeric = state_->numeric;
  numeric.last.info.rows = input.count;
  numeric.last.info.matrix_entries = static_cast<std::int64_t>(entries.extent(0));
  if (input.count == 0) return;
  numeric.last.info.first_inserted_diagonal = input.facts.first_missing_diagonal;
  numeric.matrix = incomplete::merge_pattern(space, input, pattern);
  numeric.renumbering = incomplete::renumber(space, pattern, numeric.matrix);
  numeric.claim_order = incomplete::order_of_claims(space, numeric.matrix);
  numeric.run_map = incomplete::find_claim_runs(space, numeric.matrix);
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
  const parallel::PatientLoops loops(values.extent(0));
  incomplete::check_number_of_values(values.extent(0), state_->info().matrix_entries);
  if (state_->info().rows == 0) return;
  state_->factorize(space, values);
  space.fence("terrace::IlutFactor");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IlutFactor::refactorize");
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IlutFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  state_->solves.apply(space, R, Z, incomplete::op_on_factors<Scalar>(options().factorization, op));
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::permutation() const -> entries_type {
  return state_->numeric.renumbering.original;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::row_map() const -> row_map_type {
  return state_->numeric.last.factor.row_map;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::entries() const -> entries_type {
  return state_->numeric.last.factor.entries;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IlutFactor<Scalar, Ordinal, Offset, Space>::values() const -> values_type {
  return state_->numeric.last.factor.values;
}

template <class Scalar, class Ordinal, class Offset, class Space>
const IlutOptions& IlutFactor<Scalar, Ordinal, Offset, Space>::options() const {
  return state_->numeric.options;
}

template <class Scalar, class Ordinal, class Offset, class Space>
const IlutInfo& IlutFactor<Scalar, Ordinal, Offset, Space>::info() const {
  return state_->info();
}

template <class Scalar, class Ordinal, class Offset, class Space>
std::size_t IlutFactor<Scalar, Ordinal, Offset, Space>::bytes_held() const {
  return state_->info().bytes_held;
}

}  // namespace terrace
