// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `terrace solve` was asked for beyond what all commands share.
#pragma once

#include <optional>
#include <string>
#include <terrace/ilut_options.hpp>
#include <terrace/krylov_options.hpp>

namespace terrace::tools {

/// The p and tau of ILUT and ICT.
struct Thresholds {
  int fill = 0;
  double drop_tolerance = 0;
};

struct SolveOptions {
  std::string right_hand_side;  ///< a file; empty: made from a random solution

  std::string preconditioner = "ilu0";  ///< as it was typed
  bool preconditioned = true;
  IluSymbolicOptions pattern;
  IluFactorOptions factor;
  std::optional<Thresholds> thresholds;  ///< of ilut and ict, which have no level of fill and no relaxation

  std::string solver = "gmres:30";  ///< as it was typed
  KrylovOptions krylov;
};

/// For IlutFactor, when there are thresholds.
IlutOptions threshold_options(const SolveOptions& options);

/// Sets the preconditioner that a word such as "iluk:2" names. Returns what is wrong with it, or nothing.
std::string set_preconditioner(SolveOptions& options, const std::string& word);

/// Sets the method that a word such as "gmres:30" names. Returns what is wrong with it, or nothing.
std::string set_solver(SolveOptions& options, const std::string& word);

}  // namespace terrace::tools
