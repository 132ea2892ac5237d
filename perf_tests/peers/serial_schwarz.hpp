// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Restricted additive Schwarz as its definition has it, by plain loops in one thread: what judges the others, and a
// peer.
#pragma once

#include <memory>

#include "peers/serial_ilu0.hpp"
#include "peers/serial_ilut.hpp"

namespace terrace::perf {

/// ILU(0), or ILUT(fill, drop_tolerance).
struct BlockKind {
  int fill = -1;
  double drop_tolerance = 0.0;
  bool is_ilut() const { return fill >= 0; }
};

/// The rows of A that each block takes, ascending, and the matrix M = diag(A_1, ..., A_k) of them.
class SerialSchwarz {
 public:
  /// Of A, which outlives it, and a block number for each of its rows.
  SerialSchwarz(const Rows& A, std::vector<int> block_numbers, int blocks, int overlap, const BlockKind& kind);

  /// Breadth-first search from each block on the graph of A + A^T, and the pattern of M.
  void find_subdomains();

  /// The values of M, and its factor.
  void factorize();

  /// z = sum R~_i^T (L_i U_i)^-1 R_i r: gather, L, U, scatter.
  void apply(const double* r, double* z);

  const Rows& M() const { return M_; }
  SerialFactor factor() const { return ilut_ ? ilut_->factor() : ilu0_->factor(); }
  const std::vector<int>& block_map() const { return block_map_; }  ///< where each block begins in M
  const std::vector<int>& rows() const { return rows_; }            ///< of A, for each row of M
  const std::vector<int>& owner() const { return owner_; }          ///< for each row of A that of M that its block has

 private:
  std::vector<int> enlarged(int block, const std::vector<std::vector<int>>& members);
  void add_block(const std::vector<int>& members);

  const Rows& A_;
  std::vector<int> block_numbers_;
  int blocks_, overlap_;
  BlockKind kind_;
  Rows T_;                 // the rows of A^T
  std::vector<int> mark_;  // of each row of A: the block that took it last
  std::vector<int> place_;
  std::vector<int> block_map_, rows_, owner_, source_;
  Rows M_;
  std::unique_ptr<SerialIlu0> ilu0_;
  std::unique_ptr<SerialIlut> ilut_;
  std::vector<double> y_;
};

}  // namespace terrace::perf
