// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve/solve.hpp"

#include "command_line/choose_types.hpp"
#include "command_line/parse.hpp"
#include "info/symmetry.hpp"
#include "solve/explain_failure.hpp"
#include "solve/iteration.hpp"
#include "support/read_matrix.hpp"
#include "support/triangular_system.hpp"

namespace terrace::tools {
namespace {

/// cg and L L^H read one half of what they take for Hermitian; a complex symmetric matrix gets L L^T.
void check_symmetry(Request& request, const MatrixMarketMatrix& matrix) {
  SolveOptions& options = request.solve;
  const bool cholesky = options.preconditioned && options.pattern.factorization != Factorization::Lu;
  const bool cg = options.krylov.method == KrylovMethod::ConjugateGradient;
  if (!cholesky && !cg) return;
  const SymmetryFacts facts = find_symmetry(matrix);
  if (cg && !facts.hermitian)
    throw UsageError("--solver: cg needs a Hermitian matrix, and " + request.file +
                     " is none; choose bicgstab, gmres:M or fgmres:M");
  if (!cholesky || facts.hermitian) return;
  if (!facts.symmetric)
    throw UsageError("--precond: " + options.preconditioner + " needs a symmetric matrix, and " + request.file +
                     " is none; choose ilu0, milu, iluk:K or ilut:P,TAU");
  options.pattern.factorization = Factorization::Cholesky;
}

void check_columns(const std::string& path, std::int64_t columns, const SolveOptions& options) {
  if (columns == 0) throw Error(ErrorCode::SizeMismatch, path + " has 0 columns; a right-hand side is at least one");
  const bool takes_several =
      options.krylov.method == KrylovMethod::ConjugateGradient || options.krylov.method == KrylovMethod::BiCGStab;
  if (columns > 1 && !takes_several)
    throw UsageError("--rhs: " + path + " has " + std::to_string(columns) + " columns, and --solver " + options.solver +
                     " takes one; cg and bicgstab take several");
}

template <class Number>
void read_right_hand_sides(const SolveOptions& options, LinearSystem<Number>& system) {
  const std::string& path = options.right_hand_side;
  const MatrixMarketVectors vectors = read_matrix_market_vectors(path);
  check_columns(path, vectors.columns, options);
  if (vectors.rows != system.rows)
    throw Error(ErrorCode::SizeMismatch,
                path + " has " + std::to_string(vectors.rows) + " rows; the matrix has " + std::to_string(system.rows));
  if (std::is_same_v<Number, double> && !vectors.imaginary.empty())
    throw UsageError("--rhs: " + path + " is complex; --precision complex-double solves with it");
  system.columns = static_cast<int>(vectors.columns);
  for (std::size_t k = 0; k < vectors.real.size(); ++k) {
    if constexpr (std::is_same_v<Number, double>) system.b.push_back(vectors.real[k]);
    else system.b.emplace_back(vectors.real[k], vectors.imaginary.empty() ? 0.0 : vectors.imaginary[k]);
  }
}

template <class Number>
LinearSystem<Number> make_system(const Request& request, const MatrixMarketMatrix& matrix) {
  const bool single = is_single(request.precision);
  auto system = extract_system<Number>(matrix, single);
  if (request.solve.right_hand_side.empty()) make_right_hand_side(system, request.seed);
  else read_right_hand_sides(request.solve, system);
  if (single) round_to_single(system.b);
  return system;
}

template <class Number>
void solve_and_judge(SolveReport& report, const MatrixMarketMatrix& matrix, ProgressLine& progress) {
  progress.stage("making the right-hand side");
  const auto system = make_system<Number>(report.request, matrix);
  choose_offset(report.request, system.entries.size());
  report.rows = system.rows;
  report.columns = system.columns;
  report.entries = static_cast<std::int64_t>(system.entries.size());
  const Iteration<Number> iteration = iterate(report.request, system, progress);
  report.symbolic = iteration.symbolic;
  report.factor = iteration.factor;
  report.dropped_entries = iteration.dropped_entries;
  report.krylov = iteration.krylov;
  report.backend = iteration.backend;
  report.threads = iteration.threads;
  report.symbolic_s = iteration.symbolic_s;
  report.numeric_s = iteration.numeric_s;
  report.solve_s = iteration.solve_s;
  if (report.factor.succeeded()) report.true_residuals = relative_residuals(system, iteration.x);
  explain_failure(report);
}

}  // namespace

SolveReport solve(const Request& request, ProgressLine& progress) {
  SolveReport report;
  report.request = request;
  const MatrixMarketMatrix matrix = read_matrix(request.file, progress);
  if (matrix.header.rows == matrix.header.columns) check_symmetry(report.request, matrix);
  choose_precision(report.request, matrix.header);
  if (is_complex(report.request.precision)) solve_and_judge<std::complex<double>>(report, matrix, progress);
  else solve_and_judge<double>(report, matrix, progress);
  return report;
}

}  // namespace terrace::tools
