// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a triangular system is, and how it shall be solved.
#pragma once

namespace terrace {

/// Which triangle of the matrix is the system.
enum class Uplo { Lower, Upper };

/// NonUnit: the diagonal is stored. Unit: it is one; it may be absent and is never read.
enum class Diag { NonUnit, Unit };

/// What the arrays hold: one triangle only, or a full matrix of which one triangle is used.
enum class Stored { Triangle, Full };

/// Csr: row_map and column indices. Csc: column_map (passed as row_map) and row indices.
enum class Format { Csr, Csc };

/// The operator that is inverted: A, its transpose, or its conjugate transpose.
enum class Op { None, Transpose, ConjugateTranspose };

/// Automatic chooses from the analysis; the others force one algorithm.
enum class Algorithm {
  Automatic,
  Sequential,       ///< substitution by one thread, row by row, on the matrix as it was given
  LevelScheduled,   ///< level sets with a barrier between levels (Naumov 2011)
  SyncFreeRows,     ///< rows in level order, each waiting for the rows it needs; no barrier
  SyncFreeColumns,  ///< columns with in-degrees and atomics (Liu et al. 2016); on NVIDIA GPUs sums in float that are
                    ///< smaller than the least normal number may become zero
  Blocked,  ///< dense tiles of up to 64 rows, those on the diagonal inverted, for triangles that are dense, nearly
            ///< or locally; CUDA only
};

/// What Algorithm::Automatic shall spend. Many: as much as makes each solve fast. Once: as little as it can, and hardly
/// any memory, because one solve, or a few, will follow; on a GPU the transpose of `op` then is solved by one thread,
/// unless prepare_transpose is set.
enum class Reuse { Many, Once };

/// How Algorithm::LevelScheduled keeps the triangle. Automatic is the backend's choice and never Hec, which was
/// measured to be slower on a GPU, and on a host was not measured (ADR 23).
enum class Storage {
  Automatic,
  Crs,  ///< compressed rows
  Hec,  ///< rows in level order, their first entries in an ELL part and the others in compressed rows that end with the
        ///< diagonal; a row is solved by one thread, and the vectors are permuted (Liu et al. 2014, see HecMatrix)
};

/// Options of the analysis. Aggregate: `{.uplo = Uplo::Upper, .diag = Diag::Unit}`.
struct TriangularOptions {
  Uplo uplo = Uplo::Lower;                     ///< which triangle
  Diag diag = Diag::NonUnit;                   ///< whether its diagonal is stored
  Stored stored = Stored::Triangle;            ///< whether the arrays hold more than the triangle
  Format format = Format::Csr;                 ///< by rows or by columns
  Algorithm algorithm = Algorithm::Automatic;  ///< how rows wait for each other

  Reuse reuse = Reuse::Many;  ///< what the analysis may cost

  /// Hec goes with the algorithms Automatic, which then is LevelScheduled, and LevelScheduled, by single rows. Crs
  /// goes with all but Blocked: on a GPU it keeps the row algorithms from their own storage, and makes Automatic
  /// LevelScheduled.
  Storage storage = Storage::Automatic;

  /// The operation that most solves will ask for. The schedule is built for it; the others stay
  /// correct, and may be slower.
  Op op = Op::None;

  /// Prepare for the transpose of `op` as well (for L^-T after L^-1, say): its solves then are as fast as those of
  /// `op`, for a second analysis and, where rows are copied, a second copy.
  bool prepare_transpose = false;

  /// Two solves of the same system shall give the same bits, whatever the operation. Implies prepare_transpose where
  /// the transpose would otherwise be summed in the order of arrival, and excludes Algorithm::SyncFreeColumns.
  bool deterministic = false;

  /// How many right-hand sides a solve will have. Solves with more, or fewer, stay correct; this says for how many
  /// scratch memory shall be held: on an NVIDIA GPU two vectors for 2 and 3 of a real system, which go two by two (up
  /// to 8 where it has at most four levels), and twice 4, 8, 16 or 32 vectors from 4 on (3, where rows have twelve
  /// entries on average), because so many share one walk. A solve of one vector may take longer then than with 1.
  int right_hand_sides = 1;

  /// Consecutive rows that are solved by one thread as one unit. 0: chosen by the analysis (one on a
  /// GPU, tens to hundreds on a host, where neighbouring rows share cache lines).
  int rows_per_task = 0;

  /// Check every entry: column range, side of the diagonal, duplicates, order, NaN and Inf. Without it
  /// only what costs O(n) is checked, and the caller promises valid rows, sorted by column.
  bool check_structure = true;
};

const char* to_string(Uplo);       ///< lower, upper
const char* to_string(Diag);       ///< non-unit, unit
const char* to_string(Stored);     ///< triangle, full
const char* to_string(Format);     ///< csr, csc
const char* to_string(Op);         ///< none, transpose, conjugate-transpose
const char* to_string(Reuse);      ///< many, once
const char* to_string(Storage);    ///< automatic, crs, hec
const char* to_string(Algorithm);  ///< automatic, sequential, level-scheduled, ...

}  // namespace terrace
