// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/cases.hpp"

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

/// A sample of products takes 2 ms at least, since a device is waited for once in it.
std::vector<Timing> timings(int repetitions) {
  const auto product = [=](Phase phase, const char* name) {
    return Timing{
        .phase = phase, .name = name, .repetitions = repetitions, .least_seconds = 2e-3, .error_name = "product_error"};
  };
  return {{.phase = Phase::Analysis, .name = "analysis", .repetitions = std::max(1, repetitions / 3)},
          product(Phase::Multiply, "multiply"),
          product(Phase::ApplyEight, "multiply_eight")};
}

}  // namespace

const Suite suite{{"--shapes", "--peers", "--data", "--hec-width", "--list"}, {}};

std::vector<Case> product_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& methods,
                                const std::vector<Entry>& peers) {
  std::vector<Entry> chosen;
  add_chosen(chosen, "--algorithms", flags.algorithms, methods);
  add_chosen(chosen, "--peers", flags.peers, peers);
  std::vector<Case> cases;
  for (const MatrixEntry& matrix : chosen_matrices(flags, suite.usual_shapes))
    cases.push_back({"product/" + space + "/" + matrix.name, timings(flags.repetitions), chosen,
                     [=] { return std::make_unique<ProductProblem>(symmetric_matrix(matrix.make())); }});
  return cases;
}

}  // namespace terrace::perf
