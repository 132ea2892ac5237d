// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schwarz/schwarz_problem.hpp"

#include <algorithm>
#include <cmath>

#include "matrices/right_hand_side.hpp"

namespace terrace::perf {
namespace {

/// The longest chain of rows of L; that of U is as long where the pattern is symmetric.
int count_levels(const SerialFactor& factor) {
  std::vector<int> level(static_cast<std::size_t>(factor.n));
  int levels = 0;
  for (int row = 0; row < factor.n; ++row) {
    for (int k = factor.row_map[row]; k < factor.diagonal[row]; ++k)
      level[row] = std::max(level[row], level[factor.entries[k]] + 1);
    levels = std::max(levels, level[row] + 1);
  }
  return levels;
}

double entries_of(const SerialFactor& factor) { return factor.row_map[factor.n]; }

}  // namespace

int columns_of(Phase phase) { return phase == Phase::ApplyEight ? 8 : phase == Phase::ApplyThirtyTwo ? 32 : 1; }

SchwarzProblem::SchwarzProblem(std::shared_ptr<const SchwarzSystem> system, SchwarzSettings settings)
    : system_(std::move(system)),
      settings_(std::move(settings)),
      serial_(system_->A, settings_.block_numbers, settings_.blocks, settings_.overlap, settings_.kind),
      r_(make_right_hand_side(static_cast<std::size_t>(system_->A.n))),
      expected_(r_.size()) {
  serial_.find_subdomains();
  serial_.factorize();
  serial_.apply(r_.data(), expected_.data());
  levels_ = count_levels(serial_.factor());
}

Counters SchwarzProblem::counters() const {
  const Rows& M = serial_.M();
  return {{"n", A().n},
          {"nnz", double(A().nnz())},
          {"blocks", settings_.blocks},
          {"overlap", settings_.overlap},
          {"partition_s", settings_.partition_seconds},
          {"block_rows", M.n},
          {"block_entries", double(M.nnz())},
          {"factor_entries", entries_of(serial_.factor())},
          {"row_growth", double(M.n) / A().n},
          {"entry_growth", double(M.nnz()) / double(A().nnz())},
          {"levels", levels_},
          {"tolerance", system_->tolerance}};
}

double SchwarzProblem::check(const std::string& algorithm, Phase phase, const std::vector<double>& found) {
  const bool is_gmres = phase == Phase::Gmres || phase == Phase::Solve;
  return is_gmres ? check_residual(phase, found) : check_application(algorithm, found);
}

double SchwarzProblem::check_residual(Phase phase, const std::vector<double>& found) {
  const double recursive = found[0], computed = found[1];
  constexpr double rounding = 1e-12;
  if (!(std::abs(computed - recursive) <= 0.05 * recursive + rounding))
    throw std::runtime_error("the residual is not b - A x");
  if (phase == Phase::Solve) return computed;
  if (!expected_residual_) expected_residual_ = recursive;
  const double error = std::abs(recursive - *expected_residual_) / (*expected_residual_ + rounding);
  if (!(error <= 1e-3)) throw std::runtime_error("the residual differs from the first method's");
  return error;
}

double SchwarzProblem::check_application(const std::string& algorithm, const std::vector<double>& found) {
  if (algorithm == "transposed" && expected_transposed_.empty()) expected_transposed_ = found;
  const std::vector<double>& expected = algorithm == "transposed" ? expected_transposed_ : expected_;
  if (found.size() != expected.size()) throw std::runtime_error("of another length");
  double largest = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - expected[i]);
    if (!std::isfinite(error)) throw std::runtime_error("not finite in row " + std::to_string(i));
    largest = std::max(largest, error);
    scale = std::max(scale, std::abs(expected[i]));
  }
  if (!(largest <= (algorithm == "single" ? 1e-3 : 1e-9) * scale))
    throw std::runtime_error("differs from what is expected by " + std::to_string(largest / scale));
  return largest / scale;
}

Limit SchwarzProblem::limit(Phase phase) const {
  const double n = A().n, of_A = 12.0 * double(A().nnz()) + 4.0 * n, hops = 2.0 * levels_;
  switch (phase) {
    case Phase::Apply:
    case Phase::ApplyEight:
    case Phase::ApplyThirtyTwo: return {bytes() + 16.0 * n * columns_of(phase), hops};
    case Phase::Gmres: {
      const double basis = 2.0 * ((gmres_restart + 1) / 2.0 + 1.0) + 3.0;
      return {bytes() + 16.0 * n, hops, of_A + 16.0 * n + 8.0 * n * basis};
    }
    default: return {};
  }
}

double SchwarzProblem::bytes() const { return 12.0 * entries_of(serial_.factor()) + 4.0 * (serial_.M().n + 1.0); }

}  // namespace terrace::perf
