// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IluFactor: eliminate, again with a shift where the options ask for it, and solve.
#pragma once

#include <terrace/ilu.hpp>
#include <terrace/triangular_solver.hpp>

#include "algorithms/incomplete/symbolic.hpp"
#include "algorithms/triangular/check_vectors.hpp"

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct IluFactor<Scalar, Ordinal, Offset, Space>::State {
  using Real = incomplete::RealOf<Scalar>;
  using Workspace = decltype(incomplete::make_workspace<Scalar>(
      std::declval<const Space&>(), std::declval<const incomplete::MergedPattern<Ordinal, Offset, Space>&>(),
      std::declval<const incomplete::Plan<Ordinal, Offset, Space>&>()));
  using Solver = TriangularSolver<Scalar, Ordinal, Offset, Space>;

  Symbolic symbolic;
  IluFactorOptions options;
  Kokkos::View<Scalar*, device_type> values;
  Kokkos::View<Ordinal*, device_type> findings;
  Workspace workspace;
  incomplete::PositionArrays<Ordinal, Space> positions;
  std::optional<Solver> lower, upper;  // none for a matrix of size 0
  IluInfo info;
  std::optional<Space> unread;  // the instance whose pivots info() has not yet looked at

  bool cholesky() const { return incomplete::is_symmetric(symbolic.options().factorization); }
  Ordinal rows() const { return symbolic.state()->merged.count; }

  Real threshold() const {
    if (options.pivot_threshold > 0) return static_cast<Real>(options.pivot_threshold);
    const Real unit = Kokkos::Experimental::epsilon_v<Real>;
    return options.pivot_policy == PivotPolicy::Replace ? Kokkos::sqrt(unit) : unit;
  }

  void eliminate(const Space& space, const values_type& matrix, double shift) {
    const auto& state = *symbolic.state();
    const bool hermitian = state.options.factorization == Factorization::HermitianCholesky;
    const bool positive = cholesky() && (hermitian || !triangular::is_complex<Scalar>);
    Kokkos::parallel_for("terrace::incomplete::forget_pivots",
                         Kokkos::RangePolicy<Space>(space, 0, incomplete::PivotFindings),
                         incomplete::ForgetPivots<Ordinal>{findings.data(), rows()});
    const incomplete::PivotRule<Scalar, Ordinal> pivots{threshold(), positive,
                                                        options.pivot_policy == PivotPolicy::Replace, findings.data()};
    const incomplete::Elimination<Scalar, Ordinal, Offset, Space> elimination{state.merged.pattern(),
                                                                              matrix.data(),
                                                                              state.merged.source.data(),
                                                                              values.data(),
                                                                              pivots,
                                                                              positions,
                                                                              static_cast<Real>(options.relaxation),
                                                                              static_cast<Real>(1.0 + shift),
                                                                              cholesky(),
                                                                              hermitian,
                                                                              state.options.uplo == Uplo::Upper};
    incomplete::eliminate_rows(space, elimination, state.plan, workspace);
    unread = space;
  }

  void read_findings() {
    if (!unread) return;
    incomplete::read_pivot_findings<Ordinal, Space>(*unread, findings, rows(), info);
    unread.reset();
  }

  /// Manteuffel's restarts. Values that are not finite stay so whatever is added.
  void factorize(const Space& space, const values_type& matrix) {
    info.shift = 0;
    info.attempts = 1;
    eliminate(space, matrix, 0.0);
    if (options.pivot_policy != PivotPolicy::Shift) return;
    for (read_findings(); !info.succeeded() && info.attempts < options.most_attempts; read_findings()) {
      info.shift = info.shift > 0 ? 2 * info.shift : options.first_shift;
      ++info.attempts;
      eliminate(space, matrix, info.shift);
    }
  }

  void analyze_solves(const Space& space) {
    const auto solver = [&](Uplo uplo, Diag diag) {
      return Solver(space, symbolic.row_map(), symbolic.entries(), values,
                    {.uplo = uplo,
                     .diag = diag,
                     .stored = Stored::Full,
                     .right_hand_sides = options.right_hand_sides,
                     .check_structure = false});
    };
    lower.emplace(solver(Uplo::Lower, cholesky() ? Diag::NonUnit : Diag::Unit));
    upper.emplace(solver(Uplo::Upper, Diag::NonUnit));
    info.bytes_held = values.span() * sizeof(Scalar) + workspace.bytes_held() + positions.bytes_held() +
                      lower->info().bytes_held + upper->info().bytes_held;
  }
};

namespace incomplete {

inline void check_factor_options(const IluFactorOptions& options) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::InvalidOption, what); };
  if (!(options.relaxation >= 0 && options.relaxation <= 1)) fail("relaxation must lie between 0 and 1");
  if (!(options.pivot_threshold >= 0 && options.pivot_threshold < 1))
    fail("pivot_threshold must be at least 0 and below 1");
  if (!(options.first_shift > 0) || !std::isfinite(options.first_shift)) fail("first_shift must be positive");
  if (options.right_hand_sides < 1) fail("right_hand_sides must be at least 1");
  if (options.most_attempts < 1) fail("most_attempts must be at least 1");
}

inline void check_number_of_values(std::size_t values, std::int64_t entries) {
  if (static_cast<std::int64_t>(values) != entries)
    throw Error(ErrorCode::SizeMismatch,
                "there are " + std::to_string(values) + " values for " + std::to_string(entries) + " entries");
}

}  // namespace incomplete

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::IluFactor(const Space& space, const Symbolic& symbolic, values_type matrix,
                                                     const IluFactorOptions& options)
    : state_(new State{symbolic, options, {}, {}, {}, {}, {}, {}, {}, {}}) {
  incomplete::check_factor_options(options);
  incomplete::check_number_of_values(matrix.extent(0), symbolic.info().matrix_entries);
  if (state_->rows() == 0) return;
  state_->values = analysis::uninitialized<Scalar>(space, "terrace::incomplete::values", symbolic.entries().extent(0));
  state_->findings =
      analysis::uninitialized<Ordinal>(space, "terrace::incomplete::findings", incomplete::PivotFindings);
  state_->workspace = incomplete::make_workspace<Scalar>(space, symbolic.state()->merged, symbolic.state()->plan);
  state_->positions = {space, symbolic.state()->merged};
  state_->factorize(space, matrix);
  state_->analyze_solves(space);
  state_->read_findings();
}

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::~IluFactor() = default;

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::IluFactor(IluFactor&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto IluFactor<Scalar, Ordinal, Offset, Space>::operator=(IluFactor&&) noexcept -> IluFactor& = default;

template <class Scalar, class Ordinal, class Offset, class Space>
void IluFactor<Scalar, Ordinal, Offset, Space>::refactorize(const Space& space, values_type matrix) {
  incomplete::check_number_of_values(matrix.extent(0), symbolic().info().matrix_entries);
  if (state_->rows() == 0) return;
  state_->factorize(space, matrix);
  state_->lower->update_values(space, state_->values);
  state_->upper->update_values(space, state_->values);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IluFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  triangular::check_vectors(static_cast<std::size_t>(symbolic().info().rows), R.rows, R.columns, Z.rows, Z.columns);
  if (state_->rows() == 0) return;
  const auto& first = op == Op::None ? *state_->lower : *state_->upper;
  const auto& second = op == Op::None ? *state_->upper : *state_->lower;
  first.solve(space, R, Z, op);
  second.solve(space, const_vectors(Z), Z, op);
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
IluInfo IluFactor<Scalar, Ordinal, Offset, Space>::info() const {
  state_->read_findings();
  return state_->info;
}

}  // namespace terrace
