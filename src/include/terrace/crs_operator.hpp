// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse matrix in compressed rows as a LinearOperator.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <memory>
#include <terrace/error.hpp>
#include <terrace/linear_operator.hpp>

namespace terrace {

namespace krylov {
template <class Space>
struct ListOfRows;
}  // namespace krylov

/// y = A x for one vector or several, which read the matrix together. Keeps references to the matrix's views; new
/// values in them are seen at once. In a KrylovSolver the dot product that follows is made in the kernel of the
/// product.
///
/// Scalar: float, double, Kokkos::complex of both. Ordinal: int. Offset: int or std::size_t.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class CrsOperator {
 public:
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// The matrix that it multiplies with.
  using matrix_type = KokkosSparse::CrsMatrix<Scalar, Ordinal, device_type, void, Offset>;
  using input_type = typename LinearOperator<Scalar, ExecutionSpace>::input_type;    ///< a vector that is read
  using output_type = typename LinearOperator<Scalar, ExecutionSpace>::output_type;  ///< a vector that is written
  /// Several, column after column, that are read.
  using input_columns_type = typename LinearOperator<Scalar, ExecutionSpace>::input_columns_type;
  /// Several that are written.
  using output_columns_type = typename LinearOperator<Scalar, ExecutionSpace>::output_columns_type;

  static constexpr bool is_replayable = true;  ///< for LinearOperator

  /// Refers to the views of A; neither copies nor waits.
  explicit CrsOperator(matrix_type A) : matrix_(std::move(A)) {}

  /// The same, and lists the rows of A that products on a device share out among its multiprocessors because they, or
  /// those beside them, are far longer than most: hubs of a network, constraints on all unknowns. For matrices with
  /// such rows; others have a list of none, and the constructor costs a reduction. The pattern may not change
  /// afterwards. Copies share the list. Waits for `space`; on a host it does nothing more than the other constructor.
  /// \throws Error OutOfMemory.
  CrsOperator(const ExecutionSpace& space, matrix_type A);

  /// Enqueues y = A x: no fence, no allocation. x has as many rows as A has columns; x and y are different memory.
  /// \throws Error SizeMismatch.
  void apply(const ExecutionSpace& space, const input_type& x, const output_type& y) const;

  /// The same for each column, one after the other in memory.
  void apply(const ExecutionSpace& space, const input_columns_type& x, const output_columns_type& y) const;

  /// For KrylovSolver: with the dot products that follow.
  void apply(const ExecutionSpace& space, const input_columns_type& x, const output_columns_type& y,
             const krylov::Projection<Scalar>& projection) const;

  /// The matrix that it was made from.
  const matrix_type& matrix() const { return matrix_; }

 private:
  template <class Input, class Output>
  void multiply(const ExecutionSpace& space, const Input& x, const Output& y,
                const krylov::Projection<Scalar>* projection) const;

  matrix_type matrix_;
  std::shared_ptr<const krylov::ListOfRows<ExecutionSpace>> listed_;  // null where nobody has looked at the rows
};

/// The template arguments follow from the call.
template <class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
CrsOperator(const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&)
    -> CrsOperator<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>, std::remove_const_t<Offset>,
                   typename Device::execution_space>;

/// Likewise.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
CrsOperator(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&)
    -> CrsOperator<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>, std::remove_const_t<Offset>,
                   ExecutionSpace>;

}  // namespace terrace
