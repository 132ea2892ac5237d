// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept of an incomplete factorization whose pattern follows from its numbers.
#pragma once

#include <terrace/ilu_options.hpp>

namespace terrace {

/// Options of ILUT(p, tau) and ICT(p, tau). Aggregate: `{.fill = 20, .drop_tolerance = 1e-4}`.
struct IlutOptions {
  /// Lu is ILUT, the other two are ICT.
  Factorization factorization = Factorization::Lu;

  /// p: how many entries beside the diagonal are kept, the largest in absolute value: of each row of L and of each row
  /// of U; for L L^T and L L^H of each column of L. Of two of the same size the one with the smaller index is kept. 0:
  /// the diagonal alone. At least as many as the matrix has rows: tau alone decides.
  int fill = 10;

  /// tau: what is smaller than tau times the 2-norm of its row of A is dropped. 0: only zeros are.
  double drop_tolerance = 1e-3;

  PivotOptions pivots = {};  ///< what to do about bad pivots

  /// As in IluSymbolicOptions.
  Uplo uplo = Uplo::Lower;
  bool insert_missing_diagonal = false;  ///< as in IluSymbolicOptions
  bool check_structure = true;           ///< as in TriangularOptions

  /// What is factorized is the matrix in this order, and scaled. With Scaling::Diagonal the rows of many matrices have
  /// norms near one, which suits tau.
  Ordering ordering = Ordering::Natural;
  std::vector<int> permutation = {};  ///< of Ordering::Given: row permutation[i] of A is eliminated i-th
  Scaling scaling = Scaling::None;    ///< of what is factorized

  /// As in IluFactorOptions.
  int right_hand_sides = 1;
  bool prepare_transpose = false;  ///< as in IluFactorOptions
};

}  // namespace terrace
