// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choices that the command line left open, and the options of the library that follow from them.
#include "command_line/failure.hpp"
#include "solve/solve.hpp"

namespace terrace::tools {
namespace {

/// The flag that the diagonals of a grid cannot serve, or nothing.
std::string flag_that_needs_rows(const Request& request) {
  const SolveOptions& options = request.solve;
  const Preconditioner& preconditioner = *options.preconditioner;
  const bool has_fill = preconditioner.level_of_fill() != nullptr && preconditioner.level_of_fill()->level > 0;
  if (is_complex(request.precision)) return "--precision " + request.precision;
  if (!request.offset.empty()) return "--offset " + request.offset;
  if (has_fill || preconditioner.thresholds() != nullptr || preconditioner.schwarz)
    return "--precond " + preconditioner.word;
  if (options.pivots == PivotPolicy::Replace) return "--pivots replace";
  if (options.pattern.ordering == Ordering::Given) return "--ordering given:" + options.ordering->file;
  if (options.pattern.ordering != Ordering::Natural)
    return std::string("--ordering ") + to_string(options.pattern.ordering);
  if (options.scaling.value_or(Scaling::None) != Scaling::None)
    return std::string("--scaling ") + to_string(*options.scaling);
  if (options.pattern.algorithm != Algorithm::Automatic)
    return std::string("--algorithm ") + to_string(options.pattern.algorithm);
  return options.pattern.insert_missing_diagonal ? "--insert-diagonal" : "";
}

void settle_format(SolveReport& report) {
  SolveOptions& options = report.request.solve;
  const std::string flag = report.has_diagonals ? flag_that_needs_rows(report.request) : "";
  if (options.format == MatrixFormat::Diagonals && report.grid && !report.has_diagonals)
    throw UsageError("--format: diagonals are symmetric, and --problem " + report.name +
                     " is not; --format csr has it");
  if (options.format == MatrixFormat::Diagonals && !flag.empty())
    throw UsageError("--format: diagonals have no " + flag + "; --format csr has");
  if (options.format) report.format_reason = std::string("--format ") + to_string(*options.format);
  else if (!report.grid) report.format_reason = "a file has rows";
  else if (!report.has_diagonals) report.format_reason = "diagonals are symmetric, and " + report.name + " is not";
  else report.format_reason = flag.empty() ? "every option works with them" : flag + " needs rows";
  if (!options.format)
    options.format = report.has_diagonals && flag.empty() ? MatrixFormat::Diagonals : MatrixFormat::Csr;
}

/// Conjugate gradients on diagonals have a loop of their own, with limits of its own.
void check_limits(const SolveOptions& options) {
  if (options.format != MatrixFormat::Diagonals || options.solver->method != KrylovMethod::ConjugateGradient) return;
  if (!(*options.tolerance > 0.0 && *options.tolerance < 1.0))
    throw UsageError("--tolerance: above 0 and below 1 for --solver cg on diagonals; --format csr takes both");
  if (*options.check_every > 256)
    throw UsageError("--check-every: at most 256 for --solver cg on diagonals; --format csr takes more");
}

/// What a grid's diagonals can hold is symmetric; a variant of Schwarz methods may not be.
bool prefers_cg(const SolveReport& report) {
  const auto& variant = report.request.solve.schwarz.variant;
  return report.has_diagonals && (!variant || is_symmetric(*variant));
}

/// Symmetric where conjugate gradients need it. The preconditioner's factorization becomes that of the blocks.
void settle_schwarz(SolveReport& report) {
  SchwarzRequest& schwarz = report.request.solve.schwarz;
  Preconditioner& preconditioner = *report.request.solve.preconditioner;
  const bool cg = report.request.solve.solver->method == KrylovMethod::ConjugateGradient;
  if (!schwarz.block) schwarz.block = parse_block(cg ? "ic0" : "ilu0");
  if (!schwarz.variant) schwarz.variant = cg ? SchwarzVariant::Additive : SchwarzVariant::Restricted;
  if (!schwarz.partition) schwarz.partition = PartitionChoice{};
  schwarz.grid = report.grid;
  if (schwarz.partition->method == PartitionMethod::Boxes && !report.grid)
    throw UsageError("--partition: " + schwarz.partition->word + " are those of a --grid; FILE has rows");
  preconditioner.factorization = schwarz.block->factorization;
  preconditioner.kind = schwarz.block->kind;
}

void check_slice(const SolveReport& report) {
  const auto& slice = report.request.solve.slice;
  if (slice && *slice >= report.grid->nz)
    throw UsageError("--slice: there is no plane " + std::to_string(*slice) + "; the grid has " +
                     std::to_string(report.grid->nz) + ", counted from 0");
}

void describe_source(SolveReport& report, const SourceMatrix& matrix) {
  report.name = report.request.source.file;
  if (const auto* const file = std::get_if<MatrixMarketMatrix>(&matrix))
    report.is_symmetric = file->header.symmetry == MatrixMarketHeader::Symmetry::Symmetric;
  if (const auto* const symmetric = std::get_if<GridProblem>(&matrix)) {
    report.name = symmetric->description;
    report.grid = symmetric->grid;
    report.is_symmetric = report.has_diagonals = true;
  } else if (const auto* const general = std::get_if<RowsProblem>(&matrix)) {
    report.name = general->description;
    report.grid = general->grid;
    report.unknowns_per_cell = general->unknowns_per_cell;
    report.wind = find_wind(report.request.source);
  }
}

/// With the first row, and what takes such a matrix.
template <class Number>
void refuse_asymmetry(const SolveReport& report, const HostMatrix<Number>& matrix) {
  if (report.is_symmetric) return;
  const auto row = first_asymmetric_row(matrix);
  if (!row) return;
  throw Error(ErrorCode::NotSymmetric,
              "row " + std::to_string(*row) + " (counted from 0) of " + report.name +
                  " has an entry that differs from its mirror image, or has none; --direct ldlt needs a symmetric "
                  "matrix, and --precond ilu0 --solver gmres:30 takes any",
              row);
}

}  // namespace

void settle(SolveReport& report, const SourceMatrix& matrix) {
  SolveOptions& options = report.request.solve;
  choose_precision(report.request, matrix);
  describe_source(report, matrix);
  if (options.is_direct) {
    settle_direct(report, matrix);
    check_slice(report);
    return;
  }
  if (options.ordering) options.pattern.ordering = options.ordering->ordering;
  if (!options.tolerance) options.tolerance = 1e-8;
  if (!options.preconditioner) options.preconditioner = parse_preconditioner(report.has_diagonals ? "ic0" : "ilu0");
  if (!options.solver) options.solver = parse_solver(prefers_cg(report) ? "cg" : "gmres:30");
  if (!options.max_iterations) options.max_iterations = report.grid ? 10000 : 1000;
  if (!options.check_every) options.check_every = report.grid ? 10 : 1;
  if (options.preconditioner->schwarz) settle_schwarz(report);
  auto* const fill = std::get_if<LevelOfFill>(&options.preconditioner->kind);
  if (fill != nullptr && options.relaxation) fill->relaxation = *options.relaxation;
  settle_format(report);
  const bool has_diagonals = options.format == MatrixFormat::Diagonals;
  if (!options.pivots) options.pivots = has_diagonals ? PivotPolicy::Shift : PivotPolicy::Report;
  check_limits(options);
  check_slice(report);
}

template <class Number>
void settle_symmetry(SolveReport& report, const LinearSystem<Number>& system) {
  if (report.request.solve.is_direct) {
    refuse_asymmetry(report, system.matrix);
    return;
  }
  Preconditioner& preconditioner = *report.request.solve.preconditioner;
  const Solver& solver = *report.request.solve.solver;
  const bool cholesky = preconditioner.exists() && preconditioner.factorization != Factorization::Lu;
  const bool cg = solver.method == KrylovMethod::ConjugateGradient;
  if (system.diagonals || (!cholesky && !cg)) return;
  const SymmetryFacts facts = find_symmetry(system.matrix);
  if (cg && !facts.hermitian)
    throw UsageError("--solver: cg needs a Hermitian matrix, and " + report.name +
                     " is none; choose bicgstab, gmres:M or fgmres:M");
  if (!cholesky || facts.hermitian) return;
  if (!facts.symmetric)
    throw UsageError((preconditioner.schwarz ? "--block: " + report.request.solve.schwarz.block->word
                                             : "--precond: " + preconditioner.word) +
                     " needs a symmetric matrix, and " + report.name +
                     " is none; choose ilu0, milu, iluk:K or ilut:P,TAU");
  preconditioner.factorization = Factorization::Cholesky;
}

template void settle_symmetry(SolveReport&, const LinearSystem<double>&);
template void settle_symmetry(SolveReport&, const LinearSystem<std::complex<double>>&);

IluSymbolicOptions symbolic_options(const SolveOptions& options) {
  IluSymbolicOptions result = options.pattern;
  result.factorization = options.preconditioner->factorization;
  result.fill_level = options.preconditioner->level_of_fill()->level;
  return result;
}

IluFactorOptions factor_options(const SolveOptions& options, int columns) {
  return {.relaxation = options.preconditioner->level_of_fill()->relaxation,
          .scaling = options.scaling.value_or(Scaling::None),
          .pivots = {.policy = *options.pivots},
          .right_hand_sides = columns};
}

IlutOptions threshold_options(const SolveOptions& options, int columns) {
  return {.factorization = options.preconditioner->factorization,
          .fill = options.preconditioner->thresholds()->fill,
          .drop_tolerance = options.preconditioner->thresholds()->drop_tolerance,
          .pivots = {.policy = *options.pivots},
          .insert_missing_diagonal = options.pattern.insert_missing_diagonal,
          .ordering = options.pattern.ordering,
          .permutation = options.pattern.permutation,
          .scaling = options.scaling.value_or(Scaling::None),
          .right_hand_sides = columns};
}

SchwarzOptions schwarz_options(const SolveOptions& options, int columns) {
  const SchwarzRequest& schwarz = options.schwarz;
  SchwarzOptions result{.variant = *schwarz.variant, .right_hand_sides = columns};
  if (options.preconditioner->thresholds() != nullptr) result.blocks = threshold_options(options, columns);
  else result.blocks = IluBlocks{symbolic_options(options), factor_options(options, columns)};
  if (schwarz.factor_precision) result.factor_precision = *schwarz.factor_precision;
  if (schwarz.bad_blocks) result.bad_blocks = *schwarz.bad_blocks;
  return result;
}

PartitionOptions partition_options(const SolveOptions& options) {
  return {.blocks = options.preconditioner->schwarz->blocks,
          .weigh_edges = options.schwarz.weigh_edges,
          .unknowns_per_node = options.schwarz.unknowns_per_node.value_or(1)};
}

SubdomainOptions subdomain_options(const SolveOptions& options) {
  SubdomainOptions result{.overlap = options.preconditioner->schwarz->overlap};
  if (options.schwarz.max_growth) result.max_growth = *options.schwarz.max_growth;
  return result;
}

StructuredFactorOptions structured_options(const SolveOptions& options, int columns) {
  StructuredFactorOptions result{.relaxation = options.preconditioner->level_of_fill()->relaxation,
                                 .right_hand_sides = columns};
  if (options.pivots == PivotPolicy::Report) result.pivots.policy = PivotPolicy::Report;
  return result;
}

KrylovOptions krylov_options(const SolveOptions& options) {
  return {.method = options.solver->method,
          .side = options.side,
          .tolerance = *options.tolerance,
          .max_iterations = *options.max_iterations,
          .restart = options.solver->restart,
          .check_every = *options.check_every};
}

}  // namespace terrace::tools
