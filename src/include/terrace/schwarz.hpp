// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Restricted additive Schwarz and its relatives: incomplete factorizations of overlapping blocks, applied side by side.
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/subdomains.hpp>

namespace terrace {

/// The factors of all blocks of a Schwarz preconditioner, computed as one factorization of M = diag(A_1, ..., A_k)
/// (Liu et al. 2014, section 2), and their application.
///
///     terrace::Partition partition(space, A, {.blocks = 512});
///     terrace::Subdomains subdomains(space, A, partition, {.overlap = 1});
///     terrace::SchwarzFactor ras(space, subdomains, A.values);
///     ras.apply(space, r, z);                 // z = sum R~_i^T (L_i U_i)^-1 R_i r
///     ras.refactorize(space, new_values);     // no new partition, subdomains, pattern or analysis
///
/// The orders of IluSymbolicOptions and IlutOptions are kept within blocks. Sums over the copies of a row have a fixed
/// order: the same bits each time, and whatever the number of threads. With one block it is IluFactor (IlutFactor).
///
/// Numerical outcomes are in info(), never exceptions. PivotPolicy::Shift shifts the bad blocks alone.
///
/// A coarse correction is not part of it; it would be a factor of its own, added by the caller's operator.
///
/// Concurrency: as for TriangularSolver. Scalar: float, double, Kokkos::complex of both.
template <class Scalar, class Ordinal, class Offset, class ExecutionSpace>
class SchwarzFactor {
 public:
  using execution_space = ExecutionSpace;                              ///< where it runs
  using SubdomainsType = Subdomains<Ordinal, Offset, ExecutionSpace>;  ///< what the blocks are
  using device_type = typename SubdomainsType::device_type;            ///< the execution space and its memory
  using values_type = Kokkos::View<const Scalar*, device_type>;        ///< one number for each entry
  /// What is read: any view of rank 1 or 2 whose numbers are Scalar, in any layout.
  using const_vectors = detail::MultiVector<const Scalar, ExecutionSpace>;
  using vectors = detail::MultiVector<Scalar, ExecutionSpace>;  ///< what is written: likewise

  static constexpr bool is_replayable = true;  ///< for LinearOperator

  /// Factorizes the blocks of the matrix whose values, in the order of the entries that the subdomains were made of,
  /// are given. Waits for `space`.
  /// \throws Error SizeMismatch, InvalidOption; MissingDiagonal with the row of A unless the options insert it;
  ///         OutOfMemory, LibraryFailure.
  SchwarzFactor(const ExecutionSpace& space, const SubdomainsType& subdomains, values_type values,
                const SchwarzOptions& options = {});

  ~SchwarzFactor();
  SchwarzFactor(SchwarzFactor&&) noexcept;             ///< what was moved from can be assigned to or destroyed
  SchwarzFactor& operator=(SchwarzFactor&&) noexcept;  ///< likewise

  /// New values for the same pattern. Enqueued on `space` without a fence or an allocation for ILU(k) and IC(k) that
  /// report or replace bad pivots and keep bad blocks; otherwise it waits.
  /// \throws Error SizeMismatch.
  void refactorize(const ExecutionSpace& space, values_type values);

  /// Enqueues Z = op(M) R: no fence, no allocation. R and Z as in TriangularSolver::solve; Z may be R. On a device the
  /// transposed operations take one thread of it for each block, on an NVIDIA GPU one warp, and are slow; not where the
  /// blocks' factors are L L^T, which are their own transpose, nor with prepare_transpose of the blocks' options, on an
  /// NVIDIA GPU or by SchwarzAlgorithm::Solvers.
  /// \throws Error SizeMismatch.
  void apply(const ExecutionSpace& space, const_vectors R, vectors Z, Op op = Op::None) const;

  /// What it was made with.
  const SubdomainsType& subdomains() const;
  /// As they were given.
  const SchwarzOptions& options() const;

  /// Waits for the last refactorize when there was one since the last call.
  SchwarzInfo info() const;

  /// Beyond the caller's matrix, with the subdomains. Waits for nothing.
  std::size_t bytes_held() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The template arguments follow from the call.
template <class ExecutionSpace, class Ordinal, class Offset, class Values>
SchwarzFactor(const ExecutionSpace&, const Subdomains<Ordinal, Offset, ExecutionSpace>&, const Values&,
              const SchwarzOptions& = {})
    -> SchwarzFactor<typename Values::non_const_value_type, Ordinal, Offset, ExecutionSpace>;

}  // namespace terrace
