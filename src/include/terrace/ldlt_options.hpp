// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a direct factorization is: its order, its fronts, its pivots.
#pragma once

#include <cstdint>
#include <string>
#include <terrace/factor_precision.hpp>
#include <terrace/ordering.hpp>
#include <terrace/pivot_options.hpp>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace {

/// How the columns of L are computed.
enum class LdltAlgorithm {
  Automatic,     ///< Multifrontal
  Multifrontal,  ///< dense fronts along the elimination tree (Duff and Reid 1983, Liu 1992); repeats its bits
  Columns,       ///< right-looking, parallel over levels, columns and entries (Chen and Wang 2021); adds with atomics,
                 ///< and so does not repeat its bits
};

/// Options of the symbolic phase. Aggregate: `{.uplo = Uplo::Lower, .ordering = Ordering::NestedDissection}`.
struct LdltSymbolicOptions {
  /// The triangle that is read. The other may be stored, and is never looked at unless check_symmetry asks for it.
  Uplo uplo = Uplo::Lower;

  /// Automatic: approximate minimum degree below 5,000 rows, nested dissection above, and where rows are dense or few
  /// entries stand in a row whichever of the two counts fewer operations. For a space on the host minimum degree also
  /// where it needs so few operations that several factorizations do not win back the time of nested dissection, and
  /// below 5,000 rows both are counted where two do. For a device both are counted below 5,000 rows always, and columns
  /// that come one after the other are part of the count. Bands, under any numbers of their rows, are eliminated from
  /// both ends on hosts, and cut again and again for devices.
  Ordering ordering = Ordering::Automatic;

  /// Threads of the host that analyze, at most; the result does not depend on how many they are. Nested dissection
  /// takes all of them, the other loops one for each 250,000 entries. 0: as many as the default host execution space
  /// has. A program whose Kokkos has Serial and a device says here how many cores it may take.
  int analysis_threads = 0;

  /// Ordering::Given: row permutation[i] of A is eliminated i-th.
  std::vector<int> permutation = {};

  /// How many zeros may be stored so that fronts become larger: 0 none, 1 as measured to be best on this backend, more
  /// in proportion (relaxed supernodes: Ashcraft and Grimes 1989).
  double amalgamation = 1.0;

  LdltAlgorithm algorithm = LdltAlgorithm::Automatic;  ///< how the columns of L are computed

  /// How many right-hand sides a solve will have: so many are solved at once, in memory that the factor holds; more go
  /// through in portions.
  int right_hand_sides = 1;

  /// Whether each entry of the pattern is checked; see TriangularOptions.
  bool check_structure = true;

  /// For a matrix of which both triangles are stored: LdltFactor compares them, which needs both patterns to be equal
  /// too. \see LdltFactor.
  bool check_symmetry = false;
};

/// Options of the numeric phase.
struct LdltFactorOptions {
  /// S A S is factorized; vectors are scaled inside. Powers of two, so that scaling rounds nothing. Without scaling a
  /// good pivot of a row with small entries is taken for a tiny one.
  Scaling scaling = Scaling::Equilibrate;

  /// A pivot is tiny when its modulus is at most `threshold` times the largest modulus in S A S; 0: the square root of
  /// the rounding unit of the factor. Replace keeps its sign, or phase, and gives it that modulus; Report leaves tiny
  /// ones as they are, and names them. Shift is not offered.
  PivotOptions pivots = {.policy = PivotPolicy::Replace};

  FactorPrecision precision = FactorPrecision::Same;  ///< in which L and D are computed and held

  /// So many steps of iterative refinement in every solve and apply, enqueued: x += A^-1 (b - A x), without a test.
  int refinement_steps = 0;
};

/// What a call of LdltFactor::solve does. With the rows numbered as those of A, S A S = L D L^T for a matrix L that is
/// a permuted triangle.
enum class LdltPart {
  All,       ///< X = A^-1 B = S L^-T D^-1 L^-1 S B
  Forward,   ///< X = L^-1 S B
  Diagonal,  ///< X = D^-1 B
  Backward,  ///< X = S L^-T B
};

/// Options of LdltFactor::refine.
struct RefinementOptions {
  /// Steps of refinement and, where they stagnate, of GMRES preconditioned by the factor.
  int max_steps = 10;

  /// Stop at this componentwise backward error. 0: twice the rounding unit of the matrix's type.
  double tolerance = 0.0;

  /// Whether GMRES goes on where plain steps stagnate (Carson and Higham 2018; in its flexible form, Saad 1993).
  bool use_gmres = true;
};

const char* to_string(LdltAlgorithm);  ///< automatic, multifrontal, columns

}  // namespace terrace
