// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Direct factorization P S A S P^T = L D L^T of a symmetric matrix, real or complex: a symbolic phase for a pattern,
// numeric phases for values, solves, and refinement that knows its error.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/detail/access.hpp>
#include <terrace/detail/check_square.hpp>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>
#include <terrace/ldlt_info.hpp>
#include <terrace/ldlt_options.hpp>
#include <utility>
#include <vector>

namespace terrace {

namespace ldlt {
template <class Ordinal, class Offset, class ExecutionSpace>
struct SymbolicState;
}  // namespace ldlt

/// The order of elimination, the elimination tree and its fronts, and the plan of the memory for L, D and the numeric
/// phase.
///
///     terrace::LdltSymbolic symbolic(space, A, {.uplo = terrace::Uplo::Lower});
///     terrace::LdltFactor factor(space, symbolic, A.values);
///     factor.solve(space, B, X);                     // X = A^-1 B
///     const auto refined = factor.refine(space, B, X);   // backward errors at the accuracy of the type, or why not
///     factor.refactorize(space, new_values);         // same pattern, new numbers
///
/// Elimination trees: Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11,
/// 1990. Fronts: Duff and Reid 1983; Liu, "The multifrontal method for sparse matrix solution", SIAM Review 34, 1992.
/// The system as a whole: Chen and Wang 2021. The analysis runs on the host; what the numeric phases need of it is
/// uploaded at its end.
///
/// Ownership: the pattern of A is kept by reference and must not change. Copies share what they hold; one symbolic
/// phase serves any number of factors, also at the same time on several instances.
///
/// Ordinal: int. Offset: int or std::size_t; positions in L are 64-bit whatever it is.
template <class Ordinal, class Offset, class ExecutionSpace>
class LdltSymbolic {
 public:
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// N + 1 positions: row i has the entries row_map(i), ..., row_map(i + 1) - 1.
  using row_map_type = Kokkos::View<const Offset*, device_type>;
  using entries_type = Kokkos::View<const Ordinal*, device_type>;  ///< columns, counted from 0

  /// The n x n pattern: row_map has n + 1 entries, entries row_map(n), sorted or not; one triangle or both. A diagonal
  /// entry that is not stored is a zero. Waits for `space`.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, DuplicateEntry, SizeMismatch, OutOfMemory; InvalidOption for
  ///         options that do not exist, an Ordering::Given that is no permutation (with the first place that repeats a
  ///         row or names none), or a library that this Terrace was built without; LibraryFailure; NotSymmetric with
  ///         check_symmetry. The message names the first row where it happened.
  LdltSymbolic(const ExecutionSpace& space, row_map_type row_map, entries_type entries,
               const LdltSymbolicOptions& options = {});

  /// \throws Error NotSquare as well.
  template <class MatrixScalar, class MatrixOrdinal, class Device, class MemoryTraits, class MatrixOffset>
  LdltSymbolic(const ExecutionSpace& space,
               const KokkosSparse::CrsMatrix<MatrixScalar, MatrixOrdinal, Device, MemoryTraits, MatrixOffset>& A,
               const LdltSymbolicOptions& options = {})
      : LdltSymbolic(space, (detail::check_square(A.numRows(), A.numCols(), "a factorization"), A.graph.row_map),
                     A.graph.entries, options) {}

  /// What a factorization would cost: the order alone, and the entries of L counted, without fronts, in memory of the
  /// size of the matrix. Of the info, what needs fronts is 0: zeros of amalgamation, fronts, levels, peak_bytes,
  /// bytes_held. Waits for `space`. \throws Error as the constructor.
  static LdltSymbolicInfo predict(const ExecutionSpace& space, row_map_type row_map, entries_type entries,
                                  const LdltSymbolicOptions& options = {});

  /// Row permutation()(i) of A is eliminated i-th.
  entries_type permutation() const;

  /// The tree of fronts, zeros of amalgamation included: children stand before their parents. Made anew by each call,
  /// on the host; waits for nothing.
  std::vector<LdltFront> fronts() const;

  /// As they were given.
  const LdltSymbolicOptions& options() const;
  /// What the phase found and chose. Waits for nothing.
  const LdltSymbolicInfo& info() const;

 private:
  friend struct detail::Access;
  using SharedState = std::shared_ptr<const ldlt::SymbolicState<Ordinal, Offset, ExecutionSpace>>;
  explicit LdltSymbolic(SharedState state) : state_(std::move(state)) {}

  SharedState state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
LdltSymbolic(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
             const LdltSymbolicOptions& = {})
    -> LdltSymbolic<std::remove_const_t<Ordinal>, std::remove_const_t<Offset>, ExecutionSpace>;

/// The numbers of a factorization, the solves with it, and their refinement.
///
/// A is real symmetric or complex symmetric: A^T = A without conjugation. Pivots are taken from the diagonal in the
/// order of the symbolic phase, without interchanges, and small ones are replaced (PivotOptions): for matrices that are
/// positive definite, quasi-definite or nearly so, and not for saddle points with zero blocks. What came of it is in
/// info(), never an exception; that a solution is right only refine() says.
///
/// Concurrency: as for TriangularSolver. Scalar: float, double, Kokkos::complex of both.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class LdltFactor {
 public:
  using execution_space = ExecutionSpace;                          ///< where it runs
  using Symbolic = LdltSymbolic<Ordinal, Offset, ExecutionSpace>;  ///< the phase that factors of one pattern share
  using device_type = typename Symbolic::device_type;              ///< the execution space and its memory
  using values_type = Kokkos::View<const Scalar*, device_type>;    ///< one number for each entry
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  /// Factorizes the matrix whose values, in the order of the symbolic phase's entries, are given. Waits for `space`.
  /// The values are kept by reference, for refinement, and must not change until they are replaced.
  ///
  /// \throws Error SizeMismatch, InvalidOption; OutOfMemory before anything large is allocated, with the bytes needed
  ///         and free and what would need less; NotSymmetric where the symbolic phase was asked to check, with the
  ///         first row. The symbolic phase stays usable.
  LdltFactor(const ExecutionSpace& space, const Symbolic& symbolic, values_type values,
             const LdltFactorOptions& options = {});

  ~LdltFactor();
  LdltFactor(LdltFactor&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  LdltFactor& operator=(LdltFactor&&) noexcept;  ///< likewise

  /// New values for the same pattern, kept by reference. Enqueued on `space`: no fence, no allocation.
  /// \throws Error SizeMismatch.
  void refactorize(const ExecutionSpace& space, values_type values);

  /// Enqueues X = A^-1 B, or a part of it: no fence, no allocation. B and X have n rows and any number of columns, in
  /// any layout; X may be B. On an NVIDIA GPU what is done with the same number of columns for the third time becomes a
  /// CUDA graph, once, which takes host memory and some of the driver's; refactorize likewise.
  /// \throws Error SizeMismatch.
  void solve(const ExecutionSpace& space, const_vectors B, vectors X, LdltPart part = LdltPart::All) const;

  /// Enqueues Z = op(A)^-1 R, which for Op::Transpose is the same again: a preconditioner for KrylovSolver (Factor).
  void apply(const ExecutionSpace& space, const_vectors R, vectors Z, Op op = Op::None) const;

  /// Solves and refines each column until its componentwise backward error reaches the tolerance, until it stagnates,
  /// or for max_steps; returns the best iterate, and says which it was. Residuals are summed in double precision at
  /// least. Waits, and allocates. X may not be B. \throws Error SizeMismatch, InvalidOption, OutOfMemory.
  RefinementResult refine(const ExecutionSpace& space, const_vectors B, vectors X,
                          const RefinementOptions& options = {}) const;

  /// The phase that it was made with.
  const Symbolic& symbolic() const;

  /// Waits for the last refactorize when there was one since the last call.
  LdltInfo info() const;

  /// Beyond the caller's matrix and the symbolic phase. Waits for nothing.
  std::size_t bytes_held() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Ordinal, class Offset, class Values>
LdltFactor(const ExecutionSpace&, const LdltSymbolic<Ordinal, Offset, ExecutionSpace>&, const Values&,
           const LdltFactorOptions& = {})
    -> LdltFactor<typename Values::non_const_value_type, Ordinal, Offset, ExecutionSpace>;

}  // namespace terrace
