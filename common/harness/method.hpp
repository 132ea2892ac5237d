// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the benchmarks know of a way to solve a problem: Terrace's and the peers' stand behind this interface alike.
#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace terrace::perf {

/// What can be timed. A method has some of them.
enum class Phase {
  Analysis,            ///< of a triangle, or of the pattern of a direct factorization
  Symbolic,            ///< the pattern of a factorization
  Numeric,             ///< its values
  Start,               ///< the pattern, its values twice, and a first application
  Subdomains,          ///< the enlarged blocks of a partition
  Factorize,           ///< for the first time: subdomains with all analysis, or a matrix after it
  Solve,               ///< a system
  SolveMany,           ///< for many right-hand sides at once
  Refine,              ///< a system to the accuracy of its numbers
  Apply,               ///< a preconditioner to one vector
  ApplyEight,          ///< to eight columns at once
  ApplyThirtyTwo,      ///< to as many
  Multiply,            ///< by the matrix
  ConjugateGradients,  ///< so many steps from zero
  BiCGStab,            ///< likewise
  Gmres,               ///< likewise
};

/// By the name that a record gives them.
using Counters = std::map<std::string, double>;

struct Facts {
  std::string label;                      ///< what the method chose, for the reader of the record
  std::optional<double> bytes_held = {};  ///< beyond the problem, when the method can tell
  Counters counters = {};
};

/// One problem, which outlives the method; its phases, again and again. Its maker hands over the problem; making
/// it is not timed.
class Method {
 public:
  virtual ~Method() = default;

  /// Brings about what the phase starts from, and takes away what it leaves behind. Not timed; precedes each sample.
  virtual void prepare(Phase) {}

  /// Enqueues the phase; of an iteration so many steps.
  virtual void run(Phase phase, int steps) = 0;

  /// Returns when what was enqueued is done.
  virtual void wait() {}

  /// What the last run found, for the check; empty when there is nothing to compare.
  virtual std::vector<double> result(Phase) { return {}; }

  virtual Facts facts() const { return {}; }
};

/// Thrown where this machine, or these benchmarks, cannot have a problem or a method. Its records are skipped with the
/// message, and the run does not fail.
struct LeftOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace terrace::perf
