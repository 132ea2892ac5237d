// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILUT(p, tau) and ICT(p, tau): incomplete factorizations that keep what is large.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/detail/access.hpp>
#include <terrace/detail/check_square.hpp>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>
#include <terrace/ilut_info.hpp>
#include <terrace/ilut_options.hpp>

namespace terrace {

/// An incomplete factorization with two thresholds, and the solves with it.
///
///     terrace::IlutFactor factor(space, A, {.fill = 20, .drop_tolerance = 1e-4});
///     factor.apply(space, r, z);               // z = (L U)^-1 r
///     factor.refactorize(space, new_values);   // same matrix pattern, new numbers
///
/// Lu: Saad, "Iterative Methods for Sparse Linear Systems", 2003, section 10.4.1, algorithm 10.6, exactly: row i is
/// eliminated by the rows of U in ascending order; a multiplier below tau times the 2-norm of row i of A is dropped
/// before it is used, what else is below that at the end is dropped, and the p largest entries of L and of U are kept
/// beside the diagonal. As in the book, a multiplier is compared with the norm as it is, although it does not change
/// when the matrix is scaled: tau suits L best when the rows of A have norms near one.
///
/// Cholesky, HermitianCholesky: the same two rules for the columns of L, computed one after the other from the columns
/// before them (left-looking, with the p largest as in Lin and More, SIAM J. Sci. Comput. 21, 1999, and tau as in
/// MATLAB's ichol but with the 2-norm of the row). The entries are compared before they are divided by the root of the
/// pivot.
///
/// Rows are computed in parallel wherever their numbers allow it, and the factor has the same bits whatever the number
/// of threads. On an NVIDIA GPU the calling thread, which would wait for the device, computes them as well where rows
/// follow each other one by one, and whoever is first has made the factor, with the same bits. L and U share one array
/// in a merged pattern, as in IluFactor.
///
/// Memory while it factorizes: the factor twice, and for each row that is under way at the same time a few times the
/// longest row that comes up.
///
/// Ownership: the pattern of A is kept by reference and must not change. Concurrency: as for TriangularSolver.
/// Scalar: float, double, Kokkos::complex of both. Ordinal: int. Offset: int or std::size_t.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class IlutFactor {
 public:
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// N + 1 positions: row i has the entries row_map(i), ..., row_map(i + 1) - 1.
  using row_map_type = Kokkos::View<const Offset*, device_type>;
  using entries_type = Kokkos::View<const Ordinal*, device_type>;  ///< columns, counted from 0
  using values_type = Kokkos::View<const Scalar*, device_type>;    ///< one number for each entry
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  static constexpr bool is_replayable = true;  ///< for LinearOperator

  /// Factorizes the n x n matrix: row_map has n + 1 entries, entries and values row_map(n), sorted or not. Waits for
  /// `space`. The values are read now and not kept.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, DuplicateEntry, SizeMismatch, InvalidOption; MissingDiagonal unless
  ///         the options insert it; OutOfMemory when Offset cannot count the entries of the factor. The message names
  ///         the first row where it happened. Bad pivots and NaN are not errors: info() names the row.
  IlutFactor(const ExecutionSpace& space, row_map_type row_map, entries_type entries, values_type values,
             const IlutOptions& options = {});

  /// \throws Error NotSquare as well.
  template <class MatrixScalar, class MatrixOrdinal, class Device, class MemoryTraits, class MatrixOffset>
  IlutFactor(const ExecutionSpace& space,
             const KokkosSparse::CrsMatrix<MatrixScalar, MatrixOrdinal, Device, MemoryTraits, MatrixOffset>& A,
             const IlutOptions& options = {})
      : IlutFactor(space, (detail::check_square(A.numRows(), A.numCols(), "a factorization"), A.graph.row_map),
                   A.graph.entries, A.values, options) {}

  ~IlutFactor();
  IlutFactor(IlutFactor&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  IlutFactor& operator=(IlutFactor&&) noexcept;  ///< likewise

  /// New values for the same pattern of A; the pattern of the factor follows them. Waits for `space`, and allocates.
  /// When it throws, the factor is what it was.
  /// \throws Error SizeMismatch, OutOfMemory.
  void refactorize(const ExecutionSpace& space, values_type values);

  /// Enqueues Z = op(L U)^-1 R: no fence, no allocation. R and Z as in TriangularSolver::solve; Z may be R.
  /// \throws Error SizeMismatch.
  void apply(const ExecutionSpace& space, const_vectors R, vectors Z, Op op = Op::None) const;

  /// Row i of the factor is row permutation()(i) of A. Empty for Ordering::Natural.
  entries_type permutation() const;

  /// The merged pattern and its numbers: row i holds the columns of L and U in ascending order, with the diagonal.
  /// Lu: L without its unit diagonal, and U. Cholesky: L below and on the diagonal, L^T (L^H) above and on it.
  row_map_type row_map() const;
  entries_type entries() const;  ///< see row_map
  values_type values() const;    ///< see row_map

  /// As they were given.
  const IlutOptions& options() const;
  /// What became of the pivots, and what was kept. Waits for nothing.
  const IlutInfo& info() const;

  /// Beyond the caller's matrix. Waits for nothing.
  std::size_t bytes_held() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
IlutFactor(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
           const IlutOptions& = {}) -> IlutFactor<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>,
                                                  std::remove_const_t<Offset>, ExecutionSpace>;

}  // namespace terrace
