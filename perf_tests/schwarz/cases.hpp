// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of the Schwarz preconditioners: every matrix with every number of blocks and every overlap.
#pragma once

#include "schwarz/schwarz_problem.hpp"

namespace terrace::perf {

/// How a matrix is divided; by the library, so that a source without Kokkos can ask for it.
using FindPartition = std::function<SchwarzSettings(const SchwarzSystem&, int blocks, bool by_metis)>;

/// schwarz/SPACE/MATRIX.BLOCKS.OVERLAP for what the flags ask for. A step of GMRES(20) is the difference between sixty
/// and twenty steps, so that start and end do not count; a solve goes to the tolerance of the matrix, once.
std::vector<Case> schwarz_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& algorithms,
                                const std::vector<Entry>& peers, const FindPartition& partition);

/// What --block says. \throws UsageError
BlockKind parse_block_kind(const std::string& name);

/// The phases that a preconditioner can have.
inline const std::vector<Phase> schwarz_phases{Phase::Subdomains, Phase::Factorize, Phase::Numeric,
                                               Phase::Apply,      Phase::Gmres,     Phase::Solve,
                                               Phase::ApplyEight, Phase::ApplyThirtyTwo};

}  // namespace terrace::perf
