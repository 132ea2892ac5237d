// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user asked for: plain data between the argument parser and the work.
#pragma once

#include <optional>
#include <string>
#include <terrace/triangular_options.hpp>

#include "solve/solve_options.hpp"
#include "solve_grid/grid_request.hpp"

namespace terrace::tools {

enum class Command { Help, Version, Info, Trisolve, Solve, SolveGrid };

/// How several right-hand sides lie in memory: column after column, or row after row.
enum class VectorLayout { Left, Right };
const char* to_string(VectorLayout);

/// An empty name means: chosen from the file and the build.
struct Request {
  Command command = Command::Help;
  std::string help;  ///< the text of --help, for Command::Help
  std::string file;
  bool json = false;

  TriangularOptions options;  ///< `stored` stays Triangle: the tool passes the triangle only
  std::string precision;      ///< float, double, complex-float, complex-double
  std::string offset;         ///< int, size_t
  std::string space;          ///< serial, openmp, threads, cuda
  VectorLayout layout = VectorLayout::Left;
  int right_hand_sides = 1;
  int repetitions = 10;
  int threads = 0;  ///< 0: what Kokkos chooses
  unsigned seed = 1;

  SolveOptions solve;
  std::optional<double> relaxation;  ///< of `terrace solve`, over what the preconditioner's name says
  GridRequest grid_request;          ///< for Command::SolveGrid
};

}  // namespace terrace::tools
