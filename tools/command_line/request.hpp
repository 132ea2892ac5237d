// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user asked for: plain data between the argument parser and the work.
#pragma once

#include <optional>
#include <string>
#include <terrace/ldlt_options.hpp>
#include <terrace/schwarz_options.hpp>
#include <terrace/triangular_options.hpp>

#include "command_line/methods.hpp"
#include "system/matrix_source.hpp"

namespace terrace::tools {

enum class Command { Help, Version, Info, Trisolve, Solve, Schwarz, Write };

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

/// Of --precond ras. What may be absent is chosen when the matrix is known.
struct SchwarzRequest {
  std::optional<Preconditioner> block;  ///< what factorizes the blocks
  std::optional<SchwarzVariant> variant;
  std::optional<PartitionChoice> partition;
  bool weigh_edges = false;
  std::optional<int> unknowns_per_node;
  std::optional<FactorPrecision> factor_precision;
  std::optional<BadBlocks> bad_blocks;
  std::optional<double> max_growth;
  std::optional<Grid> grid;  ///< of the problem
  bool keeps_map = false;    ///< a run tells where the rows went
};

/// Of --ordering. Ordering::Given: a file with a line for each row, the place at which it is eliminated.
struct OrderingChoice {
  Ordering ordering = Ordering::Natural;
  std::string file;
};

/// "natural|rcm|...|given:FILE"
std::string ordering_words();

/// \throws UsageError
OrderingChoice parse_ordering(const std::string& word);

/// Of --direct ldlt, beside what every factorization has.
struct DirectRequest {
  std::optional<LdltAlgorithm> algorithm;
  std::optional<double> pivot_threshold;
  std::optional<double> amalgamation;
  std::optional<int> refine_steps;  ///< at most so many
  std::string drawing;              ///< an SVG file of the tree of fronts to write, or nothing
};

/// Of `terrace solve`. What may be absent is chosen when the matrix is known (solve/settle.cpp).
struct SolveOptions {
  std::string right_hand_side;  ///< a file
  std::optional<MatrixFormat> format;
  bool is_direct = false;  ///< --direct ldlt: no preconditioner, no iteration
  DirectRequest direct;
  std::optional<Preconditioner> preconditioner;
  std::optional<Solver> solver;
  std::optional<double> relaxation;  ///< of the preconditioner
  std::optional<PivotPolicy> pivots;
  std::optional<OrderingChoice> ordering;
  IluSymbolicOptions pattern;      ///< algorithm, insertion of diagonals, and the settled ordering; the rest is the
                                   ///< preconditioner's
  std::optional<Scaling> scaling;  ///< none: that of the factorization's own options
  SchwarzRequest schwarz;
  std::optional<double> tolerance;
  PreconditionerSide side = PreconditionerSide::Right;
  std::optional<int> max_iterations, check_every;
  std::string picture;       ///< an SVG file to write, or nothing
  std::optional<int> slice;  ///< the plane k of the picture
};

/// Of `terrace schwarz`, beside those of a solve: every number of blocks with every overlap.
struct StudyOptions {
  std::vector<int> blocks;  ///< empty: some that suit the matrix
  std::vector<int> overlaps{0, 1, 2};
  std::string picture;  ///< an SVG file of the best combination's blocks, or nothing
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
  StudyOptions study;
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

/// FILE, the problems on grids, and --rhs.
void add_source_options(Arguments& command, Request& request);

/// Pivots, ordering, scaling: of every incomplete factorization.
void add_factorization_options(Arguments& command, SolveOptions& options);

/// --tolerance, --max-iterations, --check-every and --side.
void add_iteration_options(Arguments& command, SolveOptions& options);

/// --block, --variant, --partition and what else --precond ras has.
void add_schwarz_options(Arguments& command, SchwarzRequest& options);

/// What can be seen without the matrix: options that the preconditioner has no use for, and conjugate gradients with
/// one that is not symmetric. \throws UsageError
void check_preconditioner(const SolveOptions& options);
void check_schwarz(const SolveOptions& options);

/// --direct and what only --direct has.
void add_direct_options(Arguments& command, SolveOptions& options);

/// Options that --direct has no use for, and those that only --direct has. \throws UsageError
void check_direct(const Request& request);

/// `terrace schwarz`.
void add_study_command(Arguments& program, Request& request);

/// `terrace solve`.
void add_solve_command(Arguments& program, Request& request);

/// `terrace write`.
void add_write_command(Arguments& program, Request& request);

/// \throws UsageError
Request parse_arguments(int argc, const char* const* argv);

}  // namespace terrace::tools
