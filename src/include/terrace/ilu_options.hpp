// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an incomplete factorization is: its pattern, its kind, and what is dropped.
#pragma once

#include <terrace/ordering.hpp>
#include <terrace/pivot_options.hpp>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace {

/// Lu: A ~ L U with a unit diagonal in L. Cholesky: A ~ L L^T for a symmetric matrix, real or complex.
/// HermitianCholesky: A ~ L L^H. For real matrices the two are the same.
enum class Factorization { Lu, Cholesky, HermitianCholesky };

/// Options of the symbolic phase. Aggregate: `{.factorization = Factorization::Cholesky, .fill_level = 1}`.
struct IluSymbolicOptions {
  Factorization factorization = Factorization::Lu;  ///< which factors

  /// An entry is kept when its level of fill is at most this: 0 keeps the pattern of A.
  int fill_level = 0;

  /// At most so many times the entries of A may the factors have; more end in OutOfMemory with the row of most fill,
  /// before they are stored. 0: 100 times, but always ten million entries. Infinity: no limit.
  double max_fill = 0.0;

  /// The triangle that L L^T and L L^H read; the other may be absent and is never looked at.
  Uplo uplo = Uplo::Lower;

  /// A diagonal entry that is not stored is an error, or, with this, a zero that the pattern is given.
  bool insert_missing_diagonal = false;

  /// The order of elimination. NestedDissection needs a Terrace that was built with METIS, ApproximateMinimumDegree
  /// one with AMD; Automatic takes what there is.
  Ordering ordering = Ordering::Natural;

  /// Ordering::Given: row permutation[i] of A is eliminated i-th. Empty for every other ordering.
  std::vector<int> permutation = {};

  /// Automatic, Sequential, LevelScheduled or SyncFreeRows: how the rows wait for one another. On a GPU Automatic and
  /// SyncFreeRows give a long row to many threads. The other two, and tasks of several rows, give it to one, which
  /// takes long, and are for comparisons alone. On other devices Automatic alone does, without a relaxation: where rows
  /// are long it takes them level by level, a team each, with the same bits.
  Algorithm algorithm = Algorithm::Automatic;

  /// As in TriangularOptions.
  int rows_per_task = 0;
  bool check_structure = true;  ///< as in TriangularOptions
};

/// Options of the numeric phase.
struct IluFactorOptions {
  /// 0: what falls outside the pattern is dropped. 1: it is subtracted from the diagonal of its row, so that
  /// LU keeps the row sums of A (MILU, MIC; Gustafsson 1978). Between: that share of it. L L^H of a complex matrix
  /// subtracts the real part.
  double relaxation = 0.0;

  /// Diagonal: pivots, thresholds, norms and what is dropped are those of D A D.
  Scaling scaling = Scaling::None;

  PivotOptions pivots = {};  ///< what to do about bad pivots

  /// How many right-hand sides `apply` will have, as in TriangularOptions: a GPU and an ordering hold scratch memory
  /// for so many vectors.
  int right_hand_sides = 1;

  /// Make applications of the transpose as fast as `apply` is, and give them the same bits each time, for a second
  /// analysis of both factors and a second copy of what their solves hold. Factors L L^T, and L L^H with the conjugate
  /// transpose, need nothing: they are their own transpose.
  bool prepare_transpose = false;
};

const char* to_string(Factorization);  ///< lu, cholesky, hermitian-cholesky

}  // namespace terrace
