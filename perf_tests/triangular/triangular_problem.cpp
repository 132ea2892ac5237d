// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triangular/triangular_problem.hpp"

#include <algorithm>
#include <limits>

#include "common/backward_error.hpp"
#include "matrices/right_hand_side.hpp"

namespace terrace::perf {
namespace {

Counters describe(const LowerTriangle& L, bool is_upper, int columns) {
  const int levels = (is_upper ? count_levels_of_transpose(L) : count_levels(L)).levels;
  return {{"n", L.n},
          {"nnz", double(L.nnz())},
          {"right_hand_sides", columns},
          {"levels", levels},
          {"rows_per_level", double(L.n) / std::max(1, levels)}};
}

/// What a substitution in any order may leave: 450 units of rounding (1e-13 in double), or as many as the longest row
/// of what was solved has entries, whichever is more (Higham, Accuracy and Stability, theorem 8.5).
double tolerated_backward_error(const Rows& L, bool transposed) {
  std::vector<int> length(static_cast<std::size_t>(L.n), 0);
  common::for_each_entry(L, transposed, [&](int row, int, Real) { ++length[row]; });
  int longest = 450;
  for (const int one : length) longest = std::max(longest, one);
  return longest * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace

TriangularProblem::TriangularProblem(LowerTriangle L, bool is_upper, int columns, Layout layout)
    : is_upper_(is_upper),
      columns_(columns),
      layout_(layout),
      counters_(describe(L, is_upper, columns)),
      L_(in_ints(std::move(L))),
      b_(make_right_hand_side(static_cast<std::size_t>(L_.n) * static_cast<std::size_t>(columns))),
      x_(b_.size()) {}

double TriangularProblem::check(const std::string&, Phase, const std::vector<double>& x) {
  const auto n = static_cast<std::size_t>(L_.n);
  const std::vector<double> b = by_columns({b_.begin(), b_.end()});
  double worst = 0.0;
  for (std::size_t first = 0; first < b.size(); first += n) {
    const double error = common::backward_error(n, b.data() + first, x.data() + first, [&](const auto& visit) {
      common::for_each_entry(L_, is_upper_, visit);
    });
    if (!(error <= worst)) worst = error;  // a NaN stays
    if (worst != worst) break;
  }
  if (!(worst <= tolerated_backward_error(L_, is_upper_)))
    throw std::runtime_error("wrong solution: backward error " + std::to_string(worst));
  return worst;
}

std::vector<double> TriangularProblem::by_columns(std::vector<double> numbers) const {
  if (layout_ == Layout::Left) return numbers;
  const auto n = static_cast<std::size_t>(L_.n), columns = static_cast<std::size_t>(columns_);
  std::vector<double> moved(numbers.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < columns; ++c) moved[c * n + i] = numbers[i * columns + c];
  return moved;
}

double TriangularProblem::bytes() const {
  return static_cast<double>(L_.nnz()) * (sizeof(Real) + sizeof(int)) + (L_.n + 1.0) * sizeof(int);
}

Limit TriangularProblem::limit(Phase phase) const {
  if (phase != Phase::Solve) return {};
  return {bytes() + 2.0 * sizeof(Real) * L_.n * columns_, counters_.at("levels")};
}

}  // namespace terrace::perf
