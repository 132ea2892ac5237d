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

template <class Number>
void read_right_hand_side(const std::string& path, LinearSystem<Number>& system) {
  const MatrixMarketVector vector = read_matrix_market_vector(path);
  if (vector.real.size() != static_cast<std::size_t>(system.rows))
    throw Error(ErrorCode::SizeMismatch, path + " has " + std::to_string(vector.real.size()) +
                                             " rows; the matrix has " + std::to_string(system.rows));
  for (std::size_t row = 0; row < vector.real.size(); ++row) {
    if constexpr (std::is_same_v<Number, double>) {
      if (!vector.imaginary.empty())
        throw UsageError("--rhs: " + path + " is complex; --precision complex-double solves with it");
      system.b.push_back(vector.real[row]);
    } else {
      system.b.emplace_back(vector.real[row], vector.imaginary.empty() ? 0.0 : vector.imaginary[row]);
    }
  }
}

template <class Number>
LinearSystem<Number> make_system(const Request& request, const MatrixMarketMatrix& matrix) {
  const bool single = is_single(request.precision);
  auto system = extract_system<Number>(matrix, single);
  if (request.solve.right_hand_side.empty()) make_right_hand_side(system, request.seed);
  else read_right_hand_side(request.solve.right_hand_side, system);
  if (single) round_to_single(system.b);
  return system;
}

template <class Number>
void solve_and_judge(SolveReport& report, const MatrixMarketMatrix& matrix, ProgressLine& progress) {
  progress.stage("making the right-hand side");
  const auto system = make_system<Number>(report.request, matrix);
  choose_offset(report.request, system.entries.size());
  report.rows = system.rows;
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
  if (report.factor.succeeded()) report.residual = relative_residual(system, iteration.x);
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
