// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::KrylovSolver.
#pragma once

#include "algorithms/krylov/packed_columns.hpp"
#include "backends/failures.hpp"
#include "solvers/krylov_solver_state.hpp"

namespace terrace {

template <class Scalar, class Space>
KrylovSolver<Scalar, Space>::KrylovSolver(const Space& space, std::size_t rows, const KrylovOptions& options) try
    : state_(new State) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  krylov::check_options(options);
  if (rows > static_cast<std::size_t>(std::numeric_limits<int>::max()) - 1)
    throw Error(ErrorCode::SizeMismatch, "there are " + std::to_string(rows) + " rows; an int cannot count them");
  state_->options = options;
  state_->rows = rows;
  state_->prepare(space, 1);
  space.fence("terrace::KrylovSolver");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::KrylovSolver");
}

template <class Scalar, class Space>
KrylovSolver<Scalar, Space>::~KrylovSolver() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Space>
KrylovSolver<Scalar, Space>::KrylovSolver(KrylovSolver&&) noexcept = default;

template <class Scalar, class Space>
auto KrylovSolver<Scalar, Space>::operator=(KrylovSolver&& other) noexcept -> KrylovSolver& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Space>
const KrylovOptions& KrylovSolver<Scalar, Space>::options() const {
  return state_->options;
}

template <class Scalar, class Space>
KrylovResult KrylovSolver<Scalar, Space>::solve(const Space& space, const Operator& A, input_type b, output_type x,
                                                const Operator& M) {
  return solve_columns(space, A, b, x, M).front();
}

template <class Scalar, class Space>
std::vector<KrylovResult> KrylovSolver<Scalar, Space>::solve_columns(const Space& space, const Operator& A,
                                                                     const const_vectors& B, const vectors& X,
                                                                     const Operator& M) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  krylov::check_vectors(state_->rows, B, X);
  if (B.columns == 0) return {};
  const Kokkos::Timer timer;
  state_->prepare(space, B.columns);
  const auto& options = state_->options;
  const bool left = options.side == PreconditionerSide::Left &&
                    (options.method == KrylovMethod::BiCGStab || options.method == KrylovMethod::Gmres);
  double operator_seconds = 0, preconditioner_seconds = 0;
  const krylov::PackedColumns<const Scalar, Space> b(space, B);
  const krylov::PackedColumns<Scalar, Space> x(space, X);
  const typename State::System system{space,
                                      A,
                                      M,
                                      left,
                                      b.view(),
                                      x.view(),
                                      state_->memory.scratch,
                                      state_->memory.for_kernels(),
                                      state_->memory.gathering.for_kernels(),
                                      state_->memory.norms,
                                      options.time_phases ? &operator_seconds : nullptr,
                                      options.time_phases ? &preconditioner_seconds : nullptr};
  auto results = state_->solve(system);
  x.unpack(space);
  space.fence("terrace::KrylovSolver::solve");
  for (KrylovResult& result : results) {
    result.seconds = timer.seconds();
    result.operator_seconds = operator_seconds;
    result.preconditioner_seconds = preconditioner_seconds;
  }
  return results;
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::KrylovSolver::solve");
}

}  // namespace terrace
