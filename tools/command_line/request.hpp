// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user asked for: plain data between the argument parser and the work.
#pragma once

#include <optional>
#include <string>
#include <terrace/triangular_options.hpp>

#include "command_line/methods.hpp"
#include "system/matrix_source.hpp"

namespace terrace::tools {

enum class Command { Help, Version, Info, Trisolve, Solve, Write };

/// How several right-hand sides lie in memory: column after column, or row after row.
enum class VectorLayout { Left, Right };
const char* to_string(VectorLayout);

/// How `terrace solve` keeps the matrix: in compressed rows, or as the diagonals of a structured grid.
enum class MatrixFormat { Csr, Diagonals };
const char* to_string(MatrixFormat);

/// Of `terrace trisolve`.
struct TrisolveOptions {
  TriangularOptions solver;  ///< `stored` stays Triangle: the tool passes the triangle only
  int right_hand_sides = 1;
  VectorLayout layout = VectorLayout::Left;
  int repetitions = 10;
};

/// Of `terrace solve`. What may be absent is chosen when the matrix is known (solve/settle.cpp).
struct SolveOptions {
  std::string right_hand_side;  ///< a file
  std::optional<MatrixFormat> format;
  std::optional<Preconditioner> preconditioner;
  std::optional<Solver> solver;
  std::optional<double> relaxation;  ///< of the preconditioner
  std::optional<PivotPolicy> pivots;
  IluSymbolicOptions pattern;  ///< ordering, algorithm and insertion of diagonals; the rest is the preconditioner's
  Scaling scaling = Scaling::None;
  double tolerance = 1e-8;
  PreconditionerSide side = PreconditionerSide::Right;
  std::optional<int> max_iterations, check_every;
  std::string picture;       ///< an SVG file to write, or nothing
  std::optional<int> slice;  ///< the plane k of the picture
};

/// Of `terrace write`: files.
struct WriteOptions {
  std::string matrix;
  std::string right_hand_side;  ///< or nothing
};

/// An empty name means: chosen from the source and the build.
struct Request {
  Command command = Command::Help;
  std::string help;  ///< the text of --help, for Command::Help
  MatrixSource source;
  bool json = false;
  std::string precision;         ///< float, double, complex-float, complex-double
  std::string offset;            ///< int, size_t
  std::string space;             ///< serial, openmp, threads, cuda
  int threads = 0;               ///< 0: what Kokkos chooses
  std::optional<unsigned> seed;  ///< of a random solution; 1 where there is one and none is given
  TrisolveOptions trisolve;
  SolveOptions solve;
  WriteOptions write;
};

bool is_complex(const std::string& precision);
bool is_single(const std::string& precision);

/// Makes the choice that the user left open. \throws UsageError for a real precision and a complex file.
void choose_precision(Request& request, const SourceMatrix& matrix);

/// Likewise. \throws UsageError for an offset that cannot count the entries.
void choose_offset(Request& request, std::size_t entries);

class Arguments;

/// --precision, --offset, --seed, --space and --threads, which all commands that solve have.
void add_common_options(Arguments& command, Request& request);

/// --grid, --problem, --wind and --diagonals.
void add_grid_options(Arguments& command, MatrixSource& source);

/// `terrace solve`.
void add_solve_command(Arguments& program, Request& request);

/// `terrace write`.
void add_write_command(Arguments& program, Request& request);

/// \throws UsageError
Request parse_arguments(int argc, const char* const* argv);

}  // namespace terrace::tools
