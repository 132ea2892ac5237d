// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "incomplete/cases.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/suite.hpp"
#include "matrices/matrix_entry.hpp"

namespace terrace::perf {
namespace {

void keep_chosen(std::vector<Entry>& methods, const std::vector<std::string>& chosen) {
  if (chosen.empty()) return;
  require_choices("--algorithms", chosen, names_of(methods));
  const auto is_serial = [](const Entry& entry) { return entry.name.starts_with("serial_"); };
  std::set<std::string> judged;
  for (const Entry& entry : methods)
    if (!is_serial(entry) && is_chosen(entry.name, chosen)) judged.insert(entry.algorithm);
  std::erase_if(methods, [&](const Entry& entry) {
    return is_serial(entry) ? !judged.contains(entry.algorithm) : !is_chosen(entry.name, chosen);
  });
}

std::vector<double> right_hand_side(int n) {
  std::vector<double> r(static_cast<std::size_t>(n));
  for (int row = 0; row < n; ++row) r[static_cast<std::size_t>(row)] = 1.0 + row % 7;
  return r;
}

double largest(const std::vector<double>& numbers) {
  double found = 0.0;
  for (const double number : numbers) found = std::max(found, std::abs(number));
  return found;
}

double sum_of_sizes(const std::vector<double>& numbers) {
  double sum = 0.0;
  for (const double number : numbers) sum += std::abs(number);
  return sum;
}

/// Of factors by thresholds: where entries have nearly the same size, as in Dubcova1, rounding decides which are kept,
/// and a backend that fuses products with sums rounds otherwise.
double check_of_other_pattern(const std::vector<double>& expected, const std::vector<double>& found) {
  const double of_expected = sum_of_sizes(expected), error = std::abs(sum_of_sizes(found) - of_expected) / of_expected;
  const double more = std::abs(static_cast<double>(found.size()) / static_cast<double>(expected.size()) - 1.0);
  if (!(more <= 1e-3) || !(error <= 1e-3))
    throw std::runtime_error("the factor has another pattern than the serial loop's");
  return error;
}

std::vector<Timing> timings(int repetitions) {
  Timing iteration{.phase = Phase::ConjugateGradients,
                   .name = "iteration",
                   .repetitions = (repetitions + 1) / 2,
                   .steps_before = 5,
                   .steps = 20,
                   .fewer_steps = 5,
                   .checked_steps = 5};
  std::vector<Timing> all{
      {.phase = Phase::Symbolic, .name = "symbolic", .repetitions = (repetitions + 2) / 3, .is_warmed_up = false},
      {.phase = Phase::Numeric, .name = "numeric", .repetitions = repetitions, .steps_before = 1},
      {.phase = Phase::Apply, .name = "apply", .repetitions = repetitions, .least_seconds = 5e-3},
      {.phase = Phase::Start, .name = "start", .repetitions = repetitions},
      iteration};
  iteration.phase = Phase::BiCGStab;
  all.push_back(iteration);
  return all;
}

}  // namespace

const Suite suite{{"--shapes", "--data", "--list"}, {"grid7-120", "grid5-1024", "elastic-28"}};

FactorProblem::FactorProblem(Rows matrix) : A(std::move(matrix)), r(right_hand_side(A.n)) {}

double FactorProblem::check(const std::string& algorithm, Phase phase, const std::vector<double>& found) {
  const std::vector<double>& expected = expected_.try_emplace({algorithm, phase}, found).first->second;
  if (found.size() != expected.size()) {
    if (algorithm == "ilut") return check_of_other_pattern(expected, found);
    throw std::runtime_error("the factor has another pattern than the serial loop's");
  }
  const bool is_factor = phase == Phase::Numeric, is_vector = phase == Phase::Apply || phase == Phase::Start;
  const double unit = is_factor ? 1.0 : is_vector ? largest(expected) : 0.0;
  double worst = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double difference = std::abs(found[k] - expected[k]);
    const double error = difference == 0.0 ? 0.0 : difference / (std::abs(expected[k]) + unit);
    if (!(error <= worst)) worst = error;
    if (std::isnan(worst)) break;
  }
  if (is_factor && !(worst <= 1e-10)) throw std::runtime_error("the factor differs from the serial loop's");
  if (!is_factor && !(worst <= 1e-6))
    throw std::runtime_error(is_vector ? "the vector differs from that of the first method"
                                       : "the residual differs from the serial loop's");
  return worst;
}

std::vector<Case> incomplete_cases(const Flags& flags, const std::string& space, std::vector<Entry> methods) {
  keep_chosen(methods, flags.algorithms);
  std::vector<Case> cases;
  for (const MatrixEntry& matrix : chosen_matrices(flags, suite.usual_shapes))
    cases.push_back({"incomplete/" + space + "/" + matrix.name, timings(flags.repetitions), methods,
                     [=] { return std::make_unique<FactorProblem>(symmetric_matrix(matrix.make())); }});
  return cases;
}

}  // namespace terrace::perf
