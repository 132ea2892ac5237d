// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `terrace solve`: from a source of a matrix to a solution that was checked, and what there is to tell of it.
//
//     source -> settle: choices that were left open -> LinearSystem -> a run on the device -> SolveReport -> text, JSON
#pragma once

#include <functional>
#include <terrace/ilut_info.hpp>
#include <terrace/ilut_options.hpp>
#include <terrace/krylov_result.hpp>
#include <terrace/ldlt_info.hpp>
#include <terrace/schwarz_info.hpp>
#include <terrace/structured_options.hpp>

#include "command_line/request.hpp"
#include "system/linear_system.hpp"

namespace terrace::tools {

/// What the phases of ILU(k) and IC(k) found.
struct IluFacts {
  IluSymbolicInfo symbolic;
  IluInfo numeric;
};

/// What the phases of a Schwarz method found.
struct SchwarzFacts {
  PartitionInfo partition;
  SchwarzInfo factor;
};

/// Where the rows of the matrix went.
struct SchwarzMap {
  std::vector<int> block_of_row;
  std::vector<int> copies_of_row;  ///< in how many enlarged blocks it is
};

/// What the phases of L D L^T found, and the refinement of its solutions.
struct LdltFacts {
  LdltSymbolicInfo symbolic;
  LdltInfo numeric;
  std::vector<RefinedColumn> refined;  ///< one for each column; empty when the factorization failed
};

/// Of whatever factorization there was. Each kind has its failures in explain_failure.cpp, its text in solve_text.cpp
/// and its JSON in solve_json.cpp.
using FactorFacts = std::variant<std::monostate, IluFacts, IlutInfo, StructuredFactorInfo, SchwarzFacts, LdltFacts>;

/// Where a factorization failed, and what the user may try instead.
struct FactorFailure {
  std::optional<std::int64_t> row;  ///< counted from 0
  std::string message;
};
std::optional<FactorFailure> find_failure(const FactorFacts& factor);

/// A step of the run and its seconds, such as "symbolic", "numeric", "solve".
struct Phase {
  std::string name;
  double seconds = 0;
  std::optional<double> operations = {};  ///< of real numbers, where they are counted
};

struct RunFacts {
  FactorFacts factor;
  std::vector<KrylovResult> krylov;  ///< one for each column; empty when the factorization failed, or was direct
  std::vector<Phase> phases;         ///< in the order in which they ran
  std::size_t bytes_held = 0;        ///< beyond the matrix, by what tells how much it holds
  std::optional<int> restarts;       ///< of the recursion of StructuredPcg
  std::string backend;
  int threads = 0;

  /// Of the phase, or NaN where there was none.
  double seconds(const std::string& phase) const;
};

/// What a run on a device brings back to the host.
template <class Number>
struct Run {
  RunFacts facts;
  std::vector<Number> x;          ///< as LinearSystem::b; empty when the factorization failed
  SchwarzMap map;                 ///< empty unless SchwarzRequest::keeps_map
  std::vector<LdltFront> fronts;  ///< empty unless --direct is drawn
};

struct SolveReport {
  Request request;             ///< with every choice that was left open now made
  std::string name;            ///< of the file or the problem
  std::optional<Grid> grid;    ///< of the problem
  bool is_symmetric = false;   ///< by its source: the banner of a file, or the problem
  bool has_diagonals = false;  ///< the problem's matrix is symmetric, and may be kept as the diagonals of the grid
  int unknowns_per_cell = 1;
  std::optional<double> wind;  ///< of a problem that has one
  std::string format_reason;
  std::int64_t rows = 0;
  std::int64_t entries = 0;
  int columns = 1;  ///< right-hand sides
  RunFacts run;
  std::vector<double> true_residuals;  ///< ||b - A x|| / ||b|| of each column, computed on the host

  std::string failure;              ///< empty, or why there is no solution, in a sentence
  std::optional<std::int64_t> row;  ///< where it failed, counted from 0

  /// Whether it converged, and the true residual is below the tolerance.
  bool succeeded(std::size_t column) const;

  /// The column that says most about the whole: the first that failed, else the one with the most iterations.
  std::size_t decisive_column() const;
  double largest_residual() const;

  /// Of --direct, or nothing.
  const LdltFacts* direct() const { return std::get_if<LdltFacts>(&run.factor); }

  /// The column of --direct with the largest backward error.
  std::size_t worst_column() const;
};

/// Writes the picture too, when one was asked for.
/// \throws UsageError for what does not go together; Error for wrong input.
SolveReport solve(const Request& request, ProgressLine& progress);

/// Makes the choices that the command line left open, now that the matrix is known, and gives the reason for the
/// format. \throws UsageError for what does not go together.
void settle(SolveReport& report, const SourceMatrix& matrix);

/// The same for --direct. \throws Error NotSymmetric for a file that is Hermitian.
void settle_direct(SolveReport& report, const SourceMatrix& matrix);

/// Where it was asked for: the permutation that the file of --ordering given:FILE describes. \throws Error
void settle_given_order(SolveOptions& options, std::int64_t rows);

/// Refuses what needs symmetry, and takes L L^T for a complex matrix that is symmetric but not Hermitian.
/// \throws UsageError; Error NotSymmetric, with the first row, for --direct.
template <class Number>
void settle_symmetry(SolveReport& report, const LinearSystem<Number>& system);

/// The system that the settled request describes, with its right-hand sides; the report learns its size.
template <class Number>
LinearSystem<Number> settle_system(SolveReport& report, SourceMatrix&& matrix);

/// For the factorizations of the library, from options that are settled.
IluSymbolicOptions symbolic_options(const SolveOptions& options);
IluFactorOptions factor_options(const SolveOptions& options, int columns);
IlutOptions threshold_options(const SolveOptions& options, int columns);
StructuredFactorOptions structured_options(const SolveOptions& options, int columns);
PartitionOptions partition_options(const SolveOptions& options);
SubdomainOptions subdomain_options(const SolveOptions& options);
SchwarzOptions schwarz_options(const SolveOptions& options, int columns);
KrylovOptions krylov_options(const SolveOptions& options);
LdltSymbolicOptions ldlt_symbolic_options(const SolveOptions& options, int columns);
LdltFactorOptions ldlt_factor_options(const SolveOptions& options);
RefinementOptions refinement_options(const SolveOptions& options);

/// Factorizes and iterates in request.precision, which is one of this build's, on request.space.
/// \throws Error as the factorizations do, and InvalidOption for what this build does not contain.
template <class Number>
Run<Number> run_solve(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress);

/// Is given a shape, and what makes a run with it when it is called, or throws.
template <class Number>
using TakeSchwarzRun = std::function<void(const SchwarzShape&, const std::function<Run<Number>()>&)>;

/// Runs of --precond ras with each of the shapes, one after the other. Those with the same number of blocks share a
/// partition, whose seconds each of them reports.
template <class Number>
void run_schwarz(const Request& request, const LinearSystem<Number>& system, const std::vector<SchwarzShape>& shapes,
                 ProgressLine& progress, const TakeSchwarzRun<Number>& take);

/// Of a solve with L and L^T for so many columns, and of as many steps of refinement as the columns took.
double solve_operations(const LdltSymbolicInfo& info, std::size_t columns);
double refine_operations(const LdltFacts& facts, std::int64_t matrix_entries);

/// The true residuals, and why there is no solution.
template <class Number>
void judge(SolveReport& report, const LinearSystem<Number>& system, Run<Number>& run);

/// Fills failure and row when the factorization or the iteration failed, or the residual is too large.
void explain_failure(SolveReport& report);

void print_solve_text(const SolveReport& report);
void print_solve_json(const SolveReport& report);

/// The part of the report that tells of --direct: the factorization, its phases, the refinement.
void print_direct_text(const SolveReport& report);

}  // namespace terrace::tools
