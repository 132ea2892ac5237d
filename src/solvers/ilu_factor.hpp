// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IluFactor: eliminate, again with a shift where the options ask for it, and solve.
#pragma once

#include <terrace/ilu.hpp>

#include "algorithms/incomplete/shift_restarts.hpp"
#include "backends/failures.hpp"
#include "solvers/factor_solves.hpp"
#include "solvers/ilu_symbolic.hpp"

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct IluFactor<Scalar, Ordinal, Offset, Space>::State {
  using Real = incomplete::RealOf<Scalar>;
  using Solver = TriangularSolver<Scalar, Ordinal, Offset, Space>;
  using Entries = incomplete::MatrixEntries<Scalar, Ordinal, Offset>;

  Symbolic symbolic;
  IluFactorOptions options;
  Kokkos::View<Scalar*, device_type> values;
  Kokkos::View<Ordinal*, device_type> diagnostics;
  incomplete::EliminationEnginePointer<Scalar, Ordinal, Offset, Space> engine;
  incomplete::PositionArrays<Ordinal, Space> positions;
  Kokkos::View<Real*, device_type> scale;  // empty: ones
  incomplete::FactorSolves<Scalar, Ordinal, Offset, Space> solves;
  IluInfo info;
  bool is_unread = false;              // there are pivots that info() has not yet looked at,
  parallel::Moment<Space> eliminated;  // and they are there from then on

  bool cholesky() const { return incomplete::is_symmetric(symbolic.options().factorization); }
  const auto& pattern() const { return detail::Access::state(symbolic); }
  Ordinal rows() const { return pattern().merged.count; }

  bool hermitian() const { return symbolic.options().factorization == Factorization::HermitianCholesky; }

  /// The entries of P D A D P^T. Finds D.
  Entries entries_of(const Space& space, const values_type& matrix) const {
    const auto& state = pattern();
    const auto& merged = state.merged;
    const bool read_upper = state.options.uplo == Uplo::Upper;
    Entries entries =
        incomplete::plain_entries(merged, matrix.data(), symbolic.permutation().data(), hermitian(), read_upper);
    if (options.scaling == Scaling::Diagonal)
      incomplete::scale_entries(space, entries, rows(), merged.diagonal.data(), scale.data());
    return entries;
  }

  void eliminate(const Space& space, const Entries& matrix, double shift) {
    const auto& state = pattern();
    const auto pivots = incomplete::pivot_rule<Scalar>(options.pivots, state.options.factorization, diagnostics.data());
    const incomplete::Elimination<Scalar, Ordinal, Offset, Space> elimination{state.merged.pattern(),
                                                                              matrix,
                                                                              values.data(),
                                                                              pivots,
                                                                              positions,
                                                                              static_cast<Real>(options.relaxation),
                                                                              static_cast<Real>(1.0 + shift),
                                                                              cholesky(),
                                                                              hermitian()};
    engine->eliminate(space, elimination);
    is_unread = true;
  }

  /// Waits for the space.
  void read_diagnostics(const Space& space) {
    incomplete::read_pivot_diagnostics<Ordinal, Space>(space, diagnostics, rows(), info);
    incomplete::name_original_rows<Ordinal, Space>(space, symbolic.permutation(), info);
    is_unread = false;
  }

  /// On an instance of its own: that of the last refactorize may be gone.
  void read_findings_later() {
    if (!is_unread) return;
    eliminated.wait("terrace::IluFactor::info");
    read_diagnostics(Space());
  }

  void factorize(const Space& space, const values_type& matrix) {
    const Entries entries = entries_of(space, matrix);
    incomplete::eliminate_with_shifts(
        options.pivots, info, [&](double shift) { eliminate(space, entries, shift); },
        [&] { read_diagnostics(space); });
  }

  void analyze_solves(const Space& space) {
    const auto solver = [&](const auto& triangle) {
      return detail::Access::make<Solver>(space, triangle, values, options.right_hand_sides);
    };
    solves = {{solver(pattern().lower), solver(pattern().upper)},
              {space, symbolic.permutation(), scale, options.right_hand_sides}};
    info.bytes_held = values.span() * sizeof(Scalar) + engine->bytes_held() + positions.bytes_held() +
                      scale.span() * sizeof(Real) + solves.bytes_held();
  }
};

namespace incomplete {

inline void check_factor_options(const IluFactorOptions& options) {
  if (!(options.relaxation >= 0 && options.relaxation <= 1))
    throw Error(ErrorCode::InvalidOption, "relaxation must lie between 0 and 1");
  if (options.right_hand_sides < 1) throw Error(ErrorCode::InvalidOption, "right_hand_sides must be at least 1");
  check_pivot_options(options.pivots);
}

}  // namespace incomplete

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::IluFactor(const Space& space, const Symbolic& symbolic, values_type matrix,
                                                     const IluFactorOptions& options) try
    : state_(new State{symbolic, options, {}, {}, {}, {}, {}, {}, {}, {}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_factor_options(options);
  incomplete::check_number_of_values(matrix.extent(0), symbolic.info().matrix_entries);
  if (state_->rows() == 0) return;
  state_->values = parallel::uninitialized<Scalar>(space, "terrace::incomplete::values", symbolic.entries().extent(0));
  state_->diagnostics =
      parallel::uninitialized<Ordinal>(space, "terrace::incomplete::diagnostics", incomplete::PivotDiagnostics);
  state_->engine = incomplete::make_elimination_engine<Scalar>(space, state_->pattern().plan);
  state_->positions = {space, state_->pattern().merged};
  if (options.scaling == Scaling::Diagonal)
    state_->scale = parallel::uninitialized<typename State::Real>(space, "terrace::incomplete::scale",
                                                                  static_cast<std::size_t>(state_->rows()));
  state_->factorize(space, matrix);
  state_->analyze_solves(space);
  if (state_->is_unread) state_->read_diagnostics(space);
  else space.fence("terrace::IluFactor");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IluFactor");
}

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::~IluFactor() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::IluFactor(IluFactor&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto IluFactor<Scalar, Ordinal, Offset, Space>::operator=(IluFactor&& other) noexcept -> IluFactor& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IluFactor<Scalar, Ordinal, Offset, Space>::refactorize(const Space& space, values_type matrix) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  incomplete::check_number_of_values(matrix.extent(0), symbolic().info().matrix_entries);
  if (state_->rows() == 0) return;
  state_->factorize(space, matrix);
  state_->solves.update_values(space, state_->values);
  if (state_->is_unread) state_->eliminated.mark(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IluFactor::refactorize");
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IluFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  state_->solves.apply(space, R, Z, op);
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IluFactor<Scalar, Ordinal, Offset, Space>::values() const -> values_type {
  return state_->values;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IluFactor<Scalar, Ordinal, Offset, Space>::symbolic() const -> const Symbolic& {
  return state_->symbolic;
}

template <class Scalar, class Ordinal, class Offset, class Space>
IluInfo IluFactor<Scalar, Ordinal, Offset, Space>::info() const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_->read_findings_later();
  return state_->info;
} catch (...) {
  parallel::rethrow_as_error(Space(), "terrace::IluFactor::info");
}

template <class Scalar, class Ordinal, class Offset, class Space>
std::size_t IluFactor<Scalar, Ordinal, Offset, Space>::bytes_held() const {
  return state_->info.bytes_held;
}

}  // namespace terrace
