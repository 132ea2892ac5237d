// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every option of every public class, drawn and noted. What is drawn may be refused: `is_valid` says whether it should.
#pragma once

#include <terrace/ilu_options.hpp>
#include <terrace/ilut_options.hpp>
#include <terrace/krylov_options.hpp>
#include <terrace/ldlt_options.hpp>
#include <terrace/schwarz_options.hpp>
#include <terrace/structured_options.hpp>
#include <terrace/structured_pcg_result.hpp>
#include <terrace/triangular_options.hpp>

#include "fuzz/draw.hpp"

namespace terrace::fuzz {

/// What only some builds and backends have.
struct Offers {
  bool nested_dissection = false, minimum_degree = false;
  bool blocked = false;           ///< Algorithm::Blocked
  bool sequential_sweeps = true;  ///< SweepAlgorithm::Sequential
};

Op draw_op(Draw& draw);
Ordering draw_ordering(Draw& draw, int n, const Offers& offers, std::vector<int>& permutation);

TriangularOptions draw_triangular_options(Draw& draw);
bool is_valid(const TriangularOptions& options, const Offers& offers);

IluSymbolicOptions draw_ilu_symbolic_options(Draw& draw, int n, const Offers& offers);
bool is_valid(const IluSymbolicOptions& options);
IluFactorOptions draw_ilu_factor_options(Draw& draw);
bool is_valid(const IluFactorOptions& options);

IlutOptions draw_ilut_options(Draw& draw, int n, const Offers& offers);
bool is_valid(const IlutOptions& options);

KrylovOptions draw_krylov_options(Draw& draw);
LdltSymbolicOptions draw_ldlt_symbolic_options(Draw& draw, int n, const Offers& offers);
LdltFactorOptions draw_ldlt_factor_options(Draw& draw);
bool is_valid(const LdltFactorOptions& options);

StructuredFactorOptions draw_structured_options(Draw& draw);
bool is_valid(const StructuredFactorOptions& options, const Offers& offers);

}  // namespace terrace::fuzz
