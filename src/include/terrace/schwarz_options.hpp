// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Schwarz preconditioner is: its subdomains, how they are factorized, and how their solutions are joined.
#pragma once

#include <terrace/factor_precision.hpp>
#include <terrace/ilut_options.hpp>
#include <variant>

namespace terrace {

/// How block numbers are found.
enum class PartitionMethod {
  Metis,  ///< k-way on the graph of A + A^T (Karypis and Kumar 1998), on the host, with a fixed seed
  Boxes,  ///< boxes of a structured grid: partition_grid
  Given,  ///< an array of block numbers
};

/// Options of a partition of a matrix. Aggregate: `{.blocks = 512}`.
struct PartitionOptions {
  /// 0: chosen, see Partition.
  int blocks = 0;

  /// Metis; the others have constructors or functions of their own, see Partition.
  PartitionMethod method = PartitionMethod::Metis;

  /// Edges weigh |a_ij| / sqrt(|a_ii a_jj|), so that strong couplings stay inside a block; otherwise all weigh the
  /// same. Needs values.
  bool weigh_edges = false;

  /// So many consecutive rows are the unknowns of one node, and stay together.
  int unknowns_per_node = 1;

  /// As in IluSymbolicOptions.
  bool check_structure = true;
};

/// Options of the enlarged blocks.
struct SubdomainOptions {
  /// delta: how many layers of neighbours in the graph of A + A^T each block is given. 0: block Jacobi.
  int overlap = 1;

  /// The enlarged blocks may have so many times the entries of A; more is OutOfMemory before anything of that size is
  /// allocated.
  double max_growth = 8.0;

  /// As in IluSymbolicOptions.
  bool check_structure = true;
};

/// How the solutions of the blocks are joined. R_i takes the rows of the enlarged block i, R~_i those that it owns,
/// and W is diagonal with one over the number of blocks that a row belongs to.
enum class SchwarzVariant {
  Restricted,  ///< sum R~_i^T A_i^-1 R_i (Cai and Sarkis 1999)
  Harmonic,    ///< sum R_i^T A_i^-1 R~_i: the transpose of Restricted for a symmetric A
  Additive,    ///< sum R_i^T A_i^-1 R_i: symmetric where the blocks' factors are
  Weighted,    ///< sum W R_i^T A_i^-1 R_i: a partition of unity
  Symmetric,   ///< sum W^1/2 R_i^T A_i^-1 R_i W^1/2: symmetric where the blocks' factors are
};

/// How the blocks are solved.
enum class SchwarzAlgorithm {
  Automatic,
  Blocks,   ///< a thread of a host, a team or a thread block of a device, for each block: nothing waits across blocks
  Solvers,  ///< triangular solvers on the block-diagonal matrix as a whole: for few or large blocks
};

/// What a block whose factorization failed (info().bad_blocks) does in an application.
enum class BadBlocks {
  Keep,      ///< what its numbers give: NaN, Inf, or numbers without meaning
  Diagonal,  ///< it divides by its diagonal; where that is zero or not finite, by one
};

/// ILU(k) or IC(k) of the blocks, with all options of both phases.
struct IluBlocks {
  IluSymbolicOptions symbolic = {};  ///< pattern and order
  IluFactorOptions factor = {};      ///< what is dropped, scaled, and done about pivots
};

/// How the blocks are factorized. More kinds (exact blocks) may follow.
using SchwarzBlocks = std::variant<IluBlocks, IlutOptions>;

/// Options of SchwarzFactor. Aggregate: `{.variant = SchwarzVariant::Additive}`.
struct SchwarzOptions {
  SchwarzVariant variant = SchwarzVariant::Restricted;       ///< how the solutions of the blocks are joined
  SchwarzBlocks blocks = IluBlocks{};                        ///< how the blocks are factorized
  FactorPrecision factor_precision = FactorPrecision::Same;  ///< in which precision factors are read
  SchwarzAlgorithm algorithm = SchwarzAlgorithm::Automatic;  ///< how the blocks are solved
  BadBlocks bad_blocks = BadBlocks::Keep;                    ///< what a block that failed does

  /// How many right-hand sides `apply` will have. More go through in portions of so many. The same number in `blocks`
  /// is not read; prepare_transpose there is.
  int right_hand_sides = 1;
};

const char* to_string(PartitionMethod);   ///< metis, boxes, given
const char* to_string(SchwarzVariant);    ///< restricted, harmonic, additive, weighted, symmetric
const char* to_string(SchwarzAlgorithm);  ///< automatic, blocks, solvers
const char* to_string(BadBlocks);         ///< keep, diagonal

/// Whether a preconditioner of this variant is symmetric where the factors of its blocks are, as conjugate gradients
/// need it.
constexpr bool is_symmetric(SchwarzVariant variant) {
  return variant == SchwarzVariant::Additive || variant == SchwarzVariant::Symmetric;
}

}  // namespace terrace
