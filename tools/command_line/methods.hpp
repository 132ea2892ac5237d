// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of --precond, --block, --partition and --solver: one grammar of `name` and `name:numbers` for every source
// of a matrix.
#pragma once

#include <optional>
#include <string>
#include <terrace/grid.hpp>
#include <terrace/ilu_options.hpp>
#include <terrace/krylov_options.hpp>
#include <terrace/schwarz_options.hpp>
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

/// How many blocks a Schwarz method has, 0 for the library's choice, and how many layers of neighbors enlarge them.
struct SchwarzShape {
  int blocks = 0;
  int overlap = 1;
};

/// An incomplete factorization, of the whole matrix or, with a Schwarz method, of the blocks.
struct Preconditioner {
  std::string word = "none";  ///< as it was typed
  Factorization factorization = Factorization::Lu;
  std::variant<std::monostate, LevelOfFill, Thresholds> kind = {};  ///< monostate: there is none

  std::optional<SchwarzShape> schwarz = {};

  bool exists() const { return kind.index() != 0; }
  const LevelOfFill* level_of_fill() const { return std::get_if<LevelOfFill>(&kind); }
  const Thresholds* thresholds() const { return std::get_if<Thresholds>(&kind); }
};

/// How the rows are divided among the blocks of a Schwarz method.
struct PartitionChoice {
  std::string word = "metis";  ///< as it was typed; of PartitionMethod::Given the name of a file
  PartitionMethod method = PartitionMethod::Metis;
  Grid boxes = {};  ///< of PartitionMethod::Boxes: how many along x, y and z
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
std::string block_words();
std::string solver_words();

/// \throws UsageError
Preconditioner parse_preconditioner(const std::string& word);

/// What factorizes the blocks of a Schwarz method. \throws UsageError
Preconditioner parse_block(const std::string& word);

/// What is neither `metis` nor `boxes:...` is a file. \throws UsageError
PartitionChoice parse_partition(const std::string& word);

/// "ras:64,1"
std::string word_of(const SchwarzShape& shape);

/// \throws UsageError
Solver parse_solver(const std::string& word);

}  // namespace terrace::tools
