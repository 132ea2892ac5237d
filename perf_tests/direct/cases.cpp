// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct/cases.hpp"

#include "harness/chosen_entries.hpp"
#include "harness/suite.hpp"

namespace terrace::perf {
namespace {

std::vector<Timing> timings(int repetitions) {
  const int few = (repetitions + 2) / 3;
  const auto solve = [=](Phase phase, const char* name) {
    return Timing{
        .phase = phase, .name = name, .repetitions = repetitions, .steps_before = 1, .error_name = "backward_error"};
  };
  return {{.phase = Phase::Analysis, .name = "analysis", .repetitions = few, .is_warmed_up = false},
          {.phase = Phase::Factorize, .name = "factor", .repetitions = few},
          {.phase = Phase::Numeric, .name = "refactor", .repetitions = repetitions},
          solve(Phase::Solve, "solve"),
          solve(Phase::Refine, "refined_solve"),
          solve(Phase::SolveMany, "solve_64")};
}

template <class Number>
std::unique_ptr<Problem> open_problem(const std::function<SymmetricRows<Number>()>& make,
                                      const std::function<FactorCounts(const SymmetricRows<Number>&)>& count) {
  SymmetricRows<Number> A = make();
  const FactorCounts counts = count(A);
  return std::make_unique<DirectProblem<Number>>(std::move(A), counts);
}

}  // namespace

const Suite suite{{"--shapes", "--peers", "--data", "--ordering", "--amalgamation", "--scaling", "--threads"}, {}};

std::vector<Case> direct_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& algorithms,
                               const std::vector<Entry>& peers, const CountFactor& count) {
  std::vector<Entry> methods;
  add_chosen(methods, "--algorithms", flags.algorithms, algorithms);
  add_chosen(methods, "--peers", flags.peers, peers);
  if (flags.peers.empty() && flags.size == Size::Full)
    std::erase_if(methods, [](const Entry& entry) { return entry.name == "umfpack"; });
  std::vector<Case> cases;
  for (const DirectMatrix& matrix : chosen_direct_matrices(flags))
    cases.push_back({"direct/" + space + "/" + matrix.name, timings(flags.repetitions), methods, [=] {
                       return matrix.make_real ? open_problem(matrix.make_real, count.of_real)
                                               : open_problem(matrix.make_complex, count.of_complex);
                     }});
  return cases;
}

}  // namespace terrace::perf
