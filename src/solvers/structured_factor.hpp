// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::StructuredFactor: check once, factorize until no pivot breaks down, dispatch once.
#pragma once

#include "algorithms/structured/crs_input.hpp"
#include "algorithms/structured/vectors.hpp"
#include "backends/failures.hpp"
#include "backends/structured.hpp"
#include "solvers/structured_factor_state.hpp"

namespace terrace {

namespace structured {

inline void check_options(const StructuredFactorOptions& options) {
  const auto fail = [](const std::string& what) { throw Error(ErrorCode::InvalidOption, what); };
  if (!(options.relaxation >= 0.0 && options.relaxation <= 1.0))
    fail("relaxation is " + std::to_string(options.relaxation) + "; it must lie between 0 (IC, ILU) and 1 (MIC, MILU)");
  if (options.pivots.policy == PivotPolicy::Replace)
    fail("a structured factor reports a breakdown or shifts A; it does not replace pivots");
  if (options.pivots.threshold != 0.0) fail("the pivots of a structured factor have no threshold but zero");
  if (options.pivots.max_attempts < 1)
    fail("max_attempts is " + std::to_string(options.pivots.max_attempts) + "; it must be at least 1");
  if (options.right_hand_sides < 1)
    fail("right_hand_sides is " + std::to_string(options.right_hand_sides) + "; it must be at least 1");
  if (!(options.pivots.first_shift > 0.0 && options.pivots.first_shift < 1e100))
    fail("first_shift is " + std::to_string(options.pivots.first_shift) + "; it must be positive");
}

}  // namespace structured

template <class Scalar, class Space>
void StructuredFactor<Scalar, Space>::State::check_diagonal(const Space& space) const {
  if (!A.is_symmetric()) return;
  trouble.clear(space);
  Kokkos::parallel_for("terrace::structured::find_not_positive", structured::Rows<Space>(space, 0, A.grid().cells()),
                       structured::FindNotPositive<Scalar>{A.diagonals().center.data(), trouble.data()});
  if (const auto cell = trouble.read(space))
    throw Error(ErrorCode::NotPositive,
                "the diagonal entry of cell " + to_string(A.grid().cell(*cell)) + " of the " + to_string(A.grid()) +
                    " grid is not positive; a symmetric matrix must be positive definite",
                *cell);
}

template <class Scalar, class Space>
std::optional<GridCell> StructuredFactor<Scalar, Space>::State::try_factorize(const Space& space, double shift) {
  trouble.clear(space);
  engine->factorize(space, options.relaxation, shift, trouble.data());
  const auto cell = trouble.read(space);
  return cell ? std::optional<GridCell>(A.grid().cell(*cell)) : std::nullopt;
}

template <class Scalar, class Space>
void StructuredFactor<Scalar, Space>::State::factorize(const Space& space) {
  check_diagonal(space);
  info.shift = 0.0;
  info.attempts = 1;
  info.first_breakdown = info.breakdown = try_factorize(space, 0.0);
  if (options.pivots.policy != PivotPolicy::Shift) return;
  while (info.breakdown && info.attempts < options.pivots.max_attempts) {
    info.shift = info.shift == 0.0 ? options.pivots.first_shift : 2 * info.shift;
    ++info.attempts;
    info.breakdown = try_factorize(space, info.shift);
  }
}

template <class Scalar, class Space>
StructuredFactor<Scalar, Space>::StructuredFactor(const Space& space, const StructuredMatrix<Scalar, Space>& A,
                                                  const StructuredFactorOptions& options) try
    : state_(new State{A, options, {space, A.grid().cells()}, {}, {}}) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  structured::check_options(options);
  state_->engine = structured::make_structured_engine(space, A, options);
  state_->info.grid = A.grid();
  state_->info.wavefronts = A.grid().wavefronts();
  state_->engine->describe(state_->info);
  state_->factorize(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredFactor");
}

template <class Scalar, class Space>
StructuredFactor<Scalar, Space>::~StructuredFactor() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Space>
StructuredFactor<Scalar, Space>::StructuredFactor(StructuredFactor&&) noexcept = default;

template <class Scalar, class Space>
auto StructuredFactor<Scalar, Space>::operator=(StructuredFactor&& other) noexcept -> StructuredFactor& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Space>
void StructuredFactor<Scalar, Space>::refactorize(const Space& space) try {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_->factorize(space);
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::StructuredFactor::refactorize");
}

template <class Scalar, class Space>
void StructuredFactor<Scalar, Space>::solve(const Space& space, const_vectors b, vectors x, Op op) const {
  structured::check_vectors(state_->A.grid(), "b", b, "x", x);
  state_->engine->solve(space, b, x, structured::Part::Both, op);
}

template <class Scalar, class Space>
void StructuredFactor<Scalar, Space>::solve_forward(const Space& space, const_vectors b, vectors x, Op op) const {
  structured::check_vectors(state_->A.grid(), "b", b, "x", x);
  state_->engine->solve(space, b, x, structured::Part::Forward, op);
}

template <class Scalar, class Space>
void StructuredFactor<Scalar, Space>::solve_backward(const Space& space, const_vectors b, vectors x, Op op) const {
  structured::check_vectors(state_->A.grid(), "b", b, "x", x);
  state_->engine->solve(space, b, x, structured::Part::Backward, op);
}

template <class Scalar, class Space>
auto StructuredFactor<Scalar, Space>::inverse_pivots() const -> Kokkos::View<const Scalar*, device_type> {
  return state_->engine->inverse_pivots();
}

template <class Scalar, class Space>
const StructuredFactorInfo& StructuredFactor<Scalar, Space>::info() const {
  state_->engine->describe_changes(state_->info);
  return state_->info;
}

template <class Scalar, class Space>
std::size_t StructuredFactor<Scalar, Space>::bytes_held() const {
  return state_->info.bytes_held;
}

}  // namespace terrace
