// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schwarz/cases.hpp"

#include <algorithm>
#include <charconv>

#include "harness/chosen_entries.hpp"
#include "harness/suite.hpp"

namespace terrace::perf {
namespace {

/// A sample of an application takes 2 ms at least, since a device is waited for once in it.
std::vector<Timing> timings(int repetitions) {
  const int few = (repetitions + 2) / 3;
  const auto application = [=](Phase phase, const char* name) {
    return Timing{.phase = phase,
                  .name = name,
                  .repetitions = repetitions,
                  .steps_before = 1,
                  .least_seconds = 2e-3,
                  .error_name = "error"};
  };
  return {{.phase = Phase::Subdomains, .name = "subdomains", .repetitions = few},
          {.phase = Phase::Factorize, .name = "factor", .repetitions = few},
          {.phase = Phase::Numeric, .name = "refactorize", .repetitions = repetitions},
          application(Phase::Apply, "application"),
          {.phase = Phase::Gmres,
           .name = "gmres",
           .repetitions = few,
           .steps = 60,
           .fewer_steps = 20,
           .checked_steps = 20},
          {.phase = Phase::Solve,
           .name = "solve",
           .repetitions = 1,
           .is_warmed_up = false,
           .error_name = "true_residual"},
          application(Phase::ApplyEight, "application_8"),
          application(Phase::ApplyThirtyTwo, "application_32")};
}

/// One system at a time, for the cases of a shape, which follow each other; and one partition.
struct Kept {
  std::string shape;
  std::shared_ptr<const SchwarzSystem> system;
  SchwarzSettings partition;
};

std::string name_of(const Flags& flags, const std::string& shape, int blocks, int overlap) {
  std::string name = shape + "." + std::to_string(blocks) + "." + std::to_string(overlap);
  if (flags.partition != "boxes") name += "." + flags.partition;
  if (flags.block != "ilu0") name += "." + flags.block;
  return name;
}

}  // namespace

const Suite suite{{"--shapes", "--peers", "--data", "--blocks", "--overlap", "--partition", "--block", "--wind"}, {}};

BlockKind parse_block_kind(const std::string& name) {
  if (name == "ilu0") return {};
  BlockKind kind;
  const char *begin = name.data() + 5, *const end = name.data() + name.size();
  if (name.starts_with("ilut:")) {
    const auto fill = std::from_chars(begin, end, kind.fill);
    if (fill.ec == std::errc() && fill.ptr != end && *fill.ptr == ',' && kind.fill >= 0) {
      const auto tolerance = std::from_chars(fill.ptr + 1, end, kind.drop_tolerance);
      if (tolerance.ec == std::errc() && tolerance.ptr == end && kind.drop_tolerance >= 0.0) return kind;
    }
  }
  throw UsageError("--block=" + name + " does not exist; choose from: ilu0 ilut:P,TAU");
}

std::vector<Case> schwarz_cases(const Flags& flags, const std::string& space, const std::vector<Entry>& algorithms,
                                const std::vector<Entry>& peers, const FindPartition& partition) {
  require_choices("--partition", {flags.partition}, {"boxes", "metis"});
  const BlockKind kind = parse_block_kind(flags.block);
  std::vector<Entry> methods;
  add_chosen(methods, "--algorithms", flags.algorithms, algorithms);
  add_chosen(methods, "--peers", flags.peers, peers);
  const bool is_toy = flags.size == Size::Toy;
  const auto or_usual = [](const std::vector<int>& given, const std::vector<int>& usual) {
    return given.empty() ? usual : given;
  };
  const auto kept = std::make_shared<Kept>();
  std::vector<Case> cases;
  for (const SchwarzShape& shape : chosen_schwarz_shapes(flags))
    for (const int blocks : or_usual(flags.blocks, is_toy ? std::vector{4, 12} : std::vector{8, 64, 512, 2048}))
      for (const int overlap : or_usual(flags.overlap, is_toy ? std::vector{0, 1} : std::vector{0, 1, 2})) {
        const auto open = [=]() -> std::unique_ptr<Problem> {
          if (kept->shape != shape.name) {
            *kept = {};
            kept->system = std::make_shared<const SchwarzSystem>(shape.make(flags));
            kept->shape = shape.name;
          }
          if (kept->partition.blocks != blocks || kept->partition.block_numbers.empty())
            kept->partition = partition(*kept->system, blocks, flags.partition == "metis");
          SchwarzSettings settings = kept->partition;
          settings.overlap = overlap;
          settings.kind = kind;
          return std::make_unique<SchwarzProblem>(kept->system, std::move(settings));
        };
        cases.push_back({"schwarz/" + space + "/" + name_of(flags, shape.name, blocks, overlap),
                         timings(flags.repetitions), methods, open});
      }
  return cases;
}

}  // namespace terrace::perf
