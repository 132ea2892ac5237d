// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve_grid/arguments.hpp"

#include <built_names.hpp>
#include <limits>
#include <vector>

#include "command_line/add_options.hpp"

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

/// Of the precisions that were built: grids have no complex numbers.
std::vector<std::string> real_precisions() {
  std::vector<std::string> names;
  for (const std::string name : built_precisions)
    if (name == "float" || name == "double") names.push_back(name);
  return names;
}

}  // namespace

void add_grid_options(CLI::App& command, GridRequest& request) {
  command
      .add_option_function<std::vector<int>>(
          "--grid", [&request](const std::vector<int>& extents) { parse_extents(extents, request.grid); },
          "cells along x, y and z")
      ->delimiter(',')
      ->check(at_least(1).description(""))
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
  add_number(command, "--max-iterations", request.max_iterations, at_least(1), "");
  add_number(command, "--check-every", request.check_every, CLI::Range(1, 256),
             "iterations between two looks at the residual");
  command.add_option("--precision", request.precision)
      ->check(CLI::IsMember(real_precisions()).description(""))
      ->type_name("float|double")
      ->capture_default_str();
  add_name(command, "--space", request.space, built_spaces, "default: the default execution space of Kokkos");
  add_number(command, "--threads", request.threads, at_least(1), "of the host backend");
  command.add_option("--picture", request.picture, "write a slice of the solution as an SVG picture")
      ->type_name("FILE");
  command.add_option("--slice", request.slice, "the plane k of the picture; default: the middle")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()).description(""))
      ->type_name("K");
  command.add_flag("--json", request.json, "print one JSON object");
}

}  // namespace terrace::tools
