// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a structured matrix shall be factorized, and what came of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <terrace/grid.hpp>
#include <terrace/pivot_options.hpp>

namespace terrace {

/// In which order, and by how many, the cells of a grid are solved.
enum class SweepAlgorithm {
  Automatic,
  Sequential,  ///< one thread, bundles of four lines; hosts only
  Pipelined,   ///< tiles of whole lines, each waiting for the tiles it needs; hosts and NVIDIA GPUs
  Wavefronts,  ///< one kernel per anti-diagonal i + j + k = const (Gao, Liang and Wang 2014)
};

/// Whether a matrix that is read from compressed rows shall be kept as its upper half.
enum class Symmetry { General, Symmetric };

const char* to_string(SweepAlgorithm);  ///< automatic, sequential, pipelined, wavefronts
const char* to_string(Symmetry);        ///< general, symmetric

/// Options of StructuredFactor. Aggregate: `{.relaxation = 1.0}`.
struct StructuredFactorOptions {
  /// What part of the fill that is dropped goes to the diagonal: 0 is IC(0) or ILU(0), 1 is MIC(0) or MILU(0), which
  /// keep the row sums of A. Between them lies relaxed factorization (Axelsson and Lindskog 1986). Strongly varying
  /// coefficients want a little less than 1.
  double relaxation = 0.0;

  SweepAlgorithm algorithm = SweepAlgorithm::Automatic;  ///< in which order cells are solved

  /// Report or Shift: a structured factor has no Replace, and knows no threshold but zero.
  PivotOptions pivots = {.policy = PivotPolicy::Shift, .max_attempts = 21};

  /// How many right-hand sides a solve will have. Solves with more, or fewer, stay correct; this says how many an
  /// NVIDIA GPU shall take through the grid in one walk, for each of which it holds a vector of scratch memory (two of
  /// them it holds in any case).
  int right_hand_sides = 1;
};

/// What a factorization found and chose.
struct StructuredFactorInfo {
  /// On a host SweepAlgorithm::Automatic watches how long its sweeps take, and may have gone to one thread since, with
  /// the same bits, or back: this is what the next one does. (StructuredPcg: the next iteration.)
  SweepAlgorithm algorithm = SweepAlgorithm::Sequential;
  std::string reason;  ///< why, in a sentence

  Grid grid;                         ///< of the matrix
  std::int64_t wavefronts = 0;       ///< nx + ny + nz - 2: the fewest dependent steps
  std::int64_t dependent_steps = 0;  ///< steps that one sweep does one after the other: wavefronts of cells or of tiles
  std::int64_t kernels = 0;          ///< kernels that one sweep enqueues
  std::size_t bytes_held = 0;        ///< beyond the caller's matrix

  double shift = 0.0;  ///< that the factor has; 0 when no pivot broke down
  int attempts = 0;    ///< factorizations that were tried

  /// The first cell whose pivot was not positive (symmetric), zero (general) or not finite, when nothing was shifted.
  std::optional<GridCell> first_breakdown;
  /// The same of the last attempt: the factor is of no use.
  std::optional<GridCell> breakdown;
};

}  // namespace terrace
