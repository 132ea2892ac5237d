// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::LdltFactor.
#pragma once

#include <cmath>
#include <terrace/krylov_solver.hpp>
#include <terrace/ldlt.hpp>

#include "algorithms/incomplete/check_matrix.hpp"
#include "algorithms/triangular/check_vectors.hpp"
#include "parallel/loops.hpp"
#include "parallel/patient_loops.hpp"
#include "solvers/ldlt_numeric.hpp"
#include "solvers/ldlt_refine.hpp"

namespace terrace::ldlt {

inline void check_factor_options(const LdltFactorOptions& options) {
  if (options.pivots.policy == PivotPolicy::Shift)
    throw Error(ErrorCode::InvalidOption, "a direct factorization reports or replaces pivots, and does not shift");
  if (!(options.pivots.threshold >= 0 && options.pivots.threshold < 1))
    throw Error(ErrorCode::InvalidOption, "pivots.threshold must be at least 0 and below 1");
  if (options.refinement_steps < 0 || options.refinement_steps > 100)
    throw Error(ErrorCode::InvalidOption, "refinement_steps must lie between 0 and 100");
}

template <class Scalar, class Offset>
struct CompareMirrored {
  const Offset* read;
  const Offset* mirrored;
  const int* row;
  const Scalar* values;
  int* first;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    if (!(values[read[k]] == values[mirrored[k]])) parallel::atomic_lower(*first, row[k]);
  }
};

/// \throws Error NotSymmetric. Waits for the space.
template <class Scalar, class Ordinal, class Offset, class Space, class Values>
void check_symmetry(const Space& space, const SymbolicState<Ordinal, Offset, Space>& state, const Values& values) {
  if (state.read.extent(0) == 0) return;
  const auto first = parallel::uninitialized<int>(space, "terrace::ldlt::first_asymmetric", 1);
  parallel::fill(space, first, state.rows());
  parallel::for_range("terrace::ldlt::compare_mirrored", Kokkos::RangePolicy<Space>(space, 0, state.read.extent(0)),
                      CompareMirrored<Scalar, Offset>{state.read.data(), state.mirrored.data(),
                                                      state.mirrored_row.data(), values.data(), first.data()});
  int row = 0;
  copy_to_host(space, parallel::Numbers<int>{first.data(), 1}, &row, "terrace::ldlt::check_symmetry");
  if (row < state.rows())
    throw Error(ErrorCode::NotSymmetric,
                "row " + std::to_string(row) + " has an entry that differs from its mirror image", row);
}

/// \throws Error OutOfMemory with what would need less; others pass.
template <class Make>
auto with_advice(const LdltSymbolicInfo& info, std::size_t bytes, const Make& make) {
  try {
    return make();
  } catch (const std::exception& failure) {
    const auto* error = dynamic_cast<const Error*>(&failure);
    if (error ? error->code() != ErrorCode::OutOfMemory : !parallel::is_out_of_memory(failure)) throw;
    throw Error(ErrorCode::OutOfMemory,
                std::string("the factorization needs ") + std::to_string(bytes) + " bytes, for " +
                    std::to_string(info.stored_entries) +
                    " entries of L and the fronts under way (FactorPrecision::Single needs half, another ordering or a "
                    "smaller amalgamation may need less): " +
                    failure.what());
  }
}

}  // namespace terrace::ldlt

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct LdltFactor<Scalar, Ordinal, Offset, Space>::State {
  Symbolic symbolic;
  LdltFactorOptions options;
  values_type values;
  std::unique_ptr<ldlt::Numeric<Scalar, Offset, Space>> numeric;                 // none for a matrix of size 0
  std::unique_ptr<ldlt::Refinement<Scalar, Ordinal, Offset, Space>> refinement;  // with refinement_steps
  LdltInfo info;
  bool is_unread = false;              // there is a record that info() has not yet looked at,
  parallel::Moment<Space> factorized;  // and it is there from then on

  const auto& pattern() const { return detail::Access::state(symbolic); }
  std::size_t rows() const { return static_cast<std::size_t>(symbolic.info().rows); }

  void check_values(const values_type& matrix) const {
    incomplete::check_number_of_values(matrix.extent(0), static_cast<std::int64_t>(pattern().entries.extent(0)));
  }

  void factorize(const Space& space, const values_type& matrix) {
    values = matrix;
    const auto& from = pattern();
    numeric->factorize(space, {static_cast<std::size_t>(from.info.matrix_entries), from.source.data(),
                               from.locations.row.data(), from.locations.column.data(), matrix.data()});
    is_unread = true;
  }

  void solve(const Space& space, const const_vectors& B, const vectors& X, LdltPart part,
             bool conjugate = false) const {
    triangular::check_vectors(rows(), B.rows, B.columns, X.rows, X.columns);
    if (!numeric) return;
    if (refinement && part == LdltPart::All)
      refinement->solve(space, *numeric, pattern(), values, B, X, options.refinement_steps, conjugate);
    else numeric->solve(space, B, X, part, conjugate);
  }

  /// Waits for the space.
  void read_record(const Space& space) {
    numeric->read_record(space, info);
    for (auto* row : {&info.first_zero_pivot, &info.first_tiny_pivot, &info.first_nonfinite_row})
      if (*row) *row = parallel::read_on_host<int>(space, pattern().original.data() + **row);
    is_unread = false;
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
LdltFactor<Scalar, Ordinal, Offset, Space>::LdltFactor(const Space& space, const Symbolic& symbolic, values_type values,
                                                       const LdltFactorOptions& options) try
    : state_(new State{symbolic, options, {}, {}, {}, {}, false, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(values.extent(0));
  State& state = *state_;
  ldlt::check_factor_options(options);
  state.check_values(values);
  state.info.policy = options.pivots.policy;
  if (state.rows() == 0) return;
  const auto& pattern = state.pattern();
  ldlt::check_symmetry<Scalar>(space, pattern, values);
  const std::size_t scalar_bytes =
      options.precision == FactorPrecision::Single ? sizeof(parallel::SingleOf<Scalar>) : sizeof(Scalar);
  const std::size_t bytes = pattern.plan->bytes_of_engine(scalar_bytes, pattern.options.right_hand_sides);
  state.numeric = ldlt::with_advice(pattern.info, bytes,
                                    [&] { return ldlt::make_numeric<Scalar, Ordinal>(space, pattern, options); });
  if (options.refinement_steps > 0)
    state.refinement = std::make_unique<ldlt::Refinement<Scalar, Ordinal, Offset, Space>>(
        space, pattern, static_cast<std::size_t>(pattern.options.right_hand_sides));
  state.info.bytes_held = bytes_held();
  state.factorize(space, values);
  state.read_record(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::LdltFactor");
}

template <class Scalar, class Ordinal, class Offset, class Space>
LdltFactor<Scalar, Ordinal, Offset, Space>::~LdltFactor() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
LdltFactor<Scalar, Ordinal, Offset, Space>::LdltFactor(LdltFactor&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto LdltFactor<Scalar, Ordinal, Offset, Space>::operator=(LdltFactor&& other) noexcept -> LdltFactor& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void LdltFactor<Scalar, Ordinal, Offset, Space>::refactorize(const Space& space, values_type values) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(values.extent(0));
  state_->check_values(values);
  if (!state_->numeric) return;
  state_->factorize(space, values);
  state_->factorized.mark(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::LdltFactor::refactorize");
}

template <class Scalar, class Ordinal, class Offset, class Space>
void LdltFactor<Scalar, Ordinal, Offset, Space>::solve(const Space& space, const_vectors B, vectors X,
                                                       LdltPart part) const {
  const parallel::PatientLoops loops(B.rows * B.columns);
  state_->solve(space, B, X, part);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void LdltFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  const parallel::PatientLoops loops(R.rows * R.columns);
  state_->solve(space, R, Z, LdltPart::All, op == Op::ConjugateTranspose);
}

template <class Scalar, class Ordinal, class Offset, class Space>
RefinementResult LdltFactor<Scalar, Ordinal, Offset, Space>::refine(const Space& space, const_vectors B, vectors X,
                                                                    const RefinementOptions& options) const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(state_->values.extent(0) * std::max<std::size_t>(B.columns, 1));
  const State& state = *state_;
  triangular::check_vectors(state.rows(), B.rows, B.columns, X.rows, X.columns);
  ldlt::check_refinement_options(options);
  if (!state.numeric) return {std::vector<RefinedColumn>(B.columns)};
  if (static_cast<const void*>(B.data) == static_cast<const void*>(X.data) && B.columns > 0)
    throw Error(ErrorCode::InvalidOption, "refine needs b beside x: they may not be the same memory");
  const auto columns = static_cast<std::size_t>(state.pattern().options.right_hand_sides);
  ldlt::Refinement<Scalar, Ordinal, Offset, Space> refinement(space, state.pattern(), std::min(columns, B.columns));
  auto result = refinement.refine(space, *state.numeric, state.pattern(), state.values, B, X, options);
  refinement.free_on(space);
  return result;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::LdltFactor::refine");
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto LdltFactor<Scalar, Ordinal, Offset, Space>::symbolic() const -> const Symbolic& {
  return state_->symbolic;
}

template <class Scalar, class Ordinal, class Offset, class Space>
LdltInfo LdltFactor<Scalar, Ordinal, Offset, Space>::info() const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  if (state_->is_unread) {
    state_->factorized.wait("terrace::LdltFactor::info");
    state_->read_record(Space());
  }
  return state_->info;
} catch (...) {
  parallel::rethrow_as_error(Space(), "terrace::LdltFactor::info");
}

template <class Scalar, class Ordinal, class Offset, class Space>
std::size_t LdltFactor<Scalar, Ordinal, Offset, Space>::bytes_held() const {
  return (state_->numeric ? state_->numeric->bytes_held() : 0) +
         (state_->refinement ? state_->refinement->bytes_held() : 0);
}

}  // namespace terrace
