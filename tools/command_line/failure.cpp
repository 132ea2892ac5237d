// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line/failure.hpp"

#include <cstdio>
#include <new>
#include <string_view>
#include <terrace/error.hpp>
#include <terrace/version.hpp>
#include <utility>

#include "report/json.hpp"

namespace terrace::tools {
namespace {

bool asks_for_json(int argc, const char* const* argv) {
  for (int k = 1; k < argc; ++k) {
    if (std::string_view(argv[k]) == "--json") return true;
  }
  return false;
}

std::string explain(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "there is not enough memory for this";
  return with_flag_names(error.what());
}

/// What the library calls an option, and what the command line does.
constexpr std::pair<std::string_view, std::string_view> flag_names[] = {
    {"insert_missing_diagonal", "--insert-diagonal"},
    {"rows_per_task", "--rows-per-task"},
    {"storage is", "--storage is"},
    {"the algorithm is", "--algorithm is"},
    {"check_every", "--check-every"},
    {"max_iterations", "--max-iterations"},
    {"right_hand_sides", "--rhs"},
    {"weigh_edges", "--weigh-edges"},
    {"unknowns_per_node", "--unknowns-per-node"},
    {"max_growth", "--max-growth"},
    {"max_fill", "--max-fill"},
    {"boxes of a grid (partition_grid) and given block numbers do without",
     "--partition boxes:X,Y,Z on a --grid and --partition FILE do without"},
    {"partitioning a graph needs METIS", "--partition metis needs METIS"},
    {"blocks is ", "BLOCKS of --precond ras is "},
    {"FactorPrecision::Single", "--factor-precision single"},
    {"another ordering or a smaller amalgamation", "another --ordering or a smaller --amalgamation"},
    {"pivots.threshold", "--pivot-threshold"},
    {"nested dissection needs METIS", "--ordering nd needs METIS"},
    {"choose another ordering", "choose another --ordering"},
    {"the reverse Cuthill-McKee ordering", "--ordering rcm"},
    {"there is no blocked algorithm for", "--algorithm blocked: there is none for"}};

/// Where the input is wrong: a line of the file counts from 1, a row of the matrix from 0.
void add_place(Json& object, const Error& error) {
  if (error.line()) object.set(error.code() == ErrorCode::InvalidFile ? "line" : "row", *error.line());
}

}  // namespace

void complain(const std::string& message) { std::fprintf(stderr, "terrace: %s\n", message.c_str()); }

std::string with_flag_names(std::string message) {
  for (const auto& [option, flag] : flag_names) {
    for (auto place = message.find(option); place != std::string::npos;
         place = message.find(option, place + flag.size()))
      message.replace(place, option.size(), flag);
  }
  return message;
}

int report_failure(const std::exception& error, int argc, const char* const* argv) {
  const bool is_usage = dynamic_cast<const UsageError*>(&error) != nullptr;
  const std::string message = explain(error);
  complain(message);
  if (is_usage)
    std::fputs("Run 'terrace --help', or 'terrace COMMAND --help' for one of its commands, for what it understands.\n",
               stderr);
  if (asks_for_json(argc, argv)) {
    Json object = {{"status", is_usage ? "wrong usage" : "wrong input"}, {"error", message}};
    if (const auto* place = dynamic_cast<const Error*>(&error)) add_place(object, *place);
    object.set("version", version);
    print_json(object);
  }
  return wrong_input;
}

}  // namespace terrace::tools
