// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triangular/cases.hpp"

#include <algorithm>

#include "harness/suite.hpp"
#include "matrices/matrix_entry.hpp"

namespace terrace::perf {
namespace {

void add_chosen(std::vector<Entry>& methods, const std::string& flag, const std::vector<std::string>& chosen,
                const std::vector<Entry>& all) {
  std::vector<std::string> names = names_of(all);
  names.push_back("none");
  require_choices(flag, chosen, names);
  for (const Entry& entry : all)
    if (is_chosen(entry.name, chosen)) methods.push_back(entry);
}

}  // namespace

const Suite suite{{"--shapes", "--peers", "--data", "--triangle", "--right-hand-sides", "--list"}, {}};

std::vector<Case> triangular_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& algorithms,
                                   const std::vector<Entry>& peers, OpenTriangularProblem open) {
  std::vector<Entry> methods;
  add_chosen(methods, "--algorithms", flags.algorithms, algorithms);
  add_chosen(methods, "--peers", flags.peers, peers);
  const std::vector<Timing> phases{
      {.phase = Phase::Analysis, .name = "analysis", .repetitions = std::max(1, flags.repetitions / 3)},
      {.phase = Phase::Solve,
       .name = "solve",
       .repetitions = flags.repetitions,
       .steps_before = 1,
       .error_name = "backward_error"}};
  std::vector<Case> cases;
  for (const MatrixEntry& matrix : chosen_matrices(flags, suite.usual_shapes))
    cases.push_back(
        {"triangular_solve/" + space + "/" + matrix.name, phases, methods,
         [=, upper = flags.upper, columns = flags.right_hand_sides] { return open(matrix.make(), upper, columns); }});
  return cases;
}

}  // namespace terrace::perf
