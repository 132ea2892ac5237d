// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which rows of a matrix belong together: the blocks of a Schwarz method before they are enlarged.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <terrace/detail/access.hpp>
#include <terrace/detail/check_square.hpp>
#include <terrace/error.hpp>
#include <terrace/grid.hpp>
#include <terrace/schwarz_info.hpp>

namespace terrace {

template <class Ordinal, class ExecutionSpace>
class Partition;

namespace detail {

/// What partitions the graph of A + A^T; Partition's constructors call it.
template <class Ordinal, class Offset, class ExecutionSpace>
struct GraphPartitioner {
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  /// N + 1 positions: row i has the entries row_map(i), ..., row_map(i + 1) - 1.
  using row_map_type = Kokkos::View<const Offset*, device_type>;
  using entries_type = Kokkos::View<const Ordinal*, device_type>;  ///< columns, counted from 0
  using weights_type = Kokkos::View<const double*, device_type>;

  static Partition<Ordinal, ExecutionSpace> partition(const ExecutionSpace& space, const row_map_type& row_map,
                                                      const entries_type& entries, const weights_type& weights,
                                                      const PartitionOptions& options);
};

/// |a_ij| / sqrt(|a_ii a_jj|) for each entry of A.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
struct EdgeWeights {
  using Graph = GraphPartitioner<Ordinal, Offset, ExecutionSpace>;
  using values_type = Kokkos::View<const Scalar*, typename Graph::device_type>;  ///< one number for each entry

  static typename Graph::weights_type weights(const ExecutionSpace& space, const typename Graph::row_map_type& row_map,
                                              const typename Graph::entries_type& entries, const values_type& values);
};

}  // namespace detail

/// A block number for each row. Outlives matrices: it depends on a pattern, or on nothing but the caller's numbers.
///
///     terrace::Partition partition(space, A, {.blocks = 512});                       // by METIS
///     terrace::Partition boxes = terrace::partition_grid(space, {60, 220, 85}, {4, 16, 8});
///     terrace::Partition given(space, block_numbers, 512);
///
/// With `blocks = 0` the library chooses: on a device blocks of some 4,000 rows, whose unknowns fit in the shared
/// memory of a multiprocessor several at a time, in a multiple of the multiprocessors where there are as many; on a
/// host blocks of some 8,000 rows, whose factors fit in the cache of a core, and four for each thread at least.
///
/// Copies share what they hold. Blocks may be empty. Ordinal: int.
template <class Ordinal, class ExecutionSpace>
class Partition {
 public:
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using numbers_type = Kokkos::View<const Ordinal*, device_type>;  ///< block numbers, counted from 0

  /// The caller's numbers, from 0 to blocks - 1, one for each row. Kept by reference; must not change. Waits for
  /// `space`.
  /// \throws Error InvalidOption for blocks < 1 (where there are rows), BlockOutOfRange with the first row.
  Partition(const ExecutionSpace& space, numbers_type block_numbers, Ordinal blocks);

  /// Of the graph of A + A^T, whose entries may be in any order. On the host, in one thread; waits for `space`. The
  /// same graph and options give the same partition.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, DuplicateEntry; InvalidOption for blocks < 0, for more blocks
  ///         than rows (nodes), for rows that unknowns_per_node does not divide, for weights without values or with a
  ///         NaN or Inf, and for Metis without METIS; OutOfMemory where METIS's indices cannot count the edges;
  ///         LibraryFailure.
  template <class Offset>
  Partition(const ExecutionSpace& space, const Kokkos::View<const Offset*, device_type>& row_map,
            const Kokkos::View<const Ordinal*, device_type>& entries, const PartitionOptions& options)
      : Partition(detail::GraphPartitioner<Ordinal, Offset, ExecutionSpace>::partition(space, row_map, entries, {},
                                                                                       options)) {}

  /// The same for a matrix. Its values are looked at for weigh_edges alone.
  /// \throws Error NotSquare as well.
  template <class Scalar, class MatrixOrdinal, class Device, class MemoryTraits, class Offset>
  Partition(const ExecutionSpace& space,
            const KokkosSparse::CrsMatrix<Scalar, MatrixOrdinal, Device, MemoryTraits, Offset>& A,
            const PartitionOptions& options = {})
      : Partition(of_matrix(space, A, options)) {}

  Partition(const Partition&) = default;             ///< shares the numbers
  Partition(Partition&&) = default;                  ///< leaves `other` to be assigned to or destroyed
  Partition& operator=(const Partition&) = default;  ///< shares the numbers
  Partition& operator=(Partition&&) = default;       ///< leaves `other` to be assigned to or destroyed
  ~Partition();                                      ///< may run while other threads record graphs

  /// One for each row.
  numbers_type block_numbers() const { return block_numbers_; }
  /// Of the matrix.
  Ordinal rows() const { return static_cast<Ordinal>(block_numbers_.extent(0)); }
  /// How many there are, empty ones included.
  Ordinal blocks() const { return blocks_; }
  /// What was chosen and found.
  const PartitionInfo& info() const { return info_; }

 private:
  friend struct detail::Access;
  Partition(numbers_type block_numbers, Ordinal blocks, PartitionInfo info)
      : block_numbers_(std::move(block_numbers)), blocks_(blocks), info_(std::move(info)) {}

  template <class Matrix>
  static Partition of_matrix(const ExecutionSpace& space, const Matrix& A, const PartitionOptions& options) {
    using Scalar = std::remove_const_t<typename Matrix::value_type>;
    using Offset = std::remove_const_t<typename Matrix::size_type>;
    using Graph = detail::GraphPartitioner<Ordinal, Offset, ExecutionSpace>;
    detail::check_square(A.numRows(), A.numCols(), "a partition");
    typename Graph::weights_type weights;
    if (options.weigh_edges)
      weights = detail::EdgeWeights<Scalar, Ordinal, Offset, ExecutionSpace>::weights(space, A.graph.row_map,
                                                                                      A.graph.entries, A.values);
    return Graph::partition(space, A.graph.row_map, A.graph.entries, weights, options);
  }

  numbers_type block_numbers_;
  Ordinal blocks_ = 0;
  PartitionInfo info_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
Partition(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
          const PartitionOptions& = {}) -> Partition<std::remove_const_t<Ordinal>, ExecutionSpace>;

/// The template arguments follow from the call.
template <class ExecutionSpace, class Numbers, class Count>
Partition(const ExecutionSpace&, const Numbers&, Count)
    -> Partition<typename Numbers::non_const_value_type, ExecutionSpace>;

/// Boxes of a grid in natural order: the cells of each direction are divided as evenly as can be into boxes.nx
/// (boxes.ny, boxes.nz) parts. Box (i, j, k) is block boxes.index({i, j, k}). Rows cell by cell, so many unknowns for
/// each. Needs no graph. Waits for `space`.
/// \throws Error InvalidGrid, SizeMismatch when Ordinal (int) cannot count the rows, InvalidOption for boxes below 1 or
///         more than there are cells in a direction, and for unknowns_per_cell below 1.
template <class ExecutionSpace>
Partition<int, ExecutionSpace> partition_grid(const ExecutionSpace& space, const Grid& grid, const Grid& boxes,
                                              int unknowns_per_cell = 1);

}  // namespace terrace
