// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of an incomplete factorization: what the caller hands over, and what is factorized.
#pragma once

#include <terrace/ilu_options.hpp>

#include "fuzz/judge.hpp"

namespace terrace::fuzz {

struct FactorMatrix {
  Factorization factorization = Factorization::Lu;
  Uplo uplo = Uplo::Lower;
  MatrixRequest request;
  HostMatrix matrix;
  Arrays arrays;  ///< with the triangle that is read alone, with NaN in the other, or whole
  bool lacks_other_triangle = false;
  bool has_poison = false;

  int size() const { return matrix.size(); }
  bool lacks_diagonal() const;

  /// Ascending, with every diagonal, in the order of elimination, scaled and shifted.
  Rows eliminated(const std::vector<int>& order, Scaling scaling, double shift) const;
};

FactorMatrix draw_factor_matrix(Draw& draw, Factorization factorization, Uplo uplo, bool must_be_sorted,
                                MatrixRequest request, const ScalarTraits& traits);
void draw_factor_values(Draw& draw, const ScalarTraits& traits, FactorMatrix& matrix);

/// D of Scaling::Diagonal.
std::vector<double> diagonal_scales(const Rows& rows, Scaling scaling);

/// 0, 1, ... where there is no permutation.
std::vector<int> order_of(const std::vector<int>& permutation, int n);

/// The row map and the entries of a factor, checked: ascending rows with diagonals.
MergedFactor merge(const std::vector<std::size_t>& row_map, const std::vector<int>& entries, const Numbers& values,
                   bool has_unit_lower);

/// op(L U) z = r for the caller's numbers, where the factor has the order and the scaling.
void judge_factor_solve(const MergedFactor& factor, const std::vector<int>& order, const std::vector<double>& scales,
                        Op op, const Numbers& r, const Numbers& z, const ScalarTraits& traits);

}  // namespace terrace::fuzz
