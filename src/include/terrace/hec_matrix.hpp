// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse matrix in HEC, hybrid ELL and CSR, as a LinearOperator.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <terrace/error.hpp>
#include <terrace/linear_operator.hpp>

namespace terrace {

/// How a matrix is split. Aggregate: `{.width = 7}`.
struct HecOptions {
  /// p_r: how many times as long an entry in the compressed part takes as a place in the ELL part. The width minimizes
  /// width * rows + p_r * (entries in the compressed part). 0: all entries are compressed; infinity: none are.
  double relative_performance = 20.0;

  /// Entries of each row that the ELL part takes at most; none: chosen as above.
  std::optional<std::int64_t> width = {};

  /// As for a triangle (Liu et al.): the diagonal is the last entry of its row in the compressed part, wherever it
  /// stood, and never in the ELL part. Needs a square matrix and every diagonal.
  bool ends_with_diagonal = false;
};

/// What a HecMatrix holds.
struct HecInfo {
  std::int64_t rows = 0;         ///< of the matrix
  std::int64_t columns = 0;      ///< of the matrix
  std::int64_t width = 0;        ///< of the ELL part, in entries
  std::int64_t ell_entries = 0;  ///< in the ELL part
  std::int64_t crs_entries = 0;  ///< in compressed rows
  std::int64_t padding = 0;      ///< places of the ELL part that hold no entry
  double cost = 0.0;             ///< width * rows + p_r * crs_entries
  std::size_t bytes_held = 0;    ///< beyond the caller's matrix
};

/// The first entries of each row, equally many, in an ELL part: by columns, so that threads that take a row each read
/// side by side; its leading dimension is a multiple of 32 rows. What is longer stands in compressed rows (Liu, Chen,
/// Yu, Hsieh and Shao, Development of a restricted additive Schwarz preconditioner for sparse linear systems on NVIDIA
/// GPU, 2014, section 3.1; the choice of the width is theirs).
///
///     terrace::HecMatrix A(space, crs);
///     A.apply(space, x, y);                  // y = A x
///     A.update_values(space, new_values);    // same pattern, new numbers
///
/// Holds copies of everything. Rows may be empty, and in any order; an entry that is named twice counts twice. Where x
/// holds NaN or Inf, rows without an entry there do not see it. The same product has the same bits each time.
/// Scalar: float, double, Kokkos::complex of both. Ordinal: int. Offset: int or std::size_t.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class HecMatrix {
 public:
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// N + 1 positions: row i has the entries row_map(i), ..., row_map(i + 1) - 1.
  using row_map_type = Kokkos::View<const Offset*, device_type>;
  using entries_type = Kokkos::View<const Ordinal*, device_type>;                    ///< columns, counted from 0
  using values_type = Kokkos::View<const Scalar*, device_type>;                      ///< one number for each entry
  using input_type = typename LinearOperator<Scalar, ExecutionSpace>::input_type;    ///< a vector that is read
  using output_type = typename LinearOperator<Scalar, ExecutionSpace>::output_type;  ///< a vector that is written
  /// Several, column after column, that are read.
  using input_columns_type = typename LinearOperator<Scalar, ExecutionSpace>::input_columns_type;
  /// Several that are written.
  using output_columns_type = typename LinearOperator<Scalar, ExecutionSpace>::output_columns_type;

  static constexpr bool is_replayable = true;  ///< for LinearOperator

  /// Splits the matrix of the three views, which has `columns` columns: row_map has a number more than there are rows,
  /// entries and values have row_map(rows). Waits for `space`. A row_map of length 0 or 1 is a matrix without rows.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, SizeMismatch, InvalidOption, OutOfMemory, and with
  ///         ends_with_diagonal NotSquare and MissingDiagonal; the message names the first row where it happened.
  HecMatrix(const ExecutionSpace& space, row_map_type row_map, entries_type entries, values_type values,
            Ordinal columns, const HecOptions& options = {});

  /// The same for a CrsMatrix.
  template <class MatrixScalar, class MatrixOrdinal, class Device, class MemoryTraits, class MatrixOffset>
  HecMatrix(const ExecutionSpace& space,
            const KokkosSparse::CrsMatrix<MatrixScalar, MatrixOrdinal, Device, MemoryTraits, MatrixOffset>& A,
            const HecOptions& options = {})
      : HecMatrix(space, A.graph.row_map, A.graph.entries, A.values, A.numCols(), options) {}

  ~HecMatrix();
  HecMatrix(HecMatrix&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  HecMatrix& operator=(HecMatrix&&) noexcept;  ///< likewise

  /// Enqueues y = A x: no fence, no allocation. x has as many rows as A has columns; x and y are different memory.
  /// \throws Error SizeMismatch.
  void apply(const ExecutionSpace& space, const input_type& x, const output_type& y) const;

  /// The same for each column, one after the other in memory; eight at a time read the matrix together.
  void apply(const ExecutionSpace& space, const input_columns_type& x, const output_columns_type& y) const;

  /// Takes new values for the same pattern (all entries, in the order of the constructor's). Enqueued on `space`: no
  /// fence, no allocation. \throws Error SizeMismatch.
  void update_values(const ExecutionSpace& space, values_type values);

  /// What was chosen and is held. Waits for nothing.
  const HecInfo& info() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
HecMatrix(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
          const HecOptions& = {}) -> HecMatrix<std::remove_const_t<Scalar>, std::remove_const_t<Ordinal>,
                                               std::remove_const_t<Offset>, ExecutionSpace>;

}  // namespace terrace
