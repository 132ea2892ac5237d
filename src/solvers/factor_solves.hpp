// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The solves with a factorization: vectors on their way in and out (ordering/permuted_vectors.hpp), and between them
// the solves with L and U in one merged pattern: L U with a unit diagonal in L, or L L^T with the diagonal in both.
#pragma once

#include <algorithm>
#include <optional>
#include <terrace/ilu_options.hpp>
#include <terrace/triangular_solver.hpp>
#include <utility>

#include "algorithms/ordering/permuted_vectors.hpp"
#include "algorithms/triangular/check_vectors.hpp"
#include "algorithms/triangular/row_kernels.hpp"

namespace terrace::incomplete {

/// The operation on factors with the same result: none, where they are their own transpose.
template <class Scalar>
Op op_on_factors(Factorization factorization, Op op) {
  constexpr bool is_complex = triangular::is_complex<Scalar>;
  switch (factorization) {
    case Factorization::Cholesky: return is_complex && op == Op::ConjugateTranspose ? op : Op::None;
    case Factorization::HermitianCholesky: return is_complex && op == Op::Transpose ? op : Op::None;
    case Factorization::Lu: break;
  }
  return op;
}

/// How many vectors the solves with factors are made for, and whether for the transpose too.
struct SolveOptions {
  int right_hand_sides = 1;
  bool prepare_transpose = false;
};

/// The transpose is prepared where `options` ask for it, and the factors are not their own.
template <class Scalar, class Options>
SolveOptions solve_options(const Options& options, Factorization factorization, int right_hand_sides) {
  const bool is_asked = options.prepare_transpose;
  return {right_hand_sides, is_asked && (op_on_factors<Scalar>(factorization, Op::Transpose) != Op::None ||
                                         op_on_factors<Scalar>(factorization, Op::ConjugateTranspose) != Op::None)};
}

template <class Scalar, class Ordinal, class Offset, class Space>
struct TriangularFactors {
  using Solver = TriangularSolver<Scalar, Ordinal, Offset, Space>;
  Solver lower, upper;
};

template <class Scalar, class Ordinal, class Offset, class Space>
class FactorSolves {
 public:
  using Factors = TriangularFactors<Scalar, Ordinal, Offset, Space>;
  using Solver = typename Factors::Solver;
  using const_vectors = typename Solver::const_vectors;
  using vectors = typename Solver::vectors;
  using Permuted = ordering::PermutedVectors<Scalar, Ordinal, Space>;

  /// Of a matrix of size 0: R and Z are checked, and nothing is done.
  FactorSolves() = default;

  FactorSolves(Factors factors, Permuted permuted)
      : rows_(static_cast<std::size_t>(factors.lower.info().rows)),
        permuted_(std::move(permuted)),
        factors_(std::move(factors)) {}

  /// Nothing is held yet, or nothing ever: a matrix of size 0.
  bool is_empty() const { return !factors_; }
  const Permuted& permuted() const { return permuted_; }

  void update_values(const Space& space, const typename Solver::values_type& values) {
    Solver::update_values(space, factors_->lower, factors_->upper, values);
  }

  /// Z = op(M)^-1 R, enqueued.
  void apply(const Space& space, const_vectors R, vectors Z, Op op) const {
    triangular::check_vectors(rows_, R.rows, R.columns, Z.rows, Z.columns);
    if (!factors_) return;
    const auto& first = op == Op::None ? factors_->lower : factors_->upper;
    const auto& second = op == Op::None ? factors_->upper : factors_->lower;
    permuted_.around(space, R, Z, [&](const const_vectors& r, const vectors& z) {
      first.solve(space, r, z, op);
      second.solve(space, const_vectors(z), z, op);
    });
  }

  /// Of the deeper triangle; 0 where none were computed.
  std::int64_t levels() const {
    return factors_ ? std::max(factors_->lower.info().levels, factors_->upper.info().levels) : 0;
  }

  std::size_t bytes_held() const {
    return permuted_.bytes_held() +
           (factors_ ? factors_->lower.info().bytes_held + factors_->upper.info().bytes_held : 0);
  }

 private:
  std::size_t rows_ = 0;
  Permuted permuted_;
  std::optional<Factors> factors_;
};

/// L and U in a pattern that factors share. Waits for the space.
template <class Scalar, class Ordinal, class Offset, class Space>
TriangularFactors<Scalar, Ordinal, Offset, Space> make_factors(
    const Space& space, const triangular::SharedTriangle<Ordinal, Offset, Space>& lower,
    const triangular::SharedTriangle<Ordinal, Offset, Space>& upper,
    const Kokkos::View<Scalar*, parallel::Device<Space>>& values, const SolveOptions& options) {
  const auto solver = [&](const auto& triangle) {
    return detail::Access::make<TriangularSolver<Scalar, Ordinal, Offset, Space>>(
        space, triangle, values, options.right_hand_sides, options.prepare_transpose);
  };
  return {solver(lower), solver(upper)};
}

/// L and U in rows that nobody has analyzed. Waits for the space.
template <class Scalar, class Ordinal, class Offset, class Space>
TriangularFactors<Scalar, Ordinal, Offset, Space> analyze_factors(
    const Space& space, const typename TriangularSolver<Scalar, Ordinal, Offset, Space>::row_map_type& row_map,
    const typename TriangularSolver<Scalar, Ordinal, Offset, Space>::entries_type& entries,
    const typename TriangularSolver<Scalar, Ordinal, Offset, Space>::values_type& values, bool unit_lower,
    const SolveOptions& options) {
  const auto solver = [&](Uplo uplo, Diag diag) {
    return TriangularSolver<Scalar, Ordinal, Offset, Space>(space, row_map, entries, values,
                                                            {.uplo = uplo,
                                                             .diag = diag,
                                                             .stored = Stored::Full,
                                                             .prepare_transpose = options.prepare_transpose,
                                                             .right_hand_sides = options.right_hand_sides,
                                                             .check_structure = false});
  };
  return {solver(Uplo::Lower, unit_lower ? Diag::Unit : Diag::NonUnit), solver(Uplo::Upper, Diag::NonUnit)};
}

}  // namespace terrace::incomplete
