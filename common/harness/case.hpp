// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case: a problem, the methods that are compared on it, how their results are judged, and what bounds their times.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/method.hpp"

namespace terrace::perf {

/// What a phase needs at least: bytes that move, hops on its longest path, each of which waits for the one before, and
/// real additions and multiplications.
struct Limit {
  double bytes = 0.0;  ///< 0: nobody knows
  double hops = 0.0;
  double bytes_after = 0.0;  ///< that move when the hops are done
  double operations = 0.0;
};

class Problem {
 public:
  virtual ~Problem() = default;

  /// What all records say of it: n, nnz.
  virtual Counters counters() const = 0;

  /// How far a result of this phase is from right. Methods of one algorithm have the same results.
  /// \throws std::runtime_error if that is too far
  virtual double check(const std::string& algorithm, Phase phase, const std::vector<double>& result) = 0;

  virtual Limit limit(Phase) const { return {}; }

  /// Of its matrix, the unit of what methods hold; 0: not compared.
  virtual double bytes() const { return 0.0; }
};

/// How a phase is timed.
struct Timing {
  Phase phase;
  std::string name;             ///< of its records
  int repetitions;              ///< samples
  bool is_warmed_up = true;     ///< an untimed run, checked, comes before all samples
  int steps_before = 0;         ///< an untimed run of so many steps comes before each sample; 0: none
  int steps = 1;                ///< of a timed run; a sample is the time of one step
  int fewer_steps = 0;          ///< a run of so many is subtracted, so that start and end do not count
  int checked_steps = 1;        ///< of a run whose result is checked
  double least_seconds = 0;     ///< of a sample, which has as many runs as that takes, and one wait
  std::string error_name = {};  ///< under which the records tell what the check found; empty: they do not
};

/// A method's name in the records, and how to make it. Plain data, so that a suite is a table.
struct Entry {
  using Make = std::function<std::unique_ptr<Method>(Problem&)>;

  std::string name;
  std::string algorithm;
  std::vector<Phase> phases;
  Make make;

  bool has(Phase phase) const;
};

/// From a function that takes the suite's own kind of problem.
template <class Kind, class Function>
Entry::Make on(Function make) {
  return [make](Problem& problem) -> std::unique_ptr<Method> { return make(static_cast<Kind&>(problem)); };
}

/// From a method's constructor.
template <class Kind, class Made, class... Arguments>
Entry::Make make_on(Arguments... arguments) {
  return on<Kind>([arguments...](Kind& problem) { return std::make_unique<Made>(problem, arguments...); });
}

struct Case {
  std::string name;  ///< SUITE/SPACE/PROBLEM
  std::vector<Timing> phases;
  std::vector<Entry> methods;
  std::function<std::unique_ptr<Problem>()> open;  ///< makes the problem; may throw LeftOut
};

}  // namespace terrace::perf
