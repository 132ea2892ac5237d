// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of --direct, and what does not go together with it.
#include <terrace/names.hpp>
#include <utility>

#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "command_line/request.hpp"

namespace terrace::tools {
namespace {

constexpr const char* given_prefix = "given:";

using GivenFlags = std::vector<std::pair<const char*, bool>>;

/// The first flag that was given, or nothing.
const char* first_of(const GivenFlags& flags) {
  for (const auto& [flag, is_given] : flags)
    if (is_given) return flag;
  return nullptr;
}

void refuse_without_direct(const SolveOptions& options) {
  const char* const flag = first_of({{"--pivot-threshold", options.direct.pivot_threshold.has_value()},
                                     {"--amalgamation", options.direct.amalgamation.has_value()},
                                     {"--refine-steps", options.direct.refine_steps.has_value()},
                                     {"--draw", !options.direct.drawing.empty()}});
  if (flag != nullptr) throw UsageError(std::string(flag) + ": only --direct ldlt has it");
  if (options.scaling == Scaling::Equilibrate)
    throw UsageError("--scaling: only --direct ldlt has equilibrate; diagonal scales incomplete factorizations");
  if (options.direct.algorithm)
    throw UsageError(std::string("--algorithm: only --direct ldlt has ") + to_string(*options.direct.algorithm));
}

void refuse_with_direct(const SolveOptions& options) {
  const SchwarzRequest& schwarz = options.schwarz;
  const char* const iteration = first_of({{"--precond", options.preconditioner.has_value()},
                                          {"--solver", options.solver.has_value()},
                                          {"--max-iterations", options.max_iterations.has_value()},
                                          {"--check-every", options.check_every.has_value()},
                                          {"--side", options.side != PreconditionerSide::Right}});
  if (iteration != nullptr)
    throw UsageError(std::string(iteration) +
                     ": --direct ldlt does not iterate with a preconditioner; leave out one of "
                     "the two (--refine-steps and --tolerance are those of --direct)");
  const char* const incomplete = first_of({{"--relaxation", options.relaxation.has_value()},
                                           {"--max-fill", options.pattern.max_fill > 0},
                                           {"--algorithm", options.pattern.algorithm != Algorithm::Automatic},
                                           {"--insert-diagonal", options.pattern.insert_missing_diagonal},
                                           {"--block", schwarz.block.has_value()},
                                           {"--variant", schwarz.variant.has_value()},
                                           {"--partition", schwarz.partition.has_value()},
                                           {"--weigh-edges", schwarz.weigh_edges},
                                           {"--unknowns-per-node", schwarz.unknowns_per_node.has_value()},
                                           {"--bad-blocks", schwarz.bad_blocks.has_value()},
                                           {"--max-growth", schwarz.max_growth.has_value()}});
  if (incomplete != nullptr)
    throw UsageError(std::string(incomplete) + ": it is --precond's, and --direct ldlt has no use for it");
  if (options.pivots == PivotPolicy::Shift)
    throw UsageError("--pivots: --direct ldlt reports or replaces them, and shifts nothing");
  if (options.format == MatrixFormat::Diagonals)
    throw UsageError("--format: --direct ldlt needs rows; --format csr has them");
}

}  // namespace

std::string ordering_words() {
  std::string words;
  for (const Ordering each : enumerators<Ordering>())
    if (each != Ordering::Given) words += std::string(to_string(each)) + "|";
  return words + given_prefix + "FILE";
}

OrderingChoice parse_ordering(const std::string& word) {
  if (word.starts_with(given_prefix) && word != given_prefix)
    return {Ordering::Given, word.substr(std::string(given_prefix).size())};
  const auto ordering = from_string<Ordering>(word);
  if (ordering && *ordering != Ordering::Given) return {*ordering, {}};
  throw UsageError("--ordering: '" + word + "' is none of " + ordering_words());
}

void add_direct_options(Arguments& command, SolveOptions& options) {
  command.add_name(
      "--direct", {"ldlt"}, "", [&options](const std::string&) { options.is_direct = true; },
      "factorize L D L^T and solve, instead of an iteration; the matrix must be symmetric, real or complex");
  DirectRequest& direct = options.direct;
  command.add_real(
      "--pivot-threshold", 0.0, 1.0, "", [&direct](double threshold) { direct.pivot_threshold = threshold; },
      "--direct: smaller pivots are tiny, relative to the largest entry; default: the square root of the rounding "
      "unit");
  command.add_real(
      "--amalgamation", 0.0, 1000.0, "", [&direct](double factor) { direct.amalgamation = factor; },
      "--direct: how many zeros may be stored for larger fronts, 0 none; default: 1, as measured to be best");
  command.add_number("--refine-steps", direct.refine_steps, 0,
                     "--direct: at most so many steps of refinement, by GMRES where plain ones stagnate; default: 10");
  command.add_word(
      "--draw", "FILE", [&direct](const std::string& file) { direct.drawing = file; },
      "--direct: write the tree of fronts as an SVG picture");
}

void check_direct(const Request& request) {
  const SolveOptions& options = request.solve;
  options.is_direct ? refuse_with_direct(options) : refuse_without_direct(options);
}

}  // namespace terrace::tools
