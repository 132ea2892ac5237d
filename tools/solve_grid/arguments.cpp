// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve_grid/arguments.hpp"

#include <built_names.hpp>
#include <limits>
#include <vector>

namespace terrace::tools {
namespace {

void parse_extents(const std::vector<int>& extents, Grid& grid) {
  if (extents.size() < 2 || extents.size() > 3) throw CLI::ValidationError("--grid", "takes NX,NY or NX,NY,NZ");
  grid = {extents[0], extents[1], extents.size() == 3 ? extents[2] : 1};
}

/// ic0, mic, mic:0.95 or none.
void parse_preconditioner(const std::string& word, GridRequest& request) {
  request.has_preconditioner = word != "none";
  if (word == "none" || word == "ic0") {
    request.relaxation = 0.0;
  } else if (word == "mic") {
    request.relaxation = 1.0;
  } else if (!word.starts_with("mic:") || !CLI::detail::lexical_cast(word.substr(4), request.relaxation) ||
             !(request.relaxation >= 0.0 && request.relaxation <= 1.0)) {
    throw CLI::ValidationError("--precond", "takes ic0, mic, mic:RELAX with RELAX between 0 and 1, or none");
  }
}

template <class Names>
std::vector<std::string> words(const Names& names, std::initializer_list<std::string_view> among) {
  std::vector<std::string> result;
  for (const auto& name : names)
    if (among.size() == 0 || std::find(among.begin(), among.end(), name) != among.end()) result.emplace_back(name);
  return result;
}

}  // namespace

void add_grid_options(CLI::App& command, GridRequest& request) {
  const auto positive = CLI::Range(1, std::numeric_limits<int>::max()).description("");
  command
      .add_option_function<std::vector<int>>(
          "--grid", [&request](const std::vector<int>& extents) { parse_extents(extents, request.grid); },
          "cells along x, y and z")
      ->delimiter(',')
      ->check(positive)
      ->type_name("NX,NY[,NZ]");
  command
      .add_option("--problem", request.problem, "what is solved on it; spe10 needs TERRACE_DATA and has its own grid")
      ->check(CLI::IsMember({"poisson", "variable", "anisotropic", "spe10"}).description(""))
      ->type_name("poisson|variable|anisotropic|spe10")
      ->capture_default_str();
  command
      .add_option("--diagonals", request.diagonals,
                  "solve this instead: float64 numbers, plain or gzipped; centre, x, y, z (when NZ > 1), and b or not")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--precond", [&request](const std::string& word) { parse_preconditioner(word, request); },
          "incomplete Cholesky, modified by RELAX (1 when not given), or nothing")
      ->type_name("ic0|mic[:RELAX]|none")
      ->default_str("ic0");
  command.add_option("--tolerance", request.tolerance, "of the true residual, relative to b")
      ->check(CLI::Range(1e-300, 0.999).description(""))
      ->type_name("T")
      ->capture_default_str();
  command.add_option("--max-iterations", request.max_iterations)
      ->check(positive)
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--check-every", request.check_every, "iterations between two looks at the residual")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--precision", request.precision)
      ->check(CLI::IsMember(words(built_precisions, {"float", "double"})).description(""))
      ->type_name("float|double")
      ->capture_default_str();
  command.add_option("--space", request.space, "default: the default execution space of Kokkos")
      ->check(CLI::IsMember(words(built_spaces, {})).description(""))
      ->type_name("NAME");
  command.add_option("--threads", request.threads, "of the host backend")->check(positive)->type_name("N");
  command.add_option("--picture", request.picture, "write a slice of the solution as an SVG picture")
      ->type_name("FILE");
  command.add_option("--slice", request.slice, "the plane k of the picture; default: the middle")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""))
      ->type_name("K");
  command.add_flag("--json", request.json, "print one JSON object");
}

}  // namespace terrace::tools
