// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triangular/cases.hpp"

#include <algorithm>

#include "harness/chosen_entries.hpp"
#include "harness/suite.hpp"
#include "matrices/matrix_entry.hpp"

namespace terrace::perf {

const Suite suite{{"--shapes", "--peers", "--data", "--triangle", "--right-hand-sides", "--layout", "--list"}, {}};

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
    cases.push_back({"triangular_solve/" + space + "/" + matrix.name, phases, methods,
                     [=, upper = flags.upper, columns = flags.right_hand_sides,
                      layout = flags.right_layout ? Layout::Right : Layout::Left] {
                       return open(matrix.make(), upper, columns, layout);
                     }});
  return cases;
}

}  // namespace terrace::perf
