// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::IluFactor: the numbers (ilu_numeric.hpp) and the solves.
#pragma once

#include <terrace/ilu.hpp>

#include "parallel/patient_loops.hpp"
#include "solvers/factor_solves.hpp"
#include "solvers/ilu_numeric.hpp"

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct IluFactor<Scalar, Ordinal, Offset, Space>::State {
  incomplete::IluNumeric<Scalar, Ordinal, Offset, Space> numeric;
  incomplete::FactorSolves<Scalar, Ordinal, Offset, Space> solves;

  void analyze_solves(const Space& space) {
    const int columns = numeric.options.right_hand_sides;
    solves = {incomplete::make_factors(space, numeric.pattern().lower, numeric.pattern().upper, numeric.values,
                                       incomplete::solve_options<Scalar>(
                                           numeric.options, numeric.symbolic.options().factorization, columns)),
              {space, numeric.symbolic.permutation(), numeric.scale, columns}};
    numeric.info.bytes_held = numeric.bytes_held() + solves.bytes_held();
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
IluFactor<Scalar, Ordinal, Offset, Space>::IluFactor(const Space& space, const Symbolic& symbolic, values_type matrix,
                                                     const IluFactorOptions& options) try
    : state_(new State{{symbolic, options, {}, {}, {}, {}, {}, {}, {}, {}}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const parallel::PatientLoops loops(static_cast<std::size_t>(symbolic.info().factor_entries));
  incomplete::check_factor_options(options);
  incomplete::check_number_of_values(matrix.extent(0), symbolic.info().matrix_entries);
  auto& numeric = state_->numeric;
  if (numeric.rows() == 0) return;
  numeric.allocate(space);
  numeric.factorize(space, matrix);
  state_->analyze_solves(space);
  if (numeric.is_unread) numeric.read_diagnostics(space);
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
  const parallel::PatientLoops loops(static_cast<std::size_t>(symbolic().info().factor_entries));
  incomplete::check_number_of_values(matrix.extent(0), symbolic().info().matrix_entries);
  auto& numeric = state_->numeric;
  if (numeric.rows() == 0) return;
  numeric.factorize(space, matrix);
  state_->solves.update_values(space, numeric.values);
  if (numeric.is_unread) numeric.eliminated.mark(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::IluFactor::refactorize");
}

template <class Scalar, class Ordinal, class Offset, class Space>
void IluFactor<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const_vectors R, vectors Z, Op op) const {
  state_->solves.apply(space, R, Z, incomplete::op_on_factors<Scalar>(symbolic().options().factorization, op));
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IluFactor<Scalar, Ordinal, Offset, Space>::values() const -> values_type {
  return state_->numeric.values;
}

template <class Scalar, class Ordinal, class Offset, class Space>
auto IluFactor<Scalar, Ordinal, Offset, Space>::symbolic() const -> const Symbolic& {
  return state_->numeric.symbolic;
}

template <class Scalar, class Ordinal, class Offset, class Space>
IluInfo IluFactor<Scalar, Ordinal, Offset, Space>::info() const try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_->numeric.read_diagnostics_later("terrace::IluFactor::info");
  return state_->numeric.info;
} catch (...) {
  parallel::rethrow_as_error(Space(), "terrace::IluFactor::info");
}

template <class Scalar, class Ordinal, class Offset, class Space>
std::size_t IluFactor<Scalar, Ordinal, Offset, Space>::bytes_held() const {
  return state_->numeric.info.bytes_held;
}

}  // namespace terrace
