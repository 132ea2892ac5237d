// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a partition, enlarged by layers of neighbours, and the pattern of the matrix that they form.
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/partition.hpp>

namespace terrace {

namespace schwarz {
template <class Ordinal, class Offset, class ExecutionSpace>
struct SubdomainState;
}  // namespace schwarz

/// W_i^delta for each block i of a partition (Liu et al. 2014, section 2; Cai and Sarkis 1999), and the pattern of
/// M = diag(A_1, ..., A_k), A_i = R_i A R_i^T. Patterns alone: no value of A is looked at, and one object serves any
/// number of SchwarzFactors, also at the same time.
///
/// W_i^0 are the rows of block i; W_i^(d+1) adds their neighbours in the graph of A + A^T. Each W_i ascends. The rows
/// of M are called places; those of block i are block_map()(i), ..., block_map()(i + 1) - 1. All of it is made on the
/// device.
///
/// Ownership: nothing of A is kept. Copies share what they hold. Ordinal: int. Offset: int or std::size_t.
template <class Ordinal, class Offset, class ExecutionSpace>
class Subdomains {
 public:
  using execution_space = ExecutionSpace;  ///< where it runs
  /// The execution space and its memory.
  using device_type = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using row_map_type = Kokkos::View<const Offset*, device_type>;   ///< positions of entries
  using entries_type = Kokkos::View<const Ordinal*, device_type>;  ///< rows, columns or places, counted from 0

  /// The n x n pattern of A: row_map has n + 1 entries, entries row_map(n), sorted or not. Waits for `space`.
  /// \throws Error InvalidRowMap, ColumnOutOfRange, DuplicateEntry as IluSymbolic; SizeMismatch when the partition has
  ///         another number of rows; InvalidOption for overlap < 0 or max_growth < 1; OutOfMemory when the enlarged
  ///         blocks exceed max_growth or what the index types count, before they are made. The message says how large
  ///         they would be and names the row with most neighbours.
  Subdomains(const ExecutionSpace& space, row_map_type row_map, entries_type entries,
             const Partition<Ordinal, ExecutionSpace>& partition, const SubdomainOptions& options = {});

  /// \throws Error NotSquare as well.
  template <class Scalar, class MatrixOrdinal, class Device, class MemoryTraits, class MatrixOffset>
  Subdomains(const ExecutionSpace& space,
             const KokkosSparse::CrsMatrix<Scalar, MatrixOrdinal, Device, MemoryTraits, MatrixOffset>& A,
             const Partition<Ordinal, ExecutionSpace>& partition, const SubdomainOptions& options = {})
      : Subdomains(space, (detail::check_square(A.numRows(), A.numCols(), "a Schwarz method"), A.graph.row_map),
                   A.graph.entries, partition, options) {}

  /// Where the places of each block begin, and their number at the end: blocks + 1 numbers.
  entries_type block_map() const;

  /// The row of A at each place, ascending within a block. Made by each call, which waits.
  entries_type rows() const;

  /// The pattern of M. Columns are places.
  row_map_type row_map() const;
  entries_type entries() const;  ///< see row_map

  /// For each entry of M its position among the entries of A.
  row_map_type source() const;

  /// What it was made with.
  const Partition<Ordinal, ExecutionSpace>& partition() const;
  /// What the enlarged blocks are. Waits for nothing.
  const SubdomainInfo& info() const;

 private:
  friend struct detail::Access;
  std::shared_ptr<const schwarz::SubdomainState<Ordinal, Offset, ExecutionSpace>> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
Subdomains(const ExecutionSpace&, const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>&,
           const Partition<std::remove_const_t<Ordinal>, ExecutionSpace>&, const SubdomainOptions& = {})
    -> Subdomains<std::remove_const_t<Ordinal>, std::remove_const_t<Offset>, ExecutionSpace>;

}  // namespace terrace
