// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solves with L and U in one merged pattern: L U with a unit diagonal in L, or L L^T with the diagonal in both.
#pragma once

#include <optional>
#include <terrace/triangular_solver.hpp>
#include <utility>

#include "algorithms/triangular/check_vectors.hpp"

namespace terrace::incomplete {

template <class Scalar, class Ordinal, class Offset, class Space>
class FactorSolves {
 public:
  using Solver = TriangularSolver<Scalar, Ordinal, Offset, Space>;
  using const_vectors = typename Solver::const_vectors;
  using vectors = typename Solver::vectors;

  /// Of a matrix of size 0: R and Z are checked, and nothing is done.
  FactorSolves() = default;

  FactorSolves(Solver lower, Solver upper)
      : rows_(static_cast<std::size_t>(lower.info().rows)), lower_(std::move(lower)), upper_(std::move(upper)) {}

  void update_values(const Space& space, const typename Solver::values_type& values) {
    lower_->update_values(space, values);
    upper_->update_values(space, values);
  }

  /// Z = op(L U)^-1 R, enqueued.
  void apply(const Space& space, const_vectors R, vectors Z, Op op) const {
    triangular::check_vectors(rows_, R.rows, R.columns, Z.rows, Z.columns);
    if (!lower_) return;
    const auto& first = op == Op::None ? *lower_ : *upper_;
    const auto& second = op == Op::None ? *upper_ : *lower_;
    first.solve(space, R, Z, op);
    second.solve(space, const_vectors(Z), Z, op);
  }

  std::size_t bytes_held() const { return lower_ ? lower_->info().bytes_held + upper_->info().bytes_held : 0; }

 private:
  std::size_t rows_ = 0;
  std::optional<Solver> lower_, upper_;
};

/// Solves with L and U in rows that nobody has analysed. Waits for the space.
template <class Scalar, class Ordinal, class Offset, class Space>
FactorSolves<Scalar, Ordinal, Offset, Space> analyze_solves(
    const Space& space, const typename TriangularSolver<Scalar, Ordinal, Offset, Space>::row_map_type& row_map,
    const typename TriangularSolver<Scalar, Ordinal, Offset, Space>::entries_type& entries,
    const typename TriangularSolver<Scalar, Ordinal, Offset, Space>::values_type& values, bool unit_lower,
    int right_hand_sides) {
  const auto solver = [&](Uplo uplo, Diag diag) {
    return TriangularSolver<Scalar, Ordinal, Offset, Space>(space, row_map, entries, values,
                                                            {.uplo = uplo,
                                                             .diag = diag,
                                                             .stored = Stored::Full,
                                                             .right_hand_sides = right_hand_sides,
                                                             .check_structure = false});
  };
  return {solver(Uplo::Lower, unit_lower ? Diag::Unit : Diag::NonUnit), solver(Uplo::Upper, Diag::NonUnit)};
}

}  // namespace terrace::incomplete
