// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a result must satisfy, whatever led to it: residuals of each row in long double precision, whose exponents are
// wide enough to see an overflow before it happens. Nothing here is shared with what is judged. All throw Failed.
#pragma once

#include <terrace/triangular_options.hpp>

#include "fuzz/matrix.hpp"

namespace terrace::fuzz {

/// op(T) x = b, where `rows` are those of op(T), with the diagonal unless it is a unit one. Unknowns that depend on a
/// number that is not finite, or are divided by zero, must not be finite, and no others; others have a small backward
/// error. `tile`: up to so many rows at a time are solved by the inverse of their diagonal block, 0 for none: numbers
/// that are not finite may also reach other rows of a tile, and the error grows with the tile's condition. `is_turned`:
/// by the transpose of the inverse.
struct TriangularSystem {
  Rows rows;
  bool is_forward = true;
  bool is_unit = false;
  int tile = 0;
  bool is_turned = false;
};
void judge_substitution(const TriangularSystem& system, const Numbers& b, const Numbers& x, const ScalarTraits& traits);

/// L and U in one matrix with ascending rows: L has ones on its diagonal, or the diagonal of U.
struct MergedFactor {
  Rows rows;
  bool has_unit_lower = true;
  bool has_finite_pivots() const;  ///< all entries are finite and no pivot is zero
};

/// (L U)_ij = a_ij on the pattern of the factor; on the diagonal less `relaxation` times what was dropped.
struct Elimination {
  Rows matrix;  ///< ascending, in the order of elimination, scaled and shifted
  double relaxation = 0;
  bool is_hermitian = false;    ///< the real part of what was dropped is subtracted
  bool judges_diagonal = true;  ///< no pivots were replaced
};
void judge_elimination(const Elimination& elimination, const MergedFactor& factor, const ScalarTraits& traits);

/// op(L U) z = r.
void judge_merged_solve(const MergedFactor& factor, Op op, const Numbers& r, const Numbers& z,
                        const ScalarTraits& traits);

/// ||b - A x|| / ||b||, and how far rounding alone may bring it: eps (|| |A| |x| || + ||b||) / ||b||.
struct Residual {
  double relative = 0;
  double rounding = 0;
};
Residual residual_of(const Rows& matrix, const Numbers& b, const Numbers& x, const ScalarTraits& traits);

/// max_i |b - A x|_i / (|A| |x| + |b|)_i; infinite where something is not finite. Rows whose denominator is below
/// eps^2 max |a_ij| max |x_j|, and whose b_i is below eps^2 max |b_j|, are divided by max |a_ij| max |x_j|.
double backward_error(const Rows& matrix, const Numbers& b, const Numbers& x, const ScalarTraits& traits);

/// y = A x up to rounding; numbers that are not finite come out in the rows that read them, and in no others.
void judge_product(const Rows& matrix, const Numbers& x, const Numbers& y, const ScalarTraits& traits);

/// The largest difference relative to the largest number.
double difference(const Numbers& found, const Numbers& expected);

bool any_nonfinite(const Numbers& numbers);

}  // namespace terrace::fuzz
