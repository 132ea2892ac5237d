// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of --precond ras, and what of a preconditioner's options does not go together.
#include <terrace/names.hpp>

#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "command_line/request.hpp"

namespace terrace::tools {
namespace {

/// One of the names that the library prints.
template <class Enum>
void add_enumeration(Arguments& command, const std::string& flag, std::optional<Enum>& target,
                     const std::string& description) {
  std::vector<std::string> names;
  for (const Enum each : enumerators<Enum>()) names.emplace_back(to_string(each));
  command.add_name(
      flag, names, "", [&target](const std::string& name) { target = from_string<Enum>(name); }, description);
}

void check_partition(const SchwarzRequest& options, const std::optional<SchwarzShape>& shape) {
  if (!options.partition || options.partition->method == PartitionMethod::Metis) return;
  const PartitionChoice& partition = *options.partition;
  const char* const unused = options.weigh_edges         ? "--weigh-edges"
                             : options.unknowns_per_node ? "--unknowns-per-node"
                                                         : nullptr;
  if (unused != nullptr)
    throw UsageError(std::string(unused) + ": it is for --partition metis, not for " + partition.word);
  if (partition.method != PartitionMethod::Boxes || !shape || shape->blocks == 0) return;
  if (shape->blocks != partition.boxes.cells())
    throw UsageError("--partition: " + partition.word + " makes " + std::to_string(partition.boxes.cells()) +
                     " blocks, and --precond asks for " + std::to_string(shape->blocks) +
                     "; 0 takes them as they come");
}

void refuse_without_schwarz(const SchwarzRequest& options) {
  const std::pair<const char*, bool> given[] = {{"--block", options.block.has_value()},
                                                {"--variant", options.variant.has_value()},
                                                {"--partition", options.partition.has_value()},
                                                {"--weigh-edges", options.weigh_edges},
                                                {"--unknowns-per-node", options.unknowns_per_node.has_value()},
                                                {"--factor-precision", options.factor_precision.has_value()},
                                                {"--bad-blocks", options.bad_blocks.has_value()},
                                                {"--max-growth", options.max_growth.has_value()}};
  for (const auto& [flag, is_given] : given)
    if (is_given) throw UsageError(std::string(flag) + ": only --precond ras:BLOCKS[,OVERLAP] has it");
}

bool orders(const SolveOptions& options) { return options.ordering && options.ordering->ordering != Ordering::Natural; }

}  // namespace

void add_schwarz_options(Arguments& command, SchwarzRequest& options) {
  command.add_word(
      "--block", block_words(), [&options](const std::string& word) { options.block = parse_block(word); },
      "ras: what factorizes the blocks; default: ilu0, for cg ic0");
  add_enumeration(command, "--variant", options.variant,
                  "ras: how the blocks' solutions are joined; default: restricted, for cg additive");
  command.add_word(
      "--partition", "metis|boxes:X,Y[,Z]|FILE",
      [&options](const std::string& word) { options.partition = parse_partition(word); },
      "ras: of the matrix's graph, boxes of a grid, or a block number for each row, a line each; default: metis");
  command.add_flag("--weigh-edges", options.weigh_edges, "ras: metis keeps strong couplings inside a block");
  command.add_number("--unknowns-per-node", options.unknowns_per_node, 1,
                     "ras: so many consecutive rows stay together; default: 1");
  add_enumeration(command, "--factor-precision", options.factor_precision,
                  "ras, --direct: in which the factors are held; default: same");
  add_enumeration(command, "--bad-blocks", options.bad_blocks,
                  "ras: a block with a bad pivot is kept as it is, or divides by its diagonal; default: keep");
  command.add_real(
      "--max-growth", 1.0, 1e9, "", [&options](double growth) { options.max_growth = growth; },
      "ras: how many times the entries of the matrix the blocks may have; default: 8");
}

void check_preconditioner(const SolveOptions& options) {
  const Preconditioner& preconditioner = *options.preconditioner;
  const std::pair<const char*, bool> given[] = {{"--relaxation", options.relaxation.has_value()},
                                                {"--pivots", options.pivots.has_value()},
                                                {"--ordering", orders(options)},
                                                {"--scaling", options.scaling.value_or(Scaling::None) != Scaling::None},
                                                {"--algorithm", options.pattern.algorithm != Algorithm::Automatic},
                                                {"--insert-diagonal", options.pattern.insert_missing_diagonal}};
  for (const auto& [flag, is_given] : given)
    if (is_given && !preconditioner.exists())
      throw UsageError(std::string(flag) + ": it is a preconditioner's, and --precond is none");
  const bool of_blocks = preconditioner.schwarz && options.schwarz.block;
  const Preconditioner& factorization = of_blocks ? *options.schwarz.block : preconditioner;
  const std::string name = std::string(of_blocks ? "--block " : "--precond ") + factorization.word;
  if (options.pattern.algorithm != Algorithm::Automatic && !factorization.level_of_fill())
    throw UsageError("--algorithm: " + name + " has only one");
  if (options.relaxation && !factorization.level_of_fill()) throw UsageError("--relaxation: " + name + " has none");
  if (options.pattern.max_fill > 0 && (!factorization.level_of_fill() || factorization.level_of_fill()->level == 0))
    throw UsageError("--max-fill: " + name + " does not fill by levels");
  if (options.relaxation && factorization.word.starts_with("mi") && factorization.word.find(':') != std::string::npos)
    throw UsageError("--relaxation: " + name + " has one already");
}

void check_schwarz(const SolveOptions& options) {
  const SchwarzRequest& schwarz = options.schwarz;
  if (!options.preconditioner || !options.preconditioner->schwarz) {
    refuse_without_schwarz(schwarz);
    return;
  }
  check_partition(schwarz, options.preconditioner->schwarz);
  if (options.ordering && options.ordering->ordering == Ordering::Given)
    throw UsageError("--ordering: a given one is for a matrix in one piece, and --precond ras cuts it into blocks");
  const bool cg = options.solver && options.solver->method == KrylovMethod::ConjugateGradient;
  if (cg && schwarz.variant && !is_symmetric(*schwarz.variant))
    throw UsageError(std::string("--variant: ") + to_string(*schwarz.variant) +
                     " is not symmetric, as --solver cg needs it; choose additive or symmetric, or --solver gmres:M");
}

}  // namespace terrace::tools
