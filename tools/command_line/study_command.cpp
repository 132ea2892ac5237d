// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of `terrace schwarz`: those of a solve, and which blocks and overlaps are tried.
#include "command_line/arguments.hpp"
#include "command_line/failure.hpp"
#include "command_line/request.hpp"

namespace terrace::tools {
namespace {

/// What can be seen without the matrix.
void check_study(const Request& request) {
  check_source(request.source, "schwarz");
  check_direct(request);
  const SolveOptions& options = request.solve;
  if (request.seed && !options.right_hand_side.empty())
    throw UsageError("--seed: it makes a right-hand side, and --rhs gives one");
  if (request.study.picture.empty() && options.slice) throw UsageError("--slice: only --picture draws one");
  if (!request.study.picture.empty() && !request.source.is_grid())
    throw UsageError("--picture: FILE has no planes; --grid has");
  const auto& partition = options.schwarz.partition;
  if (partition && partition->method != PartitionMethod::Metis && !request.study.blocks.empty())
    throw UsageError("--blocks: --partition " + partition->word + " says how many there are");
  check_preconditioner(options);
  check_schwarz(options);
}

}  // namespace

void add_study_command(Arguments& program, Request& request) {
  Arguments command = program.add_command(
      "schwarz", "Compare restricted additive Schwarz of many blocks and overlaps, before choosing", [&request] {
        request.command = Command::Schwarz;
        request.solve.preconditioner = parse_preconditioner("ras");
        if (!request.solve.solver) request.solve.solver = parse_solver("gmres:20");
        if (!request.solve.check_every) request.solve.check_every = 1;  // so that steps are counted one by one
        check_study(request);
        request.solve.schwarz.keeps_map = !request.study.picture.empty();
      });
  command.set_footer(
      "Examples: terrace schwarz FILE --blocks 8,64,512 --overlap 0,1,2\n"
      "          terrace schwarz --grid 48,48,48 --blocks 1,64,512 --overlap 1 --block ilut:10,1e-3");
  add_source_options(command, request);
  StudyOptions& study = request.study;
  command.add_integers(
      "--blocks", "N[,N...]", [&study](const std::vector<int>& blocks) { study.blocks = blocks; },
      "how many, 0 for the library's choice; default: those of 1, 8, 64, 512 and 2048 that have 100 rows and more each",
      0);
  command.add_integers(
      "--overlap", "N[,N...]", [&study](const std::vector<int>& overlaps) { study.overlaps = overlaps; },
      "layers of neighbors that enlarge the blocks; default: 0,1,2", 0);
  add_schwarz_options(command, request.solve.schwarz);
  add_factorization_options(command, request.solve);
  command.add_word(
      "--solver", solver_words(), [&request](const std::string& word) { request.solve.solver = parse_solver(word); },
      "Krylov method; default: gmres:20");
  add_iteration_options(command, request.solve);
  add_common_options(command, request);
  command.add_flag("--json", request.json, "print one JSON object");
  command.add_word(
      "--picture", "FILE", [&study](const std::string& file) { study.picture = file; },
      "write the best combination's blocks in a plane of a grid as an SVG picture, what they share darker");
  command.add_number("--slice", request.solve.slice, 0, "the plane k of the picture; default: the middle");
}

}  // namespace terrace::tools
