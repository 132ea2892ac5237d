// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Incomplete factorizations A ~ L U and A ~ L L^T: a symbolic phase for a pattern, numeric phases for values.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/detail/access.hpp>
#include <terrace/detail/check_square.hpp>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>
#include <terrace/ilu_info.hpp>
#include <terrace/ilu_options.hpp>
#include <utility>

namespace terrace {

namespace incomplete {
template <class Ordinal, class Offset, class ExecutionSpace>
struct SymbolicState;
}  // namespace incomplete

/// The pattern of the factors of ILU(k) or IC(k), and the order in which their rows are computed.
///
///     terrace::IluSymbolic symbolic(space, A, {.fill_level = 1});
///     terrace::IluFactor factor(space, symbolic, A.values);
///     factor.apply(space, r, z);               // z = (L U)^-1 r
///     factor.refactorize(space, new_values);   // same pattern, new numbers
///
/// Levels of fill: Saad, "Iterative Methods for Sparse Linear Systems", 2003, section 10.3.3. With fill_level 0 the
/// work is O(entries); above, each row is searched by itself and in parallel (Hysom and Pothen 2001). An ordering is
/// found on the host, by one thread.
///
/// Ownership: the pattern of A is kept by reference and must not change. Copies share what they hold; one symbolic
/// phase serves any number of factors, also at the same time: the first analyzes the triangles, and the others solve by
/// that analysis.
///
/// Ordinal: int. Offset: int or std::size_t.
template <class Ordinal, class Offset, class ExecutionSpace>
class IluSymbolic {
 public:
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// N + 1 positions: row i has the entries row_map(i), ..., row_map(i + 1) - 1.
  using row_map_type = Kokkos::View<const Offset*, device_type>;
  using entries_type = Kokkos::View<const Ordinal*, device_type>;  ///< columns, counted from 0

  /// The n x n pattern: row_map has n + 1 entries, entries row_map(n), sorted or not. Waits for `space`.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, DuplicateEntry, SizeMismatch, InvalidOption (for
  ///         Ordering::Given with the first place where the list is no permutation); MissingDiagonal unless the options
  ///         insert it; OutOfMemory when Offset cannot count the entries of the factor; for NestedDissection and
  ///         ApproximateMinimumDegree also InvalidOption without their library, and LibraryFailure. The message names
  ///         the first row where it happened.
  IluSymbolic(const ExecutionSpace& space, row_map_type row_map, entries_type entries,
              const IluSymbolicOptions& options = {});

  /// \throws Error NotSquare as well.
  template <class MatrixScalar, class MatrixOrdinal, class Device, class MemoryTraits, class MatrixOffset>
  IluSymbolic(const ExecutionSpace& space,
              const KokkosSparse::CrsMatrix<MatrixScalar, MatrixOrdinal, Device, MemoryTraits, MatrixOffset>& A,
              const IluSymbolicOptions& options = {})
      : IluSymbolic(space, (detail::check_square(A.numRows(), A.numCols(), "a factorization"), A.graph.row_map),
                    A.graph.entries, options) {}

  /// The merged pattern: row i holds the columns of L and U in ascending order, with the diagonal. Rows and columns
  /// have the numbers of the factor.
  row_map_type row_map() const;
  entries_type entries() const;  ///< see row_map

  /// Row i of the factor is row permutation()(i) of A. Empty for Ordering::Natural.
  entries_type permutation() const;

  /// As they were given.
  const IluSymbolicOptions& options() const;
  /// What the phase found and chose. Waits for nothing.
  const IluSymbolicInfo& info() const;

 private:
  friend struct detail::Access;
  using SharedState = std::shared_ptr<const incomplete::SymbolicState<Ordinal, Offset, ExecutionSpace>>;
  explicit IluSymbolic(SharedState state) : state_(std::move(state)) {}

  SharedState state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
IluSymbolic(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
            const IluSymbolicOptions& = {})
    -> IluSymbolic<std::remove_const_t<Ordinal>, std::remove_const_t<Offset>, ExecutionSpace>;

/// The numbers of an incomplete factorization, and the solves with it.
///
/// L and U share one array in the merged pattern. Lu: L without its unit diagonal, and U. Cholesky: L below and on the
/// diagonal, L^T (L^H) above and on it. The triangle is stored twice so that both solves read rows, which is what
/// parallel substitution wants, and so that what MIC drops on both sides of the diagonal is seen.
///
/// Numerical outcomes are in info(), never exceptions. When info().succeeded() is false, apply gives NaN, Inf, or
/// numbers without meaning.
///
/// Concurrency: as for TriangularSolver. Scalar: float, double, Kokkos::complex of both.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class IluFactor {
 public:
  using execution_space = ExecutionSpace;                         ///< where it runs
  using Symbolic = IluSymbolic<Ordinal, Offset, ExecutionSpace>;  ///< the phase that factors of one pattern share
  using device_type = typename Symbolic::device_type;             ///< the execution space and its memory
  using values_type = Kokkos::View<const Scalar*, device_type>;   ///< one number for each entry
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  static constexpr bool is_replayable = true;  ///< for LinearOperator

  /// Factorizes the matrix whose values, in the order of the symbolic phase's entries, are given, and analyzes both
  /// triangles for their solves, unless another factor of the symbolic phase has done so. Waits for `space`.
  /// \throws Error SizeMismatch, InvalidOption.
  IluFactor(const ExecutionSpace& space, const Symbolic& symbolic, values_type values,
            const IluFactorOptions& options = {});

  ~IluFactor();
  IluFactor(IluFactor&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  IluFactor& operator=(IluFactor&&) noexcept;  ///< likewise

  /// New values for the same pattern. Enqueued on `space`: no fence, no allocation, but for PivotPolicy::Shift, which
  /// waits for each attempt. The values are read now and not kept.
  /// \throws Error SizeMismatch.
  void refactorize(const ExecutionSpace& space, values_type values);

  /// Enqueues Z = op(L U)^-1 R, with the ordering and the scaling of A undone: no fence, no allocation. R and Z as in
  /// TriangularSolver::solve; Z may be R.
  /// \throws Error SizeMismatch.
  void apply(const ExecutionSpace& space, const_vectors R, vectors Z, Op op = Op::None) const;

  /// One value per entry of the merged pattern: the factors of P D A D P^T, where the ordering gives P and the scaling
  /// D. A view of memory that the factor owns.
  values_type values() const;

  /// The phase that it was made with.
  const Symbolic& symbolic() const;

  /// Waits for the last refactorize when there was one since the last call.
  IluInfo info() const;

  /// Beyond the caller's matrix. Waits for nothing.
  std::size_t bytes_held() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Ordinal, class Offset, class Values>
IluFactor(const ExecutionSpace&, const IluSymbolic<Ordinal, Offset, ExecutionSpace>&, const Values&,
          const IluFactorOptions& = {})
    -> IluFactor<typename Values::non_const_value_type, Ordinal, Offset, ExecutionSpace>;

}  // namespace terrace
