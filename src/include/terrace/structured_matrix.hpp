// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five- and seven-diagonal matrices of structured grids, kept as their diagonals.
#pragma once

#include <Kokkos_Core.hpp>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>
#include <terrace/grid.hpp>
#include <terrace/triangular_options.hpp>

namespace terrace {

/// A diagonal: one number per cell, in the order of the grid.
template <class Scalar, class ExecutionSpace>
using Diagonal = Kokkos::View<const Scalar*, Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>>;

/// A symmetric matrix. x(c) couples cell c to its neighbour in +x, y(c) in +y, z(c) in +z: each pair of neighbours is
/// stored once, at the cell with the lower number. Diagonals of a direction in which the grid has one cell may be
/// empty.
template <class Scalar, class ExecutionSpace>
struct SymmetricDiagonals {
  ///@{
  /// One number per cell; none where the grid has no neighbor in that direction.
  Diagonal<Scalar, ExecutionSpace> center, x, y, z;
  ///@}
};

/// Any matrix. All coefficients of a row stand at its cell c: upper_x(c) belongs to the neighbour in +x, lower_x(c) to
/// the one in -x, and so on. Diagonals of a direction in which the grid has one cell may be empty.
template <class Scalar, class ExecutionSpace>
struct GeneralDiagonals {
  ///@{
  /// One number per cell; none where the grid has no neighbor in that direction.
  Diagonal<Scalar, ExecutionSpace> center, upper_x, upper_y, upper_z, lower_x, lower_y, lower_z;
  ///@}
};

/// The matrix of a grid: each cell is coupled to itself and to its two, four or six neighbours.
///
///     terrace::StructuredMatrix A(space, {128, 128, 64}, terrace::SymmetricDiagonals<double, Space>{c, x, y, z});
///     A.multiply(space, p, q);  // q = A p
///
/// KrylovSolver takes it as an operator.
/// The views are kept, not copied; new numbers written into them are the matrix from then on.
/// Scalar: float or double.
template <class Scalar, class ExecutionSpace>
class StructuredMatrix {
 public:
  using scalar_type = Scalar;              ///< of the coefficients
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  /// Checks lengths and boundaries; waits for `space`.
  /// \throws Error InvalidGrid: an extent below one, or more cells than can be counted;
  ///         SizeMismatch: a diagonal that has not one number per cell;
  ///         CrossesBoundary: a coefficient other than zero towards a neighbour outside the grid, as periodic grids
  ///         have; the message names the first such cell, line() its number.
  StructuredMatrix(const ExecutionSpace& space, const Grid& grid,
                   const SymmetricDiagonals<Scalar, ExecutionSpace>& diagonals);
  /// The same for a matrix that is not symmetric, or not known to be.
  StructuredMatrix(const ExecutionSpace& space, const Grid& grid,
                   const GeneralDiagonals<Scalar, ExecutionSpace>& diagonals);

  StructuredMatrix(const StructuredMatrix&) = default;             ///< shares the diagonals
  StructuredMatrix(StructuredMatrix&&) = default;                  ///< leaves `other` to be assigned to or destroyed
  StructuredMatrix& operator=(const StructuredMatrix&) = default;  ///< shares the diagonals
  StructuredMatrix& operator=(StructuredMatrix&&) = default;       ///< leaves `other` to be assigned to or destroyed
  ~StructuredMatrix();                                             ///< may run while other threads record graphs

  /// The grid, in natural order.
  const Grid& grid() const { return grid_; }
  /// Whether it was made from SymmetricDiagonals.
  bool is_symmetric() const { return is_symmetric_; }

  /// The diagonals; the lower ones are empty when the matrix is symmetric.
  const GeneralDiagonals<Scalar, ExecutionSpace>& diagonals() const { return diagonals_; }

  /// A line of nx zeros, which engines read in place of the lines that boundary cells do not have.
  const Kokkos::View<Scalar*, device_type>& zeros() const { return zeros_; }

  /// Enqueues Y = op(A) X on `space`: no fence, no allocation. X and Y are rank-1 views of one number per cell, or
  /// rank-2 views of such columns, in any layout; they must not overlap. \throws Error SizeMismatch.
  void multiply(const ExecutionSpace& space, const_vectors x, vectors y, Op op = Op::None) const;

  /// For LinearOperator: multiply.
  void apply(const ExecutionSpace& space, const_vectors x, vectors y) const { multiply(space, x, y); }
  static constexpr bool is_replayable = true;  ///< for LinearOperator

 private:
  StructuredMatrix(const ExecutionSpace& space, const Grid& grid,
                   const GeneralDiagonals<Scalar, ExecutionSpace>& diagonals, bool is_symmetric);

  Grid grid_;
  bool is_symmetric_;
  GeneralDiagonals<Scalar, ExecutionSpace> diagonals_;
  Kokkos::View<Scalar*, device_type> zeros_;  // see zeros()
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar>
StructuredMatrix(const ExecutionSpace&, const Grid&, const SymmetricDiagonals<Scalar, ExecutionSpace>&)
    -> StructuredMatrix<Scalar, ExecutionSpace>;
/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar>
StructuredMatrix(const ExecutionSpace&, const Grid&, const GeneralDiagonals<Scalar, ExecutionSpace>&)
    -> StructuredMatrix<Scalar, ExecutionSpace>;

}  // namespace terrace
