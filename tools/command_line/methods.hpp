// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of --precond and --solver: one grammar of `name` and `name:numbers` for every source of a matrix.
#pragma once

#include <string>
#include <terrace/ilu_options.hpp>
#include <terrace/krylov_options.hpp>
#include <variant>

namespace terrace::tools {

/// ILU(k), IC(k) and their modified forms: a pattern that is known beforehand.
struct LevelOfFill {
  int level = 0;
  double relaxation = 0;
};

/// The p and tau of ILUT and ICT.
struct Thresholds {
  int fill = 0;
  double drop_tolerance = 0;
};

struct Preconditioner {
  std::string word = "none";  ///< as it was typed
  Factorization factorization = Factorization::Lu;
  std::variant<std::monostate, LevelOfFill, Thresholds> kind = {};  ///< monostate: there is none

  bool exists() const { return kind.index() != 0; }
  const LevelOfFill* level_of_fill() const { return std::get_if<LevelOfFill>(&kind); }
  const Thresholds* thresholds() const { return std::get_if<Thresholds>(&kind); }
};

struct Solver {
  std::string word = "gmres:30";  ///< as it was typed
  KrylovMethod method = KrylovMethod::Gmres;
  int restart = 30;

  bool takes_several_columns() const {
    return method == KrylovMethod::ConjugateGradient || method == KrylovMethod::BiCGStab;
  }
};

/// "none|ilu0|...", as help and messages show it.
std::string preconditioner_words();
std::string solver_words();

/// \throws UsageError
Preconditioner parse_preconditioner(const std::string& word);

/// \throws UsageError
Solver parse_solver(const std::string& word);

}  // namespace terrace::tools
