// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves op(A) X = B for a sparse triangular matrix A, again and again.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/detail/access.hpp>
#include <terrace/detail/check_square.hpp>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>
#include <terrace/triangular_info.hpp>
#include <terrace/triangular_options.hpp>

namespace terrace {

namespace triangular {
template <class Ordinal, class Offset, class ExecutionSpace>
struct SharedTriangle;
}  // namespace triangular

/// The analysis of one sparse triangular matrix, and the solves that use it.
///
///     terrace::TriangularSolver solver(space, L, {.uplo = terrace::Uplo::Lower});
///     solver.solve(space, b, x);                             // x = L^-1 b
///     solver.solve(space, B, X, terrace::Op::Transpose);     // many right-hand sides
///     solver.update_values(space, new_values);               // same pattern, new numbers
///
/// Indices count from 0. The algorithms are those of Naumov (NVR-2011-001, sections 2 and 3: level
/// sets, chains) and of Liu, Li, Hogg, Duff and Vinter (Euro-Par 2016, algorithm 2).
///
/// Ownership: the solver keeps references to the caller's views (Kokkos counts them) and may read them
/// in every solve. The pattern must not change; new values become visible through update_values only,
/// and writing to the old values view before that leaves the results of solves unspecified.
///
/// Concurrency: calls on different solvers may run at the same time, on any instances. One solver holds
/// scratch memory, so its calls must follow each other in time or on one execution-space instance.
///
/// Scalar: float, double, Kokkos::complex of both. Ordinal: int. Offset: int or std::size_t.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class TriangularSolver {
 public:
  using execution_space = ExecutionSpace;                            ///< where it runs
  using memory_space = typename ExecutionSpace::memory_space;        ///< where its views lie
  using device_type = Kokkos::Device<ExecutionSpace, memory_space>;  ///< the execution space and its memory
  /// N + 1 positions: row i has the entries row_map(i), ..., row_map(i + 1) - 1.
  using row_map_type = Kokkos::View<const Offset*, device_type>;
  using entries_type = Kokkos::View<const Ordinal*, device_type>;  ///< columns, counted from 0
  using values_type = Kokkos::View<const Scalar*, device_type>;    ///< one number for each entry
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  /// Analyzes the n x n matrix of the three views: row_map has n + 1 entries, entries and values have
  /// row_map(n). Waits for `space`. A row_map of length 0 or 1 is the matrix of size 0, whose solves do nothing.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, WrongTriangle, DuplicateEntry, SizeMismatch, InvalidOption,
  ///         OutOfMemory; the message names the first row where it happened. A missing or zero diagonal and NaN or Inf
  ///         are not errors: info() names the row.
  TriangularSolver(const ExecutionSpace& space, row_map_type row_map, entries_type entries, values_type values,
                   const TriangularOptions& options = {});

  /// The same for a CrsMatrix; with Format::Csc its rows are taken as columns.
  /// \throws Error NotSquare as well.
  template <class MatrixScalar, class MatrixOrdinal, class Device, class MemoryTraits, class MatrixOffset>
  TriangularSolver(const ExecutionSpace& space,
                   const KokkosSparse::CrsMatrix<MatrixScalar, MatrixOrdinal, Device, MemoryTraits, MatrixOffset>& A,
                   const TriangularOptions& options = {})
      : TriangularSolver(space, (detail::check_square(A.numRows(), A.numCols(), "a triangular solve"), A.graph.row_map),
                         A.graph.entries, A.values, options) {}

  ~TriangularSolver();
  TriangularSolver(TriangularSolver&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  TriangularSolver& operator=(TriangularSolver&&) noexcept;  ///< likewise

  /// Enqueues X = op(A)^-1 B on `space`: no fence, no allocation. B and X are rank-1 views of length n or
  /// rank-2 views of n rows and equally many columns, in any layout, in memory that the space can reach.
  /// X may be the same memory as B, with the same strides; other overlaps are not allowed.
  /// A NaN in A or B, an Inf in B, and an Inf beside the diagonal of A come out as NaN or Inf in the unknowns that
  /// depend on them, and in no others (Algorithm::Blocked: also in others of the same tile). An Inf on the diagonal
  /// divides as in IEEE arithmetic: its unknown is zero where what it divides is finite (Algorithm::Blocked: zero, or
  /// some denormal numbers off), otherwise NaN or Inf. Complex numbers have no such infinity: there it may come out as
  /// NaN, and so does what depends on it. \throws Error SizeMismatch.
  void solve(const ExecutionSpace& space, const_vectors b, vectors x, Op op = Op::None) const;

  /// Takes new values for the same pattern (all entries, in the order of the constructor's). Enqueued on
  /// `space`, no fence. The view is kept, as the constructor's was.
  /// \throws Error SizeMismatch.
  void update_values(const ExecutionSpace& space, values_type values);

  /// The same for two triangles in the same arrays, as L and U are, in one kernel where that can be.
  /// \throws Error SizeMismatch.
  static void update_values(const ExecutionSpace& space, TriangularSolver& first, TriangularSolver& second,
                            values_type values);

  /// What the analysis found and chose. Looks at the values, those of the constructor or of the last update_values, and
  /// waits for that, unless it has looked at them before.
  TriangularInfo info() const;

 private:
  friend struct detail::Access;
  using Shared = triangular::SharedTriangle<Ordinal, Offset, ExecutionSpace>;

  /// A triangle that was checked before, by whose plan all solvers of the same pattern profit. Does not look at the
  /// values, and leaves the waiting to the caller.
  /// \throws Error SizeMismatch, InvalidOption, OutOfMemory.
  TriangularSolver(const ExecutionSpace& space, const Shared& shared, values_type values, int right_hand_sides,
                   bool prepare_transpose);

  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
TriangularSolver(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
                 const TriangularOptions& = {})
    -> TriangularSolver<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>, std::remove_const_t<Offset>,
                        ExecutionSpace>;

}  // namespace terrace
